"""What a reader sees of a quote: its words in their place, and the way there. Pure."""

from dataclasses import dataclass

from bot.report.wording import provenance
from handlers.citations.quoting.links import quote_href, quote_page
from handlers.citations.quoting.quotes import source_title
from handlers.citations.quoting.words import QuoteInPlace, quote_in_place
from handlers.model import Evidence, SourceReading


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A quote in its surroundings, and the way to it."""

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
