"""What a clock wrote that was ahead does not wait for the hour that it was ahead by."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from bot.jobs import JobReason, JobState, PageJob
from bot.posts import Append, Post, PostState
from bot.store import Store, open_store
from bot.watches import PlanKind, Wish
from tests.bot.store.runs import NOON, TITLE, WIKI

_AHEAD = NOON + timedelta(hours=1)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened


def _job(title: str, at: datetime) -> PageJob:
    return PageJob(WIKI, title, JobReason.CHANGE, at, at, pause_s=0)


def _fill(store: Store, at: datetime) -> None:
    """Let a page wait, hold another, ask for a plan and a post, and take a turn."""
    store.jobs.put([_job(TITLE, at)])
    held = store.jobs.lease("worker", at)
    assert held is not None
    store.jobs.retry(held, at, in_s=30, why="the wiki is away")
    store.jobs.put([_job("Another", at)])
    assert store.jobs.lease("worker that died", at) is not None
    store.plans.ask([Wish(PlanKind.REPORT, WIKI, "User:Ada/Sidenote", at)], at)
    post = Post(
        name="ab" * 32,
        wiki=WIKI,
        title="User:Ada/Report",
        task="report",
        change=Append("text"),
        summary="Report",
        asked_at=at,
    )
    store.outbox.ask(post)
    assert store.turns.take("sweep", "a", at, 60)


def test_work_of_an_hour_that_has_not_come_is_due_now(store: Store) -> None:
    _fill(store, _AHEAD)
    soon = NOON + timedelta(minutes=3)
    assert store.jobs.lease("b", soon) is None
    assert store.plans.begin(None, soon) is None
    assert store.outbox.begin(soon, wiki=WIKI) is None
    assert not store.turns.take("sweep", "b", soon, 60)

    assert store.set_back(NOON) > 0

    leased = {
        lease.job.title for _ in range(2) if (lease := store.jobs.lease("b", soon))
    }
    assert leased == {TITLE, "Another"}
    assert store.plans.begin(None, soon) is not None
    assert store.outbox.begin(soon, wiki=WIKI) is not None
    assert store.turns.take("sweep", "b", soon, 60)


def test_who_asks_once_the_clock_is_right_is_heard(store: Store) -> None:
    store.jobs.put([_job(TITLE, _AHEAD)])
    held = store.jobs.lease("worker", _AHEAD)
    assert held is not None
    store.jobs.finish(held, _AHEAD)
    store.set_back(NOON)

    soon = NOON + timedelta(minutes=1)
    assert store.jobs.put([PageJob(WIKI, TITLE, JobReason.ASKED, soon, soon)]) == 1


def test_work_of_a_right_clock_stays_as_it_is(store: Store) -> None:
    _fill(store, NOON)

    assert store.set_back(NOON - timedelta(seconds=30)) == 0  # as clocks differ

    assert store.jobs.lease("b", NOON + timedelta(seconds=29)) is None
    assert store.jobs.lease("b", NOON + timedelta(seconds=30)) is not None
    assert store.jobs.state().counts[JobState.LEASED] == 2
    assert store.outbox.counts()[PostState.WAITING] == 1
