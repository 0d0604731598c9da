"""Wikidata as a search, from a server that speaks as Wikibase does."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest

from bot.search.services.results import ResultFilter
from bot.search.services.wikimedia import WikidataSearch
from bot.sources.reliability import load_reliability
from bot.wiki.address import parse_address
from bot.wiki.api import WikiApi
from handlers.model import Found, Query, Window
from handlers.ports import PermanentError, TemporaryError
from tests.rig.search.items import Statement, entity, named
from tests.rig.search.wikis import Article, WikiServer

_TOWN = "Ashdown (town)"
_MAY = Window(date(2024, 5, 1), date(2024, 5, 31))
_COUNT = Statement(
    "P1082",
    23105,
    point_in_time=date(2024, 5, 1),
    address="https://stats.example/2024",
    title="Census of towns",
    published=date(2024, 5, 20),
)


@pytest.fixture
async def server() -> AsyncIterator[WikiServer]:
    async with WikiServer() as served:
        served.wikis["en"] = {_TOWN: Article(item="Q100"), "Nowhere": Article()}
        served.entities |= {
            "P1082": named("population"),
            "P585": named("point in time"),
            "P6": named("head of government"),
            "Q7": named("Ada Weir"),
        }
        yield served


async def _found(
    server: WikiServer,
    statements: list[Statement],
    window: Window | None = _MAY,
    *,
    title: str = _TOWN,
    claim: str = "population",
) -> list[Found]:
    server.entities["Q100"] = entity(statements)
    query = Query(claim, title, window=window)
    return list(await _search(server).search(query, limit=10))


def _search(server: WikiServer) -> WikidataSearch:
    def api(wiki: str) -> WikiApi:
        address = parse_address(server.address(wiki))
        return WikiApi(address, user_agent="Sidenote tests", timeout_s=5)

    return WikidataSearch(
        api("en"), api("wikidata"), ResultFilter(lists=load_reliability())
    )


async def test_a_statement_of_the_window_leads_to_the_page_that_backs_it(
    server: WikiServer,
) -> None:
    [found] = await _found(server, [_COUNT])

    assert found.address == "https://stats.example/2024"
    assert found.title == "Census of towns"
    assert found.excerpt == "Ashdown: population: 23,105; point in time: 1 May 2024"
    assert found.published == date(2024, 5, 20)
    assert found.search == "Wikidata"
    assert all("maxlag" in query for _, query in server.requests)


@pytest.mark.parametrize(
    ("changes", "window"),
    [
        pytest.param({"point_in_time": date(2023, 5, 1)}, _MAY, id="older"),
        pytest.param({"point_in_time": date(2024, 6, 1)}, _MAY, id="newer"),
        pytest.param({"rank": "deprecated"}, _MAY, id="known to be wrong"),
        pytest.param({"address": ""}, Window(), id="no page"),
        pytest.param(
            {"address": "https://en.wikipedia.org/wiki/Ashdown"}, _MAY, id="wiki"
        ),
        pytest.param({"address": "javascript:alert(1)"}, _MAY, id="no address"),
        pytest.param({"address": "http://127.0.0.1/stats"}, _MAY, id="inside"),
        pytest.param({"point_in_time": None, "published": None}, _MAY, id="of no day"),
    ],
)
async def test_other_statements_lead_nowhere(
    server: WikiServer, changes: dict[str, Any], window: Window
) -> None:
    fields = {name: getattr(_COUNT, name) for name in _COUNT.__slots__}

    assert await _found(server, [Statement(**{**fields, **changes})], window) == []


async def test_without_a_day_of_its_own_the_day_of_its_source_counts(
    server: WikiServer,
) -> None:
    seen = Statement(
        "P6", "Q7", address="https://news.example/mayor", retrieved=date(2024, 5, 9)
    )

    [found] = await _found(server, [seen], claim="mayor")

    assert found.excerpt == "Ashdown: head of government: Ada Weir"
    assert found.published is None


async def test_statements_that_fit_the_query_come_first_and_the_item_is_read_once(
    server: WikiServer,
) -> None:
    mayor = Statement(
        "P6", "Q7", point_in_time=date(2024, 5, 2), address="https://news.example/mayor"
    )
    server.entities["Q100"] = entity([mayor, _COUNT])
    search = _search(server)

    first = await search.search(Query("population", _TOWN, window=_MAY), limit=10)
    before = len(server.requests)
    second = await search.search(Query("Ada Weir", _TOWN, window=_MAY), limit=1)

    assert first[0].address == _COUNT.address
    assert [one.address for one in second] == [mayor.address]
    assert len(server.requests) == before


@pytest.mark.parametrize("title", ["Nowhere", "No such article", "a|b"])
async def test_an_article_without_an_item_has_none(
    server: WikiServer, title: str
) -> None:
    assert await _found(server, [_COUNT], title=title) == []


async def test_a_statement_of_another_form_costs_no_other(server: WikiServer) -> None:
    strange = Statement("P1082", 1, address="https://x.example", more={"mainsnak": 7})

    assert len(await _found(server, [strange, _COUNT])) == 1


async def test_a_wiki_that_is_busy_is_asked_later(server: WikiServer) -> None:
    server.lagging.add("wikidata")

    with pytest.raises(TemporaryError, match="lagged"):
        await _found(server, [_COUNT])


async def test_a_wiki_out_of_order_is_reported(server: WikiServer) -> None:
    server.broken.add("en")

    with pytest.raises((TemporaryError, PermanentError)):
        await _found(server, [_COUNT])
