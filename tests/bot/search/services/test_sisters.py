"""Sister articles as a search, on wikis that answer as MediaWiki does."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime

import pytest

from bot.search.services.results import ResultFilter
from bot.search.services.wikimedia import SisterSearch
from bot.sources.address_wall import AddressWall
from bot.sources.reliability import load_reliability
from bot.wiki.address import parse_address
from bot.wiki.api import WikiApi
from bot.wiki.history import WikiHistory
from handlers.model import Query, Window
from handlers.ports import TemporaryError
from tests.rig.search.wikis import Article, WikiServer

_MAY = Window(date(2024, 5, 1), date(2024, 5, 31))
_QUERY = Query("attendance", "Ashdown Arena", window=_MAY)
_OLD = "Die '''Ashdown Arena''' ist eine Halle.\n\n== Geschichte ==\nSie wurde 1998 erbaut."
_REF = "<ref>{{Internetquelle|url=https://blatt.example/dach|titel=Neues Dach|datum=2024-05-04}}</ref>"
_NEW = f"{_OLD} Im Mai 2024 wurde das Dach erneuert.{_REF} Sie ist schön.<ref>https://blog.example/x</ref>"


def _saved(day: int, month: int = 5) -> datetime:
    return datetime(2024, month, day, tzinfo=UTC)


@pytest.fixture
async def server() -> AsyncIterator[WikiServer]:
    async with WikiServer() as served:
        sisters = {"de": "Ashdown Arena (Halle)", "fr": "Salle Ashdown", "xx": "Y"}
        served.wikis["en"] = {"Ashdown Arena": Article(sisters=sisters)}
        served.wikis["de"] = {
            "Ashdown Arena (Halle)": Article([(_saved(1, 1), _OLD), (_saved(5), _NEW)])
        }
        served.wikis["fr"] = {"Salle Ashdown": Article([(_saved(1, 1), _OLD)])}
        yield served


def _search(server: WikiServer, *, walled: bool = False) -> SisterSearch:
    port = int(server.address("").split(":")[2].partition("/")[0])
    allowed = frozenset() if walled else frozenset({("127.0.0.1", port)})

    def history_of(address: str) -> WikiHistory:
        return WikiHistory(parse_address(address), user_agent="Sidenote tests")

    return SisterSearch(
        WikiApi(
            parse_address(server.address("en")),
            user_agent="Sidenote tests",
            timeout_s=5,
        ),
        history_of,
        ("fr", "de"),
        ResultFilter(AddressWall(allowed), load_reliability()),
        lambda: _saved(31),
    )


async def test_a_dated_sentence_that_came_with_a_source_leads_to_it(
    server: WikiServer,
) -> None:
    [found] = await _search(server).search(_QUERY, limit=10)

    assert found.address == "https://blatt.example/dach"
    assert found.title == "Neues Dach"
    assert found.excerpt.startswith(
        "Ashdown Arena: Im Mai 2024 wurde das Dach erneuert."
    )
    assert found.published == date(2024, 5, 4)
    assert found.search == "sister articles"


async def test_only_what_came_in_the_window_counts(server: WikiServer) -> None:
    april = Query(
        "x", "Ashdown Arena", window=Window(date(2024, 4, 1), date(2024, 4, 30))
    )
    june = Query("x", "Ashdown Arena", window=Window(date(2024, 6, 1)))

    assert list(await _search(server).search(april, limit=10)) == []
    assert list(await _search(server).search(june, limit=10)) == []


async def test_the_sisters_are_read_once_for_all_queries_of_a_run(
    server: WikiServer,
) -> None:
    search = _search(server)
    await search.search(_QUERY, limit=10)
    before = len(server.requests)

    again = Query("roof", "Ashdown Arena", window=_MAY)
    assert len(await search.search(again, limit=10)) == 1

    assert len(server.requests) == before
    assert {wiki for wiki, _ in server.requests} == {"en", "fr", "de"}


async def test_a_sister_that_fails_costs_no_other(server: WikiServer) -> None:
    server.broken.add("fr")

    found = await _search(server).search(_QUERY, limit=10)

    assert len(found) == 1
    [trouble] = found.troubles
    assert trouble.startswith("the article in “fr”")


async def test_an_article_whose_wiki_is_busy_is_asked_later(server: WikiServer) -> None:
    server.lagging.add("en")

    with pytest.raises(TemporaryError):
        await _search(server).search(_QUERY, limit=10)


async def test_a_link_that_leads_inside_is_not_followed(server: WikiServer) -> None:
    assert list(await _search(server, walled=True).search(_QUERY, limit=10)) == []
    assert {wiki for wiki, _ in server.requests} == {"en"}


async def test_an_article_without_sisters_finds_nothing(server: WikiServer) -> None:
    for title in ("Nothing", "a|b"):
        query = Query("x", title, window=_MAY)
        assert list(await _search(server).search(query, limit=10)) == []
