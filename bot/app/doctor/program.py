"""The machine: Python, the packages, and the limits on memory and open files."""

import re
import resource
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

import bot
from bot import __version__
from bot.app.doctor.values import Group, Notes, Trial, in_thread
from bot.report.words import counted

_PYTHON = ((3, 11), (3, 12), (3, 13))
_MIB = 2**20
# At the peak of a busy process, rounded up: all parts in one took 384 MiB over the
# articles that ship, `serve` alone 128 MiB. The child that turns sources into text is in
# what `work` and `read` need.
_NEEDED_MIB: Mapping[str, int] = MappingProxyType(
    {"intake": 192, "publish": 192, "serve": 192, "read": 384, "work": 512}
)
_NO_LIMIT = 2**60  # as version 1 of cgroups writes that there is none
_LEAST_FILES = 256
_SHOWN = 3
# What runs needs no extras; the second pins them, too, each to the same versions.
_LOCKS = ("toolforge/requirements.txt", "requirements.lock")
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
_NAMED = re.compile(r"[A-Za-z0-9._-]+")
_REINSTALL = "Reinstall: pip install --require-hashes -r requirements.lock, then pip install --no-deps ."


def trials(roles: frozenset[str], root: Path = Path("/")) -> tuple[Trial, ...]:
    """Return what can be tried whatever the settings are; files lie below `root`."""
    made = (
        ("Python", _python),
        ("packages", _packages),
        ("memory", partial(_memory, roles, root)),
        ("open files", _open_files),
    )
    return tuple(
        Trial(Group.PROGRAM, name, in_thread(look), _REINSTALL) for name, look in made
    )


def memory_limit(root: Path) -> int | None:
    """Return how much memory the container of this process may take, in bytes.

    `None` without a limit. Both versions of cgroups are understood; of those that lie in
    each other the narrowest counts.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text("ascii").splitlines()
    except (OSError, UnicodeError):
        return None
    limits = [one for line in lines for one in _limits(root / "sys/fs/cgroup", line)]
    return min((one for one in limits if one < _NO_LIMIT), default=None)


def _limits(mounted: Path, line: str) -> Iterator[int]:
    number, _, rest = line.partition(":")
    controllers, _, place = rest.partition(":")
    if number == "0" and not controllers:
        top, name = mounted, "memory.max"
    elif "memory" in controllers.split(","):
        top, name = mounted / "memory", "memory.limit_in_bytes"
    else:
        return
    inner = top / place.strip("/")
    # In a container the file of the innermost group stands at the top.
    for folder in (inner, *inner.parents):
        if folder.is_relative_to(top):
            yield from _number(folder / name)


def _number(file: Path) -> Iterator[int]:
    try:
        yield int(file.read_text("ascii"))
    except (OSError, ValueError):  # also "max"
        return


def _python(notes: Notes) -> None:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] in _PYTHON:
        notes.fine("Python", f"{found}, Sidenote {__version__}")
        return
    wanted = " or ".join(f"{major}.{minor}" for major, minor in _PYTHON)
    notes.broken("Python", found, f"Install Sidenote with Python {wanted}.")


def _packages(notes: Notes) -> None:
    wanted, where = _wanted()
    found = {name: _installed(name) for name in wanted}
    missing = [name for name, version in found.items() if not version]
    other = [
        f"{name} {version} (pinned: {wanted[name]})"
        for name, version in found.items()
        if version and wanted[name] not in {"", version}
    ]
    if missing:
        notes.broken("packages", f"{_some(missing)} not installed", _REINSTALL)
    if other:
        notes.warning(
            "packages", f"versions that were not tested: {_some(other)}", _REINSTALL
        )
    if not missing and not other:
        notes.fine("packages", f"{counted(len(found), 'package')} as in {where}")


def _wanted() -> tuple[dict[str, str], str]:
    """Return the packages with the versions they are pinned to, "" where to none."""
    top = Path(bot.__file__).parents[1]
    for lock in _LOCKS:
        if (top / lock).is_file():
            pinned = _PINNED.findall((top / lock).read_text("utf-8"))
            return dict(pinned), lock
    with suppress(metadata.PackageNotFoundError):
        direct = [
            named[0]
            for each in metadata.requires("sidenote") or ()
            if "extra ==" not in each and (named := _NAMED.match(each))
        ]
        return dict.fromkeys(direct, ""), "the package's own list"
    return {}, "no list"


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _some(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _memory(roles: frozenset[str], root: Path, notes: Notes) -> None:
    limit = memory_limit(root)
    if limit is None:
        notes.fine("memory", "no limit for this process")
        return
    # In one process what all have in common is there once.
    needed = max(_NEEDED_MIB.get(role, 192) for role in roles) + 64 * (len(roles) - 1)
    seen = f"{limit // _MIB:,} MiB allowed; {', '.join(sorted(roles))}: {needed} MiB"
    if limit >= needed * _MIB:
        notes.fine("memory", seen)
        return
    if len(roles) > 1:  # which may well run apart
        notes.warning(
            "memory",
            seen,
            f"Give this container {needed}Mi if all of them run in it; if they run separately, test each with --for.",
        )
        return
    notes.broken(
        "memory",
        seen,
        f"Give the container {needed}Mi (on Toolforge: mem in jobs.yaml)"
        + (", or set SIDENOTE_VERIFIER=lexical." if "work" in roles else "."),
    )


def _open_files(notes: Notes) -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= _LEAST_FILES:
        notes.fine("open files", f"up to {soft:,}")
        return
    notes.broken(
        "open files",
        f"only {soft}",
        f"Allow at least {_LEAST_FILES}: ulimit -n 1024, or LimitNOFILE in systemd.",
    )
