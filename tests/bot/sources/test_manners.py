import asyncio
import threading
from itertools import pairwise

import pytest

from bot.records.fetches import HostBusy, HostSlot
from bot.sources.manners import Manners
from bot.sources.settings import Politeness
from bot.store import Store
from bot.store.fetches import Hosts
from handlers.ports import TemporaryError
from tests.bot.sources.tools import FakeTime


class Visits:
    """Notes who is being asked, and how many at once."""

    def __init__(self, manners: Manners, time: FakeTime) -> None:
        self._manners = manners
        self._time = time
        self.inside: list[str] = []
        self.most_inside = 0
        self.log: list[tuple[str, float]] = []

    async def visit(self, host: str, delay_s: float = 0.0) -> None:
        async with self._manners.slot(host, delay_s):
            assert host not in self.inside, "two requests to one host at once"
            self.inside.append(host)
            self.most_inside = max(self.most_inside, len(self.inside))
            self.log.append((host, self._time.now_s))
            for _ in range(5):
                await asyncio.sleep(0)
            self.inside.remove(host)


def visits(politeness: Politeness) -> tuple[Visits, FakeTime]:
    time = FakeTime()
    return Visits(Manners(politeness, time.monotonic, time.sleep), time), time


async def test_requests_to_one_host_come_one_by_one_with_a_pause() -> None:
    visitors, time = visits(Politeness(host_delay_s=2.0))

    await asyncio.gather(*(visitors.visit("a") for _ in range(4)))

    moments = [moment for _, moment in visitors.log]
    assert moments == [1000.0, 1002.0, 1004.0, 1006.0]
    assert time.slept == [2.0, 2.0, 2.0]


async def test_no_more_hosts_are_asked_at_once_than_allowed() -> None:
    visitors, _ = visits(Politeness(parallel_hosts=3))

    await asyncio.gather(*(visitors.visit(f"host {n}") for n in range(10)))

    assert visitors.most_inside == 3
    assert len(visitors.log) == 10


async def test_the_pause_is_over_when_the_time_has_passed_otherwise() -> None:
    visitors, time = visits(Politeness(host_delay_s=2.0))

    await visitors.visit("a")
    time.now_s += 5.0
    await visitors.visit("a")

    assert time.slept == []


async def test_a_waiting_host_takes_no_place_from_others() -> None:
    over = asyncio.Event()

    async def sleep_until_over(_: float) -> None:
        await over.wait()

    time = FakeTime()
    politeness = Politeness(host_delay_s=2.0, parallel_hosts=1)
    visitors = Visits(Manners(politeness, time.monotonic, sleep_until_over), time)
    await visitors.visit("a")

    waiting = asyncio.create_task(visitors.visit("a"))
    await asyncio.sleep(0)
    await visitors.visit("b")
    over.set()
    await waiting

    assert [host for host, _ in visitors.log] == ["a", "b", "a"]


async def test_a_request_that_fails_gives_its_turn_back() -> None:
    time = FakeTime()
    manners = Manners(Politeness(parallel_hosts=1), time.monotonic, time.sleep)

    for _ in range(3):
        with pytest.raises(LookupError):
            async with manners.slot("a"):
                raise LookupError

    assert time.slept == [1.0, 1.0]


async def test_processes_that_share_their_turns_ask_a_host_one_by_one(
    store: Store,
) -> None:
    spans: list[tuple[float, float]] = []
    now_s = asyncio.get_running_loop().time
    processes = [
        Manners(Politeness(host_delay_s=0.1), now_s, asyncio.sleep, shared=store.hosts)
        for _ in range(3)
    ]

    async def visit(manners: Manners) -> None:
        async with manners.slot("a"):
            began_s = now_s()
            await asyncio.sleep(0.01)
            spans.append((began_s, now_s()))

    await asyncio.gather(*(visit(one) for one in processes * 2))

    spans.sort()
    pauses = [after[0] - before[1] for before, after in pairwise(spans)]
    assert len(pauses) == 5
    assert min(pauses) >= 0.09


class _Slow:
    """Turns of a database that answers to one of the verbs only once it may."""

    def __init__(self, turns: Hosts, verb: str) -> None:
        self._turns = turns
        self._verb = verb
        self.is_asked = threading.Event()
        self.may_answer = threading.Event()

    def take(self, host: str, delay_s: float, for_s: float) -> HostSlot | HostBusy:
        self._wait("take")
        return self._turns.take(host, delay_s, for_s)

    def end(self, turn: HostSlot, *, throttle_s: float = 0.0) -> None:
        self._wait("end")
        self._turns.end(turn, throttle_s=throttle_s)

    def _wait(self, verb: str) -> None:
        if verb == self._verb:
            self.is_asked.set()
            assert self.may_answer.wait(10)


@pytest.mark.parametrize("cancellations", [1, 2])
@pytest.mark.parametrize("verb", ["take", "end"])
async def test_who_is_cancelled_while_the_database_answers_holds_no_turn(
    store: Store, verb: str, cancellations: int
) -> None:
    slow = _Slow(store.hosts, verb)
    manners = Manners(Politeness(), lambda: 0.0, asyncio.sleep, shared=slow)

    async def visit() -> None:
        async with manners.slot("a"):
            pass

    visitor = asyncio.create_task(visit())
    assert await asyncio.to_thread(slow.is_asked.wait, 10)
    for _ in range(cancellations):
        visitor.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert not visitor.done()
    slow.may_answer.set()
    with pytest.raises(asyncio.CancelledError):
        await visitor

    assert isinstance(store.hosts.take("a", 0.0, 60.0), HostSlot)


class _Weary:
    """Turns at a host that told another process to ask less."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, host: str, _delay_s: float, _for_s: float) -> HostSlot | HostBusy:
        self.taken += 1
        return HostSlot(host, self.taken, is_throttling=True)

    def end(self, turn: HostSlot, *, throttle_s: float = 0.0) -> None: ...


@pytest.mark.parametrize("told_another", [False, True])
async def test_nobody_waits_for_a_host_that_is_left_in_peace(
    told_another: bool,
) -> None:
    time, shared = FakeTime(), _Weary()
    polite = Politeness(host_delay_s=2.0, throttle_s=500.0)
    other = shared if told_another else None
    manners = Manners(polite, time.monotonic, time.sleep, shared=other)
    async with manners.slot("a") as turn:
        if not told_another:
            turn.throttled()

    for _ in range(20):
        async with manners.slot("a") as turn:
            assert turn.is_throttling

    assert time.slept == []
    assert shared.taken <= 1
    if not told_another:
        time.now_s += 501
        async with manners.slot("a") as turn:
            assert not turn.is_throttling


class _Away:
    """Turns whose database is away once a turn was taken, or from the beginning."""

    def __init__(self, gives: bool) -> None:
        self.gives = gives

    def take(self, host: str, _delay_s: float, _for_s: float) -> HostSlot | HostBusy:
        if not self.gives:
            raise TemporaryError("away", retry_in_s=5)
        return HostSlot(host, 1)

    def end(self, turn: HostSlot, *, throttle_s: float = 0.0) -> None:
        why = f"away at the end of {turn} ({throttle_s})"
        raise TemporaryError(why, retry_in_s=5)


async def test_nobody_is_asked_while_nothing_is_known_of_the_others() -> None:
    time = FakeTime()
    blind = Manners(Politeness(), time.monotonic, time.sleep, shared=_Away(False))
    late = Manners(Politeness(), time.monotonic, time.sleep, shared=_Away(True))

    with pytest.raises(TemporaryError):
        async with blind.slot("a"):
            pytest.fail("it was asked")
    async with late.slot("a"):
        pass  # what was read by then is not lost
