"""A page to be checked, and the right to check it for a while. Pure.

A page waits at most once: a newer change replaces the one that waits, and a change that
comes while a worker checks the page makes it wait again afterwards.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from bot.records.tasks import TaskState


class JobReason(Enum):
    """Why a page is checked.

    Of the pages that somebody asked for, those with the reason listed first are checked
    first. How work is shared between those who asked is described in
    `bot.records.tasks`.
    """

    ASKED = "asked for by a person"
    CHANGE = "changed"
    OPT_IN = "newly watched"
    RECHECK = "not checked for a long time"

    @property
    def urgency(self) -> int:
        """Its place in the order; 0 is first."""
        return list(JobReason).index(self)


@dataclass(frozen=True, slots=True)
class PageJob:
    """One page at one revision.

    `revision_id` is `None` for whatever is newest. `asked_at` is the time of the change
    or of the request. A job with a revision no newer than the last one checked only
    counts if it was asked for after that check began. `pause_s` is the least time from
    the beginning of one check to that of the next.
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
    """How many pages are in each state, and since when the oldest one is due."""

    counts: dict[TaskState, int]
    oldest_due_at: datetime | None
