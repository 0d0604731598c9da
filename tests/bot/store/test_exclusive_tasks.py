"""Of several processes one does each task."""

from datetime import datetime, timedelta
from multiprocessing import get_context
from typing import Any

import pytest

from bot.store import Store, open_store
from handlers.ports import PermanentError
from tests.bot.store.runs import NOON, start


def _after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_one_holder_has_a_turn_until_it_runs_out(store: Store) -> None:
    assert store.schedule_locks.take("sweep", "a", NOON, 60)

    assert not store.schedule_locks.take("sweep", "b", _after(59), 60)
    assert store.schedule_locks.take("refresh", "b", _after(59), 60)
    assert store.schedule_locks.take("sweep", "b", _after(60), 60)
    assert not store.schedule_locks.take("sweep", "a", _after(61), 60)


def test_the_holder_can_prolong_its_turn(store: Store) -> None:
    store.schedule_locks.take("sweep", "a", NOON, 60)
    assert store.schedule_locks.take("sweep", "a", _after(50), 60)

    assert not store.schedule_locks.take("sweep", "b", _after(100), 60)
    assert store.schedule_locks.last_run("sweep") == NOON


def test_a_turn_that_was_released_is_free(store: Store) -> None:
    store.schedule_locks.take("sweep", "a", NOON, 60)
    store.schedule_locks.release("sweep", "a")

    assert store.schedule_locks.take("sweep", "b", _after(1), 60)
    assert store.schedule_locks.last_run("sweep") == _after(1)


def test_nobody_releases_the_turn_of_another(store: Store) -> None:
    store.schedule_locks.take("sweep", "a", NOON, 60)

    store.schedule_locks.release("sweep", "b")
    store.schedule_locks.release("refresh", "b")

    assert not store.schedule_locks.take("sweep", "b", _after(1), 60)


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
