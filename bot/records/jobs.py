"""A page to be looked at, and the right to do so for a while. Pure.

A page waits at most once: a newer change takes the place of the one that waits, and
one that comes while a worker looks makes the page wait again afterwards.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from bot.records.tasks import TaskState


class JobReason(Enum):
    """Why a page is looked at.

    Of the pages that somebody asked for, those with the reason named first go first;
    how work is shared between those who asked is told in `bot.records.tasks`.
    """

    ASKED = "asked for by a person"
    CHANGE = "changed"
    OPT_IN = "newly watched"
    RECHECK = "not looked at for long"

    @property
    def urgency(self) -> int:
        """Its place in the order; 0 goes first."""
        return list(JobReason).index(self)


@dataclass(frozen=True, slots=True)
class PageJob:
    """One page at one revision.

    `revision_id` is `None` where whatever is newest is meant. `asked_at` is the time
    of the change, or of the wish; a job with a revision no newer than the one last
    looked at counts only if it was asked for after that look began. A page rests
    `pause_s` from the beginning of one look at it to the next.
    """

    wiki: str
    title: str
    reason: JobReason
    asked_at: datetime
    due_at: datetime
    revision_id: int | None = None
    page_id: int | None = None
    pause_s: float = 600.0


@dataclass(frozen=True, slots=True)
class ParkedJob:
    """A page that is no longer tried, and why."""

    wiki: str
    title: str
    revision_id: int | None
    reason: str
    parked_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True)
class QueueState:
    """How many pages are in each state, and since when the longest one is due."""

    counts: dict[TaskState, int]
    oldest_due_at: datetime | None
