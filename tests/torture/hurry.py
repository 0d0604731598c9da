"""Runs the program's own loops faster than they wait: a minute passes in a second.

What waits on the event loop (pauses, leases, back-off) does so in hurried seconds,
and so does the clock that the program is given. Work takes as long as it takes.
"""

import asyncio
import selectors
import time
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

_T = TypeVar("_T")
SPEED = 60.0
_BEGAN = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Clock:
    """The hurried time of day; alike in all processes that began with one clock."""

    def __init__(self) -> None:
        self._began_s = time.monotonic()

    def __call__(self) -> datetime:
        passed_s = (time.monotonic() - self._began_s) * SPEED
        return _BEGAN + timedelta(seconds=passed_s)


class _Selector(selectors.DefaultSelector):
    def select(
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(timeout and timeout / SPEED)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__(_Selector())

    def time(self) -> float:
        return super().time() * SPEED


def run(main: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end, as `asyncio.run` does, in a hurry."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)
