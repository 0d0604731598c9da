"""Pages whose edits wait for review, in the form in which FlaggedRevs lists them."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from aiohttp import web

from bot.wiki.lists import WikiLists
from bot.wiki.pages import PendingPage
from tests.bot.wiki.answering_wiki import AGENT
from tests.bot.wiki.listing_wiki import listing
from tests.rig.wiki.mediawiki import Wiki

_ENTRY = {
    "pageid": 7,
    "ns": 0,
    "title": "Clock",
    "revid": 14,
    "stable_revid": 11,
    "pending_since": "2026-11-20T12:00:00Z",
    "flagged_level": 0,
    "flagged_level_text": "stable",
    "diff_size": 3,
    "under_review": False,
}


async def test_a_page_that_waits_comes_with_the_revision_that_was_reviewed() -> None:
    def says(query: Mapping[str, str]) -> web.Response:
        assert query["list"] == "oldreviewedpages"
        assert (query["orlimit"], query["ornamespace"]) == ("50", "0")
        return web.json_response({"query": {"oldreviewedpages": [_ENTRY]}})

    async with listing(says=says) as wiki:
        found = await WikiLists(wiki.host, user_agent=AGENT).pending(50)

    since = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert found == (PendingPage("Clock", 11, 14, since),)


async def test_nothing_waits() -> None:
    answer = {"batchcomplete": True, "query": {"oldreviewedpages": []}}

    async with listing(says=lambda _: web.json_response(answer)) as wiki:
        assert await WikiLists(wiki.host, user_agent=AGENT).pending(50) == ()


@pytest.mark.mediawiki
async def test_a_wiki_without_reviews_says_so(wiki: Wiki) -> None:
    lists = WikiLists(wiki.host, user_agent=AGENT, timeout_s=60)

    assert await lists.pending(50) is None
