"""Where to look for a source, and in which order. Pure.

The live page comes first, because it is what a reader of the article would
open; unless the citation itself says that the address no longer serves it.
"""

import re
from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote

from bot.sources.archive import is_wayback, read_snapshot
from bot.sources.settings import Services
from handlers.model import Source, SourceOutcome, SourceReading, UrlStatus

_PMC = re.compile(r"(?:PMC)?([0-9]{1,12})", re.IGNORECASE | re.ASCII)
_PMID = re.compile(r"[0-9]{1,12}", re.ASCII)
_ARXIV = re.compile(
    r"(?:arXiv:)?([a-z.-]{0,20}/?[0-9.]{4,12}(?:v[0-9]{1,3})?)", re.I | re.A
)
_DOI = re.compile(
    r"(?:doi:|https?://(?:dx\.)?doi\.org/)?(10\.[0-9.]{3,12}/\S{1,300})", re.I | re.A
)

_NO_LONGER_THE_SOURCE = frozenset(
    {UrlStatus.DEVIATED, UrlStatus.UNFIT, UrlStatus.USURPED}
)


class Place(Enum):
    """What kind of copy stands at an address."""

    LIVE = "live"
    OWN_ARCHIVE = "the citation's archive"
    NEAREST_SNAPSHOT = "nearest snapshot"  # the address is the original's


@dataclass(frozen=True, slots=True)
class Step:
    """One place to look."""

    place: Place
    address: str


def route(source: Source, services: Services, ask_wayback: bool) -> tuple[Step, ...]:
    """Return the places to look for `source`, best first; none for a book."""
    live, own = _addresses(source, services)
    steps = (Step(Place.LIVE, live),) if live else ()
    archives = _archive_steps(live, own, services, ask_wayback)
    if source.url_status in _NO_LONGER_THE_SOURCE:
        return archives
    if source.url_status is UrlStatus.DEAD:
        return archives + steps
    return steps + archives


def nowhere(source: Source) -> SourceReading:
    """Return what came of a source that there is no place to look for."""
    if source.url:
        detail = "the citation says that its address no longer serves the source"
        return SourceReading(source, SourceOutcome.GONE, detail)
    detail = (
        f"a book (ISBN {source.isbn})" if source.isbn else "the citation has no address"
    )
    return SourceReading(source, SourceOutcome.OFFLINE, detail)


def _addresses(source: Source, services: Services) -> tuple[str | None, str | None]:
    """Return the live address and the citation's own archive address."""
    live, own = _live_address(source, services), source.archive_url
    if live and read_snapshot(live, services.wayback_hosts):
        return None, live
    # A list of captures at the archive is not a capture.
    if own and is_wayback(own, services.wayback_hosts):
        return live, own if read_snapshot(own, services.wayback_hosts) else None
    return live, own


def _archive_steps(
    live: str | None, own: str | None, services: Services, ask_wayback: bool
) -> tuple[Step, ...]:
    snapshot = read_snapshot(own, services.wayback_hosts) if own else None
    original = live or (snapshot.original if snapshot else None)
    steps = (Step(Place.OWN_ARCHIVE, own),) if own else ()
    if original and ask_wayback:
        return (*steps, Step(Place.NEAREST_SNAPSHOT, original))
    return steps


def _live_address(source: Source, services: Services) -> str | None:
    if source.url or source.archive_url:
        return source.url
    for base, name in (
        (services.pmc, _pmc(source.pmc)),
        (services.doi, _identifier(_DOI, source.doi)),
        (services.arxiv, _identifier(_ARXIV, source.arxiv)),
        (services.pmid, source.pmid if _PMID.fullmatch(source.pmid or "") else None),
    ):
        if name:
            return base + quote(name, safe="/:;().")
    return None


def _pmc(written: str | None) -> str | None:
    digits = _identifier(_PMC, written)
    return f"PMC{digits}/" if digits else None


def _identifier(form: re.Pattern[str], written: str | None) -> str | None:
    found = form.fullmatch((written or "").strip())
    return found[1] if found else None
