"""Edits of a wiki that is patrolled wait to be looked at, whoever watches the page."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.daemon.intake.queue import QueueSink
from bot.records.changes import Batch, Change, ChangeKind, UserKind
from bot.records.patrol import PatrolCounts, PatrolTask
from bot.records.tasks import Lease, TaskKind
from bot.store import Store, open_store
from tests.bot.daemon.intake.world import WIKI
from tests.rig.databases import ready_sqlite

_NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
_KINDS = (TaskKind.PATROL,)
_EDIT = Change(
    kind=ChangeKind.EDIT,
    wiki=WIKI,
    title="Clock",
    namespace=0,
    changed_at=_NOW - timedelta(seconds=3),
    user=UserKind.REGISTERED,
    event_id="event-12",
    revision_id=12,
    parent_id=11,
)


def _edit(revision: int, **changes: object) -> Change:
    number = {"revision_id": revision, "parent_id": revision - 1}
    return replace(_EDIT, event_id=f"event-{revision}", **{**number, **changes})  # type: ignore[arg-type]


class _Watched:
    """Watches the pages it was given."""

    def __init__(self, pages: dict[str, float]) -> None:
        self._pages = pages

    def pause_s(self, _wiki: str, title: str) -> float | None:
        return self._pages.get(title)


class _Sink:
    """Hears of changes, a second apart."""

    def __init__(self, store: Store, pages: dict[str, float] | None = None) -> None:
        self.store, self.now = store, _NOW
        self._sink = QueueSink(
            *("feed", store, _Watched(pages or {}), 120.0, 300.0),  # type: ignore[arg-type]
            patrolled=frozenset({WIKI}),
        )

    async def hear(self, *changes: Change) -> None:
        self.now += timedelta(seconds=1)
        await self._sink.commit(Batch(self.now, None, changes=changes))

    def lease(self, in_s: float) -> Lease[PatrolTask] | None:
        at = self.now + timedelta(seconds=in_s)
        return self.store.tasks.lease(_KINDS, "worker", at)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as store:
        yield store


async def test_an_edit_waits_until_its_page_has_rested(store: Store) -> None:
    sink = _Sink(store)
    await sink.hear(_edit(12))

    assert sink.lease(119) is None
    held = sink.lease(120)

    assert held
    assert held.task == PatrolTask(WIKI, "Clock", 11, 12)
    assert store.patrols.counts(_NOW)[WIKI] == PatrolCounts(events=1)


async def test_several_edits_are_one_from_before_the_first_to_the_last(
    store: Store,
) -> None:
    sink = _Sink(store)
    await sink.hear(_edit(12), _edit(13, is_minor=True))
    await sink.hear(_edit(14, user=UserKind.BOT))
    await sink.hear(_edit(13), _edit(12))  # again

    held = sink.lease(300)
    assert held
    assert held.task == PatrolTask(WIKI, "Clock", 11, 14)
    assert sink.lease(300) is None


async def test_edits_of_bots_alone_are_known_as_such(store: Store) -> None:
    sink = _Sink(store)
    await sink.hear(_edit(12, user=UserKind.BOT), _edit(13, user=UserKind.BOT))

    held = sink.lease(300)
    assert held
    assert held.task.is_by_bots


async def test_what_comes_during_a_look_is_left_for_the_next(store: Store) -> None:
    sink = _Sink(store)
    await sink.hear(_edit(12))
    held = sink.lease(120)
    assert held
    await sink.hear(_edit(13), _edit(14))

    store.patrols.finish(held, PatrolCounts(diffs=1), sink.now)

    again = sink.lease(300)
    assert again
    assert again.task == PatrolTask(WIKI, "Clock", 12, 14)


async def test_after_a_look_that_failed_the_next_begins_where_it_began(
    store: Store,
) -> None:
    sink = _Sink(store)
    await sink.hear(_edit(12))
    held = sink.lease(120)
    assert held
    await sink.hear(_edit(13))
    store.tasks.retry(held, sink.now, 60.0, "the wiki was busy")

    again = sink.lease(900)
    assert again
    assert again.task == PatrolTask(WIKI, "Clock", 11, 13)


async def test_a_page_that_is_edited_on_and_on_is_looked_at_after_half_an_hour(
    store: Store,
) -> None:
    sink = _Sink(store)
    for number in range(40):
        await sink.hear(_edit(12 + number))
        sink.now += timedelta(minutes=1)

    assert sink.lease(0)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_edit(12, namespace=1), id="talk"),
        pytest.param(_edit(12, user=UserKind.OURS), id="ours"),
        pytest.param(_edit(12, wiki="de.wikipedia.org"), id="another wiki"),
        pytest.param(_edit(12, kind=ChangeKind.NEW, parent_id=None), id="new"),
        pytest.param(_edit(12, title="Watched"), id="watched"),
        pytest.param(_edit(12, title="x" * 256), id="no title"),
    ],
)
async def test_what_is_not_looked_at(store: Store, change: Change) -> None:
    sink = _Sink(store, {"Watched": 600.0})
    await sink.hear(change)

    assert sink.lease(900) is None


async def test_a_move_is_counted_and_not_read(store: Store) -> None:
    sink = _Sink(store)
    await sink.hear(_edit(12, kind=ChangeKind.MOVE, moved_to="Timepiece"))

    assert sink.lease(900) is None
    assert store.patrols.counts(_NOW)[WIKI] == PatrolCounts(events=1, not_read=1)
