"""The runner holds what it works on, and no task stops it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from bot.daemon.runner import Runner
from bot.records.tasks import Lease, LeaseLost, TaskKind, Work
from bot.records.watches import IntendedPost, PlanKind
from bot.store import Store, Tasks, open_store, plan_policy
from handlers.ports import PermanentError, TemporaryError
from tests.bot.store.runs import NOON, WIKI
from tests.rig.databases import ready_sqlite

_KIND = TaskKind.PLAN_TALK


class _Renewed(Tasks):
    """Tasks whose leases are prolonged as the test says."""

    renewals: Callable[[], None]

    def renew(self, lease: Lease[Any], now: datetime) -> None:
        del lease, now
        self.renewals()


@pytest.fixture
def store(tmp_path: Path):  # type: ignore[no-untyped-def]  # of a generator
    policies = {_KIND: plan_policy(lease_s=0.08)}
    address = ready_sqlite(tmp_path / "sidenote.sqlite")
    with open_store(address, policies=policies) as opened_store:
        yield opened_store


def _runner(tasks: Tasks, do: Callable[[Lease[Any]], Awaitable[None]]) -> Runner:
    return Runner("me", tasks, {_KIND: Work(do)}, lambda: NOON, lambda: 0.0)


def _ask(store: Store, *subjects: str) -> None:
    intended_posts = [IntendedPost(PlanKind.TALK, WIKI, one, NOON) for one in subjects]
    store.plans.ask(intended_posts, NOON)


@pytest.mark.parametrize(
    ("error", "goes_on"),
    [
        (TemporaryError("away", retry_in_s=1), True),
        (PermanentError("the database failed"), True),
        (LeaseLost("another has it"), False),
    ],
)
async def test_only_a_lease_that_is_lost_is_not_prolonged(
    store: Store, error: Exception, goes_on: bool
) -> None:
    loop, again, tries = asyncio.get_running_loop(), asyncio.Event(), 0

    def renew() -> None:
        nonlocal tries
        tries += 1
        if tries > 1:
            loop.call_soon_threadsafe(again.set)
        raise error

    async def do(lease: Lease[Any]) -> None:
        try:
            await asyncio.wait_for(again.wait(), 5 if goes_on else 0.1)
        except TimeoutError:
            assert not goes_on
        store.plans.finish(lease, (), NOON)

    _ask(store, "One")
    tasks = _Renewed(store._database, store.tasks.policies)
    tasks.renewals = renew

    assert await _runner(tasks, do).work_once()

    assert (tries > 1) is goes_on


async def test_what_fails_waits_and_the_next_is_done(store: Store) -> None:
    done: list[str] = []

    async def do(lease: Lease[Any]) -> None:
        if lease.subject == "Bad":
            raise ValueError("a bug")
        done.append(lease.subject)
        store.plans.finish(lease, (), NOON)

    _ask(store, "Bad", "Good")
    runner = _runner(store.tasks, do)

    assert [await runner.work_once() for _ in range(3)] == [True, True, False]

    assert done == ["Good"]
    [failing] = store.plans.failing()
    assert failing.note == "a fault of the program: ValueError: a bug"
