"""What the feed did not give comes from the wikis themselves, whatever happens."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from bot.daemon.intake.backfill import Backfill
from bot.daemon.intake.harvest import ChangeSelection
from bot.daemon.intake.queue import QueueSink
from bot.daemon.intake.stream import IntakeLimits, Surroundings
from bot.demo.loopback.event_server import EventServer
from bot.records.changes import Batch, ChangeKind, Gap
from bot.records.tasks import TaskKind, TaskState
from bot.store import Store, open_store
from bot.wiki.lists import WikiLists
from tests.bot.daemon.intake.world import edit, following
from tests.bot.wiki.listing_wiki import ListingWiki, at, entry, listing
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.rig.databases import ready_sqlite
from tests.rig.processes import ready_processes
from tests.rig.wiki.mediawiki import Wiki

_FEED = "recentchange"
_EVENTS = 60
_QUICK = IntakeLimits(overlap_s=0, first_wait_s=0.01, batch_changes=5)
_HOLE = Gap(at(0), at(_EVENTS))
_KILLS = 3


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(_url(tmp_path)) as opened_store:
        yield opened_store


def _url(folder: Path) -> str:
    return ready_sqlite(folder / "sidenote.sqlite")


class _Everything:
    def pause_s(self, wiki: str, title: str) -> float | None:
        assert wiki
        assert title
        return 600.0


@dataclass
class _Made:
    """A backfill, with how long it waited."""

    backfill: Backfill
    waits_s: list[float] = field(default_factory=list)


def _made(
    store: Store,
    *hosts: str,
    wanted: ChangeSelection | None = None,
    now: datetime | None = None,
) -> _Made:
    waits: list[float] = []

    async def sleep(wait_s: float) -> None:
        waits.append(wait_s)
        await asyncio.sleep(0)

    backfill = Backfill(
        _FEED,
        [WikiLists(host, user_agent="Tests", timeout_s=60) for host in hosts],
        lambda feed: QueueSink(feed, store, _Everything(), settle_s=0),
        store.feeds,
        wanted or ChangeSelection(),
        limits=_QUICK,
        surroundings=Surroundings(
            now=lambda: now or datetime.now(UTC), sleep=sleep, chance=lambda: 1.0
        ),
    )
    return _Made(backfill, waits)


async def _open_hole(store: Store, hole: Gap = _HOLE) -> None:
    sink = QueueSink(_FEED, store, _Everything())
    await sink.commit(Batch(datetime.now(UTC), None, gaps=(hole,)))


def _waiting(store: Store) -> int:
    return store.jobs.state().counts[TaskState.WAITING]


def _titles(store: Store) -> list[tuple[str, int | None]]:
    """Return the pages that wait, all leased for it, with their revisions."""
    now, found = datetime.now(UTC), []
    while (lease := store.tasks.lease([TaskKind.CHECK], "test", now)) is not None:
        found.append((lease.task.title, lease.task.revision_id))
    return sorted(found)


@asynccontextmanager
async def _wiki_with_events() -> AsyncIterator[ListingWiki]:
    async with listing(entries=[entry(number) for number in range(_EVENTS)]) as wiki:
        yield wiki


async def test_a_hole_is_filled_with_all_changes_of_all_wikis(store: Store) -> None:
    await _open_hole(store)
    async with _wiki_with_events() as one, _wiki_with_events() as two:
        assert await _made(store, one.host, two.host).backfill.fill() == 0

    assert store.feeds.open_gaps(_FEED) == ()
    assert [one.feed for one in store.status(datetime.now(UTC)).feeds] == [_FEED]
    assert _titles(store) == sorted(
        [(f"Clock {number}", 1_000 + number) for number in range(_EVENTS)] * 2
    )


async def test_pages_that_changed_while_the_feed_had_a_hole_are_checked(
    store: Store,
) -> None:
    def change(number: int) -> dict[str, Any]:
        when = entry(number)["timestamp"]
        return edit(number, title=f"Clock {number}", meta={"dt": when})

    sink = QueueSink(_FEED, store, _Everything(), settle_s=0)
    async with EventServer() as server, _wiki_with_events() as wiki:
        async with following(server.address, sink, since=at(0)) as run:
            server.publish(change(0))
            await run.until(lambda: _waiting(store) == 1)
        for number in range(1, _EVENTS):
            server.publish(change(number))
        server.forget(_EVENTS - 1)  # all but the last
        async with following(server.address, sink) as run:
            await run.until(lambda: _waiting(store) == 2)
            assert run.intake.health.gaps == 1
        [feed] = store.status(datetime.now(UTC)).feeds
        assert feed.gaps == (Gap(at(0), at((_EVENTS - 1) // 3)),)
        await _made(store, wiki.host).backfill.fill()

    assert store.feeds.open_gaps(_FEED) == ()
    looked_at = {title for title, _ in _titles(store)}
    assert looked_at == {f"Clock {number}" for number in range(_EVENTS)}


async def test_a_hole_is_closed_only_once_every_wiki_gave_all(store: Store) -> None:
    await _open_hole(store)
    async with _wiki_with_events() as one, _wiki_with_events() as two:
        two.says = lambda _: web.Response(status=503)
        intake = _made(store, two.host, one.host)

        assert await intake.backfill.fill() == 1
        assert len(intake.waits_s) == 4
        assert len(store.feeds.open_gaps(_FEED)) == 1
        assert _waiting(store) == _EVENTS

        two.says = lambda _: None
        asked_before = len(one.asked)
        assert await intake.backfill.fill() == 0

    assert _waiting(store) == 2 * _EVENTS
    assert len(one.asked) == asked_before  # it had given all
    assert store.feeds.open_gaps(_FEED) == ()


async def test_a_wiki_that_goes_away_now_and_then_is_read_on_where_it_was(
    store: Store,
) -> None:
    await _open_hole(store)
    busy = web.Response
    failed: set[str] = set()

    def says(query: Mapping[str, str]) -> web.Response | None:
        place = query.get("rccontinue", "")
        if place and place not in failed:
            failed.add(place)
            return busy(status=429, headers={"Retry-After": "7"})
        return None

    async with _wiki_with_events() as wiki:
        wiki.says = says
        intake = _made(store, wiki.host)

        assert await intake.backfill.fill() == 0

    begins = [request["rcstart"] for request in wiki.asked if "rcstart" in request]
    assert intake.waits_s == [7.0] * len(failed)
    assert begins == sorted(begins)
    assert begins[-1] > begins[0]
    assert _waiting(store) == _EVENTS


async def test_only_wanted_changes_are_kept(store: Store) -> None:
    await _open_hole(store)
    entries = [entry(0), entry(1, ns=1, title="Talk:X"), entry(2, bot=True), entry(3)]
    async with listing(entries=entries) as wiki:
        wanted = ChangeSelection(namespaces=frozenset({0}), bots=False)
        await _made(store, wiki.host, wanted=wanted).backfill.fill()

    assert [title for title, _ in _titles(store)] == ["Clock 0", "Clock 3"]
    assert {request.get("rcnamespace", "0") for request in wiki.asked} == {"0"}


@pytest.mark.parametrize("knows_later", [True, False], ids=["some", "none at all"])
async def test_what_a_wiki_has_forgotten_is_reported_and_the_hole_closed(
    store: Store, *, knows_later: bool
) -> None:
    await _open_hole(store, Gap(at(-99), at(0)))
    async with listing(entries=[entry(9)] if knows_later else []) as wiki:
        with capture_logs() as logs:
            assert await _made(store, wiki.host).backfill.fill() == 0

    [loss] = [line for line in logs if line["event"] == "changes may be lost"]
    assert ("2026-11-01T12:00:03" if knows_later else "none at all") in loss["why"]
    assert store.feeds.open_gaps(_FEED) == ()


async def test_a_wish_for_the_past_is_kept_once_and_filled(store: Store) -> None:
    async with _wiki_with_events() as wiki:
        intake = _made(store, wiki.host, now=at(_EVENTS))

        await intake.backfill.ask(at(5))
        await intake.backfill.ask(at(5))

        assert [hole for _, hole in store.feeds.open_gaps(_FEED)] == [
            Gap(at(5), at(_EVENTS))
        ]
        assert await intake.backfill.fill() == 0

    assert _waiting(store) == _EVENTS - 15


async def test_a_wiki_that_will_not_tell_leaves_the_hole_open(store: Store) -> None:
    await _open_hole(store)
    async with listing() as wiki:
        wiki.says = lambda _: web.Response(status=403)
        with capture_logs() as logs:
            assert await _made(store, wiki.host).backfill.fill() == 1

    assert [
        line["why"]
        for line in logs
        if line["event"] == "past changes are still missing"
    ]


def _fill_once(url: str, host: str) -> None:
    with open_store(url) as store:
        asyncio.run(_made(store, host).backfill.fill())


async def test_a_process_that_is_killed_again_and_again_loses_no_change(
    tmp_path: Path, store: Store
) -> None:
    await _open_hole(store)
    processes = ready_processes()
    async with _wiki_with_events() as wiki:
        wiki.delay_s = 0.01
        for life in range(_KILLS):
            process = processes.Process(
                target=_fill_once, args=(_url(tmp_path), wiki.host), daemon=True
            )
            process.start()
            until = len(wiki.asked) + 4 + life
            async with asyncio.timeout(120):
                while len(wiki.asked) < until and process.is_alive():  # noqa: ASYNC110 - in another process
                    await asyncio.sleep(0.001)
            process.kill()
            process.join()
        begins = {request["rcstart"] for request in wiki.asked if "rcstart" in request}
        assert await _made(store, wiki.host).backfill.fill() == 0

    assert len(begins) > 1  # a later life began where another had been
    assert store.feeds.open_gaps(_FEED) == ()
    assert [title for title, _ in _titles(store)] == sorted(
        f"Clock {number}" for number in range(_EVENTS)
    )


@pytest.mark.mediawiki
async def test_changes_of_a_real_wiki_fill_a_hole(wiki: Wiki, store: Store) -> None:
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    answer = admin.get(action="query", curtimestamp="1")
    began = datetime.fromisoformat(answer["curtimestamp"])
    revisions = [
        (title, admin.edit(title, "A bell.")) for title in ("Bell 1", "Bell 2")
    ]
    admin.post("move", **{"from": "Bell 2", "to": "Bell 3", "reason": "x"})
    admin.edit("Talk:Bell 1", "Words.")
    admin.web.close()
    await _open_hole(store, Gap(began, datetime.now(UTC) + timedelta(seconds=2)))
    wanted = ChangeSelection(
        wikis=frozenset({wiki.host}),
        namespaces=frozenset({0}),
        kinds=frozenset({ChangeKind.EDIT, ChangeKind.NEW, ChangeKind.MOVE}),
    )

    assert await _made(store, wiki.host, wanted=wanted).backfill.fill() == 0

    waiting = dict(_titles(store))
    assert {title: waiting.get(title) for title, _ in revisions} == dict(revisions)
    assert "Bell 3" in waiting
    assert "Talk:Bell 1" not in waiting
