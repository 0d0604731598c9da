import asyncio
import logging
import time
from datetime import UTC, datetime, timedelta

import pytest

from bot.daemon.schedule import Scheduler

_PATIENCE_S = 5.0


async def test_a_time_that_a_clock_set_back_made_far_is_not_waited_for() -> None:
    calls: asyncio.Queue[None] = asyncio.Queue()

    async def call() -> None:
        calls.put_nowait(None)

    async with Scheduler(poll_s=0.02) as scheduler:
        scheduler.every(60.0, "look", call)
        await asyncio.wait_for(calls.get(), _PATIENCE_S)
        [job] = scheduler._scheduler.get_jobs()
        job.modify(next_run_time=datetime.now(UTC) + timedelta(hours=1))

        await asyncio.wait_for(calls.get(), _PATIENCE_S)


async def test_what_waits_as_long_as_it_should_is_left_alone() -> None:
    calls: asyncio.Queue[None] = asyncio.Queue()

    async def call() -> None:
        calls.put_nowait(None)

    async with Scheduler(poll_s=0.01) as scheduler:
        scheduler.every(60.0, "look", call)
        await asyncio.wait_for(calls.get(), _PATIENCE_S)
        await asyncio.sleep(0.3)

    assert calls.empty()


async def test_an_end_just_as_something_falls_due_is_no_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def call() -> None:
        """Do nothing."""

    with caplog.at_level(logging.ERROR):
        async with Scheduler() as scheduler:
            scheduler.every(60.0, "look", call)
            await asyncio.sleep(0.01)
            [job] = scheduler._scheduler.get_jobs()
            job.modify(next_run_time=datetime.now(UTC) + timedelta(seconds=0.05))
            await asyncio.sleep(0.01)
            time.sleep(0.1)  # noqa: ASYNC251 - a busy machine
        await asyncio.sleep(0.01)

    assert [one.getMessage() for one in caplog.records] == []
