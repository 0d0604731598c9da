"""The catalogue of threats, failures and goals, as `cases.toml` has it."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One threat or failure: what is promised, and what shows it.

    `tests` are pytest's names of functions. `not_shown` says what is not, or why the
    case does not apply; a case without tests has to say so.
    """

    number: str
    threat: str
    promise: str
    tests: tuple[str, ...]
    not_shown: str


def _case(
    number: str, threat: str, promise: str, not_shown: str = "", **by: Any
) -> Case:
    named = by.pop("tests", {})
    assert not by, by
    tests = (
        f"tests/{file}::test_{name}"
        for file, names in named.items()
        for name in names.split()
    )
    return Case(number, threat, promise, tuple(tests), not_shown)


_READ = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ALL = tuple(_case(**each) for each in _READ["case"])
CASES = tuple(case for case in ALL if not case.number.startswith("G"))
GOALS = tuple(case for case in ALL if case.number.startswith("G"))
