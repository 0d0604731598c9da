"""Feeds as a search, from a server that speaks as sites do."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bot.search.services.client import SearchClient
from bot.search.services.feeds import FeedCache, FeedSearch, read_feed
from bot.search.services.results import ResultFilter
from handlers.model import Query, Window
from handlers.ports import PermanentError, TemporaryError
from tests.rig.search.feeds import Entry, FeedPage, FeedServer, atom, rss

_NOW = datetime(2024, 5, 3, 12, tzinfo=UTC)
_WEEK = Window(date(2024, 4, 27), date(2024, 5, 3))
_QUERY = Query("The roof was replaced", "Ashdown Arena (venue)", window=_WEEK)
_ROOF = Entry(
    "https://news.example/roof?utm_source=rss",
    "New roof for arena",
    "<p>The roof of <b>Ashdown Arena</b> was replaced &amp; paid for.</p>",
    datetime(2024, 5, 1, 23, 30, tzinfo=UTC),
)
_SHOW = Entry(
    "https://news.example/show",
    "Ashdown Arena: tonight",
    "A show.",
    datetime(2024, 5, 2, tzinfo=UTC),
)
_OLD = Entry(
    "https://news.example/old",
    "Ashdown Arena roof replaced",
    "Long ago.",
    datetime(2023, 5, 2, tzinfo=UTC),
)
_OTHER = Entry("https://news.example/other", "A roof", "Elsewhere.", _NOW)


@dataclass
class Clock:
    now: datetime = _NOW

    def __call__(self) -> datetime:
        return self.now


@dataclass
class World:
    server: FeedServer
    folder: Path
    client: SearchClient
    clock: Clock = field(default_factory=Clock)

    def search(self, *paths: str) -> FeedSearch:
        cache = FeedCache(self.folder, self.client, self.clock)
        return FeedSearch(
            [self.server.address(path) for path in paths], cache, ResultFilter()
        )


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with (
        FeedServer() as server,
        SearchClient("Sidenote tests", timeout_s=5) as client,
    ):
        yield World(server, tmp_path / "feeds", client)


def _page(text: str, **changes: str) -> FeedPage:
    return FeedPage(text.encode(), **changes)  # type: ignore[arg-type]  # only text fields


@pytest.mark.parametrize("form", [rss, atom])
async def test_entries_that_name_the_subject_come_best_first_with_their_day(
    world: World, form: type
) -> None:
    world.server.pages["/feed"] = _page(form([_OTHER, _SHOW, _OLD, _ROOF]))

    found = await world.search("/feed").search(_QUERY, limit=10)

    assert [one.address for one in found] == [
        "https://news.example/roof",
        "https://news.example/show",
    ]
    assert found[0].published == date(2024, 5, 1)
    assert found[0].excerpt == "The roof of Ashdown Arena was replaced & paid for."
    assert found[0].title == "New roof for arena"
    assert (found[0].language or "").startswith("en")
    assert found[0].search == "feeds"


async def test_a_feed_is_asked_for_again_after_a_while_and_only_for_news(
    world: World,
) -> None:
    page = _page(rss([_ROOF]), etag='"v1"', changed="Wed, 01 May 2024 23:30:00 GMT")
    world.server.pages["/feed"] = page

    for _ in range(2):  # each as after a restart
        assert len(await world.search("/feed").search(_QUERY, limit=10)) == 1
    world.clock.now += timedelta(hours=1)
    assert len(await world.search("/feed").search(_QUERY, limit=10)) == 1

    first, second = world.server.requests
    assert "if-none-match" not in first[1]
    assert second[1]["if-none-match"] == '"v1"'
    assert second[1]["if-modified-since"] == page.changed
    assert first[1]["user-agent"] == "Sidenote tests"


async def test_news_of_a_feed_take_the_place_of_what_was_kept(world: World) -> None:
    world.server.pages["/feed"] = _page(rss([_ROOF]), etag='"v1"')
    search = world.search("/feed")
    await search.search(_QUERY, limit=10)
    world.server.pages["/feed"] = _page(rss([_SHOW]), etag='"v2"')
    world.clock.now += timedelta(hours=1)

    [found] = await search.search(_QUERY, limit=10)

    assert found.address == _SHOW.address


async def test_one_feed_that_fails_costs_no_other(world: World) -> None:
    world.server.pages["/feed"] = _page(rss([_ROOF]))

    found = await world.search("/gone", "/feed").search(_QUERY, limit=10)

    assert len(found) == 1
    assert len(found.troubles) == 1
    assert "/gone" in found.troubles[0]


@pytest.mark.parametrize(
    ("page", "failure"),
    [
        pytest.param(FeedPage(b"busy", status=503), TemporaryError, id="busy"),
        pytest.param(FeedPage(b"no", status=403), PermanentError, id="refused"),
        pytest.param(
            FeedPage(b"", status=301, headers={"Location": "https://new.example/f"}),
            PermanentError,
            id="moved",
        ),
        pytest.param(
            _page("<html><body>Sign in</body></html>"), PermanentError, id="a web page"
        ),
        pytest.param(_page("not XML at all"), PermanentError, id="no XML"),
        pytest.param(_page(""), PermanentError, id="nothing"),
    ],
)
async def test_where_all_feeds_fail_the_search_does(
    world: World, page: FeedPage, failure: type[Exception]
) -> None:
    world.server.pages["/secret"] = page
    world.server.pages["/secret?token=hush"] = page

    with pytest.raises(failure) as raised:
        await world.search("/secret?token=hush").search(_QUERY, limit=10)

    assert "hush" not in str(raised.value)


async def test_a_key_in_the_address_of_a_feed_is_neither_shown_nor_kept(
    world: World,
) -> None:
    world.server.pages["/feed"] = _page(rss([_ROOF]))
    world.server.pages["/shut"] = FeedPage(b"/shut?token=hush", status=403)

    assert await world.search("/feed?token=hush").search(_QUERY, limit=10)
    with pytest.raises(PermanentError) as raised:
        await world.search("/shut?token=hush").search(_QUERY, limit=10)

    assert "hush" not in str(raised.value)
    assert all("hush" not in file.read_text() for file in world.folder.glob("*.json"))


async def test_a_broken_file_of_ours_is_as_good_as_none(world: World) -> None:
    world.server.pages["/feed"] = _page(rss([_ROOF]))
    await world.search("/feed").search(_QUERY, limit=10)
    [file] = world.folder.glob("*.json")
    file.write_text('{"address": 1')

    assert len(await world.search("/feed").search(_QUERY, limit=10)) == 1
    assert len(world.server.requests) == 2


def test_rss_1_with_dates_of_dublin_core_is_read() -> None:
    body = """<?xml version="1.0" encoding="ISO-8859-1"?>
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="http://a.example/"><title>A</title></channel>
      <item rdf:about="http://a.example/1"><title>Caf\xe9</title>
      <link>http://a.example/1</link><dc:date>2024-05-01T01:00:00+02:00</dc:date>
      <dc:language>FR</dc:language></item></rdf:RDF>""".encode("latin-1")

    entries = read_feed(body)

    assert entries is not None
    [entry] = entries
    assert (entry.title, entry.day, entry.language) == ("Café", date(2024, 4, 30), "fr")


def test_entities_are_not_expanded_and_files_not_read() -> None:
    body = b"""<?xml version="1.0"?><!DOCTYPE rss [
      <!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM
      "file:///etc/passwd">]><rss><channel><item><title>x &b; &f; y</title>
      <link>http://a.example/1</link></item></channel></rss>"""

    [entry] = read_feed(body) or ()

    assert "aaaa" not in entry.title
    assert "root:" not in entry.title


def test_a_feed_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    whole = rss([_ROOF, _SHOW])
    entries = read_feed(whole[: whole.index("<guid", whole.index("tonight"))].encode())

    assert [entry.address for entry in entries or ()] == [_ROOF.address, _SHOW.address]


def test_only_addresses_of_the_web_are_taken() -> None:
    body = rss([Entry("javascript:alert(1)", "x", "", _NOW), _SHOW])

    assert [entry.address for entry in read_feed(body.encode()) or ()] == [
        _SHOW.address
    ]


@pytest.mark.parametrize(
    "day", ["3 days ago", "0001-01-01T00:00:00", "9999-12-31T23:59:59+00:00"]
)
def test_a_day_that_says_nothing_leaves_an_entry_undated(day: str) -> None:
    item = f"<item><link>https://news.example/a</link><pubDate>{day}</pubDate></item>"

    entries = read_feed(f"<rss><channel>{item}</channel></rss>".encode())

    assert entries is not None
    assert [one.day for one in entries] == [None]
