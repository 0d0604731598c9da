"""One page from wikitext to rows, with the tools that are at hand.

The same steps as a check of one page (`bot.daemon.check`), less what a sweep has no use for:
nothing is searched for, no language model is asked, and nothing is fetched.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

from bot.daemon.check import parse_page
from bot.research.sweep.counts import Counts, Skipped
from bot.research.sweep.rows import Rows, placed, rows_of
from handlers.citations import check_citations
from handlers.citations.better.reliability import ReliabilityLists
from handlers.citations.flagging import OperatingPoints, flagged
from handlers.model import (
    ClaimCheck,
    Page,
    PageId,
    Source,
    SourceOutcome,
    SourceReading,
)
from handlers.ports import SourceReader, Tools, Verifier

_NOT_AT_HAND = "no folder of sources and no cache was given"


@dataclass(frozen=True, slots=True)
class Desk:
    """What a page is read with; without `sources` claims are only put into an order."""

    verifier: Verifier
    points: OperatingPoints
    lists: ReliabilityLists
    sources: SourceReader | None = None
    redirects: bool = False


async def read_page(wikitext: str, page_id: PageId, desk: Desk) -> Rows:
    """Return what the tables keep of a page.

    Raises:
        PermanentError: the page is larger than any wiki saves.
    """
    page = parse_page(wikitext, page_id)
    if page.redirect_to and not desk.redirects:
        counts = Counts()
        counts.skip(Skipped.REDIRECT)
        return Rows(placed(page_id), counts=counts)
    checks = [check async for check in _checks(page, desk)]
    order = {id(claim): place for place, claim in enumerate(page.claims)}
    checks.sort(key=lambda check: order[id(check.claim)])
    return rows_of(page, checks, desk.lists)


async def _checks(page: Page, desk: Desk) -> AsyncIterator[ClaimCheck]:
    if desk.sources is None:
        for claim in page.claims:
            readings = tuple(
                SourceReading(source, SourceOutcome.NOT_IN_FOLDER, _NOT_AT_HAND)
                for source in claim.sources
            )
            yield ClaimCheck(claim, readings, verdict=None, verification=None)
        return
    tools = Tools(desk.sources, desk.verifier)
    async with aclosing(check_citations(page, tools)) as checks:
        async for check in checks:
            yield flagged(check, desk.points, page.id.wiki)


@dataclass(frozen=True, slots=True)
class FirstOf:
    """A `SourceReader` of several: the first that has the text of a source gives it."""

    readers: tuple[SourceReader, ...]

    async def read(self, source: Source) -> SourceReading:
        """Return the first text there is, else what the first reader says."""
        readings = []
        for reader in self.readers:
            reading = await reader.read(source)
            if reading.outcome is SourceOutcome.READ:
                return reading
            readings.append(reading)
        return readings[0]
