import asyncio

import pytest

from bot.sources.fetch import Fetcher
from bot.sources.http import Fetched
from handlers.model import SourceOutcome
from tests.bot.sources.server import Script, Site, answer, redirect
from tests.bot.sources.tools import SMALL, FakeNames, Rig


@pytest.mark.parametrize("status", ["301 x", "302 x", "303 x", "307 x", "308 x"])
async def test_a_redirect_is_followed(
    site: Site, fetcher: Fetcher, status: str
) -> None:
    site.pages["/dir/a"] = redirect("b?q=1#part", status)
    site.pages["/dir/b?q=1"] = answer("text")

    reply = await fetcher.fetch(site.url("/dir/a"))

    assert isinstance(reply, Fetched)
    assert reply.url == site.url("/dir/b?q=1")


async def test_five_redirects_are_followed_and_six_are_not(
    site: Site, fetcher: Fetcher
) -> None:
    for hop in range(10):
        site.pages[f"/{hop}"] = redirect(f"/{hop + 1}")
    site.pages["/10"] = answer("text")

    five = await fetcher.fetch(site.url("/5"))
    six = await fetcher.fetch(site.url("/4"))

    assert isinstance(five, Fetched)
    assert six.detail == "more than 5 redirects"


async def test_a_circle_of_redirects_is_left_at_once(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = redirect("/b")
    site.pages["/b"] = redirect("/a")

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.UNREACHABLE
    assert "circle" in reply.detail
    assert len(site.asked("/a")) == 1


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/",
        "http://127.0.0.1:1/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/latest/meta-data/",
        "http://10.0.0.1/",
        "http://2130706433/",
        "http://inside.test/",
        "//localhost/",
        "file:///etc/passwd",
        "ftp://pub.test/",
        "data:text/html,x",
        "javascript:alert(1)",
        "/\\\\127.0.0.1/",
        "/a%0d%0aSet-Cookie:%20x",
        "http://user:password@pub.test/",
        "http://[::1",
        "/" + "a" * 8100,
        "http://\udcff\udcfe/",
    ],
)
async def test_a_redirect_to_where_nobody_may_go_is_not_followed(
    site: Site,
    fetcher: Fetcher,
    names: FakeNames,
    connects: list[tuple[str, int]],
    location: str,
) -> None:
    names.hosts["inside.test"] = ["192.168.1.2"]
    site.pages["/a"] = redirect(location)

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.FORBIDDEN_ADDRESS
    assert set(connects) == {("127.0.0.1", site.port)}
    assert {request.path for request in site.requests} == {"/a", "/robots.txt"}


async def test_a_second_hop_is_checked_as_closely_as_the_first(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = redirect(site.url("/b", "pub2.test"))
    site.pages["/b"] = redirect("http://192.168.1.2/")

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.FORBIDDEN_ADDRESS
    assert reply.url == site.url("/b", "pub2.test")


@pytest.mark.parametrize("head", [b"", b"Location:\r\n", b"Location:   \r\n"])
async def test_a_redirect_to_nowhere_is_unreachable(
    site: Site, fetcher: Fetcher, head: bytes
) -> None:
    site.pages["/a"] = b"HTTP/1.1 302 Found\r\n" + head + b"Content-Length: 0\r\n\r\n"

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.UNREACHABLE


async def test_a_location_of_a_hundred_kilobytes_is_unreachable(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = redirect("/" + "a" * 100_000)

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.UNREACHABLE


@pytest.mark.parametrize(
    "header",
    [
        {"link": "<http://127.0.0.1:1/>; rel=preload"},
        {"content_location": "http://127.0.0.1:1/"},
        {"refresh": "0; url=http://127.0.0.1:1/"},
        {"location": "http://127.0.0.1:1/"},
    ],
)
async def test_nothing_but_a_redirect_leads_elsewhere(
    site: Site,
    fetcher: Fetcher,
    connects: list[tuple[str, int]],
    header: dict[str, str],
) -> None:
    refresh = '<meta http-equiv="refresh" content="0; url=http://127.0.0.1:1/">'
    site.pages["/a"] = answer(refresh, content_type="text/html", **header)

    reply = await fetcher.fetch(site.url("/a"))

    assert isinstance(reply, Fetched)
    assert reply.url == site.url("/a")
    assert set(connects) == {("127.0.0.1", site.port)}


async def test_a_location_in_raw_utf8_is_followed(site: Site, fetcher: Fetcher) -> None:
    site.pages["/a"] = redirect("/käse")
    site.pages["/k%C3%A4se"] = answer("text")

    reply = await fetcher.fetch(site.url("/a"))

    assert isinstance(reply, Fetched)


async def test_the_hops_of_a_chain_share_one_allowance_of_time(
    site: Site, web: Rig
) -> None:
    def slow(location: str) -> Script:
        async def script(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            web.time.now_s += 0.4 * SMALL.total_s
            writer.write(redirect(location))
            await writer.drain()

        return script

    site.pages |= {"/1": slow("/2"), "/2": slow("/3"), "/3": slow("/4")}
    site.pages["/4"] = answer("text")

    two_slow_hops = await web.fetcher.fetch(site.url("/2"))
    three_slow_hops = await web.fetcher.fetch(site.url("/1"))

    assert isinstance(two_slow_hops, Fetched)
    assert three_slow_hops.outcome is SourceOutcome.UNREACHABLE
    assert "longer" in three_slow_hops.detail
