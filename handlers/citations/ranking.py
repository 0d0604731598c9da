"""Puts the claims of many pages into one order: those most likely to fail first.

Only claims with a verdict are ranked; those whose sources were not read are listed
separately, since nothing speaks against them. Little is kept of each claim, so that
thousands of pages fit into memory. Pure.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from handlers.citations.flags import fails
from handlers.model import (
    CheckKind,
    Claim,
    ClaimCheck,
    Engine,
    Flag,
    PageId,
    SourceFetch,
    SourceOutcome,
    Verdict,
)
from handlers.sources.addresses import depth_of

_MOST_QUOTED = 600  # characters


@dataclass(frozen=True, slots=True)
class Place:
    """A claim and where it is."""

    page: PageId
    claim: str
    sentence: str
    section: tuple[str, ...]
    start: int  # of the claim in the wikitext
    link: str | None  # to the claim in the article


@dataclass(frozen=True, slots=True)
class Ranked:
    """A claim with a verdict.

    `fails` is the calibrated probability that its sources do not fully support it;
    `url_depth` is SIDE's baseline for the same: the lower, the likelier.
    """

    place: Place
    fails: float
    verdict: Verdict
    flag: Flag | None
    address: str | None  # of the source that the quote is from, else of the first
    quote: str | None
    url_depth: int | None
    engine: Engine


@dataclass(frozen=True, slots=True)
class Unranked:
    """A cited claim without a verdict, and what became of its first unread source.

    `outcome` is `None` where every source was read, or the citation names none.
    """

    place: Place
    outcome: SourceOutcome | None
    detail: str
    address: str | None
    url_depth: int | None


def ranked(check: ClaimCheck, page: PageId, link: str | None) -> Ranked | None:
    """Return the claim of `check` for a ranking; `None` without a verdict."""
    found = check.verification
    if check.verdict is None or found is None:
        return None
    best = found.evidence[0] if found.evidence else None
    return Ranked(
        place=_place(check.claim, page, link),
        fails=fails(found.probabilities, CheckKind.NOT_FULLY_SUPPORTED),
        verdict=check.verdict,
        flag=check.flag,
        address=_address(
            check, check.copies.get(best.passage.source_key) if best else None
        ),
        quote=best.quote[:_MOST_QUOTED] if best else None,
        url_depth=depth_of(check.claim),
        engine=found.engine,
    )


def unranked(check: ClaimCheck, page: PageId, link: str | None) -> Unranked | None:
    """Return an unranked claim; `None` if it has a verdict or no citation."""
    if check.verdict is not None or not check.claim.citations:
        return None
    unread = [one for one in check.fetches if one.outcome is not SourceOutcome.READ]
    problems = (one.problem for one in check.claim.citations if one.problem)
    return Unranked(
        place=_place(check.claim, page, link),
        outcome=unread[0].outcome if unread else None,
        detail=unread[0].detail if unread else next(problems, "no source is named"),
        address=_address(check, unread[0] if unread else None),
        url_depth=depth_of(check.claim),
    )


def in_order(rows: Iterable[Ranked]) -> list[Ranked]:
    """Return the rows by how likely they are to fail; ties by page and place."""
    return sorted(rows, key=_order)


def _order(row: Ranked) -> tuple[float, str, str, int]:
    page = row.place.page
    return -row.fails, page.wiki, page.title, row.place.start


def _place(claim: Claim, page: PageId, link: str | None) -> Place:
    sentence = claim.sentence if claim.sentence else claim.text
    return Place(page, claim.text, sentence, claim.section, claim.span.start, link)


def _address(check: ClaimCheck, fetch: SourceFetch | None) -> str | None:
    sources = (*((fetch.source,) if fetch else ()), *check.claim.sources)
    named = [one.url or one.archive_url for one in sources]
    return next((address for address in named if address), None)
