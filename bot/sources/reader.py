"""Reads sources from the web: the entry point of this package.

A source is looked for in one place after another until one gives its text. If none
does, the first place's answer is the outcome, since a Wikipedia editor who opens the
citation would see that.
"""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urldefrag, urljoin

from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from bot.sources.cache import Remembered, SourceCache
from bot.sources.copies import (
    ARCHIVES,
    OPEN_ACCESS,
    Place,
    Step,
    availability_url,
    copies,
    is_wayback,
    nowhere,
    read_availability,
    read_snapshot,
    route,
    wanted_date,
)
from bot.sources.extraction import Extraction, TextExtractor
from bot.sources.fetch import Clocks, Fetcher, PageFetcher
from bot.sources.http import Failure, Fetched, HttpClient, NameService
from bot.sources.manners import SharedSlots
from bot.sources.settings import ReaderSettings
from handlers.model import Origin, Source, SourceFetch, SourceOutcome, UrlStatus
from handlers.ports import PermanentError, SourceReader
from handlers.sources.links import leads_away, visit_of

_MOST_CHARS = 30_000_000  # of text that is remembered
_MOST_QUESTIONS = 2_000  # to the archive, whose answers are remembered
_LEAST_WEIGHT = 2_000  # of what has no text

# With these outcomes of the live page, an archived copy is worth looking for.
_WORTH_AN_ARCHIVE = frozenset(
    {
        SourceOutcome.BOILERPLATE,
        SourceOutcome.BOT_CHECK,
        SourceOutcome.COOKIE_WALL,
        SourceOutcome.EMPTY_SHELL,
        SourceOutcome.GONE,
        SourceOutcome.LOGIN_WALL,
        SourceOutcome.NOT_IN_FOLDER,  # when only the cache is read
        SourceOutcome.PARKED,
        SourceOutcome.REFUSED,
        SourceOutcome.SOFT_404,
        SourceOutcome.UNREACHABLE,
    }
)
# With these outcomes, another site may have a free copy.
_WORTH_A_COPY = _WORTH_AN_ARCHIVE | {
    SourceOutcome.INCOMPLETE,
    SourceOutcome.NOT_TEXT,
    SourceOutcome.ROBOTS,
    SourceOutcome.TOO_LARGE,
}
_FIRST_SERVER_ERROR = 500
_NO_SNAPSHOT = Failure(SourceOutcome.GONE, "it has no snapshot of the page")
_NO_COPY = Failure(SourceOutcome.GONE, "it has no free copy")
_IN_A_CIRCLE = Failure(
    SourceOutcome.UNREACHABLE, "the page sends its readers on, without an end"
)
_LED_AWAY = Failure(
    SourceOutcome.UNREACHABLE, "the snapshot redirects out of the archive"
)


@dataclass(frozen=True, slots=True)
class _Copy:
    """One address, fetched and extracted, without the body."""

    page: Fetched
    extraction: Extraction


def system_clocks() -> Clocks:
    """Return the clocks of the machine."""
    return Clocks(time.monotonic, asyncio.sleep, lambda: datetime.now(UTC))


class WebSources:
    """Reads what citations point to; one instance per process.

    Use it as an async context manager. No address is requested twice within
    `ReaderSettings.remember_s`, however many callers there are, as long as the texts
    fit in memory.

    Args:
        extractor: turns bodies into text.
        wall: what may be connected to.
        cache_folder: keeps answers for later runs; nothing is kept if `None`.
        names: looks up host names; as the operating system does if `None`.
        clocks: the machine's if `None`.
        slots: turns at hosts that all processes share; only this process's if `None`.
            With them `read` raises PermanentError or TemporaryError if they are
            unavailable.
        fetcher: gets addresses instead of the web, which is then never accessed.
    """

    def __init__(
        self,
        settings: ReaderSettings,
        extractor: TextExtractor,
        *,
        wall: AddressWall | None = None,
        cache_folder: Path | None = None,
        names: NameService | None = None,
        clocks: Clocks | None = None,
        slots: SharedSlots | None = None,
        fetcher: PageFetcher | None = None,
    ) -> None:
        wall = wall or AddressWall()
        clocks = clocks or system_clocks()
        self._settings = settings
        self._services = settings.services
        self._extractor = extractor
        self._cache = (
            SourceCache(cache_folder, settings.cache, clocks.now)
            if cache_folder
            else None
        )
        self._client = HttpClient(settings.user_agent, wall, settings.limits, names)
        self._fetcher: PageFetcher = fetcher or Fetcher(
            self._client, wall, self._cache, settings, clocks, slots=slots
        )
        self._now = clocks.now
        self._room = asyncio.Semaphore(settings.limits.max_sources)
        keep_s = settings.remember_s
        self._copies = Remembered[_Copy | Failure](
            clocks.monotonic, keep_s=keep_s, most_weight=_MOST_CHARS, weigh=_weight
        )
        self._questions = Remembered[Fetched | Failure](
            clocks.monotonic, keep_s=keep_s, most_weight=_MOST_QUESTIONS
        )
        self._resources = AsyncExitStack()

    async def __aenter__(self) -> Self:
        if self._cache is not None:
            await asyncio.to_thread(self._cache.open)
        await self._resources.enter_async_context(self._client)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._copies.close()
        await self._questions.close()
        await self._fetcher.close()
        await self._resources.aclose()

    def without_cache(self) -> SourceReader:
        """Return a reader for one check that requests each page again, once."""
        return _Uncached(self, f"{self._now().isoformat()} ")

    async def read(self, source: Source, *, check: str = "") -> SourceFetch:
        """Return the text of `source`, or the outcome that says why there is none.

        Args:
            source: what is cited.
            check: names a check that ignores earlier answers.
        """
        failures: list[tuple[Step, SourceFetch]] = []
        for step in route(source, self._services, self._settings.ask_wayback):
            if not _is_worth_trying(step, failures):
                continue
            fetch = await self._try_step(step, source, check)
            if fetch.outcome is SourceOutcome.READ:
                found = _with_history(fetch, failures)
                return self._visited(found, [*failures, (step, fetch)])
            failures.append((step, fetch))
        found = _first_of(failures) if failures else nowhere(source)
        if found.outcome is SourceOutcome.UNREACHABLE:  # it may be this machine's fault
            return found
        return self._visited(found, failures)

    def _visited(
        self, found: SourceFetch, steps: list[tuple[Step, SourceFetch]]
    ) -> SourceFetch:
        """Return a fetch with what was seen at the cited address, if requested."""
        live = next((one for one in steps if one[0].place is Place.LIVE), None)
        if live is None or found.source.url is None:
            return found
        step, fetch = live
        visit = visit_of(
            step.address,
            fetch,
            fetch.read_at or self._now(),
            seen_from=self._settings.seen_from,
        )
        return replace(found, visit=visit)

    async def _try_step(self, step: Step, source: Source, check: str) -> SourceFetch:
        match step.place:
            case Place.LIVE:
                copy = await self._copy(step.address, check)
                return _unless_lost(_fetch(source, copy, Origin.LIVE), step.address)
            case Place.OWN_ARCHIVE:
                return await self._archived(step.address, source)
            case Place.NEAREST_SNAPSHOT:
                return await self._nearest(step.address, source)
            case Place.OPEN_COPY:
                copy = await self._copy(step.address)
                return _fetch(source, copy, Origin.OPEN_ACCESS)
            case Place.UNPAYWALL | Place.EUROPE_PMC | Place.CORE:
                return await self._catalogued(step, source)

    async def _ask(self, question: str) -> Fetched | Failure:
        """Ask a service; if it does not answer, it has said nothing about the page."""
        answer = await self._questions.of(
            question, lambda: self._fetcher.fetch_service(question)
        )
        if isinstance(answer, Failure) and answer.http_status is None:
            return replace(answer, outcome=SourceOutcome.UNREACHABLE)
        return answer

    async def _catalogued(self, step: Step, source: Source) -> SourceFetch:
        """Read the first free copy that a catalogue knows and that can be read."""
        answer = await self._ask(step.address)
        if isinstance(answer, Failure):
            return _failed(source, answer)
        fetch = _failed(source, _NO_COPY)
        for address in copies(step.place, answer.body):
            copy = await self._copy(address)
            fetch = _fetch(source, copy, Origin.OPEN_ACCESS)
            if fetch.outcome is SourceOutcome.READ:
                break
        return fetch

    async def _nearest(self, original: str, source: Source) -> SourceFetch:
        hosts = self._services.wayback_hosts
        question = availability_url(
            self._services.wayback_available, original, wanted_date(source)
        )
        answer = await self._ask(question)
        if isinstance(answer, Failure):
            return _failed(source, answer)
        snapshot = read_availability(answer.body, hosts)
        if snapshot is None:
            return _failed(source, _NO_SNAPSHOT)
        return await self._archived(snapshot.raw_url, source)

    async def _archived(self, address: str, source: Source) -> SourceFetch:
        hosts = self._services.wayback_hosts
        snapshot = read_snapshot(address, hosts)
        copy = await self._copy(snapshot.raw_url if snapshot else address)
        if isinstance(copy, Failure):
            return _failed(source, copy)
        if snapshot and not is_wayback(copy.page.url, hosts):
            return _failed(source, _LED_AWAY)
        # Redirects inside the archive lead to the capture that really exists.
        capture = read_snapshot(copy.page.url, hosts)
        captured_at = capture.captured_at if capture else _own_date(source, address)
        fetch = _unless_lost(_fetch(source, copy, Origin.ARCHIVE), address)
        return replace(fetch, read_at=captured_at) if fetch.read_at else fetch

    async def _copy(self, address: str, check: str = "") -> _Copy | Failure:
        return await self._copies.of(
            check + address, lambda: self._make_copy(address, 0.0 if check else inf)
        )

    async def _make_copy(self, address: str, most_age_s: float) -> _Copy | Failure:
        async with self._room:
            seen: set[str] = set()
            while True:
                page = await self._fetcher.fetch(address, most_age_s=most_age_s)
                if isinstance(page, Failure):
                    return page
                extraction = await self._extractor.extract(
                    page.body, content_type=page.content_type, url=page.url
                )
                seen |= {address, page.url}
                address = self._moved(page.url, extraction.leads_to)
                if address == page.url:
                    return _Copy(replace(page, body=b""), extraction)
                if address in seen or len(seen) > self._settings.limits.max_redirects:
                    return replace(_IN_A_CIRCLE, http_status=page.status, url=page.url)

    def _moved(self, address: str, leads_to: str | None) -> str:
        """Return the address to which a page sends its readers; its own if to none.

        An archived page sends them to what was captured with it.
        """
        if leads_to is None:
            return address
        snapshot = read_snapshot(address, self._services.wayback_hosts)
        try:
            target = urljoin(snapshot.original if snapshot else address, leads_to)
            target = urldefrag(target).url
        except ValueError:
            return address
        if snapshot is None or read_snapshot(target, self._services.wayback_hosts):
            return target
        return replace(snapshot, original=target).raw_url


@dataclass(frozen=True, slots=True)
class _Uncached:
    """A reader of the web that ignores live pages read before `check`.

    Archived copies do not change, and are taken from the cache.
    """

    sources: WebSources
    check: str

    async def read(self, source: Source) -> SourceFetch:
        return await self.sources.read(source, check=self.check)


def _weight(copy: _Copy | Failure) -> int:
    if isinstance(copy, Failure) or copy.extraction.document is None:
        return _LEAST_WEIGHT
    return _LEAST_WEIGHT + len(copy.extraction.document.text)


def _fetch(source: Source, copy: _Copy | Failure, origin: Origin) -> SourceFetch:
    if isinstance(copy, Failure):
        return _failed(source, copy)
    extraction, page = copy.extraction, copy.page
    is_read = extraction.outcome is SourceOutcome.READ
    return SourceFetch(
        source=source,
        outcome=extraction.outcome,
        detail=extraction.detail,
        origin=origin if is_read else None,
        url=page.url,
        read_at=page.fetched_at if is_read else None,
        http_status=page.status,
        content_sha256=page.sha256,
        document=extraction.document,
    )


def _unless_lost(fetch: SourceFetch, address: str) -> SourceFetch:
    """Return the fetch, without the front page to which a lost page leads."""
    if fetch.document is None or fetch.url is None:
        return fetch
    if not leads_away(address, fetch.url):
        return fetch
    return replace(
        fetch,
        outcome=SourceOutcome.SOFT_404,
        detail="it leads to a front page",
        origin=None,
        read_at=None,
        document=None,
    )


def _failed(source: Source, failure: Failure) -> SourceFetch:
    return SourceFetch(
        source=source,
        outcome=failure.outcome,
        detail=failure.detail,
        url=failure.url,
        http_status=failure.http_status,
    )


def _is_worth_trying(step: Step, failures: list[tuple[Step, SourceFetch]]) -> bool:
    """Return whether to look there, given the live page's outcome, if any."""
    live = next((one for at, one in failures if at.place is Place.LIVE), None)
    if live is None:
        return True
    if step.place in ARCHIVES:
        return _is_worth_an_archive(live)
    return _is_worth_an_archive(live) or live.outcome in _WORTH_A_COPY


def _is_worth_an_archive(fetch: SourceFetch) -> bool:
    # A robots.txt that could not be read because of a server error forbids nothing.
    broken = (fetch.http_status or 0) >= _FIRST_SERVER_ERROR
    return fetch.outcome in _WORTH_AN_ARCHIVE or broken


def _own_date(source: Source, address: str) -> datetime | None:
    """Return the archive date that the citation gives for its own archive."""
    if source.archive_date is None or address != source.archive_url:
        return None
    return datetime.combine(source.archive_date, datetime.min.time(), UTC)


def _with_history(
    fetch: SourceFetch, failures: list[tuple[Step, SourceFetch]]
) -> SourceFetch:
    before = (f"{step.place.value}: {one.detail}" for step, one in failures)
    return replace(fetch, detail="; ".join([fetch.detail, *before]))


def _first_of(failures: list[tuple[Step, SourceFetch]]) -> SourceFetch:
    # The outcome of the cited page comes first: a free copy is not what is cited.
    cited = [one for one in failures if one[0].place not in OPEN_ACCESS]
    free = [one for one in failures if one[0].place in OPEN_ACCESS]
    (_, first), *others = cited + free
    seems_dead = first.outcome is SourceOutcome.GONE and first.http_status is None
    first = _with_history(first, others)
    if seems_dead and any(_is_out_of_reach(one) for _, one in others):
        # If the archive is unreachable, too, the cause may be this machine.
        return replace(first, outcome=SourceOutcome.UNREACHABLE)
    return first


def _is_out_of_reach(fetch: SourceFetch) -> bool:
    unreachable = fetch.outcome is SourceOutcome.UNREACHABLE
    return unreachable and fetch.http_status is None


_NOT_KEPT = Failure(SourceOutcome.NOT_IN_FOLDER, "it is not among the sources read")


def cached_sources(
    cache: SourceCache,
    settings: ReaderSettings,
    extractor: TextExtractor,
    wall: AddressWall,
) -> WebSources:
    """Give a reader that uses only `cache`; it need not be entered as a context.

    Nothing is fetched from the web. What is in the cache is used whatever its age,
    including archived copies and the archive's answers; what is not is reported as not
    read.
    """
    return WebSources(settings, extractor, wall=wall, fetcher=_CachedPages(cache, wall))


@dataclass(frozen=True, slots=True)
class _CachedPages:
    """Gets addresses from the cache."""

    cache: SourceCache
    wall: AddressWall

    async def fetch(
        self, address: str, *, most_age_s: float = inf
    ) -> Fetched | Failure:
        del most_age_s  # there is nothing else
        try:
            url = self.wall.check_url(address)
        except ForbiddenAddressError as error:
            return Failure(SourceOutcome.FORBIDDEN_ADDRESS, error.reason)
        cached = await asyncio.to_thread(self.cache.get, url.text)
        return cached.answer if cached else _NOT_KEPT

    async def fetch_service(self, address: str) -> Fetched | Failure:
        return await self.fetch(address)

    async def close(self) -> None:
        pass


# Reads the archived copy of a cited page nearest to a day, never today's page.


@dataclass(frozen=True, slots=True)
class ArchivedSources:
    """An `ArchiveReader` on top of a reader of the web, whose answers it shares.

    The reader skips the live page if a citation says that it has changed, and asks the
    archive for the access date; so the citation is made to say both.
    """

    sources: SourceReader

    async def read_near(self, source: Source, day: date) -> SourceFetch:
        """Return the citation's own archived copy, else the one nearest to `day`."""
        deviated = replace(source, access_date=day, url_status=UrlStatus.DEVIATED)
        return replace(await self.sources.read(deviated), source=source)


@dataclass(frozen=True, slots=True)
class CandidateSources:
    """A `SourceReader` that asks `copies` for what `sources` cannot read.

    Reads what a search found. Today's page comes first, since it is what would be
    cited; a document that is not on the web, or not reachable, is read where the search
    found it.
    """

    sources: SourceReader
    copies: SourceReader

    async def read(self, source: Source) -> SourceFetch:
        """Return the text of `source`, or why the first reader has none."""
        fetch = await self.sources.read(source)
        if fetch.document is not None:
            return fetch
        try:
            copy = await self.copies.read(source)
        except PermanentError:  # a damaged index costs its documents, not the run
            return fetch
        return fetch if copy.document is None else copy
