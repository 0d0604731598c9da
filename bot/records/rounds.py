"""Work in rounds until somebody says stop, also while the store is away.

The loop of every role that looks for something to do: the worker, the planner and the
publisher. Many processes do so beside each other, and after a failure of what they
share all of them come back: so no rest is as long as another, and whoever finds nothing
to do looks less and less often.
"""

import asyncio
from collections.abc import Awaitable, Callable
from random import random

import structlog

from handlers.ports import TemporaryError

_SPREAD = 0.3  # of a rest, by which it is longer
_LONGER = 1.5  # times, each time that nothing is found
_LONGEST = 3.0  # times the first rest
_START_S = 1.0  # within which processes that start together begin

Draw = Callable[[], float]


async def rounds(
    stop: asyncio.Event, once: Callable[[], Awaitable[float]], draw: Draw = random
) -> None:
    """Do `once` until `stop` is set, and rest after it for the seconds it returns.

    A rest is up to a third longer, by chance: `draw` gives numbers from 0 to 1. What is
    in hand when it is set is finished first.

    Raises:
        PermanentError: somebody has to act.
    """
    while not stop.is_set():
        try:
            rest_s = await once()
        except TemporaryError as error:
            structlog.get_logger().warning("store is away", why=str(error))
            rest_s = error.retry_in_s
        await _rest(stop, rest_s * (1 + _SPREAD * draw()))


class Looking:
    """Work that is looked for, as `once` of `rounds`.

    Args:
        work: does the next thing, and tells whether there was any.
        idle_s: the first rest where there is none; the following are longer.
    """

    def __init__(
        self, work: Callable[[], Awaitable[bool]], idle_s: float, draw: Draw = random
    ) -> None:
        self._work = work
        self._idle_s = idle_s
        self._draw = draw
        self._rest_s: float | None = None

    async def __call__(self) -> float:
        """Do the next thing, if there is any; return how long to rest."""
        if self._rest_s is None:  # of many that start at once, each begins alone
            self._rest_s = self._idle_s
            return min(self._idle_s, _START_S) * self._draw()
        if await self._work():
            self._rest_s = self._idle_s
            return 0.0
        rest_s = self._rest_s
        self._rest_s = min(rest_s * _LONGER, _LONGEST * self._idle_s)
        return rest_s


async def _rest(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
