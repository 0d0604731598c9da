"""What is wrong is reported once, and so is its end; of several processes one does each task."""

from datetime import timedelta
from functools import partial
from multiprocessing import get_context
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.records.heartbeat import HealthChange, HealthProblem, HealthProblemKind
from bot.store import Store, open_store
from bot.store.database import Transactions, find, put
from bot.store.schema import role_leases
from handlers.ports import PermanentError, TemporaryError
from tests.bot.store.runs import NOON, after, start

_QUEUE = HealthProblem(HealthProblemKind.QUEUE, "nobody checks pages", "Start it.")
_HERE, _THERE = (
    HealthProblem(HealthProblemKind.STOPPED, f"stopped on {wiki}", "Ask.", wiki)
    for wiki in ("de.example.org", "en.example.org")
)


def _keep(store: Store, minutes: float, *wrong: HealthProblem) -> HealthChange:
    """Keep what is wrong, and tell what is new."""
    now = NOON + timedelta(minutes=minutes)
    change = store.health.keep(wrong, now)
    store.health.notified(change, now)
    return change


def test_each_change_is_reported_once(store: Store) -> None:
    assert [one.problem for one in _keep(store, 0, _QUEUE).begun] == [_QUEUE]
    assert _keep(store, 1, _QUEUE) == HealthChange()
    assert [one.problem for one in _keep(store, 2, _QUEUE, _HERE, _THERE).begun] == [
        _HERE,
        _THERE,
    ]
    [known, *_] = store.status(NOON).incidents
    assert (known.problem, known.since) == (_QUEUE, NOON)

    assert _keep(store, 3, _HERE) == HealthChange()
    assert [one.problem for one in store.health.known()] == [_HERE]
    [one, other] = _keep(store, 9, _HERE).ended
    assert {one.problem, other.problem} == {_QUEUE, _THERE}
    assert one.ended_at == NOON + timedelta(minutes=3)
    assert _keep(store, 10, _HERE) == HealthChange()


def test_what_comes_and_goes_is_one_thing(store: Store) -> None:
    _keep(store, 0, _QUEUE)
    swings = [_keep(store, at, *([] if at % 2 else [_QUEUE])) for at in range(1, 20)]

    assert swings == [HealthChange()] * len(swings)
    assert store.health.known() == ()


def test_what_was_not_reported_is_reported_by_the_next_check(store: Store) -> None:
    change = store.health.keep([_QUEUE], NOON)

    again = store.health.keep([_QUEUE], NOON + timedelta(minutes=1))
    assert again == change
    assert store.health.keep([], NOON + timedelta(minutes=2)) == HealthChange()
    assert store.health.keep([], NOON + timedelta(minutes=9)) == HealthChange()


def test_one_holder_has_a_turn_until_it_runs_out(store: Store) -> None:
    assert store.schedule_locks.take("sweep", "a", NOON, 60)

    assert not store.schedule_locks.take("sweep", "b", after(59), 60)
    assert store.schedule_locks.take("refresh", "b", after(59), 60)
    assert store.schedule_locks.take("sweep", "b", after(60), 60)
    assert not store.schedule_locks.take("sweep", "a", after(61), 60)


def test_the_holder_can_prolong_its_turn(store: Store) -> None:
    store.schedule_locks.take("sweep", "a", NOON, 60)
    assert store.schedule_locks.take("sweep", "a", after(50), 60)

    assert not store.schedule_locks.take("sweep", "b", after(100), 60)
    assert store.schedule_locks.last_run("sweep") == NOON


def test_a_turn_that_was_released_is_free(store: Store) -> None:
    store.schedule_locks.take("sweep", "a", NOON, 60)
    store.schedule_locks.release("sweep", "a")

    assert store.schedule_locks.take("sweep", "b", after(1), 60)
    assert store.schedule_locks.last_run("sweep") == after(1)


def test_nobody_releases_the_turn_of_another(store: Store) -> None:
    store.schedule_locks.take("sweep", "a", NOON, 60)

    store.schedule_locks.release("sweep", "b")
    store.schedule_locks.release("refresh", "b")

    assert not store.schedule_locks.take("sweep", "b", after(1), 60)


def test_a_task_that_never_ran_has_no_last_run(store: Store) -> None:
    assert store.schedule_locks.last_run("sweep") is None


def test_a_turn_needs_a_holder(store: Store) -> None:
    with pytest.raises(PermanentError, match="holder"):
        store.schedule_locks.take("sweep", "", NOON, 60)


def _take_many(url: str, holder: str, taken: Any) -> None:
    with open_store(url) as store:
        for number in range(25):
            if store.schedule_locks.take(f"task {number}", holder, NOON, 60):
                taken.put(number)
    taken.put(None)


def test_of_several_holders_one_has_each_turn(url: str) -> None:
    with open_store(url):
        pass
    taken = get_context("fork").Queue()
    for holder in "abc":
        start(_take_many, url, holder, taken)
    found: list[int] = []
    for _ in range(3):
        found += list(iter(lambda: taken.get(timeout=60), None))

    assert sorted(found) == list(range(25))


def test_whoever_found_no_row_replaces_none_that_another_made_meanwhile(
    transactions: Transactions,
) -> None:
    def made_by(holder: str, connection: Connection) -> None:
        values = {"holder": holder, "began_at": NOON, "until": NOON}
        put(connection, role_leases, None, values, name="sweep")

    transactions.write(partial(made_by, "a"))
    with pytest.raises((PermanentError, TemporaryError)):
        transactions.write(partial(made_by, "b"))

    row = transactions.read(lambda made: find(made, role_leases, name="sweep"))
    assert row is not None
    assert row.holder == "a"
