"""What the history of a cited address shows: works, gone, moved, usurped.

One failure says little: sites are down for an hour, and servers refuse programs. A link
counts as gone after two failures a week apart with no success between them, or if its
host was not found on two days.

Where a source could not be read, a person may still get at it: which way fits depends
on what is cited and on what kept it from being read. An archived copy of a page that is
gone, a free copy of a paper behind a paywall, the Wikipedia Library's subscription, a
scan of a book. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from urllib.parse import SplitResult, quote, urlsplit

from handlers.model import LinkVisit, Seen, Source, SourceFetch, SourceOutcome
from handlers.sources.addresses import (
    doi_of,
    host_of,
    normal_key,
    unarchived,
    untracked,
)

_WEEK = timedelta(days=7)
_NEXT_DAY = timedelta(days=1)
_FAILS = frozenset({Seen.GONE, Seen.DEAD_HOST, Seen.NOT_FOUND_PAGE, Seen.FRONT_PAGE})
_SOFT = frozenset({Seen.NOT_FOUND_PAGE, Seen.FRONT_PAGE})
_SAYS_NOTHING = frozenset({Seen.AWAY, Seen.OTHER})


class LinkState(Enum):
    """What is wrong with a cited address."""

    WORKS = "works"
    FAILING = "failing"  # not often or long enough to be called gone
    GONE = "gone"
    SOFT_404 = "soft 404"  # the same, but the answer looks like a page
    MOVED = "moved"  # leads to another address that works
    USURPED = "usurped"  # the domain is for sale, or shows advertising
    PAYWALLED = "paywalled since"  # was read before, and asks to log in or pay now
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LinkRun:
    """Consecutive visits to an address that all saw the same."""

    address: str
    seen: Seen
    first_seen: datetime
    last_seen: datetime
    times: int
    http_status: int | None = None
    led_to: str | None = None
    seen_from: str = ""


@dataclass(frozen=True, slots=True)
class LinkHistory:
    """What the visits to one address show together, and since when."""

    state: LinkState
    since: datetime | None = None
    times: int = 0
    led_to: str | None = None


def history_of(runs: Sequence[LinkRun]) -> LinkHistory:
    """Return what the visits show together; `runs` are of one address, in any order."""
    ordered = sorted(runs, key=lambda run: run.last_seen)
    conclusive = [run for run in ordered if run.seen not in _SAYS_NOTHING]
    if not conclusive:
        return LinkHistory(LinkState.UNKNOWN)
    last = conclusive[-1]
    if last.seen is Seen.WORKS:
        is_moved = last.led_to is not None and (
            normal_key(last.address) != normal_key(last.led_to)
        )
        state = LinkState.MOVED if is_moved else LinkState.WORKS
        return LinkHistory(state, last.first_seen, last.times, last.led_to)
    if last.seen is Seen.PARKED:
        return LinkHistory(LinkState.USURPED, last.first_seen, last.times)
    if last.seen is Seen.WALL:
        was_read = any(run.seen is Seen.WORKS for run in conclusive)
        state = LinkState.PAYWALLED if was_read else LinkState.UNKNOWN
        return LinkHistory(state, last.first_seen, last.times)
    return _failed(conclusive)


def _failed(conclusive: Sequence[LinkRun]) -> LinkHistory:
    failing: list[LinkRun] = []
    for run in reversed(conclusive):
        if run.seen not in _FAILS:
            break
        failing.append(run)
    since = min(run.first_seen for run in failing)
    lasted = failing[0].last_seen - since
    times = sum(run.times for run in failing)
    dead = [run for run in failing if run.seen is Seen.DEAD_HOST]
    is_dead = len(dead) == len(failing) and lasted >= _NEXT_DAY
    state = LinkState.FAILING
    if times > 1 and (lasted >= _WEEK or is_dead):
        state = LinkState.SOFT_404 if failing[0].seen in _SOFT else LinkState.GONE
    return LinkHistory(state, since, times)


# --- one visit ---

_AS_SEEN = {
    SourceOutcome.GONE: Seen.GONE,
    SourceOutcome.SOFT_404: Seen.NOT_FOUND_PAGE,
    SourceOutcome.PARKED: Seen.PARKED,
    SourceOutcome.LOGIN_WALL: Seen.WALL,
    SourceOutcome.UNREACHABLE: Seen.AWAY,
}
_IS_TEXT = frozenset(
    {SourceOutcome.READ, SourceOutcome.FOREIGN_LANGUAGE, SourceOutcome.TOO_LARGE}
)
_IS_PAGE = _IS_TEXT | {SourceOutcome.SOFT_404}


def visit_of(
    address: str,
    fetch: SourceFetch,
    seen_at: datetime,
    *,
    seen_from: str = "",
) -> LinkVisit:
    """Return what reading a live page shows about its address."""
    seen = _AS_SEEN.get(fetch.outcome, Seen.OTHER)
    if fetch.outcome is SourceOutcome.GONE and fetch.http_status is None:
        seen = Seen.DEAD_HOST
    elif fetch.outcome in _IS_TEXT:
        seen = Seen.WORKS
    if fetch.url is not None and fetch.outcome in _IS_PAGE:
        is_front = leads_to_front_page(address, fetch.url)
        seen = Seen.FRONT_PAGE if is_front else seen
    led_to = fetch.url if fetch.url != address else None
    return LinkVisit(address, seen, seen_at, fetch.http_status, led_to, seen_from)


# A file name that servers give a folder's own page, perhaps below one for a language.
_FRONT_PAGE = re.compile(
    r"/*(?:[a-z]{2}(?:[-_][a-z]{2})?/*)?"
    r"(?:(?:index|default|home|homepage|main|welcome)(?:\.[a-z]{2,5}){0,2}/*)?",
    re.IGNORECASE,
)
# What a site tells its front page of the address that led there.
_LOST = re.compile(
    r"(?<![^\W_])(?:404|not.?found|error|missing|expired)(?![^\W_])", re.IGNORECASE
)
_DEEP = 2  # elements of a path; shorter ones are also those of shortened addresses
_NAMES_A_STORY = re.compile(r"(?:[^-]+-){2}|\d+\D|\D+\d|\d{5}")


def leads_to_front_page(address: str, led_to: str) -> bool:
    """Return whether an address of a page leads to the front page of its site."""
    parts = _both(address, led_to)
    if parts is None or _is_front(parts[0]) or not _is_front(parts[1]):
        return False
    requested, found = parts
    return _site(requested.geturl()) == _site(found.geturl())


def leads_away(address: str, led_to: str) -> bool:
    """Return whether an address of a page leads to a page that only lists others.

    That is a front page, also one of another site which answers for its pages since, or
    that of the section in which the page was.
    """
    if leads_to_front_page(address, led_to):
        return True
    parts = _both(address, led_to)
    if parts is None:
        return False
    requested, found = (
        [element for element in one.path.split("/") if element] for one in parts
    )
    if _is_front(parts[1]):
        return len(requested) >= _DEEP
    is_section = requested[: len(found)] == found and len(found) < len(requested)
    return (
        is_section
        and not parts[1].query
        and host_of(address) == host_of(led_to)
        and _NAMES_A_STORY.match(requested[-1]) is not None
        and not any(map(_NAMES_A_STORY.match, found))
    )


def _both(address: str, led_to: str) -> tuple[SplitResult, SplitResult] | None:
    try:
        return urlsplit(unarchived(address)), urlsplit(unarchived(led_to))
    except ValueError:
        return None


def _is_front(parts: SplitResult) -> bool:
    query = untracked(f"?{parts.query}").strip("?")
    names_a_page = query and not _LOST.search(query)
    return not names_a_page and _FRONT_PAGE.fullmatch(parts.path) is not None


def _site(address: str) -> str:
    """Return the end of the host name, which parts of a site have in common."""
    return ".".join(host_of(address).split(".")[-2:])


# --- other ways to the text ---

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


class AccessKind(Enum):
    """How a person can get at a source that could not be read here, the easiest first."""

    OPEN_COPY = "open copy"  # a free copy of a paper
    ARCHIVE = "archive"
    LIBRARY = "library"  # the Wikipedia Library
    SCAN = "scan"  # of a book


@dataclass(frozen=True, slots=True)
class Access:
    """A way to the text of a source, and where it leads."""

    kind: AccessKind
    address: str


def accesses_to(source: Source, outcome: SourceOutcome) -> tuple[Access, ...]:
    """Return the ways to the text of a source, given what came of fetching it."""
    if outcome in {SourceOutcome.READ, SourceOutcome.FORBIDDEN_ADDRESS}:
        return ()
    return tuple(_accesses(source, outcome))


def _accesses(source: Source, outcome: SourceOutcome) -> Iterator[Access]:
    free = _open_copy(source)
    if free:
        yield Access(AccessKind.OPEN_COPY, free)
    page = source.url if _is_web(source.url) else None
    if page and outcome in _NOT_THERE:
        day = source.access_date
        when = f"{day:%Y%m%d}" if day else "*"
        yield Access(AccessKind.ARCHIVE, f"https://web.archive.org/web/{when}/{page}")
    doi = doi_of(source)
    paid = page or (f"https://doi.org/{doi}" if doi else None)
    if paid and outcome in _WALLS:
        yield Access(AccessKind.LIBRARY, _LIBRARY + quote(paid, safe=":/?&=%"))
    isbn = (source.isbn or "").replace(" ", "")
    if _ISBN.fullmatch(isbn) and outcome is SourceOutcome.OFFLINE:
        number = isbn.replace("-", "").upper()
        yield Access(AccessKind.SCAN, f"https://openlibrary.org/isbn/{number}")


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
