"""A worker that ends, takes long or loses its lease loses no page and doubles none."""

import asyncio
from datetime import datetime
from typing import Any

import pytest

from bot.records.jobs import PageJob
from bot.records.tasks import Lease, TaskKind, TaskState
from bot.store import Store, Tasks
from bot.wiki.pages import WikiPage
from handlers.ports import TemporaryError
from tests.bot.daemon.worker.world import (
    Clock,
    Wiki,
    count,
    fails_with,
    put,
    worker_for,
)
from tests.bot.store.runs import TITLE, WIKI


async def test_a_worker_that_is_told_to_end_gives_its_page_back(
    store: Store, clock: Clock
) -> None:
    put(store)
    has_begun = asyncio.Event()

    class _Slow(Wiki):
        async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
            has_begun.set()
            await asyncio.sleep(60)
            return await super().page(title, revision_id)

    working = asyncio.create_task(worker_for(store, _Slow(), clock).runner.work_once())
    await has_begun.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)

    lease = store.tasks.lease([TaskKind.CHECK], "worker 2", clock())
    assert lease is not None
    assert lease.attempt == 1


async def test_a_worker_ends_when_it_is_told_to(store: Store, clock: Clock) -> None:
    put(store)
    stop = asyncio.Event()

    async with asyncio.timeout(20):
        await worker_for(store, Wiki(stop.set), clock).runner.run(stop)

    assert len(store.suggestions_of(WIKI, TITLE)) == 1  # begun before, and ended


async def test_a_lease_is_prolonged_while_the_work_takes_long(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store)
    prolonged = asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()
    renew = store.tasks.renew

    def noted(lease: Lease[PageJob], now: datetime) -> None:
        renew(lease, now)
        loop.call_soon_threadsafe(prolonged.release)

    monkeypatch.setattr(store.tasks, "renew", noted)

    class _Slow(Wiki):
        async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
            for _ in range(3):
                clock.wait(0.3)
                await prolonged.acquire()  # one may have begun before the clock moved
                await prolonged.acquire()
                assert store.tasks.lease([TaskKind.CHECK], "worker 2", clock()) is None
            return await super().page(title, revision_id)

    async with asyncio.timeout(30):
        assert await worker_for(store, _Slow(), clock).runner.work_once()

    assert len(store.suggestions_of(WIKI, TITLE)) == 1


async def test_what_a_worker_finds_after_its_lease_was_lost_is_dropped(
    store: Store, clock: Clock
) -> None:
    put(store)

    def another_takes_it() -> None:
        clock.wait(1)
        assert store.tasks.lease([TaskKind.CHECK], "worker 2", clock()) is not None

    await worker_for(store, Wiki(another_takes_it), clock).runner.work_once()

    assert store.suggestions_of(WIKI, TITLE) == ()
    assert count(store, TaskState.LEASED) == 1


async def test_what_became_of_a_page_is_reported_once_the_store_is_back(
    store: Store, clock: Clock
) -> None:
    class Away(Tasks):
        times = 2

        def retry(
            self, lease: Lease[Any], now: datetime, in_s: float, why: str
        ) -> None:
            if self.times:
                self.times -= 1
                raise TemporaryError("the disk is full", retry_in_s=0)
            super().retry(lease, now, in_s, why)

    put(store)
    store.tasks = away = Away(store._database, store.tasks.policies)
    busy = fails_with(TemporaryError("the wiki is busy", retry_in_s=60))

    assert await worker_for(store, Wiki(busy), clock).runner.work_once()

    assert away.times == 0
    assert count(store, TaskState.WAITING) == 1
