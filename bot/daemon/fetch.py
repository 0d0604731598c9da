"""Reads sources for processes that do not read the web themselves: the role `read`.

It can run on other machines, in any number of copies; all it shares with the rest is
the store.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from bot.daemon.runner import Runner
from bot.records.fetches import Request
from bot.records.tasks import BackOff, FailureOutcome, Lease, TaskKind, Work
from bot.store import Store
from handlers.model import SourceFetch
from handlers.ports import SourceReader, TemporaryError

_AT_ONCE = BackOff(first_s=0.0, most_s=0.0)
_AGAIN_S, _AGAIN_MOST_S = 1.0, 10.0  # between tries to save an answer


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Reads the sources that have waited longest, `at_once` at a time.

    Several may share one store, each in a separate process.
    """

    name: str
    store: Store
    sources: SourceReader
    now: Callable[[], datetime]
    at_once: int = 8

    @property
    def runner(self) -> Runner:
        """The queue of sources to read."""
        works = {TaskKind.FETCH: Work(self._fetch, _AT_ONCE, failed=_failed)}
        tasks, at_once = self.store.tasks, self.at_once
        return Runner(self.name, tasks, works, self.now, lambda: 0.0, at_once)

    async def _fetch(self, held: Lease[Request]) -> None:
        fetch = await self.sources.read(held.task.source)
        await self._hand_on(held, fetch)
        outcome = fetch.outcome.value
        structlog.get_logger().debug("source read", outcome=outcome)

    async def _hand_on(self, held: Lease[Request], fetch: SourceFetch) -> None:
        """Save an answer; try for as long as a lease lasts if the store is away.

        So the host is not asked again, and the source does not count as one that killed
        its reader.
        """
        fetches, loop = self.store.fetches, asyncio.get_running_loop()
        until_s = loop.time() + fetches.rules.lease_s
        while True:
            try:
                await asyncio.to_thread(fetches.answer, held, fetch, self.now())
            except TemporaryError as error:
                wait_s = min(max(error.retry_in_s, _AGAIN_S), _AGAIN_MOST_S)
                if loop.time() + wait_s > until_s:
                    raise
                await asyncio.sleep(wait_s)
            else:
                return


def _failed(_: Lease[Request], error: Exception) -> FailureOutcome | None:
    """Give a source back if the store, which holds the hosts' turns, was away."""
    away = isinstance(error, TemporaryError)
    return FailureOutcome(str(error), 0.0, counts=False) if away else None
