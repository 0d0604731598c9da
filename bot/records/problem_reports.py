"""What people report of notes on a wiki's page of reports, and what is answered there. Pure."""

from dataclasses import dataclass
from enum import Enum


class ReportAnswer(Enum):
    """What became of a report; the value is what is written on the page."""

    RIGHT = "right"  # the note was
    WRONG = "wrong"  # the note was, and it cannot be mended
    FIXED = "mended"  # the note was wrong, and its cause has been fixed

    @property
    def says_wrong(self) -> bool:
        """Whether the note was wrong."""
        return self is not ReportAnswer.RIGHT


@dataclass(frozen=True, slots=True)
class ProblemReport:
    """A report of a note; `name` is that of the report, `identity` that of the note."""

    name: str
    identity: str
    revision: int | None
    answer: ReportAnswer | None
