"""What is due is done by one process at a time."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from bot.daemon.tasks import Schedule, Task
from handlers.ports import PermanentError, TemporaryError

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class ModelTurns:
    """As `Store.turns`: a turn is free once it has run out, or was given back."""

    def __init__(self) -> None:
        self.held: dict[str, tuple[str, datetime]] = {}

    def take(self, name: str, holder: str, now: datetime, for_s: float) -> bool:
        if name in self.held and self.held[name][1] > now:
            return False
        self.held[name] = (holder, now + timedelta(seconds=for_s))
        return True

    def release(self, name: str, holder: str) -> None:
        if name in self.held and self.held[name][0] == holder:
            del self.held[name]


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def schedule(turns: ModelTurns, clock: Clock, *tasks: Task, holder: str) -> Schedule:
    return Schedule(tasks, turns, holder, clock)


async def test_two_processes_do_a_task_once_each_time_it_is_due(clock: Clock) -> None:
    turns, ran = ModelTurns(), []

    def task(name: str) -> Task:
        async def run() -> None:
            ran.append(name)

        return Task("sweep", 100.0, run)

    one = schedule(turns, clock, holder="one")
    two = schedule(turns, clock, holder="two")
    for _ in range(3):
        took = [await one.in_turn(task("one")), await two.in_turn(task("two"))]
        assert took == [True, False]
        clock.now += timedelta(seconds=100)

    assert ran == ["one"] * 3


@pytest.mark.parametrize(
    "error",
    [
        TemporaryError("the wiki is away", retry_in_s=5),
        PermanentError("no such page"),
        ValueError("a fault"),
    ],
)
async def test_a_task_that_fails_gives_its_turn_back_and_stops_nothing(
    clock: Clock, error: Exception
) -> None:
    turns, tries = ModelTurns(), []

    async def run() -> None:
        tries.append(clock.now)
        raise error

    one = schedule(turns, clock, holder="one")
    with capture_logs() as logs:
        assert not await one.in_turn(Task("sweep", 100.0, run))
        assert not await one.in_turn(Task("sweep", 100.0, run))

    assert len(tries) == 2
    assert {line["task"] for line in logs} == {"sweep"}


async def test_the_schedule_does_what_is_due_at_once_and_ends_when_told(
    clock: Clock,
) -> None:
    done, stop = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        done.set()

    plan = schedule(ModelTurns(), clock, Task("sweep", 100.0, run), holder="one")
    running = asyncio.create_task(plan.run(stop))
    await asyncio.wait_for(done.wait(), 5)
    stop.set()
    await asyncio.wait_for(running, 5)


async def test_the_schedule_does_a_task_again_and_again(clock: Clock) -> None:
    seen, stop = asyncio.Queue[int](), asyncio.Event()

    async def run() -> None:
        clock.now += timedelta(seconds=1)
        seen.put_nowait(1)

    plan = schedule(ModelTurns(), clock, Task("sweep", 1.0, run), holder="one")
    running = asyncio.create_task(plan.run(stop))
    for _ in range(2):
        await asyncio.wait_for(seen.get(), 10)
    stop.set()
    await asyncio.wait_for(running, 5)
