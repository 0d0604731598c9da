"""Sources that another process reads: its word comes through, or it is told why not."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from bot.daemon.sources import Fetcher
from bot.records.fetches import NoReaderError, Request, request_of
from bot.records.tasks import Lease, TaskKind
from bot.sources.remote import SourcesElsewhere, WaitingRules
from bot.sources.settings import ReaderSettings
from bot.store import Store
from bot.store.fetches import Fetches
from handlers.model import Source, SourceFetch, SourceForm, SourceOutcome, SourceText
from handlers.ports import PermanentError, TemporaryError

_QUICK = WaitingRules(most_s=20, grace_s=10, poll_s=0.02)


def _now() -> datetime:
    return datetime.now(UTC)


def _source(number: int, **more: str) -> Source:
    return Source(SourceForm.URL, "raw", url=f"https://{number}.example/", **more)  # type: ignore[arg-type]


def _request(number: int) -> Request:
    request = request_of(_source(number))
    assert request is not None
    return request


@dataclass
class _Web:
    """Answers by the number in the address: each outcome there is, then faults."""

    asked: list[Source] = field(default_factory=list)

    async def read(self, source: Source) -> SourceFetch:
        self.asked.append(source)
        number = int((source.url or "").removeprefix("https://").split(".")[0])
        if number >= len(SourceOutcome):
            raise LookupError("a fault of the program")
        outcome = list(SourceOutcome)[number]
        text = SourceText(f"Text {number}") if outcome is SourceOutcome.READ else None
        return SourceFetch(source, outcome, f"says {number}", document=text)


@asynccontextmanager
async def _reading(
    store: Store,
    is_read: Callable[[], bool] = lambda: True,
    rules: WaitingRules = _QUICK,
) -> AsyncIterator[SourcesElsewhere]:
    async with SourcesElsewhere(
        store.fetches,
        is_read,
        ReaderSettings("Test/1"),
        rules,
        now=_now,
        draw=lambda: 0.5,
    ) as sources:
        yield sources


@asynccontextmanager
async def _served(store: Store, web: _Web) -> AsyncIterator[None]:
    stop = asyncio.Event()
    readers = [Fetcher(f"reader {at}", store, web, _now) for at in range(2)]
    running = [
        asyncio.create_task(one.runner.run(stop, idle_s=0.02)) for one in readers
    ]
    try:
        yield
    finally:
        stop.set()
        await asyncio.gather(*running)


async def test_whatever_came_of_a_source_comes_through_unchanged_and_once(
    store: Store,
) -> None:
    web = _Web()
    async with _served(store, web), _reading(store) as sources:
        wanted = [_source(at, title="T") for at in range(len(SourceOutcome))]
        found = await asyncio.gather(*map(sources.read, wanted * 2))
        again = await sources.read(_source(0, title="Another title"))

    for at, outcome in enumerate(SourceOutcome):
        text = SourceText("Text 0") if outcome is SourceOutcome.READ else None
        expected = SourceFetch(wanted[at], outcome, f"says {at}", document=text)
        assert found[at] == found[at + len(wanted)] == expected
    assert (again.source.title, again.document) == (
        "Another title",
        SourceText("Text 0"),
    )
    assert len(web.asked) == len(wanted)


async def test_a_fault_of_the_reader_ends_in_a_result(store: Store) -> None:
    web = _Web()
    async with _served(store, web), _reading(store) as sources:
        found = await sources.read(_source(99))

    assert found.outcome is SourceOutcome.INCOMPLETE
    assert len(web.asked) == 3


async def test_a_book_is_asked_of_nobody(store: Store) -> None:
    async with _reading(store, lambda: False) as sources:
        found = await sources.read(Source(SourceForm.TEXT, "A book", isbn="1"))

    assert not store.tasks.is_due([TaskKind.FETCH], _now())
    assert found.outcome is SourceOutcome.OFFLINE


async def test_where_nobody_reads_nothing_is_waited_for(store: Store) -> None:
    rules = WaitingRules(most_s=20, grace_s=0.1, poll_s=0.02)
    async with _reading(store, lambda: False, rules) as sources:
        wanted = asyncio.gather(
            *(sources.read(_source(at)) for at in range(3)), return_exceptions=True
        )
        errors = await asyncio.wait_for(wanted, 60)
        with pytest.raises(NoReaderError, match="could not check: no process"):
            await asyncio.wait_for(sources.read(_source(1)), 5)

    assert all(isinstance(error, NoReaderError) for error in errors)


async def test_what_is_not_read_in_time_counts_as_not_checked(store: Store) -> None:
    rules = WaitingRules(most_s=0.1, grace_s=10, poll_s=0.02)
    async with _reading(store, rules=rules) as sources:
        found = await asyncio.wait_for(sources.read(_source(1)), 5)

    assert found.outcome is SourceOutcome.UNREACHABLE
    assert found.detail.startswith("could not check")


async def test_what_came_too_late_is_there_for_whoever_asks_next(
    store: Store,
) -> None:
    rules = WaitingRules(most_s=0.1, grace_s=10, poll_s=0.02)
    async with _reading(store, rules=rules) as sources:
        late = await asyncio.wait_for(sources.read(_source(0)), 5)
        store.fetches.ask([_request(0)], _now(), _now() + timedelta(seconds=60))
        turn = store.tasks.lease([TaskKind.FETCH], "reader", _now())
        there = await _Web().read(turn.task.source)
        store.fetches.answer(turn, there, _now())
        found = await asyncio.wait_for(sources.read(_source(0)), 5)

    assert late.outcome is SourceOutcome.UNREACHABLE
    assert found.outcome is SourceOutcome.READ


async def test_nobody_waits_for_ever_after_a_fault(store: Store) -> None:
    def fault() -> bool:
        raise LookupError("a fault of the program")

    rules = WaitingRules(most_s=20, grace_s=0.1, poll_s=0.02)
    async with _reading(store, fault, rules) as sources:
        with pytest.raises(LookupError):
            await asyncio.wait_for(sources.read(_source(1)), 5)


async def test_what_a_reader_died_over_is_read_alone(store: Store) -> None:
    at_once: set[str] = set()
    most: dict[str, int] = {}

    class Web(_Web):
        async def read(self, source: Source) -> SourceFetch:
            url = source.url or ""
            at_once.add(url)
            for _ in range(5):
                most[url] = max(most.get(url, 0), len(at_once))
                await asyncio.sleep(0.01)
            at_once.discard(url)
            return await super().read(source)

    wanted = [_request(at) for at in range(4)]
    before = _now() - timedelta(minutes=10)
    store.fetches.ask(wanted[:2], before, _now() + timedelta(seconds=60))
    for _ in range(2):
        assert store.tasks.lease([TaskKind.FETCH], "dead", before) is not None
    store.fetches.ask(wanted[2:], _now(), _now() + timedelta(seconds=60))
    stop, reader = asyncio.Event(), Fetcher("r", store, Web(), _now).runner
    running = asyncio.create_task(reader.run(stop, idle_s=0.02))
    async with _reading(store) as sources:
        await asyncio.gather(*(sources.read(_source(at)) for at in range(4)))
    stop.set()
    await running

    assert [most[one.source.url or ""] for one in wanted] == [1, 1, 2, 2]


async def test_an_answer_that_cannot_be_kept_is_reported_and_ends_no_reader(
    store: Store,
) -> None:
    class Narrow(Fetches):
        def answer(
            self, turn: Lease[Request], fetch: SourceFetch, now: datetime
        ) -> None:
            if fetch.document is not None:
                raise PermanentError("the packet is too large")
            super().answer(turn, fetch, now)

    store.fetches = Narrow(store._database, store.fetches.rules)
    async with _served(store, _Web()), _reading(store) as sources:
        found = await asyncio.wait_for(sources.read(_source(0)), 5)

    assert found.outcome is SourceOutcome.INCOMPLETE


async def test_while_the_store_is_away_what_was_read_waits_to_be_handed_on(
    store: Store,
) -> None:
    class Away(Fetches):
        left = 2

        def answer(
            self, turn: Lease[Request], fetch: SourceFetch, now: datetime
        ) -> None:
            self.left -= 1
            if self.left >= 0:
                raise TemporaryError("the database is away", retry_in_s=0.01)
            super().answer(turn, fetch, now)

    web = _Web()
    store.fetches = Away(store._database, store.fetches.rules)
    async with _served(store, web), _reading(store) as sources:
        found = await asyncio.wait_for(sources.read(_source(0)), 10)

    assert found.outcome is SourceOutcome.READ
    assert len(web.asked) == 1


async def test_a_reader_that_is_stopped_gives_back_what_it_has_not_begun(
    store: Store,
) -> None:
    class Slow(_Web):
        async def read(self, source: Source) -> SourceFetch:
            self.asked.append(source)
            await asyncio.sleep(60)
            raise AssertionError("it was cancelled")

    web = Slow()
    before = _now() - timedelta(minutes=10)
    store.fetches.ask([_request(0)], before, _now() + timedelta(seconds=60))
    assert store.tasks.lease([TaskKind.FETCH], "dead", before) is not None
    reader = Fetcher("r", store, web, _now).runner
    store.fetches.ask([_request(1)], _now(), _now() + timedelta(seconds=60))
    reader.busy.add(asyncio.create_task(asyncio.sleep(60)))
    running = asyncio.create_task(reader.run(asyncio.Event(), idle_s=0.02))
    while len(reader.busy) < 2:  # noqa: ASYNC110 - a reader gives no event
        await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    left = [store.tasks.lease([TaskKind.FETCH], "next", _now()) for _ in range(2)]

    attempts = {held.task: held.attempt for held in left if held}
    assert attempts[_request(0)] == 2, "only the one before died over it"
