"""Runs what is due at intervals; the only module that imports APScheduler."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

_SPREAD = 0.1  # of an interval, so that processes do not all come at once
_MOST_SPREAD_S = 30.0
_END_S = 3.0  # for what is being called when all ends


class Scheduler:
    """Calls functions again and again on the running event loop, as a context manager.

    Nothing is called twice at the same time, and what was missed is called once. What
    is being called when the block ends is cancelled, and has a moment to end.
    """

    def __init__(self) -> None:
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        self._running: set[asyncio.Task[None]] = set()

    def every(
        self, interval_s: float, name: str, call: Callable[[], Awaitable[None]]
    ) -> None:
        """Call at once, and then every `interval_s` seconds."""
        spread_s = min(interval_s * _SPREAD, _MOST_SPREAD_S)
        self._scheduler.add_job(
            self._watched(call),
            IntervalTrigger(
                seconds=max(1, round(interval_s)), jitter=spread_s, timezone=UTC
            ),
            id=name,
            max_instances=1,
            coalesce=True,
            misfire_grace_time=None,
            next_run_time=datetime.now(UTC),
        )

    async def __aenter__(self) -> Self:
        self._scheduler.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._scheduler.shutdown(wait=False)
        if self._running:
            await asyncio.wait(self._running, timeout=_END_S)

    def _watched(
        self, call: Callable[[], Awaitable[None]]
    ) -> Callable[[], Awaitable[None]]:
        async def watched() -> None:
            task = asyncio.current_task()
            assert task is not None  # noqa: S101 - narrows the type
            self._running.add(task)
            try:
                await call()
            except asyncio.CancelledError:
                return  # else it would be logged as a fault
            finally:
                self._running.discard(task)

        return watched
