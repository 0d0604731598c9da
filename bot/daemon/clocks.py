"""Notices that the time of day was set back, and lets nothing wait for what is past.

Whatever is to be done later stands in the store with a time of day. When the clock of
the machine was an hour ahead and is set right, all of it would wait for that hour.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog

from handlers.ports import PermanentError, TemporaryError

_LOOK_S = 5.0
_STEP_S = 30.0  # smaller ones are what clocks do all the time


class SetBack(Protocol):
    """What is kept with times of day, as `Store` is."""

    def set_back(self, now: datetime) -> int:
        """Let what was written later than `now` count as written now."""
        ...


@dataclass(frozen=True, slots=True)
class ClockWatch:
    """A role. `now` is the time of day, `steady_s` a clock that nobody sets."""

    store: SetBack
    now: Callable[[], datetime]
    steady_s: Callable[[], float] = time.monotonic
    look_s: float = _LOOK_S

    async def run(self, stop: asyncio.Event) -> None:
        """Watch until `stop` is set. What happened while nobody watched counts, too."""
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
                async with asyncio.timeout(self.look_s):
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
