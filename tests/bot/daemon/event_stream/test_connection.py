import asyncio
import contextlib
from datetime import UTC, datetime

import pytest
from yarl import URL

from bot.daemon.intake.event_stream import (
    EventStreams,
    Start,
    StartRefusedError,
    StreamSettings,
    check,
    redirect_of,
)
from bot.records.changes import Position
from handlers.ports import PermanentError, TemporaryError
from tests.bot.daemon.intake.proxy import Proxy, proxying

_URL = URL("https://stream.example.org/v2/stream/recentchange")
_NOW = datetime(2023, 7, 29, 12, tzinfo=UTC)
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
_ID = (
    '[{"topic":"eqiad.mediawiki.recentchange","partition":0,"timestamp":1690632000001}]'
)


def _settings(proxy: Proxy, settle_s: float = 0.0) -> StreamSettings:
    return StreamSettings(
        proxy.address, ("one", "two"), "Sidenote/test (mail@example.org)", settle_s=settle_s
    )  # fmt: skip


async def _drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send two hundred events, each written by itself."""
    writer.write(_HEAD)
    for _ in range(200):
        writer.write(b"9\r\ndata: x\n\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.002)
    writer.write(b"0\r\n\r\n")


async def test_small_pieces_are_gathered_and_none_is_lost() -> None:
    sent, more = 0, asyncio.Event()

    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(_HEAD)
        for _ in range(200):
            writer.write(b"9\r\ndata: x\n\n\r\n")
            await writer.drain()
            sent += 1
            if sent % 20 == 0:
                more.set()
                await asyncio.sleep(0.01)
        writer.write(b"0\r\n\r\n")

    async def until_twenty_more_were_sent(_: float) -> None:
        if sent < 200:
            more.clear()
            await more.wait()

    async with (
        proxying(Proxy("", scripts=[drip])) as proxy,
        EventStreams(_settings(proxy), until_twenty_more_were_sent) as streams,
        streams.connect(Start()) as connection,
    ):
        pieces = []
        while piece := await connection.read():
            pieces.append(piece)

    assert b"".join(pieces) == b"data: x\n\n" * 200
    assert len(pieces) < 30


async def test_a_backlog_that_begins_with_a_small_piece_is_not_waited_for() -> None:
    is_requested = asyncio.Event()

    async def send(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD + b"5\r\n:ok\n\n\r\n")
        await is_requested.wait()
        writer.write(b"9c40\r\n%b\r\n0\r\n\r\n" % (b"x" * 40_000))

    waits = []

    async def settle(wait_s: float) -> None:
        waits.append(wait_s)

    async with (
        proxying(Proxy("", scripts=[send])) as proxy,
        EventStreams(_settings(proxy), settle) as streams,
        streams.connect(Start()) as connection,
    ):
        assert await connection.read() == b":ok\n\n"
        is_requested.set()
        assert await connection.read()

        assert waits == []


async def test_a_read_that_is_cancelled_loses_nothing() -> None:
    async with (
        proxying(Proxy("", scripts=[_drip])) as proxy,
        EventStreams(_settings(proxy, settle_s=0.02)) as streams,
        streams.connect(Start()) as connection,
    ):
        pieces = [b"begin"]
        while pieces[-1]:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.005):
                    pieces.append(await connection.read())

    assert b"".join(pieces[1:]) == b"data: x\n\n" * 200


@pytest.mark.parametrize(
    ("start", "path", "resumed"),
    [
        (Start(), "/v2/stream/one,two", None),
        (Start(since=_NOW), "/v2/stream/one,two?since=2023-07-29T12:00:00.000Z", None),
        (Start(Position.parse(_ID), _NOW), "/v2/stream/one,two", _ID),
    ],
)
async def test_it_asks_for_what_it_wants_and_says_who_it_is(
    start: Start, path: str, resumed: str | None
) -> None:
    async with (
        proxying(Proxy("", scripts=[_drip])) as proxy,
        EventStreams(_settings(proxy)) as streams,
        streams.connect(start),
    ):
        first, *lines = proxy.heads[0].rstrip().split("\r\n")

    headers = dict(line.split(": ", 1) for line in lines)
    assert first == f"GET {path} HTTP/1.1"
    assert headers["User-Agent"] == "Sidenote/test (mail@example.org)"
    assert headers["Accept-Encoding"] == "identity"
    assert headers.get("Last-Event-ID") == resumed


async def test_there_is_one_connection_at_a_time() -> None:
    async with (
        proxying(Proxy("", scripts=[_drip, _drip])) as proxy,
        EventStreams(_settings(proxy)) as streams,
        streams.connect(Start()),
    ):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1), streams.connect(Start()):
                raise AssertionError("a second connection was opened")

    assert len(proxy.heads) == 1


async def test_a_server_that_is_not_there_is_tried_again_later() -> None:
    async with proxying(Proxy("")) as proxy:
        settings = _settings(proxy)
    async with EventStreams(settings) as streams:
        with pytest.raises(TemporaryError, match="cannot be reached"):
            async with streams.connect(Start()):
                raise AssertionError("it was opened")


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("/v2/other", "https://stream.example.org/v2/other"),
        ("https://stream.example.org/x", "https://stream.example.org/x"),
        ("https://stream.example.org:443/x", "https://stream.example.org:443/x"),
    ],
)
def test_a_redirect_on_the_same_server_is_followed(
    location: str, leads_to: str
) -> None:
    assert redirect_of(_URL, 307, {"Location": location}) == URL(leads_to)


@pytest.mark.parametrize(
    "location",
    [
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "http://stream.example.org/v2/stream/recentchange",
        "https://stream.example.org:8443/",
        "file:///etc/passwd",
    ],
)
def test_a_redirect_to_another_server_is_refused(location: str) -> None:
    with pytest.raises(PermanentError, match="sends us to"):
        redirect_of(_URL, 301, {"Location": location})


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "Sat, 29 Jul 2023 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "999999"}, 3_600.0),
        ({"Retry-After": "soon"}, 0.0),
        ({}, 0.0),
    ],
)
def test_it_waits_as_long_as_the_server_asks_within_reason(
    headers: dict[str, str], wait_s: float
) -> None:
    for status in (429, 503):
        with pytest.raises(TemporaryError) as caught:
            check(_URL, status, headers, "", _NOW)

        assert caught.value.retry_in_s == wait_s


@pytest.mark.parametrize("status", [200, 202, 204, 408, 500, 502, 504, 520])
def test_what_may_be_better_later_is_tried_again(status: int) -> None:
    with pytest.raises(TemporaryError):
        check(_URL, status, {"Content-Type": "text/html"}, "<p>oops", _NOW)


@pytest.mark.parametrize("status", [401, 403, 404, 406, 410, 451])
def test_what_will_not_be_better_is_reported(status: int) -> None:
    with pytest.raises(PermanentError, match=str(status)) as caught:
        check(_URL, status, {}, "no\r\nway", _NOW)

    assert not isinstance(caught.value, StartRefusedError)
    assert "\n" not in str(caught.value)
