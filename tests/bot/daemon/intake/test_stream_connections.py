"""A connection that falls silent, breaks or is refused is made anew, and not in haste."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.demo.loopback.event_server import EventServer, Habits
from bot.records.changes import Position
from handlers.ports import PermanentError
from tests.bot.daemon.intake.proxy import HEAD, Proxy, answering, chunk, proxying
from tests.bot.daemon.intake.world import (
    ALL_FROM,
    MemorySink,
    edit,
    following,
    ids,
    patient,
    proxied,
    publish,
    served,
)


def _answer(status: str, body: bytes = b"", *headers: str) -> bytes:
    lines = "".join(f"{line}\r\n" for line in headers)
    return (
        f"HTTP/1.1 {status}\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )


async def test_silence_is_noticed_and_ended_by_another_connection() -> None:
    sink = MemorySink()
    async with EventServer() as server:
        proxy = Proxy(
            server.address,
            scripts=[
                answering(HEAD + chunk(b":ok\n\n" + b":\n\n" * 9), then_wait=True),
                answering(HEAD + chunk(b"data: unfinished"), then_wait=True),
            ],
        )
        async with (
            proxying(proxy),
            following(
                proxy.address, sink, limits=patient(silence_s=1.0), since=ALL_FROM
            ) as run,
        ):
            server.publish(edit(1))
            await run.until(lambda: run.intake.health.silences >= 2)
            await run.until(lambda: len(sink.changes) == 1)

    assert sink.ids == ids([1])


async def test_canaries_alone_are_no_silence() -> None:
    sink = MemorySink()
    limits = patient(silence_s=1.5)
    async with served(sink, Habits(canary_s=0.1), limits=limits, since=None) as (
        _,
        run,
    ):
        loop = asyncio.get_running_loop()
        await run.until(lambda: run.intake.health.events > 0)
        long_after = loop.time() + 1.2 * limits.silence_s
        await run.until(lambda: loop.time() > long_after)
        health = run.intake.health

    assert (health.silences, health.connections) == (0, 1)
    assert sink.changes == []


@pytest.mark.parametrize("days", [3, -3])
async def test_a_clock_that_is_set_makes_no_silence(days: int) -> None:
    sink, jump = MemorySink(), timedelta()
    async with (
        EventServer() as server,
        following(
            server.address,
            sink,
            limits=patient(silence_s=60.0, commit_s=0.3),
            since=ALL_FROM,
            now=lambda: datetime.now(UTC) + jump,
        ) as run,
    ):
        for number in (1, 2):
            server.publish(edit(number))
            await run.until(lambda number=number: run.intake.health.changes == number)
            jump += timedelta(days=days)  # while the change waits to be kept
            await run.until(lambda number=number: len(sink.changes) == number)
        server.publish(edit(3))
        await run.until(lambda: len(sink.changes) == 3)
        health = run.intake.health

    assert (health.silences, health.connections) == (0, 1)


async def test_bytes_that_are_no_event_do_not_hide_a_silence() -> None:
    async def babble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        while True:
            writer.write(chunk(b"data: endless"))
            await writer.drain()
            await asyncio.sleep(0.01)

    sink = MemorySink()
    limits = patient(silence_s=1.0, max_event_bytes=10_000)
    async with proxied(sink, scripts=[babble], limits=limits) as (server, _, run):
        server.publish(edit(1))
        await run.until(lambda: len(sink.changes) == 1)
        silences = run.intake.health.silences

    assert silences >= 1


async def test_too_many_connections_are_answered_by_waiting_as_long_as_asked() -> None:
    sink = MemorySink()
    async with served(sink, Habits(connections=0, retry_after_s=40), since=None) as (
        _,
        run,
    ):
        await run.until(lambda: len(run.waits_s) >= 3)
        problem = run.intake.health.problem

    assert min(run.waits_s) >= 40
    assert problem == "127.0.0.1 answered 429"


async def test_waits_grow_with_each_failure_and_with_chance() -> None:
    sink = MemorySink()
    limits = patient(first_wait_s=5.0, longest_wait_s=60.0)
    chances = iter([0.0, 0.0] * 3 + [1.0] * 100)
    async with served(
        sink, Habits(connections=0), limits=limits, chances=chances, since=None
    ) as (_, run):
        await run.until(lambda: len(run.waits_s) >= 7)

    assert run.waits_s[:7] == [2.5, 5.0, 10.0, 40.0, 60.0, 60.0, 60.0]


async def test_no_two_connections_follow_within_the_set_time() -> None:
    sink = MemorySink()
    limits = patient(between_tries_s=30.0)
    async with proxied(sink, cuts=[1_500], limits=limits) as (server, _, run):
        publish(server, range(4))
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
        HEAD + b"zzz\r\ngarbage",
        HEAD + chunk(b":ok\n\n") + b"-5\r\n",
        HEAD + chunk(b"\x00\xff\xfe garbage \r\r\r\n\n\n data: {{{"),
        HEAD + chunk(b"0\r\n\r\n"),
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
    async with proxied(sink, scripts=[answering(text), answering(text)]) as (
        server,
        _,
        run,
    ):
        publish(server, range(3))
        await run.until(lambda: len(sink.changes) == 3)

    assert sink.ids == ids(range(3))


async def test_an_error_of_the_server_makes_us_reconnect() -> None:
    sink = MemorySink()
    async with served(sink) as (server, run):
        server.publish(edit(1))
        await run.until(lambda: len(sink.changes) == 1)
        server.complain("Kafka is away")
        await run.until(lambda: run.intake.health.connections == 2)
        server.publish(edit(2))
        await run.until(lambda: len(sink.changes) == 2)

    assert sink.ids == ids([1, 2])
    assert sink.dead_letters == []


@pytest.mark.parametrize(
    ("text", "message"),
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
async def test_a_server_that_refuses_us_from_the_beginning_is_reported_to_the_operator(
    text: bytes, message: str
) -> None:
    proxy = Proxy("", scripts=[answering(text)])
    async with proxying(proxy), following(proxy.address, MemorySink()) as run:
        with pytest.raises(PermanentError, match=message):
            await asyncio.wait_for(run.task, 60)


async def test_a_server_that_has_worked_is_asked_again_after_a_refusal() -> None:
    sink = MemorySink()
    async with proxied(sink, cuts=[2_000]) as (server, proxy, run):
        server.publish(edit(1))
        await run.until(lambda: len(sink.changes) == 1)
        proxy.scripts.append(answering(_answer("403 Forbidden")))
        publish(server, (2, 3))
        await run.until(lambda: len(sink.changes) == 3)

    assert sink.ids == ids([1, 2, 3])
    assert 300.0 in run.waits_s


async def test_a_position_that_is_refused_becomes_a_time() -> None:
    kept = Position.parse(
        '[{"topic":"gone.stream","partition":0,"timestamp":1690632000000}]'
    )
    sink = MemorySink(kept=kept)
    async with EventServer() as server:
        publish(server, range(3))
        async with following(server.address, sink) as run:
            await run.until(lambda: len(sink.changes) == 3)
        requests = server.requests

    assert "Last-Event-ID" in requests[0]
    assert "Last-Event-ID" not in requests[1]
