"""What was found for a claim that fails: an older copy, a better source, another side.

The words around the quotes are fixed sentences written by people. Pure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from bot.report.evidence import EvidenceView, evidence_view
from bot.report.links import shortcut_href
from bot.report.page_report import Standing, standing_of
from bot.report.wording import percent
from handlers.citations.quoting.links import safe_href
from handlers.model import (
    ClaimCheck,
    Contrary,
    Drift,
    PageId,
    Recommendation,
    Reliability,
)


class FindingKind(Enum):
    """What was found."""

    DRIFT = "drift"
    BETTER = "better source"
    CONTRARY = "contrary source"


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding as a reader meets it, in this order."""

    kind: FindingKind
    heading: str
    sentence: str
    evidence: EvidenceView
    reliability: str  # how the wiki regards the source, "" where that is not asked
    shortcut: str | None  # of the discussion
    shortcut_href: str | None
    template: str | None  # wikitext to copy
    template_label: str
    address: str | None  # to copy, where there is no template


def findings_of(check: ClaimCheck, page: PageId) -> Iterator[FindingView]:
    """Yield what was found for the claim of `check`, the simplest remedy first."""
    if check.drift is not None:
        yield _drift(check.drift)
    better = check.better
    if better is not None and better.recommendation is not None:
        yield _recommendation(better.recommendation, check, page)
    if better is not None and better.contrary is not None:
        yield _contrary(better.contrary, check, page)


def _drift(drift: Drift) -> FindingView:
    captured, template = drift.archived.read_at, drift.template
    copy = (
        f"the copy archived on {captured:%Y-%m-%d}" if captured else "its archived copy"
    )
    cited = f" It was cited on {drift.cited_on.isoformat()}." if drift.cited_on else ""
    return FindingView(
        kind=FindingKind.DRIFT,
        heading="The page said this when it was cited",
        sentence=f"Support for the claim: {percent(drift.probability)} by {copy},"
        f" {percent(drift.present)} by today’s page.{cited}",
        evidence=evidence_view(drift.evidence, drift.archived),
        reliability="",
        shortcut=None,
        shortcut_href=None,
        template=template,
        template_label="The citation with its archived copy"
        if template
        else "The archived copy, to be added to the citation",
        address=None if template else safe_href(drift.archive_url),
    )


def _recommendation(
    found: Recommendation, check: ClaimCheck, page: PageId
) -> FindingView:
    return FindingView(
        kind=FindingKind.BETTER,
        heading="Another source supports this",
        sentence=f"Support for the claim: {percent(found.probability)} by this source;"
        f" {_present(found, check)}.",
        evidence=evidence_view(found.evidence, found.reading),
        reliability=found.reliability.note,
        shortcut=found.reliability.shortcut,
        shortcut_href=_discussed(found.reliability, page),
        template=found.template,
        template_label="A citation, filled with what the page states about itself",
        address=None,
    )


def _present(found: Recommendation, check: ClaimCheck) -> str:
    if found.present is not None:
        return f"{percent(found.present)} by what is cited now"
    if standing_of(check) is Standing.NO_CITATION:
        return "nothing is cited now"
    return "what is cited now could not be read"


def _contrary(found: Contrary, check: ClaimCheck, page: PageId) -> FindingView:
    has_own_side = bool(check.verification and check.verification.evidence)
    above = "; what the cited source says stands above" if has_own_side else ""
    return FindingView(
        kind=FindingKind.CONTRARY,
        heading="The other side: a source that says otherwise",
        sentence="No source was found that supports the claim, and this one contradicts"
        f" it ({percent(found.probability)}){above}.",
        evidence=evidence_view(found.evidence, found.reading),
        reliability=found.reliability.note,
        shortcut=found.reliability.shortcut,
        shortcut_href=_discussed(found.reliability, page),
        template=None,
        template_label="",
        address=None,
    )


def _discussed(reliability: Reliability, page: PageId) -> str | None:
    return shortcut_href(page, reliability.shortcut)
