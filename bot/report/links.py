"""The addresses of pages, of the words in them, and of a quote in its source. Pure."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from bot.report.words import provenance
from handlers.citations.quote_links import (
    QuoteInPlace,
    quote_href,
    quote_in_place,
    quote_page,
    source_title,
    with_fragment,
)
from handlers.model import Claim, Evidence, PageId, Section, SourceReading

_TELLING_WORDS = 3
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII | re.IGNORECASE)


def page_href(page: PageId) -> str | None:
    """Return the permanent link of the revision, or of the page if that is unknown."""
    if not _HOST.fullmatch(page.wiki):
        return None
    if page.revision_id is not None:
        return f"https://{page.wiki}/w/index.php?oldid={page.revision_id}"
    title = quote(page.title.replace(" ", "_"), safe="/:(),", errors="replace")
    return f"https://{page.wiki}/wiki/{title}"


def shortcut_href(page: PageId, shortcut: str | None) -> str | None:
    """Return where `shortcut` leads on the wiki of `page`."""
    if not shortcut or not _HOST.fullmatch(page.wiki):
        return None
    return f"https://{page.wiki}/wiki/{quote(shortcut, safe=':/', errors='replace')}"


def claim_href(claim: Claim, page: PageId) -> str | None:
    """Return the address of the claim's words in the revision that was checked.

    One or two words, as in a table, could be found anywhere on the page, so the link
    for such a claim leads only to the page.
    """
    href = page_href(page)
    if href is None or len(claim.text.split()) < _TELLING_WORDS:
        return href
    return with_fragment(href, claim.text)


def section_at(sections: tuple[Section, ...], offset: int) -> tuple[str, ...]:
    """Return the path of the section that contains `offset`."""
    within = (one for one in sections if one.span.start <= offset < one.span.end)
    return next((section.path for section in within), ())


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A quote with its surroundings, and a link to it."""

    place: QuoteInPlace
    href: str | None
    page: int | None
    source_key: str
    source: str
    provenance: str
    language: str | None


def evidence_view(evidence: Evidence, reading: SourceReading | None) -> EvidenceView:
    """Return what a reader sees of `evidence`, found in what `reading` read."""
    document = reading.document if reading else None
    return EvidenceView(
        place=quote_in_place(evidence),
        href=quote_href(evidence, reading) if reading else None,
        page=quote_page(evidence, reading),
        source_key=evidence.passage.source_key,
        source=source_title(reading.source, reading)
        if reading
        else evidence.passage.source_key,
        provenance=provenance(reading) if reading else "",
        language=document.language if document else None,
    )
