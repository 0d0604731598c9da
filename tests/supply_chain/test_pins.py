"""What is installed is what was chosen: pinned, hashed, from nowhere in particular."""

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.supply_chain.pins import ROOT, LockError, installed, lock_files, pins

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
_OURS = {"bot", "gadget", "handlers", "tests"}
# One file in the lock: source that pip builds by running it (read, and known to do nothing
# but copy), or a wheel for all machines.
_SOURCE_ALONE = {"rouge-score", "sseclient"}
# What the interfaces of aiohttp, pydantic and requests are made of.
_WITH_ANOTHER = {"multidict", "pydantic-core", "urllib3"}
_IMPORT = re.compile(r"^ *(?:from (\w+)[\w.]* import |import (\w+))", re.M)
# Another place to install from, as an option, a variable or a table of uv.
_INDEX = re.compile(
    r"--(?:extra-)?index-url|--find-links|--trusted-host|(?:PIP|UV)_\w*(?:INDEX|LINKS|HOST)"
    r"|\[\[?tool\.uv"
)
_WHEEL_ALONE = {"events", "flatbuffers", "opensearch-protobufs"}


def declared(*, dev: bool) -> list[Requirement]:
    """Return what `pyproject.toml` asks for, as far as the locks hold it."""
    project = _PROJECT["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["research"]]
    return list(
        map(Requirement, named + (_PROJECT["dependency-groups"]["dev"] if dev else []))
    )


@pytest.mark.parametrize("file", lock_files(), ids=lambda path: path.name)
def test_every_package_is_pinned_with_its_hashes_and_no_index_is_named(
    file: Path,
) -> None:
    found = list(pins(file.read_text()))

    assert len(found) > 40
    assert len({pin.name for pin in found}) == len(found)


@pytest.mark.parametrize(
    "line",
    [
        "aiohttp==3.14",
        "aiohttp>=3.14 --hash=sha256:" + "0" * 64,
        "aiohttp==3.* --hash=sha256:" + "0" * 64,
        "aiohttp==3.14 --hash=md5:" + "0" * 32,
        "--index-url https://packages.example/simple",
        "aiohttp @ https://packages.example/aiohttp.whl",
        "-e .",
        "git+https://code.example/aiohttp",
        "# from https://packages.example/simple",
    ],
)
def test_anything_else_in_a_lock_is_refused(line: str) -> None:
    with pytest.raises(LockError):
        list(pins(f"# made by us\nidna==3.10 --hash=sha256:{'1' * 64}\n{line}\n"))


def test_nothing_that_installs_names_an_index() -> None:
    files = [ROOT / "dev", ROOT / "pyproject.toml", ROOT / "Procfile"]
    files += [
        path for folder in (".ci", "toolforge") for path in (ROOT / folder).iterdir()
    ]

    named = [
        str(path)
        for path in files
        if path.is_file() and _INDEX.search(path.read_text())
    ]

    assert len(files) > 8
    assert named == []


def test_what_is_installed_here_is_what_is_pinned() -> None:
    other = {
        pin.name: about.version
        for pin in pins((ROOT / "requirements-dev.lock").read_text())
        if (about := installed(pin.name)) and about.version != pin.version
    }

    assert other == {}


def test_the_locks_are_in_step_with_what_is_declared() -> None:
    for name, dev in (("requirements.lock", False), ("requirements-dev.lock", True)):
        pinned = {pin.name: pin.version for pin in pins((ROOT / name).read_text())}
        for intended_post in declared(dev=dev):
            version = pinned.get(canonicalize_name(intended_post.name))
            assert version is not None, f"{intended_post} is not in {name}: ./dev lock"
            assert intended_post.specifier.contains(version), (
                f"{intended_post} is {version} in {name}"
            )


def test_all_that_runs_is_tested_in_the_same_version() -> None:
    tested = {
        pin.name: pin for pin in pins((ROOT / "requirements-dev.lock").read_text())
    }
    for file in lock_files():
        if file.name != "requirements-dev.lock":
            for pin in pins(file.read_text()):
                assert tested[pin.name] == pin, f"{file.name}: ./dev lock"


def test_no_package_is_pinned_that_nothing_asks_for() -> None:
    pinned = {pin.name for pin in pins((ROOT / "requirements-dev.lock").read_text())}

    reached: set[str] = set()
    waiting = [
        (intended_post.name, frozenset(intended_post.extras))
        for intended_post in declared(dev=True)
    ]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        name = canonicalize_name(name)
        reached.add(name)
        about = installed(name)
        if (name, extras) in seen or about is None:
            continue
        seen.add((name, extras))
        for line in about.requires or []:
            needed = Requirement(line)
            if needed.marker is None or any(
                needed.marker.evaluate({"extra": extra}) for extra in ("", *extras)
            ):
                waiting.append((needed.name, frozenset(needed.extras)))

    assert pinned - reached == set()


def test_what_is_imported_is_declared_and_not_there_by_chance() -> None:
    training = _PROJECT["project"]["optional-dependencies"]["training"]
    wanted = [*declared(dev=False), *map(Requirement, training)]
    allowed = {canonicalize_name(one.name) for one in wanted} | _WITH_ANOTHER
    owners = packages_distributions()
    paths: dict[str, str] = {}
    for folder in ("bot", "gadget", "handlers"):
        for path in (ROOT / folder).rglob("*.py"):
            for module in imported(path):
                paths.setdefault(module, str(path.relative_to(ROOT)))

    undeclared = {
        module: path
        for module, path in paths.items()
        if module not in _OURS | sys.stdlib_module_names
        and not allowed.intersection(
            canonicalize_name(each) for each in owners.get(module, [module])
        )
    }

    assert len(paths) > 60
    assert undeclared == {}


def imported(path: Path) -> Iterator[str]:
    """Yield the topmost name of each module that a file imports."""
    for found in _IMPORT.finditer(path.read_text("utf-8")):
        yield found[1] or found[2]


def test_no_package_that_is_not_known_runs_code_when_it_is_installed() -> None:
    alone = {
        pin.name
        for file in lock_files()
        for pin in pins(file.read_text())
        if len(pin.hashes) == 1
    }
    built_here = re.search(r"^built_here=(.+)$", (ROOT / "dev").read_text(), re.M)

    assert alone <= _SOURCE_ALONE | _WHEEL_ALONE, "has it a wheel? then name it here"
    assert set(built_here[1].split(",")) == _SOURCE_ALONE
    assert '--only-binary :all: --no-binary "$built_here"' in (ROOT / "dev").read_text()


def test_what_builds_is_pinned_and_nothing_newer_is_fetched_for_it() -> None:
    lock = ROOT / "requirements-build.lock"
    script = " ".join((ROOT / "dev").read_text().replace("\\\n", " ").split())

    assert [pin.name for pin in pins(lock.read_text())] == ["setuptools"]
    assert (
        f'--require-hashes --target "$venv/builders" -r "$here/{lock.name}"' in script
    )
    assert script.count("pip install") == script.count("--only-binary :all:") == 3
    assert script.count("--no-binary") == script.count("--no-build-isolation") == 1


def test_no_package_runs_code_at_every_start_of_python() -> None:
    at_start = {
        f"{pin.name}: {file}"
        for pin in pins((ROOT / "requirements-dev.lock").read_text())
        if (about := installed(pin.name)) is not None
        for file in about.files or []
        if file.suffix == ".pth"
    }

    assert at_start == set()
