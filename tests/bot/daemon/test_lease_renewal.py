"""A lease is prolonged for as long as the work takes, whatever the store says."""

import asyncio

import pytest

from bot.daemon.lease_renewal import kept
from bot.records.jobs import LeaseLost
from handlers.ports import PermanentError, TemporaryError


@pytest.mark.parametrize(
    ("error", "goes_on"),
    [
        (TemporaryError("away", retry_in_s=1), True),
        (PermanentError("the database failed"), True),
        (LeaseLost("another has it"), False),
    ],
)
async def test_only_a_lease_that_is_lost_is_not_prolonged(
    error: Exception, goes_on: bool
) -> None:
    loop, again, tries = asyncio.get_running_loop(), asyncio.Event(), 0

    def renew() -> None:
        nonlocal tries
        tries += 1
        if tries > 1:
            loop.call_soon_threadsafe(again.set)
        raise error

    async with kept(renew, 0.02):
        try:
            await asyncio.wait_for(again.wait(), 5 if goes_on else 0.1)
        except TimeoutError:
            assert not goes_on

    assert (tries > 1) is goes_on
