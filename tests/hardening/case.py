"""What a case of the threat catalogue is, and how its tests are named."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """One threat or failure: what is promised, and what shows it.

    `tests` are pytest's names of functions. `wanting` says what is not shown, or why the
    case does not apply; a case without tests has to say so.
    """

    number: str
    threat: str
    promise: str
    tests: tuple[str, ...]
    wanting: str = ""


def tests_of(file: str, names: str) -> tuple[str, ...]:
    """Return the names of tests of one file under `tests/`, without their prefix."""
    return tuple(f"tests/{file}::test_{name}" for name in names.split())
