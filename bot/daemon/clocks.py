"""Notices that the clock was set back, and keeps jobs from waiting too long for it.

Whatever is due later is in the store with a time of day. If the machine's clock was an
hour ahead and is corrected, all of it would wait an hour too long.
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

_POLL_S = 5.0
_STEP_S = 30.0  # clocks make smaller corrections all the time


class SetBack(Protocol):
    """Something stored with times of day, such as `Store`."""

    def set_back(self, now: datetime) -> int:
        """Treat what was written later than `now` as written now."""
        ...


@dataclass(frozen=True, slots=True)
class ClockWatch:
    """A role. `now` is the time of day, `steady_s` a monotonic clock."""

    store: SetBack
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
