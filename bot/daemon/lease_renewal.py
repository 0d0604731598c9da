"""Prolongs a lease for as long as the work takes that it is for."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog

from bot.records.tasks import LeaseLost
from handlers.ports import PermanentError, TemporaryError

_RENEWALS = 3  # tries to prolong a lease before it runs out


@asynccontextmanager
async def kept(renew: Callable[[], object], lease_s: float) -> AsyncIterator[None]:
    """Call `renew`, which blocks, again and again while the block runs.

    That the lease is lost is found out by whoever saves what came of the work.
    """
    keeping = asyncio.create_task(_keep(renew, lease_s / (_RENEWALS + 1)))
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)


async def _keep(renew: Callable[[], object], pause_s: float) -> None:
    while True:
        await asyncio.sleep(pause_s)
        try:
            await asyncio.to_thread(renew)
        except LeaseLost:
            return
        except (TemporaryError, PermanentError) as error:  # the work goes on, too
            structlog.get_logger().warning("lease not prolonged", why=str(error))
