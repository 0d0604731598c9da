"""What a cited address gets of us: one GET on a connection of its own, and no more."""

import asyncio
from typing import Any

import pytest

from bot.sources.http import Fetched
from handlers.model import SourceOutcome
from tests.bot.sources.server import Site, answer, serving
from tests.bot.sources.tools import FakeNames, rig

_NAMES = {"pub.test": ["127.0.0.1"], "pub2.test": ["127.0.0.1"]}


async def test_no_connection_serves_two_requests() -> None:
    connections = 0
    site = Site()

    async def count(reader: Any, writer: Any) -> None:
        nonlocal connections
        connections += 1
        await site.speak_http(reader, writer)
        # Whoever reuses the connection would be answered with another's page.
        await asyncio.wait_for(reader.read(1), 5)

    site.on_connect = count
    for path in ("/a", "/b"):
        site.pages[path] = answer("text", content_type="text/plain")
    async with serving(site), rig(site, FakeNames(_NAMES)) as web:
        first = await web.fetcher.fetch(site.url("/a"))
        second = await web.fetcher.fetch(site.url("/b", "pub2.test"))

    assert isinstance(first, Fetched)
    assert isinstance(second, Fetched)
    assert connections == len(site.requests) == 4  # two pages, two robots.txt


@pytest.mark.parametrize(
    "query", ["action=logout", "action=purge&titles=X", "action=edit&text=x"]
)
async def test_an_address_of_a_wikis_interface_is_only_ever_read_as_anybody(
    query: str,
) -> None:
    site = Site()
    path = f"/w/api.php?{query}"
    site.pages[path] = answer("{}", set_cookie="session=1; Path=/")
    async with serving(site), rig(site, FakeNames(_NAMES)) as web:
        await web.fetcher.fetch(site.url(path))
        await web.fetcher.fetch(site.url(path))

    requests = site.asked(path)
    assert {request.method for request in requests} == {"GET"}
    for request in requests:
        assert not {"cookie", "authorization", "referer"} & set(request.headers)


@pytest.mark.parametrize(
    "flood",
    [
        b"X: " + b"a" * 5_000_000 + b"\r\n",
        b"X: a\r\n" * 200_000,
        b"".join(b"X%d: a\r\n" % number for number in range(100_000)),
    ],
    ids=["one line", "many lines", "many names"],
)
async def test_a_flood_of_headers_is_unreachable(flood: bytes) -> None:
    site = Site()
    site.pages["/a"] = b"HTTP/1.1 200 OK\r\n" + flood + b"\r\ntext"
    async with serving(site), rig(site, FakeNames(_NAMES)) as web:
        reply = await web.fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.UNREACHABLE


async def test_thousands_of_rules_on_a_long_address_are_asked_beside_the_rest() -> None:
    site = Site()
    path = "/" + "a" * 7_000
    rules = "User-agent: *\n" + "Disallow: /*ab\n" * 30_000
    site.pages["/robots.txt"] = answer(rules, content_type="text/plain")
    site.pages[path] = answer("text", content_type="text/plain")
    went_on = 0

    async def go_on() -> None:
        nonlocal went_on
        while True:
            await asyncio.sleep(0.005)
            went_on += 1

    async with serving(site), rig(site, FakeNames(_NAMES)) as web:
        await web.fetcher.fetch(site.url("/b"))  # the rules are known from here on
        beside = asyncio.create_task(go_on())
        await asyncio.sleep(0)
        before = went_on
        reply = await web.fetcher.fetch(site.url(path))
        beside.cancel()

    assert isinstance(reply, Fetched)
    assert went_on - before > 5
