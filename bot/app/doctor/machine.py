"""The machine: Python, packages, memory, open files, the data folder, the models that ship."""

import os
import re
import resource
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType

import bot
from bot import __version__
from bot.app.doctor.trial import Group, Installation, Notes, Trial, in_thread
from bot.report.words import counted
from bot.settings import VerifierChoice
from bot.store.database import NETWORK_FILE_SYSTEMS, file_system_of

_PYTHON = ((3, 11), (3, 12), (3, 13))
_MIB = 2**20
# Peak memory of a busy process, rounded up. All parts in one process took 384 MiB for
# the articles that ship, `serve` alone 128 MiB. `work` and `read` include the child
# process that turns sources into text.
_NEEDED_MIB: Mapping[str, int] = MappingProxyType(
    {"intake": 192, "publish": 192, "serve": 192, "read": 384, "work": 512}
)
_NO_LIMIT = 2**60  # version 1 of cgroups writes “no limit” as a huge number
_LEAST_FILES = 256
_SHOWN = 3
# The first file has what runs without extras; the second adds the extras, at the same
# versions.
_LOCKS = ("toolforge/requirements.txt", "requirements.lock")
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
_NAMED = re.compile(r"[A-Za-z0-9._-]+")
_REINSTALL = "Reinstall: pip install --require-hashes -r requirements.lock, then pip install --no-deps ."


def program_trials(roles: frozenset[str], root: Path = Path("/")) -> tuple[Trial, ...]:
    """Return the tests that need no settings; files are below `root`."""
    made = (
        ("Python", _python),
        ("packages", _packages),
        ("memory", partial(_memory, roles, root)),
        ("open files", _open_files),
    )
    return tuple(
        Trial(Group.PROGRAM, name, in_thread(examine), _REINSTALL)
        for name, examine in made
    )


def memory_limit(root: Path) -> int | None:
    """Return the memory limit of this process's container, in bytes.

    `None` if there is no limit. Works with both versions of cgroups; of nested groups,
    the lowest limit counts.
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
    # In a container, the innermost group's file is at the top.
    for folder in (inner, *inner.parents):
        if folder.is_relative_to(top):
            yield from _number(folder / name)


def _number(file: Path) -> Iterator[int]:
    try:
        yield int(file.read_text("ascii"))
    except (OSError, ValueError):  # "max" is not a number either
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
    """Return the packages with their pinned versions, "" for those not pinned."""
    top = Path(bot.__file__).parents[1]
    for lock in _LOCKS:
        if (top / lock).is_file():
            pinned = _PINNED.findall((top / lock).read_text("utf-8"))
            return dict(pinned), lock
    with suppress(metadata.PackageNotFoundError):
        direct = [
            named[0]
            for each in metadata.requires(bot.DISTRIBUTION) or ()
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
    # Parts in one process share what they have in common.
    needed = max(_NEEDED_MIB.get(role, 192) for role in roles) + 64 * (len(roles) - 1)
    seen = f"{limit // _MIB:,} MiB allowed; {', '.join(sorted(roles))}: {needed} MiB"
    if limit >= needed * _MIB:
        notes.fine("memory", seen)
        return
    if len(roles) > 1:  # in production they may run apart
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


# The data folder: whether it is writable, has free space and is on a local disk.

_LEAST_FREE = 200 * _MIB
_LEAST_INODES = 10_000
_ELSEWHERE = "Set SIDENOTE_DATA_DIR to a folder on a local disk that you can write to."
_OF_OTHERS_TO_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_SESSIONS = ("pywikibot", "pywikibot-deploy")


def data_trials(installation: Installation) -> tuple[Trial, ...]:
    """Return the tests of the data folder."""
    settings = installation.settings
    examine = partial(_examine, settings.data_dir, settings.cache_max_bytes)
    run = in_thread(examine)
    return (Trial(Group.DATA, "folder", run, _ELSEWHERE, limit_s=10),)


def _examine(folder: Path, cache_bytes: int, notes: Notes) -> None:
    there = _nearest(folder)
    if not there.is_dir():
        notes.broken("folder", f"{there} is not a folder", _ELSEWHERE)
        return
    if _is_writable(folder, there, notes):
        _room(there, cache_bytes, notes)
    kind = file_system_of(there)
    if kind in NETWORK_FILE_SYSTEMS:
        notes.warning(
            "file system",
            f"{folder} lies on a network file system ({kind}), which is slow, and where locks may fail",
            _ELSEWHERE,
        )
    else:
        notes.fine("file system", kind)


def _nearest(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists."""
    return next(one for one in (folder, *folder.absolute().parents) if one.exists())


def _is_writable(folder: Path, there: Path, notes: Notes) -> bool:
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"\0" * 4096)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        why = (error.strerror or "error").lower()
        notes.broken("folder", f"{there} is not writable ({why})", _ELSEWHERE)
        return False
    if there != folder:
        notes.fine("folder", f"{folder} will be created")
        return True
    _note_others(folder, notes)
    notes.fine("folder", f"{folder} is writable")
    return True


def _note_others(folder: Path, notes: Notes) -> None:
    """Report whether other users could change the files here, or use our sessions."""
    if folder.stat().st_mode & _OF_OTHERS_TO_WRITE:
        notes.warning(
            "folder",
            f"other users can change files in {folder}",
            f"Type: chmod go-w {folder}",
        )
    open_to_all = [
        file
        for name in _SESSIONS
        for file in sorted((folder / name).glob("*.lwp"))
        if file.stat().st_mode & _OF_OTHERS
    ]
    if open_to_all:
        notes.warning(
            "sessions",
            f"other users can read {open_to_all[0]}, which contains the login of the bot",
            f"Type: chmod go= {open_to_all[0].parent}",
        )


def _room(there: Path, cache_bytes: int, notes: Notes) -> None:
    free = shutil.disk_usage(there).free
    seen = f"{free // _MIB:,} MiB free"
    room = os.statvfs(there)
    if room.f_files and room.f_favail < _LEAST_INODES:
        seen += f", and only {room.f_favail:,} more files"
    elif free >= cache_bytes + _LEAST_FREE:
        notes.fine("room", seen)
        return
    if free < _LEAST_FREE:
        notes.broken("room", seen, f"Free space on the disk of {there}.")
        return
    notes.warning(
        "room",
        f"{seen}; the cache of sources may take {cache_bytes // _MIB:,} MiB",
        "Free space, or lower SIDENOTE_CACHE_MAX_BYTES.",
    )


# The models that ship: whether each file is undamaged and works.

SUMS = "checksums.sha256"
_REINSTALL_ALL = "Reinstall Sidenote; local changes to its files are lost."
_TEXT = "The bridge was opened in 1937."


def sums_trial(folder: Traversable | None = None) -> Trial:
    """Return the comparison of the files that ship, in `folder`, with their checksums."""
    place = folder or files("bot.models") / "files"
    examine = in_thread(partial(_sums, place))
    return Trial(Group.MODELS, "files", examine, _REINSTALL_ALL, limit_s=20)


def model_trials(installation: Installation) -> tuple[Trial, ...]:
    """Return the tests of the models."""
    choice = installation.settings.verifier
    works = (
        ("verifier", partial(_verifier, choice)),
        ("encoder", _encoder),
    )
    return (
        sums_trial(),
        *(
            Trial(Group.MODELS, name, in_thread(examine), _REINSTALL_ALL, limit_s=30)
            for name, examine in works
            if "work" in installation.roles
        ),
    )


def _sums(folder: Traversable, notes: Notes) -> None:
    listed = (folder / SUMS).read_text("ascii").splitlines()
    wanted = {name: digest for digest, name in (line.split() for line in listed)}
    bad, size = [], 0
    for name, digest in wanted.items():
        try:
            content = (folder / name).read_bytes()
        except OSError as error:
            bad.append(f"{name} cannot be read ({(error.strerror or '').lower()})")
            continue
        size += len(content)
        if sha256(content).hexdigest() != digest:
            bad.append(f"{name} is damaged (its SHA-256 differs)")
    if bad:
        notes.broken("files", ", ".join(bad), _REINSTALL_ALL)
        return
    summary = f"{counted(len(wanted), 'file')}, {size / _MIB:.0f} MiB, undamaged"
    notes.fine("files", summary)


def _verifier(choice: VerifierChoice, notes: Notes) -> None:
    if choice is VerifierChoice.LEXICAL:
        from bot.models.lexical import LexicalVerifier

        notes.fine("verifier", f"lexical, version {LexicalVerifier().engine.version}")
        return
    from bot.models.neural import shipped_networks, shipped_neural
    from handlers.citations.network_input import PairText

    same = shipped_networks(threads=1)(PairText(_TEXT, "", _TEXT))
    version = shipped_neural().model.version
    if any(
        one is None or one.supported < max(one.refuted, one.unmentioned)
        for one in (same, same.larger)
    ):
        notes.broken(
            "verifier", "it does not recognise an identical sentence", _REINSTALL_ALL
        )
        return
    notes.fine("verifier", f"minilm, version {version}, judged a sentence")


def _encoder(notes: Notes) -> None:
    from bot.models.encoder import DIMENSIONS, Encoder

    encoder = Encoder()
    vector = encoder.encode(_TEXT)
    if vector.shape == (DIMENSIONS,) and abs(float(vector @ vector) - 1) < 1e-3:  # noqa: PLR2004 - of length 1
        notes.fine("encoder", f"{encoder.name}, encoded a sentence")
        return
    notes.broken("encoder", "its vectors have the wrong shape", _REINSTALL_ALL)
