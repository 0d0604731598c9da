"""What is done at intervals, by one process at a time.

Several processes may keep the same schedule: whoever takes the turn of a task runs it,
and nobody else does until the turn is over. A task that failed gives its turn back, so
that the next to come tries again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog

from bot.adapters.scheduler import Scheduler
from handlers.ports import PermanentError, TemporaryError

_EARLY = 0.85  # of an interval: the next turn is free a little before it is due
_MOST_RETRY_S = 60.0


class Turns(Protocol):
    """Gives each task to one process at a time, as `Store.turns` does."""

    def take(self, name: str, holder: str, now: datetime, for_s: float) -> bool:
        """Take the turn of a task, if it is free."""
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


@dataclass(frozen=True, slots=True)
class Schedule:
    """Keeps tasks going in this process.

    `holder` names the process; no two processes have the same.
    """

    tasks: Sequence[Task]
    turns: Turns
    holder: str
    now: Callable[[], datetime]

    async def run(self, stop: asyncio.Event) -> None:
        """Run tasks until `stop` is set."""
        async with Scheduler() as scheduler:
            for task in self.tasks:
                # Looked at more often than it is due, for another process may end.
                look_s = min(task.every_s, _MOST_RETRY_S)
                scheduler.every(look_s, task.name, self._turn_of(task))
            await stop.wait()

    def _turn_of(self, task: Task) -> Callable[[], Awaitable[None]]:
        async def turn() -> None:
            await self.in_turn(task)

        return turn

    async def in_turn(self, task: Task) -> bool:
        """Run a task if its turn is free; `False` if it is not. Never raises."""
        log = structlog.get_logger().bind(task=task.name)
        try:
            taken = await asyncio.to_thread(
                self.turns.take,
                task.name,
                self.holder,
                self.now(),
                task.every_s * _EARLY,
            )
            if taken:
                await self._run(task)
        except (TemporaryError, PermanentError) as error:
            log.warning("scheduled task failed", why=str(error))
            return False
        except Exception:
            log.exception("fault in a scheduled task")
            return False
        return taken

    async def _run(self, task: Task) -> None:
        try:
            await task.run()
        except BaseException:
            await asyncio.to_thread(self.turns.release, task.name, self.holder)
            raise
