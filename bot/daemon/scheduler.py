"""Runs what is due at intervals; the only module that imports APScheduler.

APScheduler goes by the time of day. When a clock that was an hour ahead is set right,
all that is due would wait for that hour, so such waits are looked for and ended.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

_SPREAD = 0.1  # of an interval, so that processes do not all come at once
_MOST_SPREAD_S = 30.0
_END_S = 3.0  # for what is being called when all ends
_LOOK_S = 5.0


class Scheduler:
    """Calls functions again and again on the running event loop, as a context manager.

    Nothing is called twice at the same time, and what was missed is called once. What
    is being called when the block ends is cancelled, and has a moment to end.

    Args:
        look_s: how often it is looked whether the clock was set back.
    """

    def __init__(self, look_s: float = _LOOK_S) -> None:
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        self._running: set[asyncio.Task[None]] = set()
        self._longest: dict[str, timedelta] = {}  # that each may have to wait
        self._look_s = look_s

    def every(
        self, interval_s: float, name: str, call: Callable[[], Awaitable[None]]
    ) -> None:
        """Call at once, and then every `interval_s` seconds."""
        spread_s = min(interval_s * _SPREAD, _MOST_SPREAD_S)
        whole_s = max(1, round(interval_s))
        self._longest[name] = timedelta(seconds=whole_s + spread_s)
        self._scheduler.add_job(
            self._watched(call),
            IntervalTrigger(seconds=whole_s, jitter=spread_s, timezone=UTC),
            id=name,
            max_instances=1,
            coalesce=True,
            misfire_grace_time=None,
            next_run_time=datetime.now(UTC),
        )

    async def __aenter__(self) -> Self:
        self._scheduler.start()
        self._minding = asyncio.create_task(self._mind_the_clock())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._minding.cancel()
        with suppress(asyncio.CancelledError):
            await self._minding
        # What was submitted and has not begun would be cancelled outside of `_watched`.
        self._scheduler.pause()
        await asyncio.sleep(0)
        self._scheduler.shutdown(wait=False)
        if self._running:
            await asyncio.wait(self._running, timeout=_END_S)

    async def _mind_the_clock(self) -> None:
        """Let nothing wait longer than it would have to, had it just been called."""
        while True:
            await asyncio.sleep(self._look_s)
            now = datetime.now(UTC)
            for job in self._scheduler.get_jobs():
                due = job.next_run_time
                if due is not None and due > now + self._longest[job.id]:
                    job.modify(next_run_time=now)

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
