"""Roles run beside each other and end together."""

import asyncio
import os
import signal
import time
from collections.abc import Sequence

import pytest

from bot.daemon.roles import (
    last_resort,
    run_roles,
    stopped_by_signals,
    until_idle,
    until_stopped,
)
from bot.daemon.threads import PassingThreads
from handlers.ports import PermanentError


async def waits(stop: asyncio.Event) -> None:
    await stop.wait()


async def test_all_end_when_they_are_told_to_stop() -> None:
    stop, ended = asyncio.Event(), []

    async def role(stop: asyncio.Event) -> None:
        await stop.wait()
        ended.append(asyncio.current_task())

    running = asyncio.create_task(run_roles({"one": role, "two": role}, stop))
    await asyncio.sleep(0)
    stop.set()
    await asyncio.wait_for(running, 60)

    assert len(ended) == 2


async def test_the_fault_of_one_ends_all_and_is_reported() -> None:
    stop = asyncio.Event()

    async def fails(_: asyncio.Event) -> None:
        raise PermanentError("the database is gone; bring it back")

    with pytest.raises(PermanentError, match="bring it back"):
        await asyncio.wait_for(run_roles({"one": waits, "two": fails}, stop), 5)

    assert stop.is_set()


async def test_a_role_that_is_done_does_not_end_the_others() -> None:
    stop = asyncio.Event()

    async def done(_: asyncio.Event) -> None:
        return

    running = asyncio.create_task(run_roles({"one": done, "two": waits}, stop))
    for _ in range(5):
        await asyncio.sleep(0)

    assert not running.done()

    stop.set()
    await asyncio.wait_for(running, 60)


async def test_it_ends_when_every_role_is_done() -> None:
    async def done(_: asyncio.Event) -> None:
        return

    await asyncio.wait_for(run_roles({"one": done, "two": done}, asyncio.Event()), 5)


async def test_a_role_that_does_not_end_in_time_is_cancelled() -> None:
    stop, cut = asyncio.Event(), asyncio.Event()

    async def deaf(_: asyncio.Event) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cut.set()
            raise

    stop.set()
    await asyncio.wait_for(run_roles({"deaf": deaf}, stop, grace_s=0.05), 5)

    assert cut.is_set()


async def test_endless_work_is_cancelled_and_its_own_failure_is_reported() -> None:
    stop = asyncio.Event()
    stop.set()
    await asyncio.wait_for(until_stopped(waits(asyncio.Event()), stop), 5)

    async def fails() -> None:
        raise PermanentError("the feed refuses us")

    with pytest.raises(PermanentError, match="refuses"):
        await until_stopped(fails(), asyncio.Event())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_is_a_wish_to_stop(number: signal.Signals) -> None:
    stop = asyncio.Event()
    with stopped_by_signals(stop):
        os.kill(os.getpid(), number)
        await asyncio.wait_for(stop.wait(), 5)


def test_a_thread_that_hangs_does_not_keep_the_program_from_ending() -> None:
    began_s = time.monotonic()

    async def leave_one_behind() -> int:
        asyncio.get_running_loop().set_default_executor(PassingThreads())
        hanging = asyncio.create_task(asyncio.to_thread(time.sleep, 20))
        answer = await asyncio.to_thread(lambda: 7)
        hanging.cancel()
        return answer

    assert asyncio.run(leave_one_behind()) == 7
    assert time.monotonic() - began_s < 10


async def test_a_call_that_fails_in_a_thread_tells_its_error() -> None:
    asyncio.get_running_loop().set_default_executor(PassingThreads())

    def fails() -> None:
        raise PermanentError("no")

    with pytest.raises(PermanentError, match="no"):
        await asyncio.to_thread(fails)


@pytest.mark.parametrize("times", [0, 1, 5])
async def test_a_role_that_hangs_where_it_ends_keeps_nothing_from_ending(
    times: int,
) -> None:
    stop = asyncio.Event()
    stop.set()

    async def hang(left: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            if left:
                await hang(left - 1)

    async with asyncio.timeout(60):
        await run_roles({"hangs": lambda _: hang(times)}, stop, grace_s=0.1)


async def test_what_hangs_beyond_the_roles_keeps_nothing_from_ending() -> None:
    left, loop = asyncio.Queue[int](), asyncio.get_running_loop()
    stop = asyncio.Event()

    def leave(code: int) -> None:
        loop.call_soon_threadsafe(left.put_nowait, code)

    running = asyncio.create_task(run_roles({"end": last_resort(0.01, leave)}, stop))
    await asyncio.sleep(0.05)
    assert left.empty()
    stop.set()
    await running

    assert await asyncio.wait_for(left.get(), 5) == 0


# A run that is to end by itself ends when nothing is left, and not before.


class Counts:
    def __init__(self, counts: Sequence[int]) -> None:
        self.counts = list(counts)
        self.asked = 0

    def __call__(self) -> int:
        self.asked += 1
        return self.counts.pop(0) if self.counts else 0


async def test_a_moment_in_which_nothing_waits_is_not_the_end() -> None:
    counts, stop = Counts([0, 3, 0, 0, 1]), asyncio.Event()

    await asyncio.wait_for(until_idle(counts, lambda: True)(stop), 10)

    assert stop.is_set()
    assert counts.asked == 8


async def test_it_waits_for_the_feed_to_be_read() -> None:
    counts, stop = Counts([]), asyncio.Event()

    await asyncio.wait_for(until_idle(counts, lambda: counts.asked > 5)(stop), 10)

    assert counts.asked == 8


async def test_it_ends_when_told() -> None:
    stop = asyncio.Event()
    stop.set()

    await asyncio.wait_for(until_idle(Counts([1] * 9), lambda: False)(stop), 5)
