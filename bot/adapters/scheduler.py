"""Calls what is due at intervals, by a clock that nobody can set.

By the time of day, a schedule would stand still for an hour when a clock that was an
hour ahead is set right.
"""

import asyncio
from collections.abc import Awaitable, Callable
from random import random
from types import TracebackType
from typing import Self

_SPREAD = 0.1  # of an interval, so that processes do not all come at once
_MOST_SPREAD_S = 30.0
_END_S = 3.0  # for what is being called when all ends
_LEAST_S = 1.0


class Scheduler:
    """Calls functions again and again on the running event loop, as a context manager.

    Nothing is called twice at the same time, and what was missed is called once. What
    is being called when the block ends is cancelled, and has a moment to end. What is
    called raises nothing.
    """

    def __init__(self) -> None:
        self._wanted: list[tuple[float, str, Callable[[], Awaitable[None]]]] = []
        self._running: set[asyncio.Task[None]] = set()
        self._has_begun = False

    def every(
        self, interval_s: float, name: str, call: Callable[[], Awaitable[None]]
    ) -> None:
        """Call at once, and then every `interval_s` seconds."""
        self._wanted.append((interval_s, name, call))
        if self._has_begun:
            self._begin(interval_s, name, call)

    async def __aenter__(self) -> Self:
        self._has_begun = True
        for interval_s, name, call in self._wanted:
            self._begin(interval_s, name, call)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=_END_S)

    def _begin(
        self, interval_s: float, name: str, call: Callable[[], Awaitable[None]]
    ) -> None:
        task = asyncio.create_task(_again_and_again(interval_s, call), name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)


async def _again_and_again(
    interval_s: float, call: Callable[[], Awaitable[None]]
) -> None:
    loop = asyncio.get_running_loop()
    spread_s = min(interval_s * _SPREAD, _MOST_SPREAD_S)
    interval_s = max(_LEAST_S, interval_s)
    due_s = loop.time()
    while True:
        await call()
        due_s = max(due_s + interval_s, loop.time())
        early_s = spread_s * (2 * random() - 1)  # noqa: S311 - no secret
        await asyncio.sleep(max(0.0, due_s + early_s - loop.time()))
