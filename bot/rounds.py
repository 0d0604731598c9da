"""Work in rounds until somebody says stop, also while the store is away.

The loop of every role that looks for something to do: the worker, the planner and the
publisher.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from handlers.ports import TemporaryError


async def rounds(stop: asyncio.Event, once: Callable[[], Awaitable[float]]) -> None:
    """Do `once` until `stop` is set, and rest after it for the seconds it returns.

    What is in hand when it is set is finished first.

    Raises:
        PermanentError: somebody has to act.
    """
    while not stop.is_set():
        try:
            rest_s = await once()
        except TemporaryError as error:
            structlog.get_logger().warning("store is away", why=str(error))
            rest_s = error.retry_in_s
        await _rest(stop, rest_s)


async def _rest(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
