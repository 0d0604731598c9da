"""Lists of PetScan and PagePile, in the forms in which they answer."""

from typing import Any

import pytest
from aiohttp import web

from bot.search.services.page_lists import NoSuchListError, PageLists
from handlers.ports import PermanentError, TemporaryError
from tests.bot.search.services.test_requests import AGENT, answering

_WIKI = "en.wikipedia.org"
_SCAN = {
    "namespaces": {"0": "", "1": "Talk"},
    "wiki": "enwiki",
    "status": "OK",
    "pagecount": 2,
    "pages": [
        {"page_id": 1, "page_namespace": 0, "page_title": "Mount_Etna"},
        {"page_id": 2, "page_namespace": 1, "page_title": "Oslo"},
    ],
}
_PILE = {"id": 7, "wiki": "enwiki", "pages": ["Mount_Etna", "Talk:Oslo"]}


async def _answer(body: Any, name: str, status: int = 200) -> tuple[Any, web.Request]:
    requests: list[web.Request] = []

    async def answer(request: web.Request) -> web.Response:
        requests.append(request)
        return web.json_response(body, status=status)

    async with answering(answer) as address:
        lists = PageLists(address, address, AGENT)
        found = await getattr(lists, name)(_WIKI, "7")
    return found, requests[0]


@pytest.mark.parametrize(
    ("name", "body", "number"),
    [
        ("petscan", _SCAN, "psid"),
        ("petscan", _SCAN | {"pages": ["Mount_Etna", "Talk:Oslo"]}, "psid"),
        ("pagepile", _PILE, "id"),
    ],
)
async def test_a_list_is_asked_for_by_its_number(
    name: str, body: dict[str, Any], number: str
) -> None:
    found, request = await _answer(body, name)

    assert found == ("Mount Etna", "Talk:Oslo")
    assert request.query[number] == "7"
    assert request.query["format"] == "json"


@pytest.mark.parametrize("name", ["petscan", "pagepile"])
@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (_PILE | {"wiki": "dewiki"}, 200, NoSuchListError),
        ({"error": "no such list"}, 200, NoSuchListError),
        ([], 200, NoSuchListError),
        ({}, 404, PermanentError),
        ({}, 503, TemporaryError),
    ],
)
async def test_what_is_no_list_of_the_wiki_is_refused(
    name: str, body: Any, status: int, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await _answer(body, name, status)


async def test_a_service_without_an_address_is_not_asked() -> None:
    with pytest.raises(PermanentError, match="operator"):
        await PageLists("", "", AGENT).petscan(_WIKI, "7")
