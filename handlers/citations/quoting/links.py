"""Makes addresses that are safe to click, and that lead to the very words.

Only http and https with a plain host become links; anything else a page or a
source says is shown as text. Pure.
"""

import re
from bisect import bisect_right
from urllib.parse import quote, urlsplit

from handlers.model import Evidence, Source, SourceReading

_WHOLE_QUOTE_WORDS = 10
_EDGE_WORDS = 5
_CELL_BAR = " | "  # between the cells of a row, in the text of a page
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\\\"<>`\ud800-\udfff\u2028\u2029]")


def safe_href(url: str | None) -> str | None:
    """Return `url` if a reader may be sent there, else `None`.

    An address with a user name is refused too: what stands before the "@" is
    there to look like the host.
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

    A long text is named by its first and last words, each taken from within one
    line or table cell, because a browser matches either inside one block only. The
    first cell of a row that has letters begins it: a number would be found elsewhere.
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
    # A dash, a comma and an ampersand have a meaning of their own in a directive.
    return quote(" ".join(words), safe="", errors="replace").replace("-", "%2D")


def with_fragment(url: str, words: str) -> str:
    """Return `url` with the directive for `words`, keeping a fragment it has."""
    base, has_fragment, fragment = url.partition("#")
    kept, _, _ = fragment.partition(":~:")
    directive = text_fragment(words)
    return f"{base}#{kept}{directive}" if directive or has_fragment else url


def quote_page(evidence: Evidence, reading: SourceReading | None) -> int | None:
    """Return the page of the document that the quote begins on, counted from 1.

    Its passage can begin on an earlier one.
    """
    document = reading.document if reading else None
    if document is None or not document.page_starts:
        return evidence.passage.page
    return bisect_right(document.page_starts, evidence.span.start) or 1


def quote_href(evidence: Evidence, reading: SourceReading) -> str | None:
    """Return the address of the quote itself, as near as the source allows."""
    href = safe_href(reading.url)
    if href is None:
        return None
    page = quote_page(evidence, reading)
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
