"""What a clock wrote that was ahead does not wait for the hour that it was ahead by."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, select

from bot.records.fetches import HostBusy, HostSlot, request_of
from bot.records.jobs import JobReason, PageJob
from bot.records.posts import PostState
from bot.records.tasks import TaskKind, TaskState
from bot.records.watches import PLANS, IntendedPost, PlanKind
from bot.store import Store, open_store
from bot.store.clock import DatabaseTime, set_back
from bot.store.schema import checks
from handlers.model import Source, SourceForm
from tests.bot.store.made_posts import numbered
from tests.bot.store.runs import NOON, TITLE, WIKI, run, suggestion

_AHEAD = NOON + timedelta(hours=1)


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path / 'x.sqlite'}") as opened_store:
        yield opened_store


def _job(title: str, at: datetime) -> PageJob:
    return PageJob(WIKI, title, JobReason.CHANGE, at, at, pause_s=0)


def _fill(store: Store, at: datetime) -> None:
    """Let a page wait, hold another, ask for a plan and a post, and take a turn."""
    store.jobs.put([_job(TITLE, at)])
    lease = store.tasks.lease([TaskKind.CHECK], "worker", at)
    assert lease is not None
    store.tasks.retry(lease, at, in_s=30, why="the wiki is away")
    store.jobs.put([_job("Another", at)])
    assert store.tasks.lease([TaskKind.CHECK], "worker that died", at) is not None
    store.plans.ask([IntendedPost(PlanKind.REPORT, WIKI, "User:Ada/Sidenote", at)], at)
    store.outbox.ask(numbered(asked_at=at))
    assert store.schedule_locks.take("sweep", "a", at, 60)


def test_work_of_an_hour_that_has_not_come_is_due_now(store: Store) -> None:
    _fill(store, _AHEAD)
    soon = NOON + timedelta(minutes=3)
    assert store.tasks.lease([TaskKind.CHECK], "b", soon) is None
    assert store.tasks.lease(PLANS, "me", soon) is None
    assert store.outbox.begin(soon, wiki=WIKI) is None
    assert not store.schedule_locks.take("sweep", "b", soon, 60)

    assert store.set_back(NOON) > 0

    leased = {
        lease.task.title
        for _ in range(2)
        if (lease := store.tasks.lease([TaskKind.CHECK], "b", soon))
    }
    assert leased == {TITLE, "Another"}
    assert store.tasks.lease(PLANS, "me", soon) is not None
    assert store.outbox.begin(soon, wiki=WIKI) is not None
    assert store.schedule_locks.take("sweep", "b", soon, 60)


def test_who_asks_once_the_clock_is_right_is_heard(store: Store) -> None:
    store.jobs.put([_job(TITLE, _AHEAD)])
    lease = store.tasks.lease([TaskKind.CHECK], "worker", _AHEAD)
    assert lease is not None
    store.finish_check(lease, _AHEAD)
    store.set_back(NOON)

    soon = NOON + timedelta(minutes=1)
    assert store.jobs.put([PageJob(WIKI, TITLE, JobReason.ASKED, soon, soon)]) == 1


def test_a_post_that_may_have_been_made_is_looked_for_from_before_it_was(
    store: Store,
) -> None:
    ahead = NOON + timedelta(hours=9)  # as in the time of another zone
    store.outbox.ask(numbered(asked_at=ahead))
    assert store.outbox.begin(ahead, wiki=WIKI) is not None
    store.set_back(NOON)

    again = store.outbox.begin(NOON + timedelta(minutes=3), wiki=WIKI)

    assert again is not None
    assert again.first_tried_at is not None
    assert again.first_tried_at <= NOON


def test_a_check_that_is_asked_for_once_the_clock_is_right_counts(store: Store) -> None:
    for minutes in (0, 5):
        store.save_check(
            run(10, _AHEAD + timedelta(minutes=minutes)), [suggestion("A")]
        )
    assert store.set_back(NOON) == 2

    soon = NOON + timedelta(minutes=1)
    store.save_check(run(10, soon), [suggestion("B")])

    [stored] = store.suggestions_of(WIKI, TITLE)
    assert stored.suggestion.claim == "B"
    last = store.last_check(WIKI, TITLE)
    assert last is not None
    assert last.checked_at == soon


def test_many_checks_keep_their_order(sqlite_store: Store) -> None:
    def fill(connection: Connection) -> None:
        row = connection.execute(select(checks)).mappings().one()
        connection.execute(
            insert(checks),
            [
                {**row, "id": each, "checked_at": _AHEAD + timedelta(seconds=each)}
                for each in range(2, 502)
            ],
        )

    def times(connection: Connection) -> list[datetime]:
        return list(connection.scalars(select(checks.c.checked_at).order_by("id")))

    database = sqlite_store._database
    sqlite_store.save_check(run(10, _AHEAD), [])
    database.write(fill)
    assert sqlite_store.set_back(NOON) == 501

    found = database.read(times)
    assert found == sorted(set(found))
    assert found[-1] == NOON


def test_work_of_a_right_clock_stays_as_it_is(store: Store) -> None:
    _fill(store, NOON)

    assert store.set_back(NOON - timedelta(seconds=30)) == 0  # as clocks differ

    assert (
        store.tasks.lease([TaskKind.CHECK], "b", NOON + timedelta(seconds=29)) is None
    )
    assert (
        store.tasks.lease([TaskKind.CHECK], "b", NOON + timedelta(seconds=30))
        is not None
    )
    assert store.jobs.state().counts[TaskState.LEASED] == 2
    assert store.outbox.counts()[PostState.WAITING] == 1


def test_a_machine_that_is_behind_ends_no_turn_of_others(store: Store) -> None:
    def behind() -> datetime:
        return datetime.now(UTC) - timedelta(minutes=10)

    request = request_of(Source(SourceForm.URL, "", url="https://a.example/1"))
    assert request is not None
    now = datetime.now(UTC)
    assert isinstance(store.hosts.take("a.example", 1, 60), HostSlot)
    store.fetches.ask([request], now, now + timedelta(minutes=15))
    assert store.tasks.lease([TaskKind.FETCH], "reader", now) is None, (
        "its host is asked just now"
    )

    changed = set_back(store._database, behind(), DatabaseTime(ours=behind))

    assert changed == 0
    assert isinstance(store.hosts.take("a.example", 1, 60), HostBusy)
