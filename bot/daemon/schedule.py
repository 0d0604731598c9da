"""Runs what is due at intervals; the only module that imports APScheduler.

APScheduler goes by the time of day. If a clock that was an hour ahead is corrected,
everything would wait an hour too long, so such waits are detected and ended.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from bot.store import Store
from handlers.ports import PermanentError, TemporaryError

_SPREAD = 0.1  # of an interval, so that processes do not all run at once
_MOST_SPREAD_S = 30.0
_END_S = 3.0  # for running calls, when the block ends
_POLL_S = 5.0


class Scheduler:
    """Calls functions repeatedly on the running event loop, as a context manager.

    Calls of one function never overlap, and missed calls are made once. Calls that are
    running when the block ends are cancelled, and have a moment to finish.

    Args:
        poll_s: how often to check whether the clock was set back.
    """

    def __init__(self, poll_s: float = _POLL_S) -> None:
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        self._running: set[asyncio.Task[None]] = set()
        self._longest: dict[str, timedelta] = {}  # that each may need to wait
        self._poll_s = poll_s

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
        # A job that was submitted but has not begun would be cancelled outside
        # `_watched`.
        self._scheduler.pause()
        await asyncio.sleep(0)
        self._scheduler.shutdown(wait=False)
        if self._running:
            await asyncio.wait(self._running, timeout=_END_S)

    async def _mind_the_clock(self) -> None:
        """Let nothing wait longer than its interval."""
        while True:
            await asyncio.sleep(self._poll_s)
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
                return  # otherwise it would be logged as an error
            finally:
                self._running.discard(task)

        return watched


_MOST_POLL_S = 60.0
_EARLY = 0.15  # of the time between checks: a lock is free a little before it is due
_RENEWALS = 3  # tries to renew a lock before it is over


@dataclass(frozen=True, slots=True)
class ScheduledTask:
    """Something to be done every `every_s` seconds."""

    name: str
    every_s: float
    run: Callable[[], Awaitable[None]]

    @property
    def poll_s(self) -> float:
        """How often it is checked: more often than due, since a process may end."""
        return min(self.every_s, _MOST_POLL_S)

    @property
    def lock_s(self) -> float:
        """How long its lock is held, so that nobody runs it again meanwhile."""
        return self.every_s - _EARLY * self.poll_s


@dataclass(frozen=True, slots=True)
class Schedule:
    """Runs tasks at intervals, each by one process at a time.

    Several processes may have the same schedule: whichever takes the lock of a task runs
    it, and none runs it again until the lock is over, not even the same process. A lock
    is renewed while its task runs. A failed task releases its lock, so that the next
    process tries again. `holder` names the process; no two processes have the same.
    """

    tasks: Sequence[ScheduledTask]
    store: Store
    holder: str
    now: Callable[[], datetime]

    async def run(self, stop: asyncio.Event) -> None:
        """Run tasks until `stop` is set."""
        async with Scheduler() as scheduler:
            for task in self.tasks:
                scheduler.every(task.poll_s, task.name, self._locked(task))
            await stop.wait()

    def _locked(self, task: ScheduledTask) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            await self.run_once(task)

        return run

    async def run_once(self, task: ScheduledTask) -> bool:
        """Run a task if its lock is free; `False` if it is not. Never raises."""
        log = structlog.get_logger().bind(task=task.name)
        # Each run has its own holder: what this process holds is not free to it.
        holder = f"{self.holder} at {self.now().timestamp():.6f}"
        try:
            taken = await self._take(task, holder)
            if taken:
                await self._run(task, holder)
                log.info("scheduled task done")
        except (TemporaryError, PermanentError) as error:
            log.warning("scheduled task failed", why=str(error))
            return False
        except Exception:
            log.exception("fault in a scheduled task")
            return False
        return taken

    async def _take(self, task: ScheduledTask, holder: str) -> bool:
        return await asyncio.to_thread(
            self.store.schedule_locks.take, task.name, holder, self.now(), task.lock_s
        )

    async def _run(self, task: ScheduledTask, holder: str) -> None:
        renewing = asyncio.create_task(self._renew(task, holder))
        try:
            await task.run()
        except BaseException:
            await asyncio.to_thread(
                self.store.schedule_locks.release, task.name, holder
            )
            raise
        finally:
            renewing.cancel()

    async def _renew(self, task: ScheduledTask, holder: str) -> None:
        """Keep renewing a lock while a long task runs."""
        while True:
            await asyncio.sleep(task.lock_s / _RENEWALS)
            try:
                await self._take(task, holder)
            except (TemporaryError, PermanentError) as error:
                why = str(error)
                structlog.get_logger().warning("lock not renewed", why=why)


_STEP_S = 30.0  # clocks make smaller corrections all the time


@dataclass(frozen=True, slots=True)
class ClockWatch:
    """A role that keeps jobs from waiting too long after the clock was set back.

    Whatever is due later is in the store with a time of day. If the machine's clock was
    an hour ahead and is corrected, all of it would wait an hour too long. `now` is the
    time of day, `steady_s` a monotonic clock.
    """

    store: Store
    now: Callable[[], datetime]
    steady_s: Callable[[], float] = time.monotonic
    poll_s: float = _POLL_S

    async def run(self, stop: asyncio.Event) -> None:
        """Watch until `stop` is set; changes made before that count, too."""
        known_s, is_due = self._apart_s(), True
        while not stop.is_set():
            apart_s = self._apart_s()
            if known_s - apart_s > _STEP_S:
                back_s = round(known_s - apart_s)
                structlog.get_logger().warning("the clock was set back", by_s=back_s)
                is_due = True
            known_s = apart_s
            if is_due:
                is_due = not await self._has_set_back()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.poll_s):
                    await stop.wait()

    def _apart_s(self) -> float:
        return self.now().timestamp() - self.steady_s()

    async def _has_set_back(self) -> bool:
        try:
            rows = await asyncio.to_thread(self.store.set_back, self.now())
        except (TemporaryError, PermanentError) as error:
            structlog.get_logger().warning("times not set back", why=str(error))
            return False
        if rows:
            structlog.get_logger().info("times set back", rows=rows)
        return True
