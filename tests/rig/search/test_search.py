"""The stand-ins of search services are strict about what a request must have."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession

from tests.bot.search.services.tools import KEY, PAGES, TODAY
from tests.rig.search.serving import SearchServer
from tests.rig.search.shelf import Shelved

BRAVE = {"X-Subscription-Token": KEY}
GDELT = {"mode": "artlist", "format": "json"}


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession(headers={"User-Agent": "Sidenote/test"}) as client:
        yield client


@pytest.mark.parametrize(
    ("service", "parameters", "headers", "status", "message"),
    [
        ("gdelt", {"query": "clock"}, {}, 200, "Invalid mode."),
        ("gdelt", GDELT, {}, 200, "too short or too long"),
        ("gdelt", {**GDELT, "query": '"a b"'}, {}, 200, "phrase is too short"),
        ("gdelt", {**GDELT, "query": "clock OR tower"}, {}, 200, "surrounded by ()"),
        (
            "gdelt",
            {**GDELT, "query": "clock", "maxrecords": "251"},
            {},
            200,
            "maxrecords",
        ),
        (
            "gdelt",
            {
                **GDELT,
                "query": "clock",
                "startdatetime": "20250101000000",
                "enddatetime": "20260101000000",
            },
            {},
            200,
            "Timespan is too long",
        ),
        ("gdelt", {**GDELT, "query": "zebra"}, {}, 200, "{}"),
        ("searxng", {"q": "clock"}, {}, 200, "<!DOCTYPE html>"),
        ("searxng", {"format": "json"}, {}, 400, "No query"),
        ("brave", {"q": "clock"}, {}, 422, "SUBSCRIPTION_TOKEN_INVALID"),
        ("brave", {"q": "clock", "count": "21"}, BRAVE, 422, "VALIDATION"),
        ("brave", {"q": "clock " * 51}, BRAVE, 422, "VALIDATION"),
        ("google", {"q": "clock", "key": KEY}, {}, 400, "invalid argument"),
        ("google", {"q": "clock", "key": "x"}, {}, 400, "API key not valid"),
        (
            "crossref",
            {"query.bibliographic": "a", "filter": "from:2026", "rows": "1"},
            {},
            400,
            "unknown filter",
        ),
        ("openalex", {"search": "a", "api_key": "x"}, {}, 403, "Invalid API key"),
        ("openalex", {}, {}, 400, "Invalid query"),
        ("serper", {"q": "clock"}, {}, 404, "Not Found"),
        ("brave", {"q": "clock"}, {"User-Agent": "curl"}, 403, "user-agent"),
        ("bing", {"q": "clock"}, {}, 404, "Not Found"),
    ],
)
async def test_what_a_service_does_not_take_it_refuses_in_its_own_words(  # noqa: PLR0917 - a table
    session: ClientSession,
    service: str,
    parameters: dict[str, str],
    headers: dict[str, str],
    status: int,
    message: str,
) -> None:
    async with SearchServer(PAGES, key=KEY, today=TODAY) as server:
        response_of = session.get(
            server.address(service), params=parameters, headers=headers
        )
        async with response_of as answer:
            assert answer.status == status
            assert message in await answer.text()


async def test_gdelt_finds_pages_that_hold_all_that_is_asked(
    session: ClientSession,
) -> None:
    pages = [
        Shelved(f"https://example.org/{at}", title, "", TODAY)
        for at, title in enumerate(["Big clock reopens", "Clock closes", "Big clock"])
    ]
    query = {**GDELT, "query": '"big clock" (reopens OR closes)'}

    async with (
        SearchServer(pages, today=TODAY) as server,
        session.get(server.address("gdelt"), params=query) as answer,
    ):
        found = (await answer.json())["articles"]

    assert [one["url"] for one in found] == ["https://example.org/0"]
