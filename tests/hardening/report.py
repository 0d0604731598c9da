"""Writes `tests/results/hardening.md`: the figures of the sets, and the table of cases."""

import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.hardening.cases import CASES, GOALS, Case
from tests.hardening.figures import Figures

_FILE = Path(__file__).parents[1] / "results" / "hardening.md"
_HEAD = """\
# Hostile input

Made by `./dev hardening --write`; a set that is tried anew replaces its section. “Wrong”
counts promises that were broken. The sets are larger pieces of what `tests/hardening`
does in every run of the tests; collections of attacks are read where they are at hand.
"""
_COLUMNS = """\
| goal or case | what | tried | wrong | besides | s |
|---|---|---:|---:|---|---:|
"""
_PART = re.compile(r"<!-- set ([a-z-]+) -->\n.*?<!-- end \1 -->\n", re.DOTALL)


def write(
    name: str, command: str, found: Sequence[Figures], file: Path = _FILE
) -> None:
    """Put one set into the file, in the place of what stands there of it."""
    file.parent.mkdir(exist_ok=True)
    parts = _parts(file)
    parts[name] = _section(name, command, found)
    file.write_text(_page(parts), "utf-8")


def is_up_to_date(file: Path = _FILE) -> bool:
    """Tell whether the file has the cases and goals as they are."""
    return file.read_text("utf-8") == _page(_parts(file))


def write_cases(file: Path = _FILE) -> None:
    """Put the cases and goals into the file, and leave the sets as they are."""
    file.write_text(_page(_parts(file)), "utf-8")


def _parts(file: Path) -> dict[str, str]:
    text = file.read_text("utf-8") if file.exists() else ""
    return {part[1]: part[0] for part in _PART.finditer(text)}


def _page(parts: Mapping[str, str]) -> str:
    sets = "\n".join(parts[each] for each in sorted(parts))
    return f"{_HEAD}\n{sets}\n{_table(CASES, GOALS)}"


def _section(name: str, command: str, found: Sequence[Figures]) -> str:
    rows = "\n".join(one.row() for one in found)
    faults = "".join(f"{line}\n" for one in found for line in one.shown_faults())
    return (
        f"<!-- set {name} -->\n## {name.capitalize()}\n\n"
        f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, {_machine()}\n\n"
        f"{_COLUMNS}{rows}\n{faults and chr(10) + faults}<!-- end {name} -->\n"
    )


def _machine() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return (
        f"{os.cpu_count()} cores, {pages / 1024**3:.0f} GiB,"
        f" Python {platform.python_version()}"
    )


def _table(cases: Sequence[Case], goals: Sequence[Case]) -> str:
    return (
        "## Cases\n\nEach threat, what is promised, how many tests show it (their names"
        " stand in `tests/hardening/cases.toml`), and what is not shown.\n\n"
        f"{_rows(cases)}\n## Goals\n\n{_rows(goals)}"
    )


def _rows(cases: Sequence[Case]) -> str:
    head = "| | threat | promise | tests | not shown |\n|---|---|---|---:|---|\n"
    return head + "".join(
        f"| {one.number} | {one.threat} | {one.promise} | {len(one.tests)} |"
        f" {one.not_shown or '–'} |\n"
        for one in cases
    )
