"""What a reader sees of a quote: its words in their place, and the way there. Pure."""

from dataclasses import dataclass

from bot.report.links import host_of, quote_href, quote_page
from bot.report.wording import provenance
from bot.report.words import QuoteInPlace, quote_in_place
from handlers.model import Evidence, Source, SourceReading
from handlers.wikitext.scanning.markup import plain_text


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


def source_title(source: Source, reading: SourceReading | None) -> str:
    """Return what to call `source`: as cited, else as it calls itself."""
    document = reading.document if reading else None
    own = document.title if document else None
    named = source.title or own or host_of(source.url) or source.url
    return named or plain_text(source.raw) or source.raw
