"""A clock that is set back is noticed, and one that goes on is not."""

import asyncio
from datetime import UTC, datetime, timedelta

from bot.daemon.clocks import ClockWatch
from handlers.ports import TemporaryError

_NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


class _World:
    """A store, and clocks that a test moves."""

    def __init__(self) -> None:
        self.now, self.steady_s = _NOON, 1_000.0
        self.checked_at: list[datetime] = []
        self.troubles = 0

    def set_back(self, now: datetime) -> int:
        if self.troubles:
            self.troubles -= 1
            raise TemporaryError("the store is away", retry_in_s=1)
        self.checked_at.append(now)
        return 1

    def move(self, *, of_day_s: float, steady_s: float) -> None:
        self.now += timedelta(seconds=of_day_s)
        self.steady_s += steady_s

    async def see(self, count: int) -> None:
        """Wait until it was called so often."""
        async with asyncio.timeout(30):
            while len(self.checked_at) < count:  # noqa: ASYNC110 - the watch knows no event
                await asyncio.sleep(0.001)

    def watch(self) -> ClockWatch:
        return ClockWatch(self, lambda: self.now, lambda: self.steady_s, poll_s=0.001)


async def _watched(world: _World) -> tuple[asyncio.Event, asyncio.Task[None]]:
    stop = asyncio.Event()
    return stop, asyncio.create_task(world.watch().run(stop))


async def test_the_store_is_repaired_at_the_start_and_whenever_the_clock_was_set_back() -> (
    None
):
    world = _World()
    world.troubles = 2
    stop, watching = await _watched(world)
    await world.see(1)

    world.move(of_day_s=3_600, steady_s=0)  # forward: what waits is due anyway
    await asyncio.sleep(0.01)
    world.move(of_day_s=100, steady_s=100)
    world.move(of_day_s=-20, steady_s=0)  # as clocks are put right all the time
    await asyncio.sleep(0.01)
    assert len(world.checked_at) == 1

    world.move(of_day_s=-3_600, steady_s=5)
    await world.see(2)
    stop.set()
    await watching
    assert world.checked_at[1] == world.now
