"""The reader on connections that fail in every way we know, and what it says of itself."""

import asyncio
import socket
import time

import pytest
from aiohttp import web

from bot.wiki.reader import WikiReader
from handlers.ports import AwayError, PermanentError, TemporaryError, UnansweredError
from tests.bot.wiki.answering_wiki import (
    AGENT,
    Answer,
    error,
    read_from,
    serving,
)


async def test_an_answer_of_no_stated_length_that_stops_half_way_is_worth_another_try() -> (
    None
):
    with pytest.raises(TemporaryError, match="was cut off"):
        await read_from(Answer('{"query": {"pages": [{"title": "X", "rev'))


async def test_an_answer_without_end_is_cut_off_by_its_size() -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b" " * 1_000_000)
        except ConnectionError:
            return response

    async with serving(endless) as host:
        with pytest.raises(PermanentError, match="sent more than 33,554,432 bytes"):
            await WikiReader(host, user_agent=AGENT, timeout_s=120).page("X")


async def test_an_answer_that_drips_is_given_up_and_the_next_is_read() -> None:
    calls = 0

    async def slow_once(request: web.Request) -> web.StreamResponse:
        nonlocal calls
        calls += 1
        if calls > 1:
            return error("readonly").response()
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b" ")
                await asyncio.sleep(0.1)
        except ConnectionError:
            return response

    async with serving(slow_once) as host:
        reader = WikiReader(host, user_agent=AGENT, timeout_s=3)
        began_s = time.monotonic()

        with pytest.raises(TemporaryError, match=r"did not answer within 3 s"):
            await reader.page("X")

        assert time.monotonic() - began_s < 30
        with pytest.raises(TemporaryError, match="readonly"):
            await reader.page("X")


async def test_a_connection_that_breaks_off_is_worth_another_try() -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_length = 1000
        await response.prepare(request)
        await response.write(b"{")
        assert request.transport
        request.transport.close()
        return response

    async with serving(broken) as host:
        with pytest.raises(UnansweredError, match="was cut off"):
            await WikiReader(host, user_agent=AGENT).page("X")


async def test_a_port_where_nobody_listens_is_reported_with_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(
        AwayError,
        match=rf"http://127.0.0.1:{port}/w/api.php cannot be reached \(connection refused\)",
    ) as caught:
        await WikiReader(f"127.0.0.1:{port}", user_agent=AGENT).page("X")

    assert not isinstance(caught.value, UnansweredError), "it is no page's fault"


async def test_a_server_that_dies_of_a_question_is_told_from_one_that_is_not_there() -> (
    None
):
    async def die(request: web.Request) -> web.StreamResponse:
        assert request.transport
        request.transport.abort()
        return web.Response()

    async with serving(die) as host:
        with pytest.raises(UnansweredError, match="was cut off"):
            await WikiReader(host, user_agent=AGENT).page("X")


async def test_a_host_that_does_not_exist_is_reported_by_its_name() -> None:
    reader = WikiReader("nowhere.invalid", user_agent=AGENT, timeout_s=10)

    # Without any name server the same question stays open, hence two failures.
    with pytest.raises((PermanentError, TemporaryError), match=r"nowhere\.invalid"):
        await reader.page("X")


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        (socket.EAI_NONAME, PermanentError),
        (socket.EAI_NODATA, AwayError),
        (socket.EAI_AGAIN, AwayError),
    ],
    ids=["no such name", "no address", "no name server"],
)
async def test_only_a_name_that_does_not_exist_counts_as_none(
    monkeypatch: pytest.MonkeyPatch, code: int, failure: type[Exception]
) -> None:
    def look_up(*_: object, **__: object) -> None:
        raise socket.gaierror(code, "of the system")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)

    with pytest.raises(failure, match=r"wiki\.example"):
        await WikiReader("wiki.example", user_agent=AGENT).page("X")


async def test_a_server_without_tls_is_reported() -> None:
    async def plain(_request: web.Request) -> web.Response:
        return error("unused").response()

    async with serving(plain) as host:
        with pytest.raises(PermanentError, match=r"connection \(TLS\) to 127.0.0.1"):
            await WikiReader(f"https://{host}", user_agent=AGENT).page("X")


async def test_who_asks_is_said_in_the_user_agent_and_nothing_is_posted() -> None:
    seen: list[tuple[str, str, str]] = []

    async def noting(request: web.Request) -> web.Response:
        query = request.query
        seen.append((request.method, request.headers["User-Agent"], query["maxlag"]))
        return web.json_response(
            {"query": {"pages": [{"title": "X", "missing": True}]}}
        )

    async with serving(noting) as host:
        with pytest.raises(PermanentError, match="has no page"):
            await WikiReader(host, user_agent=AGENT).page("X")

    assert set(seen) == {("GET", AGENT, "5")}
