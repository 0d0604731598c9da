"""What is done at intervals, by one process at a time.

Several processes may keep the same schedule: whoever takes the turn of a task runs it,
and nobody does again until the turn is over, not even the same process. A turn is
prolonged while its task runs. A task that failed gives its turn back, so that the next
to come tries again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog

from bot.daemon.scheduler import Scheduler
from handlers.ports import PermanentError, TemporaryError

_MOST_LOOK_S = 60.0
_EARLY = 0.15  # of the time between looks: a turn is free a little before it is due
_RENEWALS = 3  # tries to prolong a turn before it is over


class Locks(Protocol):
    """Gives each task to one process at a time, as `Store.schedule_locks` does."""

    def take(self, name: str, holder: str, now: datetime, for_s: float) -> bool:
        """Take the turn of a task if it is free, or prolong it if it is held."""
        ...

    def release(self, name: str, holder: str) -> None:
        """Give a turn back before it is over."""
        ...


@dataclass(frozen=True, slots=True)
class Task:
    """Something to be done every `every_s` seconds."""

    name: str
    every_s: float
    run: Callable[[], Awaitable[None]]

    @property
    def look_s(self) -> float:
        """How often it is looked at, oftener than it is due: a process may end."""
        return min(self.every_s, _MOST_LOOK_S)

    @property
    def turn_s(self) -> float:
        """How long a turn lasts."""
        return self.every_s - _EARLY * self.look_s


@dataclass(frozen=True, slots=True)
class Schedule:
    """Keeps tasks going in this process.

    `holder` names the process; no two processes have the same.
    """

    tasks: Sequence[Task]
    locks: Locks
    holder: str
    now: Callable[[], datetime]

    async def run(self, stop: asyncio.Event) -> None:
        """Run tasks until `stop` is set."""
        async with Scheduler() as scheduler:
            for task in self.tasks:
                scheduler.every(task.look_s, task.name, self._turn_of(task))
            await stop.wait()

    def _turn_of(self, task: Task) -> Callable[[], Awaitable[None]]:
        async def turn() -> None:
            await self.run_once(task)

        return turn

    async def run_once(self, task: Task) -> bool:
        """Run a task if its turn is free; `False` if it is not. Never raises."""
        log = structlog.get_logger().bind(task=task.name)
        # Each turn has a holder of its own: what this process holds is not free to it.
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

    async def _take(self, task: Task, holder: str) -> bool:
        return await asyncio.to_thread(
            self.locks.take, task.name, holder, self.now(), task.turn_s
        )

    async def _run(self, task: Task, holder: str) -> None:
        keeping = asyncio.create_task(self._keep(task, holder))
        try:
            await task.run()
        except BaseException:
            await asyncio.to_thread(self.locks.release, task.name, holder)
            raise
        finally:
            keeping.cancel()

    async def _keep(self, task: Task, holder: str) -> None:
        """Prolong a turn again and again, for its task takes long."""
        while True:
            await asyncio.sleep(task.turn_s / _RENEWALS)
            try:
                await self._take(task, holder)
            except (TemporaryError, PermanentError) as error:
                why = str(error)
                structlog.get_logger().warning("turn not prolonged", why=why)
