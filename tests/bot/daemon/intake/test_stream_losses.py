"""What the stream leaves out, what nobody can read and what cannot be kept is reported.

Nothing else is lost by it.
"""

import asyncio
import contextlib
import json
from datetime import UTC, datetime

import pytest

from bot.demo.loopback.event_server import EventServer, frame
from bot.records.changes import DeadReason, Gap
from handlers.ports import PermanentError, TemporaryError
from tests.bot.daemon.intake.proxy import HEAD, Proxy, answering, chunk, proxying
from tests.bot.daemon.intake.world import (
    ALL_FROM,
    MemorySink,
    edit,
    following,
    ids,
    patient,
    publish,
    served,
)


async def test_events_that_the_server_no_longer_has_are_a_hole() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        async with following(server.address, sink, since=ALL_FROM) as run:
            publish(server, range(3))
            await run.until(lambda: len(sink.changes) == 3)
        server.forget(3)
        server.publish(edit(3_000))
        async with following(server.address, sink) as run:
            await run.until(lambda: len(sink.changes) == 4)
            gaps = run.intake.health.gaps

    assert [hole for batch in sink.batches for hole in batch.gaps] == [
        Gap(
            datetime(2023, 7, 29, 12, tzinfo=UTC),
            datetime(2023, 7, 29, 12, 16, 40, tzinfo=UTC),
        )
    ]
    assert gaps == 1


async def test_a_hole_in_one_topic_is_not_hidden_by_another_that_has_none() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        async with following(server.address, sink, since=ALL_FROM) as run:
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
            gaps = run.intake.health.gaps

    assert gaps == 1
    assert [hole for batch in sink.batches for hole in batch.gaps] == [
        Gap(
            datetime(2023, 7, 29, 12, tzinfo=UTC),
            datetime(2023, 7, 29, 12, 16, 40, tzinfo=UTC),
        )
    ]


async def test_events_that_are_passed_over_within_a_connection_are_a_hole() -> None:
    sink = MemorySink()
    async with served(sink) as (server, run):
        publish(server, range(3))
        await run.until(lambda: len(sink.changes) == 3)
        publish(server, range(30, 36))
        server.forget(5)  # before they are sent
        await run.until(lambda: len(sink.changes) == 7)
        server.publish(edit(36), centre="codfw")
        server.publish(edit(37))
        await run.until(lambda: len(sink.changes) == 9)
        health = run.intake.health

    assert (health.gaps, health.connections) == (1, 1)
    assert [hole for batch in sink.batches for hole in batch.gaps] == [
        Gap(
            datetime(2023, 7, 29, 12, tzinfo=UTC),
            datetime(2023, 7, 29, 12, 0, 11, tzinfo=UTC),
        )
    ]


async def test_a_topic_that_speaks_for_the_first_time_is_no_hole() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        async with following(server.address, sink, since=ALL_FROM) as run:
            server.publish(edit(0))
            await run.until(lambda: len(sink.changes) == 1)
        async with following(server.address, sink) as run:
            await run.until(lambda: run.intake.health.events == 1)
            server.publish(edit(3_000), centre="codfw")
            await run.until(lambda: len(sink.changes) == 3)
            gaps = run.intake.health.gaps

    assert gaps == 0


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
    script = answering(HEAD + chunk(stream))
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
    assert sink.ids == ids([2])


async def test_while_nothing_can_be_kept_nothing_is_lost() -> None:
    sink = MemorySink(
        troubles=[TemporaryError("the database is away", retry_in_s=3)] * 4
    )
    async with served(sink) as (server, run):
        publish(server, range(20))
        await run.until(lambda: len(sink.changes) == 20)

    assert sink.ids == ids(range(20))
    assert run.waits_s.count(3) >= 1


async def test_a_sink_that_cannot_keep_anything_ends_it() -> None:
    sink = MemorySink(troubles=[PermanentError("the disk is gone")])
    async with served(sink) as (server, run):
        server.publish(edit(1))
        with pytest.raises(PermanentError, match="disk"):
            await asyncio.wait_for(run.task, 60)


async def test_a_commit_that_has_begun_is_finished_before_it_ends() -> None:
    began, may_end = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        began.set()
        await may_end.wait()

    sink = MemorySink(on_commit=slow)
    async with served(sink) as (server, run):
        server.publish(edit(1))
        await run.until(began.is_set)
        run.task.cancel()
        await asyncio.sleep(0.05)
        assert not run.task.done()
        may_end.set()
        with contextlib.suppress(asyncio.CancelledError):
            await run.task

    assert sink.ids == ids([1])
