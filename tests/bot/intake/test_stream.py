import asyncio
import contextlib
import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bot.changes import ChangeKind, DeadReason, Hole, Position
from bot.intake.wanted import Wanted
from bot.loopback.event_server import PAGE_CHANGE, EventServer, Habits
from bot.loopback.history import frame
from handlers.ports import PermanentError, TemporaryError
from tests.bot.intake.proxy import Proxy, answering, proxying
from tests.bot.intake.world import MemorySink, edit, following, patient

_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
_ALL_FROM = datetime(2023, 7, 29, tzinfo=UTC)


def _answer(status: str, body: bytes = b"", *headers: str) -> bytes:
    lines = "".join(f"{line}\r\n" for line in headers)
    return (
        f"HTTP/1.1 {status}\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )


def _chunk(text: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(text), text)


def _ids(numbers: Sequence[int]) -> list[str]:
    return [f"event-{number}" for number in numbers]


async def test_what_happens_while_we_listen_is_kept_with_its_position() -> None:
    sink = MemorySink()
    async with EventServer() as server, following(server.address, sink) as run:
        await run.until(lambda: server.connected != [])
        for number in range(5):
            server.publish(edit(number))
        await run.until(lambda: len(sink.changes) == 5)
        health = run.intake.health
        asked = server.requests[0]

    assert sink.ids == _ids(range(5))
    assert sink.kept is not None
    assert sink.kept.newest_at == datetime(2023, 7, 29, 12, 0, 1, tzinfo=UTC)
    assert asked["User-Agent"] == "Sidenote/test (mail@example.org)"
    assert asked["Accept"] == "text/event-stream"
    assert "Last-Event-ID" not in asked
    assert health.events == health.changes == 5
    lag_s = health.lag_s(datetime.now(UTC))
    assert lag_s is not None


async def test_only_wanted_changes_are_handed_on_but_the_position_passes_all() -> None:
    sink = MemorySink()
    wanted = Wanted(wikis=frozenset({"de.wikipedia.org"}))
    async with (
        EventServer() as server,
        following(server.address, sink, wanted=wanted) as run,
    ):
        await run.until(lambda: server.connected != [])
        server.publish(edit(1, meta={"domain": "de.wikipedia.org"}))
        await run.until(lambda: len(sink.changes) == 1)
        for number in range(2, 8):
            server.publish(edit(number))
        server.publish_canary()
        await run.until(lambda: run.intake.health.events == 9)
        at = datetime(2023, 7, 29, 12, 0, 2, tzinfo=UTC)
        await run.until(
            lambda: bool(
                sink.kept and sink.kept.newest_at and sink.kept.newest_at >= at
            )
        )

    assert sink.ids == _ids([1])


async def test_after_a_restart_it_goes_on_where_it_was() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        async with following(server.address, sink) as run:
            await run.until(lambda: server.connected != [])
            for number in range(3):
                server.publish(edit(number))
            await run.until(lambda: len(sink.changes) == 3)
        for number in range(3, 300):
            server.publish(edit(number))
        async with following(server.address, sink) as run:
            await run.until(lambda: "event-299" in sink.ids)

    assert set(sink.ids) == set(_ids(range(300)))


async def test_what_happens_between_two_connections_without_events_is_not_lost() -> (
    None
):
    sink = MemorySink()
    async with EventServer() as server:
        proxy = Proxy(server.address, cuts=iter([5]))
        async with proxying(proxy), following(proxy.address, sink) as run:
            await run.until(lambda: proxy.heads != [])
            server.publish(edit(1, meta={"dt": datetime.now(UTC).isoformat()}))
            await run.until(lambda: len(sink.changes) == 1)

    assert sink.ids == _ids([1])


async def test_what_came_before_a_kill_and_was_never_kept_comes_again() -> None:
    """At its first start, before there is any position, a process is killed."""
    sink = MemorySink()
    a_moment_ago = datetime.now(UTC) - timedelta(seconds=3)
    async with EventServer() as server:
        server.publish(edit(1, meta={"dt": a_moment_ago.isoformat()}))

        async with following(server.address, sink) as run:
            await run.until(lambda: len(sink.changes) == 1)
        assert len(server.requests) == 1  # at once, not after a silence


async def test_it_begins_where_it_is_told_to() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        for number in range(9):
            server.publish(edit(number))
        since = datetime(2023, 7, 29, 12, 0, 1, tzinfo=UTC)
        async with following(server.address, sink, since=since) as run:
            await run.until(lambda: len(sink.changes) == 6)

    assert sink.ids == _ids(range(3, 9))


@pytest.mark.parametrize(
    ("piece_bytes", "total", "cuts"), [(1, 6, 3), (7, 30, 8), (16_384, 150, 25)]
)
async def test_nothing_is_lost_or_doubled_by_a_proxy_that_cuts_and_divides_anew(
    piece_bytes: int, total: int, cuts: int
) -> None:
    sink = MemorySink()
    limits = patient(overlap_s=1.0)
    chance = random.Random(piece_bytes)
    after_bytes = iter([chance.randrange(1, 9_000) for _ in range(cuts)])
    async with EventServer(Habits(connections=99)) as server:
        proxy = Proxy(server.address, piece_bytes, after_bytes)
        async with (
            proxying(proxy),
            following(proxy.address, sink, limits=limits, since=_ALL_FROM) as run,
        ):
            for number in range(total):
                server.publish(edit(number))
                if number % 5 == 0:
                    await asyncio.sleep(0.001)
            await run.until(lambda: len(sink.changes) >= total)
            connections = run.intake.health.connections

    assert sink.ids == _ids(range(total))
    assert connections >= 3


async def test_the_cut_after_a_set_time_is_the_ordinary_case() -> None:
    sink = MemorySink()
    async with (
        EventServer(Habits(cut_after_s=0.3)) as server,
        following(server.address, sink, since=_ALL_FROM) as run,
    ):
        for number in range(60):
            server.publish(edit(number))
            await asyncio.sleep(0.01)
        await run.until(
            lambda: len(sink.changes) == 60 and run.intake.health.connections > 2
        )

    assert sink.ids == _ids(range(60))


async def test_events_of_one_millisecond_are_not_lost_between_connections() -> None:
    sink = MemorySink()
    same = {"dt": "2023-07-29T12:00:00.000Z"}
    events = [edit(number, meta={**same}) for number in range(5)]
    size = len(frame("message", "x", json.dumps(events[0])))
    async with EventServer() as server:
        proxy = Proxy(server.address, cuts=iter([int(size * 3.3)]))
        async with (
            proxying(proxy),
            following(proxy.address, sink, since=_ALL_FROM) as run,
        ):
            for event in events:
                server.publish(event)
            await run.until(lambda: len(sink.changes) == 5)

    assert sink.ids == _ids(range(5))


async def test_what_the_server_sends_twice_counts_once() -> None:
    sink = MemorySink()
    async with (
        EventServer() as server,
        following(server.address, sink, since=_ALL_FROM) as run,
    ):
        for number in (1, 2, 1, 3, 2, 1):
            server.publish(edit(number))
        await run.until(lambda: run.intake.health.events == 6)
        await run.until(lambda: len(sink.changes) == 3)
        health = run.intake.health

    assert sink.ids == _ids([1, 2, 3])
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
    async with (
        EventServer() as server,
        following(server.address, sink, streams=streams, since=_ALL_FROM) as run,
    ):
        server.publish(edit(1))
        server.publish(page_change, stream=PAGE_CHANGE)
        await run.until(lambda: run.intake.health.events == 2)
        await run.until(lambda: len(sink.changes) == 1)

    assert [change.revision_id for change in sink.changes] == [10_001]


async def test_silence_is_noticed_and_ended_by_another_connection() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        proxy = Proxy(
            server.address,
            scripts=[
                answering(_HEAD + _chunk(b":ok\n\n" + b":\n\n" * 9), then_wait=True),
                answering(_HEAD + _chunk(b"data: unfinished"), then_wait=True),
            ],
        )
        async with (
            proxying(proxy),
            following(
                proxy.address, sink, limits=patient(silence_s=1.0), since=_ALL_FROM
            ) as run,
        ):
            server.publish(edit(1))
            await run.until(lambda: run.intake.health.silences >= 2)
            await run.until(lambda: len(sink.changes) == 1)

    assert sink.ids == _ids([1])


async def test_canaries_alone_are_no_silence() -> None:
    sink = MemorySink()
    limits = patient(silence_s=1.5)
    async with (
        EventServer(Habits(canary_s=0.1)) as server,
        following(server.address, sink, limits=limits) as run,
    ):
        loop = asyncio.get_running_loop()
        await run.until(lambda: run.intake.health.events > 0)
        long_after = loop.time() + 1.2 * limits.silence_s
        await run.until(lambda: loop.time() > long_after)
        health = run.intake.health

    assert (health.silences, health.connections) == (0, 1)
    assert sink.changes == []


async def test_bytes_that_are_no_event_do_not_hide_a_silence() -> None:
    async def babble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD)
        while True:
            writer.write(_chunk(b"data: endless"))
            await writer.drain()
            await asyncio.sleep(0.01)

    sink = MemorySink()
    limits = patient(silence_s=1.0, max_event_bytes=10_000)
    async with EventServer() as server:
        proxy = Proxy(server.address, scripts=[babble])
        async with (
            proxying(proxy),
            following(proxy.address, sink, limits=limits, since=_ALL_FROM) as run,
        ):
            server.publish(edit(1))
            await run.until(lambda: len(sink.changes) == 1)
            silences = run.intake.health.silences

    assert silences >= 1


async def test_too_many_connections_are_answered_by_waiting_as_long_as_asked() -> None:
    sink = MemorySink()
    async with (
        EventServer(Habits(connections=0, retry_after_s=40)) as server,
        following(server.address, sink) as run,
    ):
        await run.until(lambda: len(run.waits_s) >= 3)
        problem = run.intake.health.problem

    assert min(run.waits_s) >= 40
    assert problem == "127.0.0.1 answers 429"


async def test_waits_grow_with_each_failure_and_with_chance() -> None:
    sink = MemorySink()
    limits = patient(first_wait_s=5.0, longest_wait_s=60.0)
    chances = iter([0.0, 0.0] * 3 + [1.0] * 100)
    async with (
        EventServer(Habits(connections=0)) as server,
        following(server.address, sink, limits=limits, chances=chances) as run,
    ):
        await run.until(lambda: len(run.waits_s) >= 7)

    assert run.waits_s[:7] == [2.5, 5.0, 10.0, 40.0, 60.0, 60.0, 60.0]


async def test_no_two_connections_follow_within_the_set_time() -> None:
    sink = MemorySink()
    limits = patient(between_tries_s=30.0)
    async with EventServer() as server:
        proxy = Proxy(server.address, cuts=iter([1_500]))
        async with (
            proxying(proxy),
            following(proxy.address, sink, limits=limits, since=_ALL_FROM) as run,
        ):
            for number in range(4):
                server.publish(edit(number))
            await run.until(lambda: len(sink.changes) == 4)

    assert run.waits_s[0] > 15


@pytest.mark.parametrize(
    "text",
    [
        _answer("500 Internal Server Error", b"oops"),
        _answer("503 Service Unavailable", b"", "Retry-After: x"),
        _answer("200 OK", b"<!doctype html><p>Maintenance", "Content-Type: text/html"),
        _answer("204 No Content"),
        _answer("302 Found"),
        _answer(
            "301 Moved Permanently",
            b"",
            "Location: /v2/stream/mediawiki.recentchange?since=0",
        ),
        b"no HTTP at all\r\n\r\n",
        b"",
        _HEAD + b"zzz\r\ngarbage",
        _HEAD + _chunk(b":ok\n\n") + b"-5\r\n",
        _HEAD + _chunk(b"\x00\xff\xfe garbage \r\r\r\n\n\n data: {{{"),
        _HEAD + _chunk(b"0\r\n\r\n"),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9\r\n\r\nx",
    ],
    ids=[
        "500",
        "503",
        "HTML",
        "204",
        "redirect to nowhere",
        "redirect on the same server",
        "not HTTP",
        "closed at once",
        "bad chunk",
        "negative chunk",
        "garbage",
        "empty",
        "shorter than said",
    ],
)
async def test_no_broken_answer_stops_it_or_loses_anything(text: bytes) -> None:
    sink = MemorySink()
    async with EventServer() as server:
        proxy = Proxy(server.address, scripts=[answering(text), answering(text)])
        async with (
            proxying(proxy),
            following(proxy.address, sink, since=_ALL_FROM) as run,
        ):
            for number in range(3):
                server.publish(edit(number))
            await run.until(lambda: len(sink.changes) == 3)

    assert sink.ids == _ids(range(3))


async def test_an_error_of_the_server_makes_us_connect_anew() -> None:
    sink = MemorySink()
    async with (
        EventServer() as server,
        following(server.address, sink, since=_ALL_FROM) as run,
    ):
        server.publish(edit(1))
        await run.until(lambda: len(sink.changes) == 1)
        server.complain("Kafka is away")
        await run.until(lambda: run.intake.health.connections == 2)
        server.publish(edit(2))
        await run.until(lambda: len(sink.changes) == 2)

    assert sink.ids == _ids([1, 2])
    assert sink.dead_letters == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (_answer("404 Not Found"), "check the address"),
        (_answer("403 Forbidden"), "SIDENOTE_CONTACT"),
        (_answer("400 Bad Request", b"Stream Not Found"), "Stream Not Found"),
        (
            _answer("302 Found", b"", "Location: http://elsewhere.example/"),
            "elsewhere.example",
        ),
    ],
)
async def test_a_server_that_refuses_us_from_the_beginning_is_told_to_the_operator(
    text: bytes, told: str
) -> None:
    proxy = Proxy("", scripts=[answering(text)])
    async with proxying(proxy), following(proxy.address, MemorySink()) as run:
        with pytest.raises(PermanentError, match=told):
            await asyncio.wait_for(run.task, 60)


async def test_a_server_that_has_worked_is_asked_again_after_a_refusal() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        proxy = Proxy(server.address, cuts=iter([2_000]))
        async with (
            proxying(proxy),
            following(proxy.address, sink, since=_ALL_FROM) as run,
        ):
            server.publish(edit(1))
            await run.until(lambda: len(sink.changes) == 1)
            proxy.scripts.append(answering(_answer("403 Forbidden")))
            for number in (2, 3):
                server.publish(edit(number))
            await run.until(lambda: len(sink.changes) == 3)

    assert sink.ids == _ids([1, 2, 3])
    assert 300.0 in run.waits_s


async def test_a_position_that_is_refused_becomes_a_time() -> None:
    kept = Position.parse(
        '[{"topic":"gone.stream","partition":0,"timestamp":1690632000000}]'
    )
    sink = MemorySink(kept=kept)
    async with EventServer() as server:
        for number in range(3):
            server.publish(edit(number))
        async with following(server.address, sink) as run:
            await run.until(lambda: len(sink.changes) == 3)
        asked = server.requests

    assert "Last-Event-ID" in asked[0]
    assert "Last-Event-ID" not in asked[1]


async def test_events_that_the_server_no_longer_has_are_a_hole() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        async with following(server.address, sink, since=_ALL_FROM) as run:
            for number in range(3):
                server.publish(edit(number))
            await run.until(lambda: len(sink.changes) == 3)
        server.forget(3)
        server.publish(edit(3_000))
        async with following(server.address, sink) as run:
            await run.until(lambda: len(sink.changes) == 4)
            holes = run.intake.health.holes

    assert [hole for batch in sink.batches for hole in batch.holes] == [
        Hole(
            datetime(2023, 7, 29, 12, tzinfo=UTC),
            datetime(2023, 7, 29, 12, 16, 40, tzinfo=UTC),
        )
    ]
    assert holes == 1


async def test_a_hole_in_one_topic_is_not_hidden_by_another_that_has_none() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        async with following(server.address, sink, since=_ALL_FROM) as run:
            server.publish(edit(0), centre="codfw")
            server.publish(edit(3))
            await run.until(lambda: len(sink.changes) == 2)
        server.forget(1, centre="codfw")
        server.publish(edit(3_000), centre="codfw")
        async with following(server.address, sink) as run:
            await run.until(lambda: len(sink.changes) == 4)
            for number in (3_001, 3_002):
                server.publish(edit(number), centre="codfw")
            await run.until(lambda: len(sink.changes) == 6)
            holes = run.intake.health.holes

    assert holes == 1
    assert [hole for batch in sink.batches for hole in batch.holes] == [
        Hole(
            datetime(2023, 7, 29, 12, tzinfo=UTC),
            datetime(2023, 7, 29, 12, 16, 40, tzinfo=UTC),
        )
    ]


async def test_events_that_are_passed_over_within_a_connection_are_a_hole() -> None:
    sink = MemorySink()
    async with (
        EventServer() as server,
        following(server.address, sink, since=_ALL_FROM) as run,
    ):
        for number in range(3):
            server.publish(edit(number))
        await run.until(lambda: len(sink.changes) == 3)
        for number in range(30, 36):
            server.publish(edit(number))
        server.forget(5)  # before they are sent
        await run.until(lambda: len(sink.changes) == 7)
        server.publish(edit(36), centre="codfw")
        server.publish(edit(37))
        await run.until(lambda: len(sink.changes) == 9)
        health = run.intake.health

    assert (health.holes, health.connections) == (1, 1)
    assert [hole for batch in sink.batches for hole in batch.holes] == [
        Hole(
            datetime(2023, 7, 29, 12, tzinfo=UTC),
            datetime(2023, 7, 29, 12, 0, 11, tzinfo=UTC),
        )
    ]


async def test_a_topic_that_speaks_for_the_first_time_is_no_hole() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        async with following(server.address, sink, since=_ALL_FROM) as run:
            server.publish(edit(0))
            await run.until(lambda: len(sink.changes) == 1)
        async with following(server.address, sink) as run:
            await run.until(lambda: run.intake.health.events == 1)
            server.publish(edit(3_000), centre="codfw")
            await run.until(lambda: len(sink.changes) == 3)
            holes = run.intake.health.holes

    assert holes == 0


async def test_what_cannot_be_read_is_buried_once_and_the_rest_goes_on() -> None:
    sink = MemorySink()
    mark = '[{"topic":"eqiad.mediawiki.recentchange","partition":0,"timestamp":5}]'
    stream = b"".join(
        [
            b":ok\n\n",
            frame("message", mark, "{broken"),
            frame("message", mark, '{"title":' + "9" * 5_000 + "}"),
            frame("message", mark, json.dumps(edit(1, title=5))),
            frame("message", mark, json.dumps(edit(2))),
        ]
    )
    script = answering(_HEAD + _chunk(stream))
    proxy = Proxy("", scripts=[script] * 4)
    limits = patient(max_event_bytes=4_000)
    async with (
        proxying(proxy),
        following(proxy.address, sink, limits=limits) as run,
    ):
        await run.until(lambda: run.intake.health.connections >= 4)
        await run.until(lambda: len(sink.dead_letters) >= 3)

    assert [letter.reason for letter in sink.dead_letters] == [
        DeadReason.BAD_JSON,
        DeadReason.BAD_SHAPE,
        DeadReason.TOO_LARGE,
    ]
    assert b"Ada Penrose" not in sink.dead_letters[1].raw
    assert sink.ids == _ids([2])


async def test_while_nothing_can_be_kept_nothing_is_lost() -> None:
    sink = MemorySink(
        troubles=[TemporaryError("the database is away", retry_in_s=3)] * 4
    )
    async with (
        EventServer() as server,
        following(server.address, sink, since=_ALL_FROM) as run,
    ):
        for number in range(20):
            server.publish(edit(number))
        await run.until(lambda: len(sink.changes) == 20)

    assert sink.ids == _ids(range(20))
    assert run.waits_s.count(3) >= 1


async def test_a_sink_that_cannot_keep_anything_ends_it() -> None:
    sink = MemorySink(troubles=[PermanentError("the disk is gone")])
    async with (
        EventServer() as server,
        following(server.address, sink, since=_ALL_FROM) as run,
    ):
        server.publish(edit(1))
        with pytest.raises(PermanentError, match="disk"):
            await asyncio.wait_for(run.task, 60)


async def test_a_commit_that_has_begun_is_finished_before_it_ends() -> None:
    began, may_end = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        began.set()
        await may_end.wait()

    sink = MemorySink(on_commit=slow)
    async with (
        EventServer() as server,
        following(server.address, sink, since=_ALL_FROM) as run,
    ):
        server.publish(edit(1))
        await run.until(began.is_set)
        run.task.cancel()
        await asyncio.sleep(0.05)
        assert not run.task.done()
        may_end.set()
        with contextlib.suppress(asyncio.CancelledError):
            await run.task

    assert sink.ids == _ids([1])


async def test_a_page_is_followed_through_a_move_and_a_deletion() -> None:
    sink = MemorySink()
    log = {"type": "log", "log_params": {"target": "Watch", "noredir": "0"}}
    async with (
        EventServer() as server,
        following(server.address, sink, since=_ALL_FROM) as run,
    ):
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
