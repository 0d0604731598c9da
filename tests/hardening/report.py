"""Writes `tests/results/hardening.md`: the figures of the sets, and the table of cases."""

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.hardening.case import Case
from tests.hardening.cases import CASES
from tests.hardening.figures import Figures
from tests.hardening.goals import GOALS

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
    kept = file.read_text("utf-8") if file.exists() else ""
    parts = {part[1]: part[0] for part in _PART.finditer(kept)}
    parts[name] = _section(name, command, found)
    sets = "\n".join(parts[each] for each in sorted(parts))
    file.write_text(f"{_HEAD}\n{sets}\n{_table(CASES, GOALS)}", "utf-8")


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
        " stand in `tests/hardening/cases*.py`), and what is not shown.\n\n"
        f"{_rows(cases)}\n## Goals\n\n{_rows(goals)}"
    )


def _rows(cases: Sequence[Case]) -> str:
    head = "| | threat | promise | tests | not shown |\n|---|---|---|---:|---|\n"
    return head + "".join(
        f"| {one.number} | {one.threat} | {one.promise} | {len(one.tests)} |"
        f" {one.wanting or '–'} |\n"
        for one in cases
    )
