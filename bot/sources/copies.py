"""Where to look for a source, and in which order. Pure.

What a reader of the article would open comes first: the live page, or the archived copy
that the citation gives, unless it says that the address is live. Then come free copies of
papers, since a publisher's page is mostly an abstract or a paywall, and archived pages.
"""

import json
import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from bot.sources.settings import Services
from handlers.model import Source, SourceFetch, SourceOutcome, UrlStatus
from handlers.sources.addresses import doi_of

_PMC = re.compile(r"(?:PMC)?([0-9]{1,12})", re.IGNORECASE | re.ASCII)
_PMID = re.compile(r"([0-9]{1,12})", re.ASCII)
_ARXIV = re.compile(
    r"(?:arXiv:|https?://arxiv\.org/(?:abs|pdf)/|10\.48550/arxiv\.)?"
    r"([a-z.-]{1,20}/[0-9]{7}(?:v[0-9]{1,3})?|[0-9]{4}\.[0-9]{4,5}(?:v[0-9]{1,3})?)"
    r"(?:\.pdf)?",
    re.I | re.A,
)
_ARXIV_ALONE = re.compile(
    r"(?:arXiv:)?([a-z.-]{0,20}/?[0-9.]{4,12}(?:v[0-9]{1,3})?)", re.I | re.A
)
_DOI = re.compile(
    r"(?:doi:|https?://(?:dx\.)?doi\.org/)?(10\.[0-9.]{3,12}/\S{1,300})", re.I | re.A
)
_OF_ABSTRACTS = re.compile(
    r"https?://(?:(?:dx\.)?doi\.org|arxiv\.org/abs|pubmed\.ncbi\.nlm\.nih\.gov)/", re.I
)
_NO_LONGER_THE_SOURCE = frozenset(
    {UrlStatus.DEVIATED, UrlStatus.UNFIT, UrlStatus.USURPED}
)


class Place(Enum):
    """What kind of copy is at an address; the value is its name for people."""

    LIVE = "live page"
    OWN_ARCHIVE = "archived copy"  # that the citation names
    NEAREST_SNAPSHOT = "Wayback Machine"  # the address is that of the original
    OPEN_COPY = "arXiv"
    UNPAYWALL = "Unpaywall"  # the address asks it for free copies
    EUROPE_PMC = "Europe PMC"  # the same
    CORE = "CORE"  # the same


ARCHIVES = frozenset({Place.OWN_ARCHIVE, Place.NEAREST_SNAPSHOT})
OPEN_ACCESS = frozenset(
    {Place.OPEN_COPY, Place.UNPAYWALL, Place.EUROPE_PMC, Place.CORE}
)


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
    free = tuple(free_copies(source, services))
    if source.url_status is UrlStatus.DEAD:
        return archives + free + steps
    if _is_mere_abstract(source):
        return free + steps + archives
    own_copy = tuple(one for one in archives if one.place is Place.OWN_ARCHIVE)
    first = own_copy + steps if source.cites_archive else steps + own_copy
    return first + free + archives[len(own_copy) :]


def _is_mere_abstract(source: Source) -> bool:
    """Return whether the address usually leads to no more than an abstract."""
    address = source.url or source.archive_url
    return address is None or bool(_OF_ABSTRACTS.match(address))


def nowhere(source: Source) -> SourceFetch:
    """Return the outcome for a source that has no place to look for it."""
    if source.url:
        detail = "the citation says that its address no longer serves the source"
        return SourceFetch(source, SourceOutcome.GONE, detail)
    detail = (
        f"a book (ISBN {source.isbn})" if source.isbn else "the citation has no address"
    )
    return SourceFetch(source, SourceOutcome.OFFLINE, detail)


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
    pmc = _matched(_PMC, source.pmc)
    for base, name in (
        (services.pmc, f"PMC{pmc}/" if pmc else None),
        (services.doi, _matched(_DOI, source.doi)),
        (services.arxiv, _matched(_ARXIV_ALONE, source.arxiv)),
        (services.pmid, _matched(_PMID, source.pmid)),
    ):
        if name:
            return base + quote(name, safe="/:;().")
    return None


def _matched(form: re.Pattern[str], written: str | None) -> str | None:
    found = form.fullmatch((written or "").strip())
    return found[1] if found else None


_VERSIONS = ("publishedVersion", "acceptedVersion")
_MOST_COPIES = 3
_FREE = frozenset({"OA", "F"})


def free_copies(source: Source, services: Services) -> Iterator[Step]:
    """Yield arXiv's paper, whose abstract is its page, and the catalogues to ask.

    Unpaywall and CORE look up DOIs, Europe PMC DOIs, PMIDs and PMC numbers, and arXiv
    its own identifiers.
    """
    doi = doi_of(source)
    if services.arxiv_papers:
        own = source.arxiv or (doi if not source.url else source.url)
        if paper := _matched(_ARXIV, own):
            yield Step(Place.OPEN_COPY, services.arxiv_papers + paper)
    if doi and services.unpaywall and services.unpaywall_email:
        question = urlencode({"email": services.unpaywall_email})
        name = quote(doi, safe="/:;().")
        yield Step(Place.UNPAYWALL, f"{services.unpaywall}/{name}?{question}")
    pmc, pmid = _matched(_PMC, source.pmc), _matched(_PMID, source.pmid)
    if services.europe_pmc and (pmc or pmid or doi):
        named = f"PMCID:PMC{pmc}" if pmc else f"EXT_ID:{pmid} AND SRC:MED"
        query = named if pmc or pmid else f'DOI:"{(doi or "").replace(chr(34), "")}"'
        question = urlencode(
            {"query": query, "resultType": "core", "pageSize": 1, "format": "json"}
        )
        yield Step(Place.EUROPE_PMC, f"{services.europe_pmc}/search?{question}")
    if doi and services.core and services.core_key:
        question = urlencode({"q": f'doi:"{doi.replace(chr(34), "")}"', "limit": 1})
        yield Step(Place.CORE, f"{services.core}/search/works?{question}")


def copies(catalogue: Place, body: bytes) -> tuple[str, ...]:
    """Return the addresses of free copies that an answer names, the best first.

    The published text comes first, then the accepted manuscript; a submitted one may
    say something else, and is left out.
    """
    try:
        answer = json.loads(body)
        found = _READ[catalogue](answer)
        named = [one for one in found if isinstance(one, str) and "://" in one]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ()
    return tuple(dict.fromkeys(named))[:_MOST_COPIES]


def _of_unpaywall(answer: Any) -> list[Any]:
    best = answer.get("best_oa_location")
    locations = [*([best] if best else []), *(answer.get("oa_locations") or [])]
    usable = [one for one in locations if one.get("version") in _VERSIONS]
    usable.sort(key=lambda one: _VERSIONS.index(one["version"]))
    return [one.get("url_for_pdf") or one.get("url") for one in usable]


def _of_europe_pmc(answer: Any) -> list[Any]:
    [found, *_] = answer["resultList"]["result"]
    listed = found["fullTextUrlList"]["fullTextUrl"]
    free = [one for one in listed if one.get("availabilityCode") in _FREE]
    free.sort(key=lambda one: one.get("documentStyle") != "pdf")
    return [one.get("url") for one in free if one.get("documentStyle") != "doi"]


def _of_core(answer: Any) -> list[Any]:
    [found, *_] = answer["results"]
    return [found.get("downloadUrl"), *(found.get("sourceFulltextUrls") or [])]


_READ: Mapping[Place, Callable[[Any], list[Any]]] = MappingProxyType(
    {
        Place.UNPAYWALL: _of_unpaywall,
        Place.EUROPE_PMC: _of_europe_pmc,
        Place.CORE: _of_core,
    }
)


_SNAPSHOT = re.compile(
    r"(?P<root>https?://(?P<host>[^/?#]{1,300}))/(?:web/)?"
    r"(?P<time>[0-9]{4,14})(?:[a-z]{2}_)?/(?P<original>.+)",
    re.DOTALL,
)
_TIME_DIGITS = 14
_FULL_TIME = "%Y%m%d%H%M%S"
_DATE_FORMS = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d %b %Y", "%b %d, %Y")
_MONTH_FORMS = ("%Y-%m", "%B %Y", "%b %Y")
_MAX_DATE_CHARS = 40


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One capture at the Wayback Machine; `time` has 4 to 14 digits.

    It is asked for in the raw form (`id_`), which is the page as captured, without the
    banner and rewritten links.
    """

    root: str
    time: str
    original: str

    @property
    def raw_url(self) -> str:
        """The address of the page as it was captured."""
        return f"{self.root}/web/{self.time}id_/{self.original}"

    @property
    def captured_at(self) -> datetime | None:
        """When it was captured, or `None` if the address gives only a rough time."""
        if len(self.time) != _TIME_DIGITS:
            return None
        try:
            return datetime.strptime(self.time, _FULL_TIME).replace(tzinfo=UTC)
        except ValueError:
            return None


def read_snapshot(url: str, hosts: frozenset[str]) -> Snapshot | None:
    """Return the Wayback Machine capture that `url` names, if it names one.

    Args:
        url: in any form: with or without `id_`, with a shortened time.
        hosts: of the Wayback Machine, with the port if it is not the default.
    """
    found = _SNAPSHOT.fullmatch(url.strip())
    if found is None or found["host"].lower() not in hosts:
        return None
    return Snapshot(_secure(found["root"]), found["time"], found["original"])


def is_wayback(url: str, hosts: frozenset[str]) -> bool:
    """Whether `url` is at the Wayback Machine, a capture or not."""
    try:
        return urlsplit(url).netloc.lower() in hosts
    except ValueError:
        return False


def availability_url(service: str, url: str, wanted: date | None) -> str:
    """Return the address that asks for the snapshot of `url` nearest to `wanted`."""
    question = {"url": url}
    if wanted is not None:
        question["timestamp"] = f"{wanted:%Y%m%d}"
    return f"{service}?{urlencode(question, errors='replace')}"


def read_availability(body: bytes, hosts: frozenset[str]) -> Snapshot | None:
    """Return the snapshot that the availability service names, if it is usable.

    A capture of an error page is not.
    """
    try:
        answer = json.loads(body)
        closest = answer["archived_snapshots"]["closest"]
        usable = closest["available"] is True and str(closest["status"])[:1] in "23"
        return read_snapshot(closest["url"], hosts) if usable else None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def wanted_date(source: Source) -> date | None:
    """Return the day whose version of the page the citation means.

    That is the access date; otherwise the end of the stated time of publication, since
    earlier snapshots cannot hold it.
    """
    if source.access_date is not None:
        return source.access_date
    written = " ".join((source.published or "")[:_MAX_DATE_CHARS].split())
    if day := _first_match(written, _DATE_FORMS):
        return day
    if month := _first_match(written, _MONTH_FORMS):
        return month.replace(day=monthrange(month.year, month.month)[1])
    year = _first_match(written, ("%Y",))
    return year.replace(month=12, day=31) if year else None


def _first_match(written: str, forms: Sequence[str]) -> date | None:
    for form in forms:
        try:
            return datetime.strptime(written, form).replace(tzinfo=UTC).date()
        except ValueError:
            continue
    return None


def _secure(root: str) -> str:
    # The service still gives http addresses for hosts that use TLS.
    return root.replace("http://", "https://", 1) if ":" not in root[7:] else root
