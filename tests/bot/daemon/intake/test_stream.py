"""Whatever happens on the stream arrives, however often and in whatever pieces."""

import asyncio
import json
import random
from datetime import UTC, datetime, timedelta

import pytest

from bot.daemon.intake.harvest import ChangeSelection
from bot.demo.loopback.event_server import PAGE_CHANGE, EventServer, Habits, frame
from bot.records.changes import ChangeKind
from tests.bot.daemon.intake.world import (
    MemorySink,
    edit,
    following,
    ids,
    patient,
    proxied,
    publish,
    served,
)


async def test_what_happens_while_we_listen_is_kept_with_its_position() -> None:
    sink = MemorySink()
    async with served(sink, since=None) as (server, run):
        await run.until(lambda: server.connected != [])
        publish(server, range(5))
        await run.until(lambda: len(sink.changes) == 5)
        health = run.intake.health
        request = server.requests[0]

    assert sink.ids == ids(range(5))
    assert sink.kept is not None
    assert sink.kept.newest_at == datetime(2023, 7, 29, 12, 0, 1, tzinfo=UTC)
    assert request["User-Agent"] == "Sidenote/test (mail@example.org)"
    assert request["Accept"] == "text/event-stream"
    assert "Last-Event-ID" not in request
    assert health.events == health.changes == 5
    lag_s = health.lag_s(datetime.now(UTC))
    assert lag_s is not None


async def test_only_wanted_changes_are_handed_on_but_the_position_passes_all() -> None:
    sink = MemorySink()
    wanted = ChangeSelection(wikis=frozenset({"de.wikipedia.org"}))
    async with served(sink, wanted=wanted, since=None) as (server, run):
        await run.until(lambda: server.connected != [])
        server.publish(edit(1, meta={"domain": "de.wikipedia.org"}))
        await run.until(lambda: len(sink.changes) == 1)
        publish(server, range(2, 8))
        server.publish_canary()
        await run.until(lambda: run.intake.health.events == 9)
        at = datetime(2023, 7, 29, 12, 0, 2, tzinfo=UTC)
        await run.until(
            lambda: bool(
                sink.kept and sink.kept.newest_at and sink.kept.newest_at >= at
            )
        )

    assert sink.ids == ids([1])


async def test_after_a_restart_it_goes_on_where_it_was() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        async with following(server.address, sink) as run:
            await run.until(lambda: server.connected != [])
            publish(server, range(3))
            await run.until(lambda: len(sink.changes) == 3)
        publish(server, range(3, 300))
        async with following(server.address, sink) as run:
            await run.until(lambda: "event-299" in sink.ids)

    assert set(sink.ids) == set(ids(range(300)))


async def test_what_happens_between_two_connections_without_events_is_not_lost() -> (
    None
):
    sink = MemorySink()
    async with proxied(sink, cuts=[5], since=None) as (server, proxy, run):
        await run.until(lambda: proxy.heads != [])
        server.publish(edit(1, meta={"dt": datetime.now(UTC).isoformat()}))
        await run.until(lambda: len(sink.changes) == 1)

    assert sink.ids == ids([1])


async def test_what_came_before_a_kill_and_was_never_kept_comes_again() -> None:
    """At its first start, before there is any position, a process is killed."""
    sink = MemorySink()
    a_moment_ago = datetime.now(UTC) - timedelta(seconds=3)
    async with EventServer() as server:
        server.publish(edit(1, meta={"dt": a_moment_ago.isoformat()}))

        async with following(server.address, sink) as run:
            await run.until(lambda: len(sink.changes) == 1)
        assert len(server.requests) == 1  # at once, not after a silence


async def test_it_begins_at_the_given_position() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        publish(server, range(9))
        since = datetime(2023, 7, 29, 12, 0, 1, tzinfo=UTC)
        async with following(server.address, sink, since=since) as run:
            await run.until(lambda: len(sink.changes) == 6)

    assert sink.ids == ids(range(3, 9))


@pytest.mark.parametrize(
    ("piece_bytes", "total", "cuts"), [(1, 6, 3), (7, 30, 8), (16_384, 150, 25)]
)
async def test_nothing_is_lost_or_doubled_by_a_proxy_that_cuts_and_divides_the_stream(
    piece_bytes: int, total: int, cuts: int
) -> None:
    sink = MemorySink()
    limits = patient(overlap_s=1.0)
    chance = random.Random(piece_bytes)
    after_bytes = iter([chance.randrange(1, 9_000) for _ in range(cuts)])
    async with proxied(
        sink,
        Habits(connections=99),
        piece_bytes=piece_bytes,
        cuts=after_bytes,
        limits=limits,
    ) as (server, _, run):
        for number in range(total):
            server.publish(edit(number))
            if number % 5 == 0:
                await asyncio.sleep(0.001)
        await run.until(lambda: len(sink.changes) >= total)
        connections = run.intake.health.connections

    assert sink.ids == ids(range(total))
    assert connections >= 3


async def test_the_cut_after_a_set_time_is_the_ordinary_case() -> None:
    sink = MemorySink()
    async with served(sink, Habits(cut_after_s=0.3)) as (server, run):
        for number in range(60):
            server.publish(edit(number))
            await asyncio.sleep(0.01)
        await run.until(
            lambda: len(sink.changes) == 60 and run.intake.health.connections > 2
        )

    assert sink.ids == ids(range(60))


async def test_events_of_one_millisecond_are_not_lost_between_connections() -> None:
    sink = MemorySink()
    same = {"dt": "2023-07-29T12:00:00.000Z"}
    events = [edit(number, meta={**same}) for number in range(5)]
    size = len(frame("message", "x", json.dumps(events[0])))
    async with proxied(sink, cuts=[int(size * 3.3)]) as (server, _, run):
        for event in events:
            server.publish(event)
        await run.until(lambda: len(sink.changes) == 5)

    assert sink.ids == ids(range(5))


async def test_what_the_server_sends_twice_counts_once() -> None:
    sink = MemorySink()
    async with served(sink) as (server, run):
        publish(server, (1, 2, 1, 3, 2, 1))
        await run.until(lambda: run.intake.health.events == 6)
        await run.until(lambda: len(sink.changes) == 3)
        health = run.intake.health

    assert sink.ids == ids([1, 2, 3])
    assert health.repeated == 3


async def test_a_revision_that_two_streams_tell_of_counts_once() -> None:
    sink = MemorySink()
    streams = ("mediawiki.recentchange", PAGE_CHANGE)
    page_change = {
        "$schema": "/mediawiki/page/change/1.2.0",
        "meta": {
            "id": "other",
            "dt": "2023-07-29T12:00:01Z",
            "domain": "en.wikipedia.org",
        },
        "page_change_kind": "edit",
        "dt": "2023-07-29T12:00:00Z",
        "page": {"page_id": 7, "page_title": "Clock_1", "namespace_id": 0},
        "revision": {"rev_id": 10_001, "rev_parent_id": 1, "rev_size": 130},
    }
    async with served(sink, streams=streams) as (
        server,
        run,
    ):
        server.publish(edit(1))
        server.publish(page_change, stream=PAGE_CHANGE)
        await run.until(lambda: run.intake.health.events == 2)
        await run.until(lambda: len(sink.changes) == 1)

    assert [change.revision_id for change in sink.changes] == [10_001]


async def test_a_page_is_followed_through_a_move_and_a_deletion() -> None:
    sink = MemorySink()
    log = {"type": "log", "log_params": {"target": "Watch", "noredir": "0"}}
    async with served(sink) as (server, run):
        server.publish(edit(1, **log, log_type="move", log_action="move"))
        server.publish(edit(2, type="log", log_type="delete", log_action="delete"))
        await run.until(lambda: len(sink.changes) == 2)

    moved, deleted = sink.changes
    assert (moved.kind, moved.title, moved.moved_to) == (
        ChangeKind.MOVE,
        "Clock 1",
        "Watch",
    )
    assert deleted.kind is ChangeKind.DELETE
