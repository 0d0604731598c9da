"""Ends the daemon when nothing is left to do, for a run that should end by itself."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from bot.records.posts import PostState
from bot.records.tasks import TaskState
from bot.store import Store
from handlers.ports import TemporaryError

_POLL_S = 0.1
_SOON = timedelta(seconds=1)
_TIMES = 3  # in a row: what one part hands to the next is briefly in no queue


class Counted(Protocol):
    """The waiting jobs, by kind of work; see `Store`."""

    def left(self) -> int:
        """Return how much is waiting or in progress."""
        ...


@dataclass(frozen=True, slots=True)
class LeftInStore:
    """Counts pages, plans and posts that are due or in progress.

    What is due later (a page that is resting, a note over today's limit) is not
    counted: it would keep a run going for a day.
    """

    store: Store
    now: Callable[[], datetime]

    def left(self) -> int:
        """Return how many there are; all that are merely due count as one."""
        soon = self.now() + _SOON
        jobs, plans = self.store.jobs.state(), self.store.plans.state()
        posts = self.store.outbox.counts()
        due = [
            at for at in (jobs.oldest_due_at, plans.oldest_due_at) if at and at <= soon
        ]
        return (
            len(due)
            + jobs.counts[TaskState.LEASED]
            + sum(plans.leased.values())
            + posts[PostState.WAITING]
            + posts[PostState.TRIED]
            - self.store.outbox.parked_count()  # they wait for a person
        )


@dataclass(frozen=True, slots=True)
class UntilIdle:
    """A role that sets `stop` when everything has been read and nothing is left.

    `is_read` returns whether the feed has delivered everything.
    """

    work: Counted
    is_read: Callable[[], bool]

    async def run(self, stop: asyncio.Event) -> None:
        """Check until that is so, or until `stop` is set elsewhere."""
        calm = 0
        while not stop.is_set():
            left = await self._left()
            calm = calm + 1 if self.is_read() and not left else 0
            if calm >= _TIMES:
                structlog.get_logger().info("nothing is left to do")
                stop.set()
                return
            await asyncio.sleep(_POLL_S)

    async def _left(self) -> int:
        try:
            return await asyncio.to_thread(self.work.left)
        except TemporaryError as error:  # the others wait for the store, too
            structlog.get_logger().warning("nothing can be counted", why=str(error))
            return 1
