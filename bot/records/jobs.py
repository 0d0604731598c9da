"""A page to be checked, and the right to check it for a while. Pure.

A page waits at most once: a newer change replaces the one that waits, and a change that
comes while a worker checks the page makes it wait again afterwards.
"""

from dataclasses import dataclass, field
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


PATIENCE = 5
"""How many failures of its own a page may have before it counts as poison."""
_MOST = 1_000  # pages; if more fail, the pages are not to blame
_MOST_OWN = 20  # remembered failures of a page


@dataclass(slots=True)
class _Suspect:
    """A page that was not answered. Times are counts of failures.

    `own` are the failures that may be the page's fault; `answered` is when another page
    was answered since the last failure, if one was.
    """

    since: int
    own: list[int] = field(default_factory=list)
    answered: int | None = None

    def clear_from(self, time: int) -> None:
        """Forgive all failures from a time on: the wiki was down."""
        self.own = [each for each in self.own if each < time]
        if self.answered is not None and self.answered >= time:
            self.answered = None


@dataclass(slots=True)
class UnansweredPages:
    """What one process knows about the pages that were not answered, by wiki.

    A wiki that is down and a page that it cannot answer for look alike: a question gets
    no answer. But a wiki that is down answers for no page, and one with outages sooner
    or later answers for a page where it failed before. So a failure counts against a
    page only if other pages were answered since its last one, and if no page that had
    failed by then was answered later.
    """

    _of: dict[str, dict[str, _Suspect]] = field(default_factory=dict)
    _time: int = 0

    def answered(self, wiki: str, title: str) -> None:
        """Note that a wiki answered for a page."""
        pages = self._of.get(wiki, {})
        healed = pages.pop(title, None)
        for page in pages.values():
            if healed is not None:
                page.clear_from(healed.since)
            elif page.answered is None:
                page.answered = self._time

    def forget(self, wiki: str) -> None:
        """Forgive all pages of a wiki that says itself that it is down."""
        self._of.pop(wiki, None)

    def failed(self, wiki: str, title: str) -> int:
        """Note that a page was not answered; return how often it was at fault."""
        self._time += 1
        pages = self._of.setdefault(wiki, {})
        if len(pages) >= _MOST and title not in pages:
            pages.clear()
        page = pages.setdefault(title, _Suspect(self._time))
        if page.answered is not None:
            page.own = [*page.own, self._time][-_MOST_OWN:]
            page.answered = None
        return len(page.own)
