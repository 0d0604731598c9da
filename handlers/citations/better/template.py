"""Fills a citation template with what the page states about itself.

Nothing is guessed: a field that the page does not state is left out, and a name is
parted into family and given name only where the page parts it. Pure.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType

from handlers.citations.better import escaping
from handlers.model import (
    Author,
    DocumentKind,
    Imprint,
    Origin,
    SourceReading,
    SourceText,
    UrlStatus,
)

_TEMPLATES: Mapping[DocumentKind | None, str] = MappingProxyType(
    {
        None: "cite web",
        DocumentKind.NEWS: "cite news",
        DocumentKind.JOURNAL: "cite journal",
        DocumentKind.BOOK: "cite book",
        DocumentKind.CONFERENCE: "cite conference",
        DocumentKind.REPORT: "cite report",
        DocumentKind.THESIS: "cite thesis",
    }
)
_IDENTIFYING = frozenset({"url", "title", "doi", "isbn"})
_MOST_AUTHORS = 8
_FIRST_GREGORIAN_YEAR = 1583  # the templates take ISO dates from then on
_ISO_DAY = re.compile(r"(\d{4})-\d\d-\d\d")
_RAW_CAPTURE = re.compile(r"(/\d{4,14})[a-z]{2}_(/)", re.ASCII)
_CAPTURED = re.compile(r"https?://.+?/\d{4,14}(?:[a-z]{2}_)?/(https?://.+)", re.ASCII)

Field = tuple[str, str | None]


def fill(
    reading: SourceReading, wiki: str, *, url_status: UrlStatus | None = None
) -> str:
    """Return a citation template for the page that `reading` read.

    It is empty where the page states nothing that would identify it, as a file on
    disk without a title: such a citation leads no reader anywhere.

    Args:
        reading: with its document.
        wiki: host name; a page in the wiki's own language needs no `language`.
        url_status: what the live address serves today, where that is known.
    """
    document = reading.document or SourceText("")
    imprint = document.imprint
    kind = _kind(imprint)
    fields = (
        *_authors(imprint.authors),
        ("date", _date(imprint.published)),
        *_addresses(reading),
        ("title", imprint.title or document.title),
        *_places(imprint, kind),
        ("language", _language(imprint.language or document.language, wiki)),
        ("doi", imprint.doi),
        ("isbn", imprint.isbn),
        *_days(reading),
        ("url-status", url_status.value if url_status else None),
    )
    return _written(_TEMPLATES[kind], fields)


def _written(name: str, fields: tuple[Field, ...]) -> str:
    stated = {key: value for key, value in _escaped(fields) if value}
    if not stated.keys() & _IDENTIFYING:
        return ""
    parts = [f" |{key}={value}" for key, value in stated.items()]
    return f"{{{{{name}{''.join(parts)}}}}}"


def addresses_in(reading: SourceReading) -> tuple[str, ...]:
    """Return the addresses that the template for `reading` holds."""
    return tuple(address for _, address in _addresses(reading) if address)


def archive_address(reading: SourceReading) -> str:
    """Return the address of an archived copy as a reader opens it."""
    return plain_address(reading.url or "")


def plain_address(capture: str) -> str:
    """Return the address of a capture in the archive's own frame, not in its raw form."""
    return _RAW_CAPTURE.sub(r"\1\2", capture, count=1)


def _escaped(fields: tuple[Field, ...]) -> Iterator[Field]:
    for key, text in fields:
        if text:
            is_address = key in {"url", "archive-url"}
            yield key, escaping.address(text) if is_address else escaping.value(text)


def _kind(imprint: Imprint) -> DocumentKind | None:
    """Return the kind, if what its template cannot do without is stated."""
    in_journal = imprint.kind is DocumentKind.JOURNAL
    return None if in_journal and not imprint.work else imprint.kind


def _authors(authors: tuple[Author, ...]) -> Iterator[Field]:
    for number, author in enumerate(authors[:_MOST_AUTHORS], start=1):
        at = str(number) if number > 1 else ""
        if author.family and author.given:
            yield f"last{at}", author.family
            yield f"first{at}", author.given
        else:
            yield f"author{at}", author.name
    if len(authors) > _MOST_AUTHORS:
        yield "display-authors", "etal"


def _date(published: str | None) -> str | None:
    """Return a day in ISO form, else the year: the templates refuse "2021-05"."""
    day = _ISO_DAY.fullmatch(published or "")
    if day and int(day[1]) >= _FIRST_GREGORIAN_YEAR:
        return published
    return published[:4] if published else None


def _addresses(reading: SourceReading) -> Iterator[Field]:
    if reading.origin is Origin.ARCHIVE:
        cited = reading.source.url or reading.url or ""
        kept = _CAPTURED.fullmatch(cited)
        yield "url", kept[1] if kept else cited
        yield "archive-url", archive_address(reading)
    else:
        yield "url", reading.url or reading.source.url


def _places(imprint: Imprint, kind: DocumentKind | None) -> Iterator[Field]:
    match kind:
        case DocumentKind.JOURNAL:
            yield "journal", imprint.work
        case DocumentKind.NEWS:
            yield "work", imprint.work or imprint.site or imprint.publisher
        case DocumentKind.CONFERENCE:
            yield "book-title", imprint.work
            yield "publisher", imprint.publisher
        case DocumentKind.BOOK | DocumentKind.REPORT | DocumentKind.THESIS:
            yield "publisher", imprint.publisher
        case None:
            yield "website", imprint.site or imprint.work
            if imprint.publisher != (imprint.site or imprint.work):
                yield "publisher", imprint.publisher
    if kind in {DocumentKind.JOURNAL, DocumentKind.CONFERENCE}:
        yield "volume", imprint.volume
        yield "issue", imprint.issue
        yield "pages" if "–" in (imprint.pages or "") else "page", imprint.pages


def _language(stated: str | None, wiki: str) -> str | None:
    code = re.split(r"[-_]", stated or "")[0].lower()
    return None if code == wiki.split(".", maxsplit=1)[0].lower() else code


def _days(reading: SourceReading) -> Iterator[Field]:
    """The day on which the live page was read, or the copy captured."""
    day = reading.read_at.date() if reading.read_at else None
    name = "archive-date" if reading.origin is Origin.ARCHIVE else "access-date"
    yield name, _day(day)


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
