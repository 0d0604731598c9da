"""The edits of a whole wiki that are looked at, whether or not anyone watches the page.

A page waits at most once, with the revision before the first edit that nobody looked at
and the newest: all edits between them are one. Pure.
"""

from dataclasses import dataclass, fields
from datetime import datetime


@dataclass(frozen=True, slots=True)
class PatrolEdit:
    """An edit of an article, or the edits that wait for review on it.

    `since_id` is the revision before, or the last that was reviewed if the edit is
    `is_pending`: then it comes first. `due_at` is when the page should have rested.
    """

    wiki: str
    title: str
    since_id: int
    revision_id: int
    edited_at: datetime
    due_at: datetime
    is_by_bot: bool = False
    is_pending: bool = False


@dataclass(frozen=True, slots=True)
class PatrolTask:
    """Edits to be looked at; `is_by_bots` if people made none of them."""

    wiki: str
    title: str
    since_id: int
    revision_id: int
    is_by_bots: bool = False


@dataclass(frozen=True, slots=True)
class PatrolCounts:
    """How much was heard, read and found.

    Each stage has what is left of the one before: `events` are changes of articles,
    `diffs` the edits whose two sides were read, `candidates` those worth reading a
    source for. `not_read` are diffs that are too large, blankings, moves, mergers and
    texts that the wiki hides or no longer has; `over_budget` are candidates whose
    sources the day's limit did not allow. `notes` are open ones that are new.
    """

    events: int = 0
    diffs: int = 0
    not_read: int = 0
    candidates: int = 0
    over_budget: int = 0
    sources: int = 0
    notes: int = 0

    def __add__(self, other: "PatrolCounts") -> "PatrolCounts":
        names = (one.name for one in fields(self))
        return PatrolCounts(*(getattr(self, n) + getattr(other, n) for n in names))
