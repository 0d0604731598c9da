"""How a person can get at a source that could not be read here. Pure.

Which way fits depends on what is cited and on what kept it from being read: an archived
copy of a page that is gone, a free copy of a paper behind a paywall, the Wikipedia
Library's subscription, a scan of a book.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote, urlsplit

from handlers.model import Source, SourceOutcome
from handlers.sources.addresses import doi_of

_LIBRARY = "https://wikipedialibrary.idm.oclc.org/login?auth=production&url="
_DIGITS = re.compile(r"[0-9]{1,12}", re.ASCII)
_ISBN = re.compile(r"[0-9Xx-]{10,20}", re.ASCII)
_MOST_CHARS = 2000
_WALLS = frozenset({SourceOutcome.LOGIN_WALL, SourceOutcome.REFUSED})
_NOT_THERE = frozenset(
    {
        SourceOutcome.BOILERPLATE,
        SourceOutcome.BOT_CHECK,
        SourceOutcome.COOKIE_WALL,
        SourceOutcome.EMPTY_SHELL,
        SourceOutcome.GONE,
        SourceOutcome.LOGIN_WALL,
        SourceOutcome.PARKED,
        SourceOutcome.REFUSED,
        SourceOutcome.SOFT_404,
        SourceOutcome.UNREACHABLE,
    }
)


class Way(Enum):
    """A way to the text of a source, the easiest first."""

    OPEN_COPY = "open copy"  # a free copy of a paper
    ARCHIVE = "archive"
    LIBRARY = "library"  # the Wikipedia Library
    SCAN = "scan"  # of a book


@dataclass(frozen=True, slots=True)
class WayThere:
    """A way, and where it leads."""

    way: Way
    address: str


def ways_to(source: Source, outcome: SourceOutcome) -> tuple[WayThere, ...]:
    """Return the ways to the text of a source, given what came of fetching it."""
    if outcome in {SourceOutcome.READ, SourceOutcome.FORBIDDEN_ADDRESS}:
        return ()
    return tuple(_ways(source, outcome))


def _ways(source: Source, outcome: SourceOutcome) -> Iterator[WayThere]:
    free = _open_copy(source)
    if free:
        yield WayThere(Way.OPEN_COPY, free)
    page = source.url if _is_web(source.url) else None
    if page and outcome in _NOT_THERE:
        day = source.access_date
        when = f"{day:%Y%m%d}" if day else "*"
        yield WayThere(Way.ARCHIVE, f"https://web.archive.org/web/{when}/{page}")
    doi = doi_of(source)
    paid = page or (f"https://doi.org/{doi}" if doi else None)
    if paid and outcome in _WALLS:
        yield WayThere(Way.LIBRARY, _LIBRARY + quote(paid, safe=":/?&=%"))
    isbn = (source.isbn or "").replace(" ", "")
    if _ISBN.fullmatch(isbn) and outcome is SourceOutcome.OFFLINE:
        number = isbn.replace("-", "").upper()
        yield WayThere(Way.SCAN, f"https://openlibrary.org/isbn/{number}")


def _open_copy(source: Source) -> str | None:
    doi, pmid = doi_of(source), (source.pmid or "").strip()
    if _DIGITS.fullmatch(pmid):
        return f"https://europepmc.org/article/MED/{pmid}"
    return f"https://unpaywall.org/{quote(doi, safe='/:;().')}" if doi else None


def _is_web(address: str | None) -> bool:
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return False
    is_short = len(address or "") <= _MOST_CHARS
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and is_short
