"""A quote with all that a person needs to judge it: surroundings, source and day. Pure."""

from handlers.citations.quoting.links import host_of, quote_href, quote_page
from handlers.citations.quoting.words import quote_in_place
from handlers.model import Evidence, Quoted, Source, SourceReading, SourceText
from handlers.page.markup import plain_text

_AROUND = 200  # characters


def quoted(evidence: Evidence, reading: SourceReading | None) -> Quoted:
    """Return `evidence` as it is shown, found in what `reading` read."""
    place = quote_in_place(evidence, around=_AROUND)
    key = evidence.passage.source_key
    words = "".join(piece.text for piece in place.quote)
    if reading is None:
        return Quoted(
            words,
            place.before,
            place.after,
            place.cut_before,
            place.cut_after,
            source_key=key,
            title=key,
            page=evidence.passage.page,
        )
    source, document = reading.source, reading.document or SourceText("")
    imprint = document.imprint
    return Quoted(
        words,
        place.before,
        place.after,
        place.cut_before,
        place.cut_after,
        source_key=key,
        title=source_title(source, reading),
        work=source.work or imprint.work or imprint.site or document.site,
        published=source.published or imprint.published or document.published,
        page=quote_page(evidence, reading),
        href=quote_href(evidence, reading),
        origin=reading.origin,
        read_at=reading.read_at,
        language=imprint.language or document.language,
    )


def source_title(source: Source, reading: SourceReading | None) -> str:
    """Return what to call `source`: as cited, else as it calls itself."""
    document = reading.document if reading else None
    own = document.title if document else None
    named = source.title or own or host_of(source.url) or source.url
    return named or plain_text(source.raw) or source.raw
