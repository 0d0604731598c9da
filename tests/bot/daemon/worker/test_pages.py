"""A worker takes a waiting page, looks at it, and comes to an end with it."""

from dataclasses import replace

import pytest

from bot.records.tasks import TaskState
from bot.records.watches import CommunityPage
from bot.report import PageReport
from bot.store import Store
from handlers.ports import PermanentError, TemporaryError
from tests.bot.daemon.worker.world import (
    CLAIM,
    Clock,
    Wiki,
    count,
    fails_with,
    put,
    worker_for,
)
from tests.bot.store.runs import NOON, TITLE, WIKI


async def test_a_waiting_page_is_checked_and_its_findings_are_saved(
    store: Store, clock: Clock
) -> None:
    put(store)

    assert await worker_for(store, Wiki(), clock).runner.work_once()

    (stored,) = store.suggestions_of(WIKI, TITLE)
    assert stored.suggestion.claim == CLAIM
    assert count(store, TaskState.IDLE) == 1


async def test_without_a_waiting_page_nothing_is_done(
    store: Store, clock: Clock
) -> None:
    assert not await worker_for(store, Wiki(), clock).runner.work_once()


async def test_a_page_that_is_gone_is_parked_with_the_reason(
    store: Store, clock: Clock
) -> None:
    put(store)
    gone = fails_with(PermanentError("there is no such page"))

    await worker_for(store, Wiki(gone), clock).runner.work_once()

    (parked,) = store.jobs.parked()
    assert parked.reason == "there is no such page"


async def test_a_redirect_is_no_article_to_check(store: Store, clock: Clock) -> None:
    put(store)
    wiki = Wiki()
    wiki.redirected_from = TITLE

    await worker_for(store, wiki, clock).runner.work_once()

    assert store.last_check(WIKI, TITLE) is None
    assert count(store, TaskState.IDLE) == 1


async def test_a_wiki_that_lags_behind_the_feed_is_asked_again(
    store: Store, clock: Clock
) -> None:
    put(store, revision=11)
    wiki = Wiki()
    worker = worker_for(store, wiki, clock)
    await worker.runner.work_once()
    assert store.suggestions_of(WIKI, TITLE) == ()
    wiki.revision = 11

    clock.wait(15)
    assert await worker.runner.work_once()
    assert len(store.suggestions_of(WIKI, TITLE)) == 1


async def test_a_fault_of_the_program_stops_no_worker_and_ends_parked(
    store: Store, clock: Clock
) -> None:
    put(store)
    worker = worker_for(store, Wiki(fails_with(KeyError("odd"))), clock)
    for _ in range(3):
        assert await worker.runner.work_once()
        clock.wait(10_000)

    (parked,) = store.jobs.parked()
    assert "KeyError" in parked.reason


@pytest.mark.parametrize(
    "error",
    [TemporaryError("no room", retry_in_s=0), PermanentError("no"), OSError("no")],
)
async def test_a_page_is_done_also_when_its_report_cannot_be_shown(
    store: Store, clock: Clock, error: Exception
) -> None:
    put(store)
    shows = fails_with(error)
    worker = replace(worker_for(store, Wiki(), clock), shown=lambda _report: shows())

    assert await worker.runner.work_once()

    assert count(store, TaskState.IDLE) == 1
    assert store.suggestions_of(WIKI, TITLE)


async def test_a_report_is_shown_as_soon_as_there_is_room(
    store: Store, clock: Clock
) -> None:
    put(store)
    tries: list[PageReport] = []

    def show(report: PageReport) -> None:
        tries.append(report)
        if len(tries) < 3:
            raise TemporaryError("the disk is full", retry_in_s=0)

    assert await replace(
        worker_for(store, Wiki(), clock), shown=show
    ).runner.work_once()

    assert len(tries) == 3


async def test_a_page_of_which_all_is_refused_is_not_checked(
    store: Store, clock: Clock
) -> None:
    refused = '{"refuse": {"pages": {"%s": ["citations", "updates", "writing"]}}}'
    store.communities.keep(WIKI, CommunityPage(refused % TITLE, 7, NOON))
    put(store)

    assert await worker_for(store, Wiki(), clock).runner.work_once()
    assert store.last_check(WIKI, TITLE) is None
    assert count(store, TaskState.IDLE) == 1
