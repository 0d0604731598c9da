"""Lets what has begun end, also where whoever waits for it is cancelled.

A thread cannot be cancelled: what it takes, it takes. Who stops waiting for it would
neither have what was taken nor know that it has to be given back.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

_Result = TypeVar("_Result")


async def undisturbed(work: Awaitable[_Result]) -> _Result:
    """Return what `work` returns; a cancellation takes effect once it has ended.

    Of work that ended for one who was cancelled, a future tells what came of it.

    Raises:
        Exception: what `work` raises, unless we were cancelled.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):  # one is enough
                await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # else asyncio complains that nobody looked
        raise
