"""What is due is done by one process at a time."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from bot.daemon.schedule import Schedule, ScheduledTask
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
    return Schedule(tasks, store.schedule_locks, holder, clock)


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
    turns = _Prolonging(store, prolonged)

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
