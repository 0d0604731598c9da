"""A look that a person asked for begins, goes on and ends with the work on its page."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import pytest

from bot.records.accounts import CheckState
from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import Lease, TaskKind, TaskState
from bot.store import Store, check_policy, open_store
from tests.bot.store.runs import NOON, TITLE, WIKI, after, run, suggestion


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(
        url, policies={TaskKind.CHECK: check_policy(lease_s=60, attempts=2)}
    ) as opened_store:
        yield opened_store


def _taken(store: Store, at: datetime = NOON) -> Lease[PageJob]:
    lease = store.tasks.lease([TaskKind.CHECK], "worker", at)
    assert lease is not None
    return lease


def _begun(store: Store, at: datetime = NOON) -> tuple[Lease[PageJob], CheckState]:
    held = _taken(store, at)
    state = store.check_states.begin(WIKI, TITLE, at)
    assert state is not None
    return held, state


def _of(store: Store) -> CheckState:
    state = store.check_states.of(WIKI, TITLE)
    assert state is not None
    return state


def test_of_a_page_that_nobody_asked_for_nothing_is_known(store: Store) -> None:
    assert store.check_states.of(WIKI, TITLE) is None
    assert store.check_states.begin(WIKI, TITLE, NOON) is None


def test_a_page_that_is_asked_for_goes_before_all_others(store: Store) -> None:
    store.jobs.put([PageJob(WIKI, "Earlier", JobReason.CHANGE, NOON, NOON, 1)])

    state = store.check_states.ask(WIKI, TITLE, after(1))

    assert state == CheckState(WIKI, TITLE, after(1), after(1))
    job = _taken(store, after(2)).task
    assert (job.title, job.reason) == (TITLE, JobReason.ASKED)


def test_whoever_asks_while_a_check_is_under_way_follows_that_one(store: Store) -> None:
    first = store.check_states.ask(WIKI, TITLE, NOON)
    assert store.check_states.ask(WIKI, TITLE, after(1)) == first
    held, state = _begun(store, after(2))
    assert store.check_states.ask(WIKI, TITLE, after(3)) == state

    store.finish_check(held, after(4))

    assert _of(store).ended_at == after(4)
    assert store.jobs.state().counts[TaskState.IDLE] == 1, "it is not looked at twice"


def test_steps_are_reported_until_the_check_ends(store: Store) -> None:
    store.check_states.ask(WIKI, TITLE, NOON)
    held, state = _begun(store)
    reached = replace(
        state,
        reading="www.example.org",
        sources=24,
        sources_read=3,
        claims=30,
        claims_checked=2,
        revision=7,
        changed_at=after(1),
    )

    store.check_states.step(reached)
    assert _of(store) == reached

    store.finish_check(held, after(2))
    store.check_states.step(replace(reached, sources_read=4))
    ended = replace(reached, reading=None, ended_at=after(2), changed_at=after(2))
    assert _of(store) == ended


def test_a_check_ends_together_with_what_is_saved(store: Store) -> None:
    store.check_states.ask(WIKI, TITLE, NOON)
    lease, _ = _begun(store)

    store.save_check(run(), [suggestion()], ends=lease)

    assert _of(store).ended_at is not None


def test_one_that_was_asked_for_during_other_work_is_still_to_come(
    store: Store,
) -> None:
    store.jobs.put([PageJob(WIKI, TITLE, JobReason.CHANGE, NOON, NOON, 1)])
    held = _taken(store)
    store.check_states.ask(WIKI, TITLE, after(1))

    store.finish_check(held, after(2))

    assert _of(store).ended_at is None
    again = _taken(store, after(2))
    assert again.task.reason is JobReason.ASKED
    assert store.check_states.begin(WIKI, TITLE, after(3)) is not None


def test_a_failure_is_reported_and_after_the_last_one_the_check_ends(
    store: Store,
) -> None:
    store.check_states.ask(WIKI, TITLE, NOON)
    lease, _ = _begun(store)

    store.tasks.retry(lease, after(1), in_s=15, why="the wiki is busy")
    assert _of(store).problem == "the wiki is busy; tried again in 15 s"
    assert _of(store).ended_at is None

    lease, state = _begun(store, after(16))
    assert state.problem is None
    store.tasks.retry(lease, after(17), in_s=15, why="the wiki is busy")
    assert (_of(store).problem, _of(store).ended_at) == ("the wiki is busy", after(17))


def test_a_page_that_is_given_up_says_why(store: Store) -> None:
    store.check_states.ask(WIKI, TITLE, NOON)
    lease, _ = _begun(store)

    store.tasks.park(lease, after(1), why="it is too large")

    assert (_of(store).problem, _of(store).ended_at) == ("it is too large", after(1))


def test_a_page_that_kills_its_workers_ends_its_check(store: Store) -> None:
    store.check_states.ask(WIKI, TITLE, NOON)
    for minutes in (0, 2):
        _begun(store, after(60 * minutes))

    assert store.tasks.lease([TaskKind.CHECK], "worker", after(240)) is None

    assert _of(store).ended_at == after(240)
    assert "died" in (_of(store).problem or "")


def test_a_check_can_be_asked_for_again_once_it_is_over(store: Store) -> None:
    store.check_states.ask(WIKI, TITLE, NOON)
    lease, _ = _begun(store)
    store.finish_check(lease, after(1))

    assert store.check_states.ask(WIKI, TITLE, after(2)).ended_at is None
    assert _taken(store, after(2)).task.reason is JobReason.ASKED
