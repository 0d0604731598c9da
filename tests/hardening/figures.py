"""What a set of hostile input came to: how many, what went wrong, how long it took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_SHOWN = 5


@dataclass(slots=True)
class Figures:
    """One set, as the report has a row for it.

    `goal` is the number of a goal or case in `tests/hardening`, `tried` counts inputs, and
    `faults` says of each promise that was broken what broke it.
    """

    goal: str
    what: str
    tried: int = 0
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    took_s: float = 0.0

    def fault(self, message: str) -> None:
        """Keep what went wrong."""
        self.faults.append(message[:300])

    def row(self) -> str:
        """Return the row of the report."""
        wrong = "none" if not self.faults else f"**{len(self.faults)}**"
        notes = "; ".join(self.notes) or "–"
        return f"| {self.goal} | {self.what} | {self.tried:,} | {wrong} | {notes} | {self.took_s:.0f} |"

    def shown_faults(self) -> list[str]:
        """Return the first few, for the report."""
        return [
            f"- {self.goal}, {self.what}: `{one!r}`" for one in self.faults[:_SHOWN]
        ]


@contextmanager
def measured(goal: str, what: str) -> Iterator[Figures]:
    """Give figures to fill in, and note how long that took."""
    figures = Figures(goal, what)
    began_s = time.monotonic()
    try:
        yield figures
    finally:
        figures.took_s = time.monotonic() - began_s
