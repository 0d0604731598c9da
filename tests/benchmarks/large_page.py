"""An article with 600 references, checked, with 60 notes to it.

Made up and always the same. Each tenth sentence is not supported by its source.
"""

from dataclasses import replace
from datetime import datetime

from bot.report import PageReport
from bot.store import Store
from bot.wiki.pages import WikiPage
from handlers.citations.suggestions import suggestions_of
from handlers.model import Claim, ClaimCheck, PageId, Span, Verdict
from handlers.page import parse
from handlers.ports import PermanentError
from tests import builders

WIKI = "en.wikipedia.org"
TITLE = "Harbours of the north coast"
REVISION = 1_234_567
REFERENCES = 600
NOTES = 60
_EACH = REFERENCES // NOTES
_IN_SECTION = 20
_TRADES = ("herring", "timber", "salt", "tar", "coal", "grain", "wool")


def wikitext() -> str:
    """Return the article."""
    parts = []
    for number in range(REFERENCES):
        if number % _IN_SECTION == 0:
            parts.append(f"\n\n== Coast {number // _IN_SECTION + 1} ==\n")
        elif number % 5 == 0:
            parts.append("\n\n")
        trade = _TRADES[number % len(_TRADES)]
        parts.append(
            f"The harbour of '''Eastmere {number}''' was built in {1500 + number % 400}"
            f" for the [[{trade} trade|trade in {trade}]], and {number * 7 + 12} ships"
            f" lay there in {1900 + number % 99}.<ref>{{{{cite web |url=https://a{number % 40}"
            f".example/harbour/{number} |title=Harbour {number} of the coast |work=Coast"
            f" Review |date={1 + number % 28} May 20{10 + number % 14}"
            f" |access-date=1 June 2025}}}}</ref> "
        )
    return "".join(parts) + "\n\n== References ==\n{{reflist}}\n"


def page_id() -> PageId:
    """Return what names it."""
    return PageId(WIKI, TITLE, 77, REVISION, builders.CHECKED_AT)


class OnePage:
    """A wiki that has this article only."""

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        """Return it."""
        if title != TITLE or revision_id not in {None, REVISION}:
            raise PermanentError("there is no such page")
        return WikiPage(page_id(), wikitext())


def fill(store: Store, at: datetime = builders.CHECKED_AT) -> None:
    """Save a look at the article."""
    page = parse(wikitext(), page_id())
    assert len(page.claims) == REFERENCES
    checks = tuple(_check(claim, number) for number, claim in enumerate(page.claims))
    found = suggestions_of(page, checks)
    assert len(found) == NOTES
    store.save_check(PageReport(page, checks, builders.ENGINE, at, 60.0), found)


def _check(claim: Claim, number: int) -> ClaimCheck:
    source = claim.sources[0]
    fetch = builders.fetch(source)
    if number % _EACH:
        found = builders.verification(Verdict.SUPPORTED, builders.evidence(of=source))
        return ClaimCheck(claim, (fetch,), Verdict.SUPPORTED, found)
    verdict = (
        Verdict.NOT_SUPPORTED,
        Verdict.CONTRADICTED,
        Verdict.PARTIALLY_SUPPORTED,
    )[number // _EACH % 3]
    found = builders.verification(verdict, builders.evidence(of=source))
    found = replace(found, unsupported=(Span(len(claim.text) - 20, len(claim.text)),))
    return ClaimCheck(claim, (fetch,), verdict, found, flag=builders.flag())
