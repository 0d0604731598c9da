import asyncio
import gzip
import random
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from bot.sources.fetch import Fetcher
from bot.sources.http import Failure, Fetched
from bot.sources.settings import FetchLimits
from handlers.model import SourceOutcome
from tests.bot.sources.server import Answer, Site, answer, endless, hang
from tests.bot.sources.tools import FakeNames, rig


async def failure_of(fetcher: Fetcher, url: str) -> Failure:
    reply = await fetcher.fetch(url)
    assert isinstance(reply, Failure)
    return reply


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("401 Unauthorized", SourceOutcome.REFUSED),
        ("402 Payment Required", SourceOutcome.REFUSED),
        ("403 Forbidden", SourceOutcome.REFUSED),
        ("429 Too Many Requests", SourceOutcome.REFUSED),
        ("451 Unavailable For Legal Reasons", SourceOutcome.REFUSED),
        ("999 Denied", SourceOutcome.REFUSED),
        ("404 Not Found", SourceOutcome.GONE),
        ("410 Gone", SourceOutcome.GONE),
        ("400 Bad Request", SourceOutcome.UNREACHABLE),
        ("500 Internal Server Error", SourceOutcome.UNREACHABLE),
        ("503 Service Unavailable", SourceOutcome.UNREACHABLE),
        ("204 No Content", SourceOutcome.UNREACHABLE),
        ("206 Partial Content", SourceOutcome.UNREACHABLE),
        ("300 Multiple Choices", SourceOutcome.UNREACHABLE),
        ("304 Not Modified", SourceOutcome.UNREACHABLE),
    ],
)
async def test_each_status_has_its_outcome(
    site: Site, fetcher: Fetcher, status: str, outcome: SourceOutcome
) -> None:
    site.pages["/a"] = answer(b"", status)

    failure = await failure_of(fetcher, site.url("/a"))

    assert failure.outcome is outcome
    assert failure.http_status == int(status[:3])
    assert status[:3] in failure.detail
    assert failure.url == site.url("/a")


async def test_a_challenge_to_robots_is_told_apart_from_a_refusal(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = answer("wait", "403 Forbidden", cf_mitigated="challenge")

    failure = await failure_of(fetcher, site.url("/a"))

    assert failure.outcome is SourceOutcome.BOT_CHECK


@pytest.mark.parametrize(
    ("written", "header"),
    [
        ("120", "; it asks to wait 120 s"),
        (
            format_datetime(datetime(2026, 5, 4, 3, 2, tzinfo=UTC), usegmt=True),
            "; it asks to wait until 2026-05-04 03:02",
        ),
        ("-1", ""),
        ("9" * 400, ""),
        ("soon", ""),
        ("Mon, 99 Foo 99999 99:99:99 +99999999", ""),
    ],
)
async def test_how_long_a_server_asks_us_to_wait_is_reported(
    site: Site, fetcher: Fetcher, written: str, header: str
) -> None:
    site.pages["/a"] = answer("", "429 Too Many Requests", retry_after=written)

    failure = await failure_of(fetcher, site.url("/a"))

    assert (
        failure.detail
        == f"the server answered 429 (says that we send too many requests){header}"
    )


@pytest.mark.parametrize(
    "media", ["image/png", "VIDEO/mp4; codecs=x", "audio/ogg", "font/woff"]
)
async def test_what_cannot_be_text_is_not_downloaded(
    site: Site, fetcher: Fetcher, media: str
) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n\r\n".encode()
    site.pages["/a"] = endless(head, b"\0" * 1000, pause_s=0.01)

    failure = await failure_of(fetcher, site.url("/a"))

    assert failure.outcome is SourceOutcome.NOT_TEXT


async def test_a_page_comes_with_all_that_is_needed_to_read_it(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = answer(
        b"\xff\xfetext", content_type="text/html; charset=utf-16", etag='"1"'
    )

    page = await fetcher.fetch(site.url("/a#part"))

    assert page.body == b"\xff\xfetext"
    assert page.content_type == "text/html; charset=utf-16"
    assert page.etag == '"1"'
    assert page.url == site.url("/a")
    assert len(page.sha256) == 64


async def reset(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def announce_more_than_is_sent(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort")
    await writer.drain()


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "page",
    [
        reset,
        announce_more_than_is_sent,
        b"",
        b"220 mail.example.org ESMTP ready\r\n",
        b"\x00\x01\x02\x03" * 50,
        b"HTTP/9.9 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        OK + b"Content-Length: -5\r\n\r\nabcdef",
        OK + b"Content-Length: 0x5\r\n\r\nabcdef",
        CHUNKED + b"zz\r\nabc\r\n0\r\n\r\n",
        CHUNKED + b"5\r\nabc",
        CHUNKED + b"fffffffffffffffffffff\r\nabc\r\n0\r\n\r\n",
        OK + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n",
        OK + b"X-Header: value\r\n" * 50_000 + b"\r\n",
        b"HTTP/1.1 200 " + b"a" * 1_000_000 + b"\r\n\r\n",
    ],
    ids=[
        "reset", "false length", "nothing", "mail server", "bytes", "no status",
        "cut off", "other protocol", "two lengths", "negative length", "hex length",
        "bad chunk", "cut chunk", "vast chunk", "huge header", "many headers",
        "huge status line",
    ],
)  # fmt: skip
async def test_whatever_breaks_http_is_unreachable(
    site: Site, fetcher: Fetcher, page: Answer
) -> None:
    site.pages["/a"] = page

    failure = await failure_of(fetcher, site.url("/a"))

    assert failure.outcome is SourceOutcome.UNREACHABLE
    assert "\n" not in failure.detail
    assert failure.detail.isascii()


@pytest.mark.parametrize(
    "page",
    [
        hang,
        endless(OK, b"X-Slow: 1\r\n", pause_s=0.02),
        endless(OK + b"Content-Length: 100000\r\n\r\n", b"a", pause_s=0.02),
        endless(CHUNKED, b"1\r\na\r\n", pause_s=0.02),
        endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", pause_s=0.01),
    ],
    ids=[
        "silence",
        "dripping headers",
        "dripping body",
        "dripping chunks",
        "1xx flood",
    ],
)
async def test_a_server_that_takes_for_ever_is_given_up_on(
    site: Site, names: FakeNames, page: Answer
) -> None:
    site.pages["/a"] = page
    limits = FetchLimits(total_s=0.4)

    async with rig(site, names, limits=limits) as web:
        failure = await failure_of(web.fetcher, site.url("/a"))

    assert failure.outcome is SourceOutcome.UNREACHABLE


async def test_a_value_that_cannot_be_kept_is_dropped(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = answer("text", content_type="text/\udcff", etag='"\udcfe"')

    page = await fetcher.fetch(site.url("/a"))

    assert (page.content_type, page.etag) == (None, None)


async def test_no_answer_however_mangled_raises(site: Site, fetcher: Fetcher) -> None:
    dice = random.Random(20260301)
    whole = answer(
        gzip.compress(b"text" * 50),
        content_type="text/html; charset=utf-8",
        content_encoding="gzip",
        location="/b",
        etag='"1"',
    )

    for number in range(300):
        mangled = bytearray(whole)
        for _ in range(dice.randint(1, 6)):
            mangled[dice.randrange(len(mangled))] = dice.randrange(256)
        site.pages[f"/{number}"] = bytes(mangled[: dice.randint(1, len(mangled))])
        reply = await fetcher.fetch(site.url(f"/{number}"))
        assert isinstance(reply, Failure | Fetched)
