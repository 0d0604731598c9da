"""The claims of a report stand in the order of the page, however they were done."""

import asyncio

from bot.daemon.check import Checker
from handlers.model import (
    Origin,
    PageId,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Verdict,
)
from handlers.page import parse
from handlers.ports import Tools
from tests.builders import CHECKED_AT
from tests.fakes import FakeVerifier, Unheard

_CITE = "<ref>{{cite web|url=https://a.example/%d|title=A}}</ref>"
_WIKITEXT = (
    "Such harbours account for the majority of the trade before the winter in"
    f" Britain,{_CITE % 1} France,{_CITE % 2} and Portugal.{_CITE % 3}\n"
)


class _LastFirst:
    """Has a text for each source, the later ones earlier."""

    async def read(self, source: Source) -> SourceFetch:
        for _ in range(50 // int((source.url or "1")[-1]) ** 2):
            await asyncio.sleep(0)
        return SourceFetch(
            source,
            SourceOutcome.READ,
            "read",
            origin=Origin.DISK,
            url=source.url,
            document=SourceText("The tower of the harbour was built in 1874."),
        )


async def test_claims_that_begin_at_one_place_keep_the_order_of_the_page() -> None:
    page_id = PageId("en.wikipedia.org", "Tower")
    claims = parse(_WIKITEXT, page_id).claims
    assert len(claims) == 3
    assert len({one.span.start for one in claims}) == 1
    verifier = FakeVerifier({one.text: Verdict.SUPPORTED for one in claims})
    checker = Checker(Tools(_LastFirst(), verifier), Unheard(), now=lambda: CHECKED_AT)

    report = await checker.check(_WIKITEXT, page_id)

    assert [one.claim for one in report.checks] == list(claims)
