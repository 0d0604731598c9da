"""Turns the changes of a feed into pages that wait to be looked at.

A change is worth a look once the page has settled: people save several times in a
row, and vandalism is reverted within minutes. The newest revision is what counts,
so every edit counts; those that are called minor or made by bots seldom touch what
a sentence says, and settle longer. What a feed tells of reverts is not asked: after
one, the look finds the text that was checked before and has nothing to do.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from bot.daemon.intake.routing import Router
from bot.daemon.intake.standing import StandingWatches
from bot.records.changes import Batch, Change, ChangeKind, Position, UserKind
from bot.records.jobs import JobReason, PageJob
from bot.records.watches import Wish
from bot.store import Store
from handlers.ports import PermanentError

_LOOKED_AT = frozenset(
    {
        ChangeKind.EDIT,
        ChangeKind.NEW,
        ChangeKind.MOVE,
        ChangeKind.DELETE,
        ChangeKind.RESTORE,
        ChangeKind.VISIBILITY,
    }
)


class Watched(Protocol):
    """Knows which pages somebody wants looked at."""

    def pause_s(self, wiki: str, title: str) -> float | None:
        """Return how long the page rests between two looks; `None`: not watched."""
        ...


@dataclass(frozen=True, slots=True)
class Routes:
    """Where changes lead besides to looks at pages; see `bot.daemon.intake.routing`."""

    router: Router
    watches: StandingWatches


@dataclass(frozen=True, slots=True)
class QueueSink:
    """Fulfils `bot.records.changes.ChangeSink`: changes and position are kept together.

    `settle_s` is how long a page is left alone after a change, and
    `trivial_settle_s` after one that is minor or made by a bot. Of `routes` the
    watches are read again before a batch is kept.
    """

    feed: str
    store: Store
    watched: Watched
    settle_s: float = 60.0
    trivial_settle_s: float = 300.0
    routes: Routes | None = None

    async def position(self) -> Position | None:
        """Return how far the feed was read.

        Raises:
            PermanentError: what is kept was not written by this program.
            TemporaryError: the store is away.
        """
        try:
            return await asyncio.to_thread(self.store.feeds.position, self.feed)
        except ValueError as error:
            raise PermanentError(
                f"the position of {self.feed} in the database cannot be read ({error});"
                " delete its row in the table positions to begin with what is new"
            ) from error

    async def commit(self, batch: Batch) -> None:
        """Keep the batch with the jobs that come of it, or nothing of it.

        Raises:
            TemporaryError: the store is away.
            PermanentError: the store cannot be used.
        """
        await asyncio.to_thread(self._keep, batch)

    def _keep(self, batch: Batch) -> None:
        now = batch.received_at
        wishes = self._wishes(batch)
        jobs = [
            job
            for change in batch.changes
            for job in jobs_of(change, self.watched, now, self._settles_in_s(change))
        ]
        self.store.feeds.keep(self.feed, batch, jobs, wishes)

    def _wishes(self, batch: Batch) -> tuple[Wish, ...]:
        if self.routes is None:
            return ()
        if batch.changes:
            self.routes.watches.refresh()
        standing = self.routes.watches.now
        return self.routes.router.wishes(batch.changes, standing, batch.received_at)

    def _settles_in_s(self, change: Change) -> float:
        trivial = change.is_minor or change.user is UserKind.BOT
        return self.trivial_settle_s if trivial else self.settle_s


def jobs_of(
    change: Change, watched: Watched, received_at: datetime, settle_s: float
) -> Iterator[PageJob]:
    """Yield the pages to look at after a change; of a move, where the page went, too.

    What the feed repeats asks for nothing new: a job tells the time of its change.
    """
    if change.kind not in _LOOKED_AT:
        return
    rests_s = watched.pause_s(change.wiki, change.title)
    if rests_s is not None:
        yield _job(change, change.title, received_at, settle_s, rests_s)
    if change.moved_to is not None:
        there_s = watched.pause_s(change.wiki, change.moved_to)
        rests_s = rests_s if there_s is None else there_s
        if rests_s is not None:
            yield _job(change, change.moved_to, received_at, settle_s, rests_s)


def _job(
    change: Change, title: str, received_at: datetime, settle_s: float, pause_s: float
) -> PageJob:
    return PageJob(
        wiki=change.wiki,
        title=title,
        reason=JobReason.CHANGE,
        asked_at=change.changed_at,
        due_at=received_at + timedelta(seconds=settle_s),
        revision_id=change.revision_id,
        page_id=change.page_id,
        pause_s=pause_s,
    )
