"""A worker takes waiting pages, looks at them, and loses none, whatever happens."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from bot.adapters.wiki_page import WikiPage
from bot.back_off import BackOff
from bot.check import Checker
from bot.jobs import JobReason, JobState, Lease, PageJob
from bot.readings import NobodyReads
from bot.report import PageReport
from bot.store import JobQueue, QueueRules, Store, open_store
from bot.worker import Worker
from handlers.model import ClaimCheck, PageId, Source, SourceReading, Verdict
from handlers.ports import (
    AwayError,
    PermanentError,
    TemporaryError,
    Tools,
    UnansweredError,
)
from tests import builders
from tests.bot.store.runs import NOON, TITLE, WIKI
from tests.fakes import FakeSources, FakeVerifier

_RULES = QueueRules(lease_s=0.4, attempts=3)
_CLAIM = "The bridge opened in 1874."
_ADDRESS = "https://example.org/bridge"
_TEXT = f"{_CLAIM}<ref>{{{{cite web|url={_ADDRESS}|title=Bridge}}}}</ref>"


class _Clock:
    """Goes on only when told to."""

    def __init__(self) -> None:
        self.moment = NOON

    def __call__(self) -> datetime:
        return self.moment

    def wait(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


class _Wiki:
    """A wiki of one page; `before` runs whenever the page is read."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.revision = 10
        self.redirected_from: str | None = None
        self.before = before

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        assert revision_id is None, "the newest revision is what counts"
        await asyncio.sleep(0)
        self.before()
        page_id = PageId(WIKI, title, revision_id=self.revision)
        return WikiPage(page_id, _TEXT, redirected_from=self.redirected_from)


class _Unheard:
    """Fulfils `bot.check.Progress`."""

    def started(self, claims: int, sources: int) -> None: ...

    def reading(self, place: str) -> None: ...

    def read(self, place: str) -> None: ...

    def checked(self, check: ClaimCheck) -> None: ...

    def asked(self, claims: int) -> None: ...


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path / 'sidenote.sqlite'}", rules=_RULES) as made:
        yield made


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


def _worker(store: Store, wiki: _Wiki, clock: _Clock) -> Worker:
    checker = Checker(
        Tools(_AnySource(), FakeVerifier({_CLAIM: Verdict.NOT_SUPPORTED})),
        _Unheard(),
        now=clock,
    )
    return Worker(
        "worker 1",
        store,
        wiki=lambda _wiki: wiki,
        checker=checker,
        now=clock,
        draw=lambda: 0.0,
    )


class _AnySource(FakeSources):
    """Holds the text of `builders.reading` for whatever the page cites."""

    def __init__(self) -> None:
        super().__init__(())

    async def read(self, source: Source) -> SourceReading:
        await asyncio.sleep(0)
        return builders.reading(source)


def _put(store: Store, revision: int | None = 10, at: datetime = NOON) -> None:
    store.jobs.put([PageJob(WIKI, TITLE, JobReason.CHANGE, at, at, revision)])


def _count(store: Store, state: JobState) -> int:
    return store.jobs.state().counts[state]


def _fails_with(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


async def test_a_waiting_page_is_checked_and_its_findings_are_saved(
    store: Store, clock: _Clock
) -> None:
    _put(store)

    assert await _worker(store, _Wiki(), clock).work_once()

    (kept,) = store.suggestions_of(WIKI, TITLE)
    assert kept.suggestion.claim == _CLAIM
    assert _count(store, JobState.IDLE) == 1


async def test_without_a_waiting_page_nothing_is_done(
    store: Store, clock: _Clock
) -> None:
    assert not await _worker(store, _Wiki(), clock).work_once()


async def test_a_page_that_is_gone_is_parked_with_the_reason(
    store: Store, clock: _Clock
) -> None:
    _put(store)
    gone = _fails_with(PermanentError("there is no such page"))

    await _worker(store, _Wiki(gone), clock).work_once()

    (parked,) = store.jobs.parked()
    assert parked.reason == "there is no such page"


async def test_a_busy_wiki_is_asked_again_later_as_it_wishes(
    store: Store, clock: _Clock
) -> None:
    _put(store)
    wiki = _Wiki(_fails_with(TemporaryError("busy", retry_in_s=40)))
    worker = _worker(store, wiki, clock)
    await worker.work_once()
    wiki.before = lambda: None

    clock.wait(39)
    assert not await worker.work_once()
    clock.wait(1)
    assert await worker.work_once()
    assert len(store.suggestions_of(WIKI, TITLE)) == 1


async def test_no_page_is_given_up_while_its_wiki_is_away(
    store: Store, clock: _Clock
) -> None:
    for title in (TITLE, "Another", "A third"):
        store.jobs.put([PageJob(WIKI, title, JobReason.CHANGE, NOON, NOON)])
    away = _fails_with(AwayError("it cannot be reached", retry_in_s=30))
    wiki = _Wiki(away)
    worker = _worker(store, wiki, clock)

    tries = 0
    for _ in range(60):  # an hour and more
        while await worker.work_once():
            tries += 1
        clock.wait(60)
    assert tries <= 63  # not each page in turn
    assert _count(store, JobState.WAITING) == 3

    wiki.before = lambda: None
    looks = [await worker.work_once() for _ in range(4)]
    assert looks == [True, True, True, False]
    assert len(store.suggestions_of(WIKI, TITLE)) == 1


async def test_pages_of_a_wiki_that_is_away_are_left_as_they_are_and_no_others_wait(
    store: Store, clock: _Clock
) -> None:
    def dues() -> list[Any]:
        rows = text("SELECT due_at FROM jobs WHERE state = 'WAITING' ORDER BY title")
        return list(store._database.read(lambda made: made.scalars(rows)))

    store.jobs.put(
        [PageJob(WIKI, f"P{at}", JobReason.CHANGE, NOON, NOON) for at in range(5)]
    )
    before = dues()
    worker = _worker(store, _Wiki(_fails_with(AwayError("away", retry_in_s=30))), clock)
    for _ in range(2):
        assert await worker.work_once()
    store.jobs.put([PageJob("b.example", "B", JobReason.CHANGE, NOON, NOON)])

    assert sum(due in before for due in dues()) == 4, "three of this wiki, and B"
    assert await worker.work_once()
    assert worker.away.keys() == {WIKI, "b.example"}
    assert not await worker.work_once()


class _Torn(_Wiki):
    """A wiki that answers for no page in `torn`, or for none at all."""

    def __init__(self, *torn: str) -> None:
        super().__init__()
        self.torn, self.is_out, self.asked = set(torn), False, 0

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        self.asked += 1
        if self.is_out or title in self.torn:
            raise UnansweredError("it is out of order (500)", retry_in_s=5)
        return await super().page(title, revision_id)


async def _busy_hours(
    store: Store, worker: Worker, clock: _Clock, *, looks: int = 100, every_s: int = 90
) -> None:
    """Work on what is due again and again; a page changes each time."""
    for number in range(looks):
        moment = clock()
        job = PageJob(WIKI, f"Page {number % 4}", JobReason.CHANGE, moment, moment)
        store.jobs.put([job])
        while await worker.work_once():
            pass
        clock.wait(every_s)


async def test_a_page_that_alone_is_not_answered_is_given_up(
    store: Store, clock: _Clock
) -> None:
    wiki = _Torn("Torn", "Torn, too")
    looks = 100
    for title in wiki.torn:
        store.jobs.put([PageJob(WIKI, title, JobReason.CHANGE, NOON, NOON)])

    await _busy_hours(store, _worker(store, wiki, clock), clock, looks=looks)

    parked = {one.title: one.reason for one in store.jobs.parked()}
    assert parked.keys() == wiki.torn
    assert "answers for other pages and not for this one" in parked["Torn"]
    assert "out of order (500)" in parked["Torn"]
    assert wiki.asked < looks + 2 * 12


async def test_a_wiki_that_is_out_again_and_again_has_no_page_given_up(
    store: Store, clock: _Clock
) -> None:
    wiki = _Torn()
    worker = _worker(store, wiki, clock)
    for number in range(20):
        wiki.is_out = number % 2 == 0
        await _busy_hours(store, worker, clock, looks=6, every_s=25)
    assert store.jobs.parked() == ()

    await _busy_hours(store, worker, clock, looks=4)
    assert _count(store, JobState.IDLE) == 4


async def test_an_urgent_page_that_is_not_answered_does_not_hold_up_its_wiki(
    store: Store, clock: _Clock
) -> None:
    wiki = _Torn("Torn")
    worker = _worker(store, wiki, clock)
    store.jobs.put([PageJob(WIKI, "Torn", JobReason.ASKED, NOON, NOON)])
    for _ in range(6):
        while await worker.work_once():
            pass
        clock.wait(40)

    _put(store)
    for _ in range(5):
        while await worker.work_once():
            pass
        clock.wait(40)

    assert store.last_check(WIKI, TITLE) is not None


async def test_a_wiki_that_lags_behind_the_feed_is_asked_again(
    store: Store, clock: _Clock
) -> None:
    _put(store, revision=11)
    wiki = _Wiki()
    worker = _worker(store, wiki, clock)
    await worker.work_once()
    assert store.suggestions_of(WIKI, TITLE) == ()
    wiki.revision = 11

    clock.wait(15)
    assert await worker.work_once()
    assert len(store.suggestions_of(WIKI, TITLE)) == 1


async def test_a_redirect_is_no_article_to_look_at(store: Store, clock: _Clock) -> None:
    _put(store)
    wiki = _Wiki()
    wiki.redirected_from = TITLE

    await _worker(store, wiki, clock).work_once()

    assert store.last_check(WIKI, TITLE) is None
    assert _count(store, JobState.IDLE) == 1


async def test_a_fault_of_the_program_stops_no_worker_and_ends_parked(
    store: Store, clock: _Clock
) -> None:
    _put(store)
    worker = _worker(store, _Wiki(_fails_with(KeyError("odd"))), clock)
    for _ in range(3):
        assert await worker.work_once()
        clock.wait(10_000)

    (parked,) = store.jobs.parked()
    assert "KeyError" in parked.reason


async def test_a_worker_that_is_told_to_end_gives_its_page_back(
    store: Store, clock: _Clock
) -> None:
    _put(store)
    begun = asyncio.Event()

    class _Slow(_Wiki):
        async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
            begun.set()
            await asyncio.sleep(60)
            return await super().page(title, revision_id)

    working = asyncio.create_task(_worker(store, _Slow(), clock).work_once())
    await begun.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)

    held = store.jobs.lease("worker 2", clock())
    assert held is not None
    assert held.attempt == 1


async def test_a_lease_is_prolonged_while_the_work_takes_long(
    store: Store, clock: _Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put(store)
    prolonged = asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()
    renew = store.jobs.renew

    def noted(held: Lease, now: datetime) -> Lease:
        renewed = renew(held, now)
        loop.call_soon_threadsafe(prolonged.release)
        return renewed

    monkeypatch.setattr(store.jobs, "renew", noted)

    class _Slow(_Wiki):
        async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
            for _ in range(3):
                clock.wait(0.3)
                await prolonged.acquire()  # one may have begun before the clock moved
                await prolonged.acquire()
                assert store.jobs.lease("worker 2", clock()) is None
            return await super().page(title, revision_id)

    async with asyncio.timeout(30):
        assert await _worker(store, _Slow(), clock).work_once()

    assert len(store.suggestions_of(WIKI, TITLE)) == 1


async def test_what_a_worker_finds_after_its_lease_was_lost_is_dropped(
    store: Store, clock: _Clock
) -> None:
    _put(store)

    def another_takes_it() -> None:
        clock.wait(1)
        assert store.jobs.lease("worker 2", clock()) is not None

    await _worker(store, _Wiki(another_takes_it), clock).work_once()

    assert store.suggestions_of(WIKI, TITLE) == ()
    assert _count(store, JobState.LEASED) == 1


async def test_a_worker_ends_when_it_is_told_to(store: Store, clock: _Clock) -> None:
    _put(store)
    stop = asyncio.Event()

    async with asyncio.timeout(20):
        await _worker(store, _Wiki(stop.set), clock).run(stop)

    assert len(store.suggestions_of(WIKI, TITLE)) == 1  # begun before, and ended


def test_waits_double_up_to_a_limit_and_never_fall_short_of_what_was_asked() -> None:
    waits = BackOff(first_s=10, most_s=100, spread=0.5)

    assert [waits.wait_s(n, 0, 0.0) for n in (1, 2, 3, 4, 5, 99)] == [
        *(10, 20, 40, 80, 100, 100)
    ]
    assert waits.wait_s(1, 300, 0.0) == 300
    assert waits.wait_s(1, 0, 1.0) == 15


async def test_what_became_of_a_page_is_told_once_the_store_is_back(
    store: Store, clock: _Clock
) -> None:
    class Away(JobQueue):
        times = 2

        def retry(self, held: Lease, now: datetime, *, in_s: float, why: str) -> None:
            if self.times:
                self.times -= 1
                raise TemporaryError("the disk is full", retry_in_s=0)
            super().retry(held, now, in_s=in_s, why=why)

    _put(store)
    store.jobs = away = Away(store._database, _RULES)
    busy = _fails_with(TemporaryError("the wiki is busy", retry_in_s=60))

    assert await _worker(store, _Wiki(busy), clock).work_once()

    assert away.times == 0
    assert _count(store, JobState.WAITING) == 1


@pytest.mark.parametrize(
    "error",
    [TemporaryError("no room", retry_in_s=0), PermanentError("no"), OSError("no")],
)
async def test_a_page_is_done_also_when_its_report_cannot_be_shown(
    store: Store, clock: _Clock, error: Exception
) -> None:
    _put(store)
    shows = _fails_with(error)
    worker = replace(_worker(store, _Wiki(), clock), shown=lambda _report: shows())

    assert await worker.work_once()

    assert _count(store, JobState.IDLE) == 1
    assert store.suggestions_of(WIKI, TITLE)


async def test_a_report_is_shown_as_soon_as_there_is_room(
    store: Store, clock: _Clock
) -> None:
    _put(store)
    tries: list[PageReport] = []

    def show(report: PageReport) -> None:
        tries.append(report)
        if len(tries) < 3:
            raise TemporaryError("the disk is full", retry_in_s=0)

    assert await replace(_worker(store, _Wiki(), clock), shown=show).work_once()

    assert len(tries) == 3


class _NobodyThere(FakeSources):
    """Stands for sources that nobody reads."""

    def __init__(self) -> None:
        super().__init__(())

    async def read(self, source: Source) -> SourceReading:
        raise NobodyReads(f"could not check {source.key}", retry_in_s=60)


async def test_a_page_waits_for_those_who_read_sources_however_long_they_are_away(
    store: Store, clock: _Clock
) -> None:
    store.looks.ask(WIKI, TITLE, clock())
    worker = _worker(store, _Wiki(), clock)
    tools = replace(worker.checker.tools, sources=_NobodyThere())
    blind = replace(worker, checker=replace(worker.checker, tools=tools))

    for _ in range(2 * _RULES.attempts):
        assert await blind.work_once()
        assert not await blind.work_once(), "it rests first"
        clock.wait(61)

    told = store.looks.of(WIKI, TITLE)
    assert told is not None
    assert "could not check" in (told.problem or "")
    assert await worker.work_once()
    assert store.jobs.state().counts[JobState.IDLE] == 1
    assert store.suggestions_of(WIKI, TITLE)
