"""A quote with all that a person needs to judge it: its context, source and date.

Links are safe to click and lead to the exact words. Only http and https with a plain
host become links; anything else from a page or a source is shown as text. Pure.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from handlers.findings import Quoted
from handlers.model import Evidence, Source, SourceFetch, SourceText, Span
from handlers.page.markup import plain_text

_AROUND = 200  # characters

_BINDING = " \n\t-\N{HYPHEN}\N{NON-BREAKING HYPHEN}–'’"

_WHOLE_QUOTE_WORDS = 10
_EDGE_WORDS = 5
_CELL_BAR = " | "  # between the cells of a row, in the text of a page
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\\\"<>`\ud800-\udfff\u2028\u2029]")


def quoted(evidence: Evidence, fetch: SourceFetch | None) -> Quoted:
    """Return `evidence` as it is shown, located in the text of `fetch`."""
    place = quote_in_place(evidence, around=_AROUND)
    key = evidence.passage.source_key
    words = "".join(piece.text for piece in place.quote)
    if fetch is None:
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
    source, document = fetch.source, fetch.document or SourceText("")
    key = source.key
    imprint = document.imprint
    return Quoted(
        words,
        place.before,
        place.after,
        place.cut_before,
        place.cut_after,
        source_key=key,
        title=source_title(source, fetch),
        work=source.work or imprint.work or imprint.site or document.site,
        published=source.published or imprint.published or document.published,
        page=quote_page(evidence, fetch),
        href=quote_href(evidence, fetch),
        origin=fetch.origin,
        read_at=fetch.read_at,
        language=imprint.language or document.language,
        caveats=tuple(dict.fromkeys(one.kind for one in document.missing)),
    )


def source_title(source: Source, fetch: SourceFetch | None) -> str:
    """Return what to call `source`: as cited, else as it calls itself."""
    document = fetch.document if fetch else None
    own = document.title if document else None
    named = source.title or own or host_of(source.url) or source.url
    return named or plain_text(source.raw) or source.raw


# --- a quote in its place ---


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words, and whether they are marked."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class QuoteInPlace:
    """A quote with a little of the passage around it.

    `before` and `after` are cut at words; `cut_before` and `cut_after` say
    whether the passage continues there.
    """

    before: str
    quote: tuple[Piece, ...]
    after: str
    cut_before: bool
    cut_after: bool


def pieces(text: str, marked: Iterable[Span]) -> tuple[Piece, ...]:
    """Cut `text` at the borders of `marked`, which may overlap or reach beyond it."""
    return tuple(piece for piece in _cut(text, marked) if piece.text)


def _cut(text: str, marked: Iterable[Span]) -> Iterator[Piece]:
    done = 0
    for span in sorted(marked, key=lambda span: span.start):
        start, end = max(span.start, done), min(span.end, len(text))
        if start < end:
            yield Piece(text[done:start])
            yield Piece(text[start:end], marked=True)
            done = end
    yield Piece(text[done:])


def joined(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join spans separated only by a space or a hyphen, and mark whole words."""
    found: list[Span] = []
    whole = (_whole_words(text, span) for span in spans)
    for span in sorted(whole, key=lambda span: span.start):
        if found and _between(text, found[-1], span).strip(_BINDING) == "":
            last = found.pop()
            found.append(Span(last.start, max(last.end, span.end)))
        else:
            found.append(span)
    return tuple(found)


def _whole_words(text: str, span: Span) -> Span:
    """Return `span` extended over the rest of any word that it cuts."""
    start, end = max(span.start, 0), min(span.end, len(text))
    while 0 < start < end and _is_of_word(text[start - 1 : start + 1]):
        start -= 1
    while start < end < len(text) and _is_of_word(text[end - 1 : end + 1]):
        end += 1
    return Span(start, end)


def _is_of_word(characters: str) -> bool:
    # Scripts from here on do not separate words with spaces.
    return characters.isalnum() and max(characters) < "\N{CJK RADICAL REPEAT}"


def _between(text: str, one: Span, other: Span) -> str:
    return text[max(one.end, 0) : max(other.start, 0)]


def shifted(spans: Iterable[Span], by: int) -> tuple[Span, ...]:
    """Return `spans` moved `by` characters, without what falls before 0."""
    moved = (Span(max(span.start + by, 0), span.end + by) for span in spans)
    return tuple(span for span in moved if span.start < span.end)


def quote_in_place(evidence: Evidence, *, around: int = 120) -> QuoteInPlace:
    """Return the quote of `evidence`, with at most `around` characters either side."""
    text, quote = evidence.passage.text, evidence.quote
    start = text.find(quote, max(evidence.span.start - evidence.passage.span.start, 0))
    if start < 0:
        start = max(text.find(quote), 0)
    before, cut_before = _tail(text[:start], around)
    after, cut_after = head(text[start + len(quote) :], around)
    marked = joined(quote, shifted(evidence.matched, -start))
    return QuoteInPlace(
        closed_up(before),
        tuple(Piece(closed_up(one.text), one.marked) for one in pieces(quote, marked)),
        closed_up(after),
        cut_before,
        cut_after,
    )


def closed_up(text: str) -> str:
    """Return `text` without empty lines, with at most one blank at either end."""
    body = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    if not body:
        return _edge(text)
    lead = text[: len(text) - len(text.lstrip())]
    return f"{_edge(lead)}{body}{_edge(text[len(text.rstrip()) :])}"


def _edge(space: str) -> str:
    if not space:
        return ""
    return "\n" if "\n" in space else " "


def _tail(text: str, most: int) -> tuple[str, bool]:
    if len(text) <= most:
        return text, False
    _, _, words = text[-most:].partition(" ")
    return words, True


def head(text: str, most: int) -> tuple[str, bool]:
    """Return at most `most` characters of whole words, and whether more follows."""
    if len(text) <= most:
        return text, False
    words, _, _ = text[:most].rpartition(" ")
    return words, True


# --- the way to it ---


def safe_href(url: str | None) -> str | None:
    """Return `url` if a reader may be sent there, else `None`.

    An address with a user name is refused too: the part before the "@" is meant to look
    like the host.
    """
    if not url or _FORBIDDEN.search(url):
        return None
    try:
        parts = urlsplit(url)
        readable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        return None
    return url if readable and "@" not in parts.netloc else None


def host_of(url: str | None) -> str | None:
    """Return the host of a safe address, without "www."."""
    href = safe_href(url)
    return urlsplit(href).netloc.lower().removeprefix("www.") if href else None


def text_fragment(words: str) -> str:
    """Return the directive that makes a browser jump to `words` and mark them.

    A long text is identified by its first and last words, each taken from within one
    line or table cell, because a browser only matches them inside one block. A row
    begins at its first cell that has letters: a number would also be found elsewhere.
    """
    blocks = [
        [cell.split() for cell in line.split(_CELL_BAR) if cell.strip()]
        for line in words.splitlines()
    ]
    lines = [cells for cells in blocks if cells]
    if not lines:
        return ""
    named = (cell for cell in lines[0] if any(map(str.isalpha, "".join(cell))))
    first, last = next(named, lines[0][0]), lines[-1][-1]
    if first is last and len(first) <= _WHOLE_QUOTE_WORDS:
        return f":~:text={_encoded(first)}"
    return f":~:text={_encoded(first[:_EDGE_WORDS])},{_encoded(last[-_EDGE_WORDS:])}"


def _encoded(words: list[str]) -> str:
    # A dash, a comma and an ampersand are syntax in a directive.
    return quote(" ".join(words), safe="", errors="replace").replace("-", "%2D")


def with_fragment(url: str, words: str) -> str:
    """Return `url` with the directive for `words`, keeping any fragment it has."""
    base, has_fragment, fragment = url.partition("#")
    anchor, _, _ = fragment.partition(":~:")
    directive = text_fragment(words)
    return f"{base}#{anchor}{directive}" if directive or has_fragment else url


def quote_page(evidence: Evidence, fetch: SourceFetch | None) -> int | None:
    """Return the page of the document that the quote begins on, counted from 1.

    Its passage may begin on an earlier page.
    """
    document = fetch.document if fetch else None
    if document is None or not document.page_starts:
        return evidence.passage.page
    return bisect_right(document.page_starts, evidence.span.start) or 1


def quote_href(evidence: Evidence, fetch: SourceFetch) -> str | None:
    """Return a link to the quote itself, as exact as the source allows."""
    href = safe_href(fetch.url)
    if href is None:
        return None
    page = quote_page(evidence, fetch)
    if page is not None:
        return f"{href.partition('#')[0]}#page={page}"
    return with_fragment(href, evidence.quote)


def source_href(source: Source) -> str | None:
    """Return where a reader can find `source`: its address, else its identifier's."""
    return (
        safe_href(source.url)
        or safe_href(source.archive_url)
        or _resolver("https://doi.org/", source.doi)
        or _resolver("https://www.ncbi.nlm.nih.gov/pmc/articles/", source.pmc)
        or _resolver("https://pubmed.ncbi.nlm.nih.gov/", source.pmid)
        or _resolver("https://arxiv.org/abs/", source.arxiv)
    )


def _resolver(prefix: str, identifier: str | None) -> str | None:
    return (
        prefix + quote(identifier, safe="/", errors="replace") if identifier else None
    )
