"""What is due is done by one process at a time."""

import asyncio
import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from bot.daemon.schedule import ClockWatch, Schedule, ScheduledTask, Scheduler
from bot.store import Store
from handlers.ports import PermanentError, TemporaryError

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def schedule(
    store: Store, clock: Clock, *tasks: ScheduledTask, holder: str
) -> Schedule:
    return Schedule(tasks, store, holder, clock)


async def test_two_processes_do_a_task_once_each_time_it_is_due(
    store: Store, clock: Clock
) -> None:
    ran = []

    async def run() -> None:
        ran.append((clock.now - NOON).total_seconds())

    task = ScheduledTask("sweep", 600.0, run)
    both = [schedule(store, clock, holder=name) for name in ("one", "two")]
    for _ in range(31):
        for one in both:
            await one.run_once(task)
        clock.now += timedelta(seconds=task.poll_s)

    assert ran == [0, 600, 1200, 1800]


async def test_no_other_process_begins_a_task_while_it_takes_long(
    store: Store, clock: Clock
) -> None:
    began, go_on, prolonged = asyncio.Event(), asyncio.Event(), asyncio.Event()
    turns = SimpleNamespace(schedule_locks=_Prolonging(store, prolonged))

    async def long() -> None:
        began.set()
        await go_on.wait()

    task = ScheduledTask("sweep", 0.2, long)
    one, two = (Schedule((), turns, name, clock) for name in ("one", "two"))
    running = asyncio.create_task(one.run_once(task))
    await began.wait()
    clock.now += timedelta(seconds=0.1)
    prolonged.clear()
    await asyncio.wait_for(prolonged.wait(), 5)
    clock.now += timedelta(seconds=0.1)
    assert not await two.run_once(task)
    go_on.set()
    assert await running


@dataclass
class _Prolonging:
    """The turns of a store; tells when one was taken or prolonged."""

    store: Store
    taken: asyncio.Event

    def __post_init__(self) -> None:
        self.loop = asyncio.get_running_loop()

    def take(self, name: str, holder: str, now: datetime, for_s: float) -> bool:
        is_taken = self.store.schedule_locks.take(name, holder, now, for_s)
        self.loop.call_soon_threadsafe(self.taken.set)
        return is_taken

    def release(self, name: str, holder: str) -> None:
        self.store.schedule_locks.release(name, holder)


@pytest.mark.parametrize(
    "error",
    [
        TemporaryError("the wiki is away", retry_in_s=5),
        PermanentError("no such page"),
        ValueError("a fault"),
    ],
)
async def test_a_task_that_fails_gives_its_turn_back_and_stops_nothing(
    store: Store, clock: Clock, error: Exception
) -> None:
    tries = []

    async def run() -> None:
        tries.append(clock.now)
        raise error

    one = schedule(store, clock, holder="one")
    with capture_logs() as logs:
        assert not await one.run_once(ScheduledTask("sweep", 100.0, run))
        assert not await one.run_once(ScheduledTask("sweep", 100.0, run))

    assert len(tries) == 2
    assert {line["task"] for line in logs} == {"sweep"}


async def test_the_schedule_does_what_is_due_at_once_and_ends_when_told(
    store: Store, clock: Clock
) -> None:
    done, stop = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        done.set()

    plan = schedule(store, clock, ScheduledTask("sweep", 100.0, run), holder="one")
    running = asyncio.create_task(plan.run(stop))
    await asyncio.wait_for(done.wait(), 5)
    stop.set()
    await asyncio.wait_for(running, 60)


async def test_the_schedule_does_a_task_again_and_again(
    store: Store, clock: Clock
) -> None:
    seen, stop = asyncio.Queue[int](), asyncio.Event()

    async def run() -> None:
        clock.now += timedelta(seconds=1)
        seen.put_nowait(1)

    plan = schedule(store, clock, ScheduledTask("sweep", 1.0, run), holder="one")
    running = asyncio.create_task(plan.run(stop))
    for _ in range(2):
        await asyncio.wait_for(seen.get(), 10)
    stop.set()
    await asyncio.wait_for(running, 60)


async def test_a_task_in_hand_ends_quietly_and_gives_its_turn_back(
    store: Store, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    began, stop = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        began.set()
        await asyncio.Event().wait()

    task = ScheduledTask("sweep", 600.0, run)
    one = schedule(store, clock, task, holder="one")
    running = asyncio.create_task(one.run(stop))
    await asyncio.wait_for(began.wait(), 5)
    stop.set()
    await asyncio.wait_for(running, 60)

    assert caplog.records == []
    assert store.schedule_locks.take("sweep", "two", clock.now, 1.0)


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


# A clock that is set back is noticed, and one that goes on is not.

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
