"""A run that is to end by itself ends when nothing is left, and not before."""

import asyncio
from collections.abc import Sequence

from bot.daemon.idle import UntilIdle


class Counts:
    def __init__(self, counts: Sequence[int]) -> None:
        self.counts = list(counts)
        self.asked = 0

    def left(self) -> int:
        self.asked += 1
        return self.counts.pop(0) if self.counts else 0


async def test_a_moment_in_which_nothing_waits_is_not_the_end() -> None:
    counts, stop = Counts([0, 3, 0, 0, 1]), asyncio.Event()

    await asyncio.wait_for(UntilIdle(counts, lambda: True).run(stop), 10)

    assert stop.is_set()
    assert counts.asked == 8


async def test_it_waits_for_the_feed_to_be_read() -> None:
    counts, stop = Counts([]), asyncio.Event()

    await asyncio.wait_for(UntilIdle(counts, lambda: counts.asked > 5).run(stop), 10)

    assert counts.asked == 8


async def test_it_ends_when_told() -> None:
    stop = asyncio.Event()
    stop.set()

    await asyncio.wait_for(UntilIdle(Counts([1] * 9), lambda: False).run(stop), 5)
