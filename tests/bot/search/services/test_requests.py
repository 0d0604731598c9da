"""One request is bounded in time and size, and tells nobody what it carried."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.search.services.client import Request, SearchClient
from handlers.ports import PermanentError, TemporaryError

AGENT = "Sidenote/test (tester@example.org)"
KEY = "s3cret+key"


@asynccontextmanager
async def answering(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]],
) -> AsyncIterator[str]:
    server = web.Application()
    server.router.add_route("*", "/", answer)
    runner = web.AppRunner(server, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def test_it_says_who_asks_and_keeps_no_cookies() -> None:
    requests: list[web.Request] = []

    async def answer(request: web.Request) -> web.Response:
        requests.append(request)
        return web.json_response({}, headers={"Set-Cookie": "who=me"})

    async with answering(answer) as address, SearchClient(AGENT) as client:
        for _ in range(2):
            await client.ask("Test", Request(address, {"q": "a b&c"}))

    assert requests[1].headers["User-Agent"] == AGENT
    assert requests[1].query["q"] == "a b&c"
    assert "Cookie" not in requests[1].headers


async def test_a_body_without_end_is_cut_off() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" " * 100_000)

    async with answering(answer) as address, SearchClient(AGENT) as client:
        with pytest.raises(PermanentError, match="more than 200,000 bytes"):
            await client.ask("Test", Request(address, max_bytes=200_000))


async def test_a_slow_answer_is_not_waited_for() -> None:
    async def answer(request: web.Request) -> web.Response:  # noqa: ARG001 - aiohttp's form
        await asyncio.Event().wait()
        raise AssertionError

    async with (
        answering(answer) as address,
        SearchClient(AGENT, timeout_s=0.1) as client,
    ):
        with pytest.raises(TemporaryError, match=r"within 0\.1 s"):
            await client.ask("Test", Request(address))


async def test_an_absent_service_is_reported_without_the_query(
    caplog: pytest.LogCaptureFixture, unused_tcp_port: int
) -> None:
    caplog.set_level(logging.DEBUG)
    request = Request(
        f"http://127.0.0.1:{unused_tcp_port}/",
        {"key": KEY},
        {"X-Key": KEY},
        {"key": KEY},
        secret=KEY,
    )

    async with SearchClient(AGENT) as client:
        with pytest.raises(TemporaryError, match="cannot be reached") as caught:
            await client.ask("Test", request)

    assert KEY not in f"{caught.value!r} {caught.value.__cause__} {request!r}"
    assert KEY not in caplog.text


async def test_a_key_that_an_answer_repeats_is_not_passed_on() -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=f"bad key {KEY} in {request.path_qs}", status=400)

    async with answering(answer) as address, SearchClient(AGENT) as client:
        got = await client.ask("Test", Request(address, {"key": KEY}, secret=KEY))

    assert got.message == "bad key *** in /?key=***"
    assert KEY not in repr(got)
