"""Changes become waiting pages, together with how far the feed was read."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from bot.daemon.intake.change_events import Decoder
from bot.daemon.intake.harvest import ChangeSelection
from bot.daemon.intake.queue import QueueSink, jobs_of
from bot.demo.loopback.event_server import EventServer
from bot.records.changes import Batch, Change, ChangeKind, UserKind
from bot.records.tasks import TaskKind, TaskState
from bot.store import Store, open_store
from handlers.ports import PermanentError
from tests.bot.daemon.intake.world import WIKI, edit, following
from tests.bot.store.runs import TITLE, run, suggestion
from tests.rig.databases import ready_sqlite
from tests.rig.processes import ready_processes

_FEED = "recentchange"
_NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
_EVENTS = 240
_KILLS = 8
_CHANGE = Change(
    kind=ChangeKind.EDIT,
    wiki=WIKI,
    title="Clock",
    namespace=0,
    changed_at=_NOW - timedelta(seconds=3),
    user=UserKind.REGISTERED,
    event_id="event-1",
    revision_id=12,
)


class _Watched:
    """Watches the pages it was given, or every page."""

    def __init__(self, pages: Mapping[str, float] | None = None) -> None:
        self._pages = pages

    def pause_s(self, wiki: str, title: str) -> float | None:
        assert wiki == WIKI
        return 600.0 if self._pages is None else self._pages.get(title)


def _titles(change: Change, watched: _Watched) -> list[tuple[str, float]]:
    return [
        (job.title, job.pause_s) for job in jobs_of(change, watched, _NOW, settle_s=60)
    ]


def test_an_edit_of_a_watched_page_waits_until_the_page_has_settled() -> None:
    [job] = jobs_of(_CHANGE, _Watched({"Clock": 900.0}), _NOW, settle_s=60)

    assert (job.wiki, job.title, job.revision_id) == (WIKI, "Clock", 12)
    assert job.asked_at == _CHANGE.changed_at
    assert job.due_at == _NOW + timedelta(seconds=60)
    assert job.pause_s == 900


def test_a_page_that_nobody_watches_does_not_wait() -> None:
    assert _titles(_CHANGE, _Watched({"Watch": 900.0})) == []


@pytest.mark.parametrize("kind", [ChangeKind.CATEGORY, ChangeKind.OTHER])
def test_what_changes_no_text_is_passed_over(kind: ChangeKind) -> None:
    assert _titles(replace(_CHANGE, kind=kind), _Watched()) == []


def test_a_moved_page_is_checked_where_it_went() -> None:
    moved = replace(_CHANGE, kind=ChangeKind.MOVE, moved_to="Timepiece")

    assert _titles(moved, _Watched({"Clock": 900.0})) == [
        *(("Clock", 900.0), ("Timepiece", 900.0))
    ]
    assert _titles(moved, _Watched({"Timepiece": 60.0})) == [("Timepiece", 60.0)]
    assert _titles(moved, _Watched({})) == []


@pytest.mark.parametrize(
    "action", ["delete/revision", "suppress/event", "delete/delete_redir"]
)
async def test_a_page_with_hidden_text_is_checked_though_nobody_watches_it_any_longer(
    store: Store, action: str
) -> None:
    log_type, log_action = action.split("/")
    fields = {
        "log_params": {"ids": [12]},
        "revision": None,
        "length": None,
        "user": None,
    }
    event = edit(type="log", log_type=log_type, log_action=log_action, title=TITLE)
    change = Decoder().decode(json.dumps(event | fields))
    assert isinstance(change, Change)
    assert ChangeSelection(frozenset({WIKI}), kinds=frozenset({change.kind})).wants(
        change
    )
    store.save_check(run(at=change.changed_at - timedelta(days=1)), [suggestion()])
    sink = QueueSink(_FEED, store, _Watched({}))

    await sink.commit(Batch(_NOW, None, changes=(change,)))

    assert store.last_check(WIKI, TITLE) is None
    lease = store.tasks.lease([TaskKind.CHECK], "worker", _NOW)
    assert lease is not None
    assert lease.task.title == TITLE


async def test_a_position_that_is_none_is_reported_with_the_remedy(
    tmp_path: Path,
) -> None:
    url = ready_sqlite(tmp_path / "sidenote.sqlite")
    with open_store(url) as store:
        sink = QueueSink(_FEED, store, _Watched())
        await sink.commit(Batch(_NOW, None, changes=(_CHANGE,)))
        assert await sink.position() is None
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("UPDATE positions SET position = 'no position'"))
        engine.dispose()

        with pytest.raises(PermanentError, match="delete its row"):
            await sink.position()


def _follow_for_ever(url: str, address: str) -> None:
    async def follow() -> None:
        with open_store(url) as store:
            sink = QueueSink(_FEED, store, _Watched(), settle_s=0)
            async with following(address, sink) as run:
                await run.task

    asyncio.run(follow())


async def _until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not happened():  # noqa: ASYNC110 - in another process
            await asyncio.sleep(0.01)


async def test_a_process_that_is_killed_again_and_again_loses_no_change(
    tmp_path: Path,
) -> None:
    url = ready_sqlite(tmp_path / "sidenote.sqlite")
    chance = random.Random(4)
    processes = ready_processes()
    numbers = iter(range(_EVENTS))

    def publish(count: int) -> None:
        for number in islice(numbers, count):
            server.publish(edit(number))

    def waiting() -> int:
        return store.jobs.state().counts[TaskState.WAITING]

    with open_store(url) as store:
        async with EventServer() as server:
            for life in range(_KILLS + 1):
                if life:
                    publish(_EVENTS // (3 * _KILLS))  # while nobody listens
                seen = len(server.requests)
                process = processes.Process(
                    target=_follow_for_ever, args=(url, server.address), daemon=True
                )
                process.start()
                await _until(
                    lambda seen=seen: (  # type: ignore[misc]  # a default
                        len(server.requests) > seen and server.connected != []
                    )
                )
                publish(_EVENTS // (3 * _KILLS))
                if life == 0:
                    await _until(lambda: waiting() > 0)
                if life == _KILLS:
                    publish(_EVENTS)
                    await _until(lambda: waiting() == _EVENTS)
                await asyncio.sleep(chance.uniform(0, 0.05))
                process.kill()
                process.join()

        assert sum(store.jobs.state().counts.values()) == _EVENTS
