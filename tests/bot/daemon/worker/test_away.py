"""While a wiki or those who read sources are away, pages wait and none is given up."""

from dataclasses import replace
from typing import Any

from sqlalchemy import text

from bot.daemon.worker import Worker
from bot.records.fetches import NoReaderError
from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import BackOff, TaskState
from bot.store import Store
from bot.wiki.pages import WikiPage
from handlers.model import Source, SourceFetch
from handlers.ports import AwayError, TemporaryError, UnansweredError
from tests.bot.daemon.worker.world import (
    RULES,
    Clock,
    Wiki,
    count,
    fails_with,
    put,
    worker_for,
)
from tests.bot.store.runs import NOON, TITLE, WIKI
from tests.fakes import FakeSources


async def test_a_busy_wiki_is_asked_again_later_as_it_wishes(
    store: Store, clock: Clock
) -> None:
    put(store)
    wiki = Wiki(fails_with(TemporaryError("busy", retry_in_s=40)))
    worker = worker_for(store, wiki, clock)
    await worker.runner.work_once()
    wiki.before = lambda: None

    clock.wait(39)
    assert not await worker.runner.work_once()
    clock.wait(1)
    assert await worker.runner.work_once()
    assert len(store.suggestions_of(WIKI, TITLE)) == 1


async def test_no_page_is_given_up_while_its_wiki_is_away(
    store: Store, clock: Clock
) -> None:
    for title in (TITLE, "Another", "A third"):
        store.jobs.put([PageJob(WIKI, title, JobReason.CHANGE, NOON, NOON)])
    away = fails_with(AwayError("it cannot be reached", retry_in_s=30))
    wiki = Wiki(away)
    worker = worker_for(store, wiki, clock)

    tries = 0
    for _ in range(60):  # an hour and more
        while await worker.runner.work_once():
            tries += 1
        clock.wait(60)
    assert tries <= 63  # not each page in turn
    assert count(store, TaskState.WAITING) == 3

    wiki.before = lambda: None
    rounds = [await worker.runner.work_once() for _ in range(4)]
    assert rounds == [True, True, True, False]
    assert len(store.suggestions_of(WIKI, TITLE)) == 1


async def test_pages_of_a_wiki_that_is_away_are_left_as_they_are_and_no_others_wait(
    store: Store, clock: Clock
) -> None:
    def dues() -> list[Any]:
        rows = text("SELECT due_at FROM tasks WHERE state = 'WAITING' ORDER BY subject")
        return list(store._database.read(lambda connection: connection.scalars(rows)))

    store.jobs.put(
        [PageJob(WIKI, f"P{at}", JobReason.CHANGE, NOON, NOON) for at in range(5)]
    )
    before = dues()
    worker = worker_for(
        store, Wiki(fails_with(AwayError("away", retry_in_s=30))), clock
    )
    for _ in range(2):
        assert await worker.runner.work_once()
    store.jobs.put([PageJob("b.example", "B", JobReason.CHANGE, NOON, NOON)])

    assert sum(due in before for due in dues()) == 4, "three of this wiki, and B"
    assert await worker.runner.work_once()
    assert worker.away.keys() == {WIKI, "b.example"}
    assert not await worker.runner.work_once()


class _Torn(Wiki):
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
    store: Store, worker: Worker, clock: Clock, *, checks: int = 100, every_s: int = 90
) -> None:
    """Work on what is due again and again; a page changes each time."""
    for number in range(checks):
        moment = clock()
        job = PageJob(WIKI, f"Page {number % 4}", JobReason.CHANGE, moment, moment)
        store.jobs.put([job])
        while await worker.runner.work_once():
            pass
        clock.wait(every_s)


async def test_a_page_that_alone_is_not_answered_is_given_up(
    store: Store, clock: Clock
) -> None:
    wiki = _Torn("Torn", "Torn, too")
    checks = 100
    for title in wiki.torn:
        store.jobs.put([PageJob(WIKI, title, JobReason.CHANGE, NOON, NOON)])

    await _busy_hours(store, worker_for(store, wiki, clock), clock, checks=checks)

    parked = {one.title: one.reason for one in store.jobs.parked()}
    assert parked.keys() == wiki.torn
    assert "answers for other pages but not for this one" in parked["Torn"]
    assert "out of order (500)" in parked["Torn"]
    assert wiki.asked < checks + 2 * 12


async def test_a_wiki_that_is_out_again_and_again_has_no_page_given_up(
    store: Store, clock: Clock
) -> None:
    wiki = _Torn()
    worker = worker_for(store, wiki, clock)
    for number in range(20):
        wiki.is_out = number % 2 == 0
        await _busy_hours(store, worker, clock, checks=6, every_s=25)
    assert store.jobs.parked() == ()

    await _busy_hours(store, worker, clock, checks=4)
    assert count(store, TaskState.IDLE) == 4


async def test_an_urgent_page_that_is_not_answered_does_not_hold_up_its_wiki(
    store: Store, clock: Clock
) -> None:
    wiki = _Torn("Torn")
    worker = worker_for(store, wiki, clock)
    store.jobs.put([PageJob(WIKI, "Torn", JobReason.ASKED, NOON, NOON)])
    for _ in range(6):
        while await worker.runner.work_once():
            pass
        clock.wait(40)

    put(store)
    for _ in range(5):
        while await worker.runner.work_once():
            pass
        clock.wait(40)

    assert store.last_check(WIKI, TITLE) is not None


def test_waits_double_up_to_a_limit_and_never_fall_short_of_what_was_asked() -> None:
    waits = BackOff(first_s=10, most_s=100, spread=0.5)

    assert [waits.wait_s(n, 0, 0.0) for n in (1, 2, 3, 4, 5, 99)] == [
        *(10, 20, 40, 80, 100, 100)
    ]
    assert waits.wait_s(1, 300, 0.0) == 300
    assert waits.wait_s(1, 0, 1.0) == 15


class _NobodyThere(FakeSources):
    """Stands for sources that nobody reads."""

    def __init__(self) -> None:
        super().__init__(())

    async def read(self, source: Source) -> SourceFetch:
        raise NoReaderError(f"could not check {source.key}", retry_in_s=60)


async def test_a_page_waits_for_those_who_read_sources_however_long_they_are_away(
    store: Store, clock: Clock
) -> None:
    store.check_states.ask(WIKI, TITLE, clock())
    worker = worker_for(store, Wiki(), clock)
    tools = replace(worker.checker.tools, sources=_NobodyThere())
    blind = replace(worker, checker=replace(worker.checker, tools=tools))

    for _ in range(2 * RULES.attempts):
        assert await blind.runner.work_once()
        assert not await blind.runner.work_once(), "it rests first"
        clock.wait(61)

    state = store.check_states.of(WIKI, TITLE)
    assert state is not None
    assert "could not check" in (state.problem or "")
    assert await worker.runner.work_once()
    assert store.jobs.state().counts[TaskState.IDLE] == 1
    assert store.suggestions_of(WIKI, TITLE)
