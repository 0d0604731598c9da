"""One page, parsed and checked, as rows of the tables and figures. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bot.report.links import claim_href
from bot.research.sweep.counts import Counts, bin_of, count
from handlers.citations.addresses import host_of, unarchived
from handlers.citations.better.reliability import ReliabilityLists
from handlers.citations.priors import seen
from handlers.citations.ranking import Ranked, Unranked, ranked, unranked
from handlers.model import (
    Claim,
    ClaimCheck,
    Page,
    PageId,
    SourceOutcome,
    SourceReading,
)

_LONGEST = 2_000  # characters of any text
_LONGEST_HEADING = 200
_MOST_HEADINGS = 8
_NO_SOURCE = "no source is named"

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rows:
    """What the tables keep of a page, and what it adds to the figures."""

    page: Row
    claims: tuple[Row, ...] = ()
    counts: Counts = field(default_factory=Counts)


def rows_of(page: Page, checks: Sequence[ClaimCheck], lists: ReliabilityLists) -> Rows:
    """Return the rows of a page whose cited claims were checked, in page order."""
    place = placed(page.id)
    counts = Counts(characters=len(page.wikitext))
    cited = [check for check in checks if check.claim.citations]
    counts.claims, counts.uncited = len(cited), len(page.claims) - len(cited)
    counts.citations = sum(len(check.claim.citations) for check in cited)
    _count_sources(counts, checks)
    rows = tuple(
        {**place, "number": number, **_row(check, page.id, lists, counts)}
        for number, check in enumerate(cited)
    )
    return Rows(_page_row(place, counts), rows, counts)


def placed(page: PageId) -> Row:
    """Return the columns that say which page it is."""
    revised = page.revised_at
    return {
        "wiki": page.wiki,
        "title": _cleaned(page.title) or "",
        "page_id": page.page_id,
        "revision_id": page.revision_id,
        "revised_at": int(revised.timestamp()) if revised else None,
    }


def failed_row(page: PageId, reason: str, detail: str, characters: int | None) -> Row:
    """Return the row of a page that could not be looked at."""
    none = dict.fromkeys(
        ("claims", "citations", "scored", "flagged", "sources", "sources_missing"), 0
    )
    return {
        **placed(page),
        **none,
        "standing": "failed",
        "reason": reason,
        "detail": _cleaned(detail),
        "characters": characters,
    }


def _page_row(place: Row, counts: Counts) -> Row:
    return {
        **place,
        "standing": "swept",
        "reason": None,
        "detail": None,
        "characters": counts.characters,
        "claims": counts.claims,
        "citations": counts.citations,
        "scored": counts.scored,
        "flagged": counts.flagged,
        "sources": counts.sources,
        "sources_missing": counts.sources_missing,
    }


def _count_sources(counts: Counts, checks: Sequence[ClaimCheck]) -> None:
    keys = {source.key for check in checks for source in check.claim.sources}
    readings = (reading for check in checks for reading in check.readings)
    read = {reading.source.key for reading in readings if _is_read(reading)}
    counts.sources = len(keys)
    counts.sources_missing = len(keys - read)


def _is_read(reading: SourceReading) -> bool:
    return reading.outcome is SourceOutcome.READ


def _row(
    check: ClaimCheck, page: PageId, lists: ReliabilityLists, counts: Counts
) -> Row:
    claim = check.claim
    link = claim_href(claim, page)
    sight = seen(claim, page.wiki, lists)
    count(counts.signs, sight.sign.value)
    found = ranked(check, page, link)
    judged = _judged(found, check, counts) if found else None
    row = judged or _unjudged(unranked(check, page, link), counts)
    address = row["address"]
    return {
        **_words(claim),
        "url_depth": sight.url_depth,
        "sign": sight.sign.value,
        "sight_order": sight.order,
        "host": _cleaned(host_of(unarchived(address)) or None) if address else None,
        "link": _cleaned(link),
        **row,
    }


def _words(claim: Claim) -> Row:
    sentence = claim.sentence if claim.sentence != claim.text else None
    return {
        "start": claim.span.start,
        "kind": claim.kind.value,
        "section": [
            (_cleaned(part) or "")[:_LONGEST_HEADING]
            for part in claim.section[:_MOST_HEADINGS]
        ],
        "claim": _cleaned(claim.text) or "",
        "sentence": _cleaned(sentence or None),
        "citations": len(claim.citations),
        "tags": sorted({tag.kind.value for tag in claim.tags}),
    }


def _judged(found: Ranked, check: ClaimCheck, counts: Counts) -> Row:
    counts.scored += 1
    counts.flagged += found.flag is not None
    counts.bins[bin_of(found.fails)] += 1
    count(counts.verdicts, found.verdict.value)
    verification = check.verification
    return {
        "address": _cleaned(found.address),
        "verdict": found.verdict.value,
        "fails": found.fails,
        "contradicted": verification.probabilities.contradicted
        if verification
        else None,
        "flag": found.flag.kind.value if found.flag else None,
        "quote": _cleaned(found.quote),
        "outcome": None,
        "detail": None,
        "engine": f"{found.engine.name} {found.engine.version}",
    }


def _unjudged(apart: Unranked | None, counts: Counts) -> Row:
    outcome = apart.outcome.value if apart and apart.outcome else _NO_SOURCE
    count(counts.outcomes, outcome)
    nothing = dict.fromkeys(
        ("verdict", "fails", "contradicted", "flag", "quote", "engine")
    )
    return {
        **nothing,
        "address": _cleaned(apart.address) if apart else None,
        "outcome": outcome,
        "detail": _cleaned(apart.detail) if apart else None,
    }


def _cleaned(text: str | None) -> str | None:
    """Return a text that any file takes: bounded, and without halves of characters."""
    if text is None:
        return None
    return text[:_LONGEST].encode("utf-8", "replace").decode("utf-8")
