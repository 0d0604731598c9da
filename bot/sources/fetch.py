"""From an address to a body: redirects, robots.txt, turns and the cache.

Each hop of a chain of redirects is a new address: it passes the wall, checks its site's
robots.txt and waits for its host's turn. Links in headers and `Content-Location` are
ignored; what a page says of itself, such as a meta refresh, is its reader's business.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import Protocol
from urllib.parse import urljoin

from protego import Protego

from bot.sources.address_wall import (
    AddressWall,
    CheckedUrl,
    ForbiddenAddressError,
)
from bot.sources.cache import CacheEntry, Remembered, SourceCache
from bot.sources.http import Caps, Failure, Fetched, Head, HttpClient, Reply
from bot.sources.manners import Manners, SharedSlots
from bot.sources.settings import ReaderSettings
from handlers.model import SourceOutcome

# If it is still a redirect at the end, there were too many.
_FIRST_REDIRECT = 300
_TOO_OFTEN = 429
_SERVER_ERRORS = 500
KEPT_S = 43_200.0  # and as long on disk before: a day in all, as in the standard
_UNREAD_S = 900.0  # until an unreadable robots.txt is requested again
_MOST_CHARS = 5_000_000  # of rules that are remembered
_LEAST_WEIGHT = 1_000
# The parser gives every rule to every agent of its group; the product of the two is
# limited, because it can be made quadratic.
_MAX_PARSE_STEPS = 2_000_000
_QUICK_STEPS = 50_000_000  # characters of rules times those of an address: about 10 ms


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether a page may be requested (`failure` is `None`), and how slowly."""

    failure: Failure | None = None
    crawl_delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Site:
    failure: Failure | None = None
    rules: Protego | None = None
    chars: int = 0  # of its robots.txt


class Robots:
    """Remembers each site's robots.txt for half a day, if it could be read.

    It is read before a site's pages, as in RFC 9309. A site without one (any 4xx)
    forbids nothing. A site whose robots.txt cannot be read because of a server error is
    left alone. A site that does not answer at all is unreachable for the page, too, and
    is reported so.

    Args:
        fetch: gets an address without checking robots.txt.
        agent: the product token of our User-Agent.
        clock: monotonic, in seconds.
    """

    def __init__(
        self,
        fetch: Callable[[str], Awaitable[Fetched | Failure]],
        agent: str,
        clock: Callable[[], float],
    ) -> None:
        self._fetch = fetch
        self._agent = agent
        self._sites = Remembered[_Site](
            clock,
            keep_s=KEPT_S,
            most_weight=_MOST_CHARS,
            weigh=lambda site: _LEAST_WEIGHT + site.chars,
            is_brief=lambda site: site.failure is not None,
            brief_s=_UNREAD_S,
        )

    async def close(self) -> None:
        """Cancel pending requests."""
        await self._sites.close()

    async def permission(self, url: CheckedUrl) -> Permission:
        """Return what the site of `url` says about reading it."""
        site = await self._sites.of(url.origin, lambda: self._ask(url))
        if site.failure or site.rules is None:
            return Permission(site.failure)
        if not await self._allows(site, site.rules, url.text):
            detail = f"robots.txt of {url.host} does not allow this page to be read"
            return Permission(Failure(SourceOutcome.ROBOTS, detail))
        return Permission(crawl_delay_s=site.rules.crawl_delay(self._agent) or 0.0)

    async def _allows(self, site: _Site, rules: Protego, address: str) -> bool:
        if site.chars * len(address) <= _QUICK_STEPS:
            return bool(rules.can_fetch(address, self._agent))
        # Matching thousands of rules on thousands of characters takes almost a second.
        return bool(await asyncio.to_thread(rules.can_fetch, address, self._agent))

    async def _ask(self, url: CheckedUrl) -> _Site:
        answer = await self._fetch(f"{url.origin}/robots.txt")
        if isinstance(answer, Failure):
            return _Site(_consequence(answer))
        text = answer.body.decode("utf-8-sig", "replace")
        if _parse_steps(text) > _MAX_PARSE_STEPS:
            return _Site(_unread("it is too large", answer.status))
        rules = await asyncio.to_thread(Protego.parse, text)
        return _Site(rules=rules, chars=len(text))


def _consequence(failure: Failure) -> Failure | None:
    status = failure.http_status
    if status is None:
        return replace(failure, detail=f"{failure.detail} (asked for robots.txt)")
    if _FIRST_REDIRECT <= status < _SERVER_ERRORS and status != _TOO_OFTEN:
        return None
    return _unread(failure.detail, status)


def _unread(why: str, status: int) -> Failure:
    return Failure(SourceOutcome.ROBOTS, f"could not read robots.txt: {why}", status)


def _parse_steps(text: str) -> int:
    agents = sum("agent" in line[:16].lower() for line in text.splitlines())
    return agents * text.count("\n")


_NOT_MODIFIED = 304
# Without a status, so that it is not kept: no server said it about this page.
_LEFT_IN_PEACE = Failure(
    SourceOutcome.REFUSED,
    "its site said that we send too many requests, so it was not asked",
)
# Decided by us, not by the web, so it is decided again each time.
_NEVER_KEPT = frozenset({SourceOutcome.FORBIDDEN_ADDRESS, SourceOutcome.ROBOTS})

Permit = Callable[[CheckedUrl], Awaitable[Permission]]


@dataclass(frozen=True, slots=True)
class Clocks:
    """The three uses of time, so that tests need not wait."""

    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    now: Callable[[], datetime]


@dataclass(slots=True)
class _Walk:
    """One chain of redirects: where it has been and what time it has left."""

    caps: Caps
    permit: Permit
    cached: CacheEntry | None
    seen: set[str]


class PageFetcher(Protocol):
    """Gets addresses from anywhere; never raises for anything the web does."""

    async def fetch(
        self, address: str, *, most_age_s: float = inf
    ) -> Fetched | Failure:
        """Get a page; an older cached one is requested again."""
        ...

    async def fetch_service(self, address: str) -> Fetched | Failure:
        """Get the answer of a service made for programs."""
        ...

    async def close(self) -> None:
        """Cancel pending requests."""
        ...


class Fetcher:
    """Gets addresses; never raises for anything the web does.

    With `slots`, turns at hosts are shared with all other processes; then every method
    also raises what these raise.
    """

    def __init__(
        self,
        client: HttpClient,
        wall: AddressWall,
        cache: SourceCache | None,
        settings: ReaderSettings,
        clocks: Clocks,
        *,
        slots: SharedSlots | None = None,
    ) -> None:
        self._client = client
        self._wall = wall
        self._cache = cache
        self._limits = settings.limits
        self._credentials = settings.services.credentials
        self._clocks = clocks
        self._manners = Manners(
            settings.politeness,
            clocks.monotonic,
            clocks.sleep,
            shared=slots,
            slot_s=settings.limits.slot_s,
        )
        self._robots = Robots(
            self._fetch_robots, settings.robots_token, clocks.monotonic
        )

    async def close(self) -> None:
        """Cancel pending requests."""
        await self._robots.close()

    async def fetch(
        self, address: str, *, most_age_s: float = inf
    ) -> Fetched | Failure:
        """Get a page, if its site allows it.

        An older cached page is requested again; its site may say that it is unchanged.
        """
        limits = self._limits
        caps = Caps(limits.total_s, limits.max_body_bytes, limits.max_decoded_bytes)
        permit = self._robots.permission
        return await self._through_cache(address, caps, permit, most_age_s)

    async def fetch_service(self, address: str) -> Fetched | Failure:
        """Get the answer of a service made for programs; robots.txt is not checked."""
        return await self._small(address, self._limits.max_service_bytes)

    async def _fetch_robots(self, address: str) -> Fetched | Failure:
        return await self._small(address, self._limits.max_robots_bytes, KEPT_S)

    async def _small(
        self, address: str, max_bytes: int, most_age_s: float = inf
    ) -> Fetched | Failure:
        caps = Caps(self._limits.total_s, max_bytes, max_bytes)
        return await self._through_cache(address, caps, _permit_all, most_age_s)

    async def _through_cache(
        self, address: str, caps: Caps, permit: Permit, most_age_s: float = inf
    ) -> Fetched | Failure:
        try:
            url = self._wall.check_url(address)
        except ForbiddenAddressError as error:
            return Failure(SourceOutcome.FORBIDDEN_ADDRESS, error.reason)
        cached = await self._recall(url)
        if cached is not None and cached.is_fresh and self._age_s(cached) < most_age_s:
            return cached.answer
        answer = await self._walk(url, _Walk(caps, permit, cached, seen=set()))
        await self._remember(url, answer)
        return answer

    def _age_s(self, cached: CacheEntry) -> float:
        if isinstance(cached.answer, Failure):
            return 0.0  # kept for minutes
        return (self._clocks.now() - cached.answer.fetched_at).total_seconds()

    async def _recall(self, url: CheckedUrl) -> CacheEntry | None:
        if self._cache is None:
            return None
        return await asyncio.to_thread(self._cache.get, url.text)

    async def _remember(self, url: CheckedUrl, answer: Fetched | Failure) -> None:
        if self._cache is None:
            return
        if isinstance(answer, Failure) and not _is_worth_keeping(answer):
            return
        await asyncio.to_thread(self._cache.put, url.text, answer)

    async def _walk(self, url: CheckedUrl, walk: _Walk) -> Fetched | Failure:
        while True:
            walk.seen.add(url.text)
            reply = await self._ask(url, walk)
            if isinstance(reply, Failure):
                return replace(reply, url=url.text)
            if not reply.head.is_redirect:
                return self._arrived(url, reply, walk.cached)
            target = self._next(url, reply.head, walk.seen)
            if isinstance(target, Failure):
                return replace(target, url=url.text)
            url = target

    async def _ask(self, url: CheckedUrl, walk: _Walk) -> Reply | Failure:
        permission = await walk.permit(url)
        if permission.failure is not None:
            return permission.failure
        async with self._manners.slot(url.host, permission.crawl_delay_s) as slot:
            if slot.is_throttling:
                return _LEFT_IN_PEACE
            began_s = self._clocks.monotonic()
            headers = _conditions(url, walk.cached) | self._credentials(url.text)
            reply = await self._client.get(url, walk.caps, headers)
            took_s = self._clocks.monotonic() - began_s
            if isinstance(reply, Failure) and reply.http_status == _TOO_OFTEN:
                slot.throttled()
        walk.caps = replace(walk.caps, time_s=walk.caps.time_s - took_s)
        return reply

    def _next(
        self, url: CheckedUrl, head: Head, seen: set[str]
    ) -> CheckedUrl | Failure:
        location = head.headers.get("location", ("",))[0].strip()
        if not location:
            detail = "the server redirects without saying where"
            return Failure(SourceOutcome.UNREACHABLE, detail, head.status)
        try:
            target = self._wall.check_url(urljoin(url.text, location))
        except ForbiddenAddressError as error:
            detail = f"redirected to a forbidden address: {error.reason}"
            return Failure(SourceOutcome.FORBIDDEN_ADDRESS, detail, head.status)
        except ValueError:
            detail = "the server redirects to a malformed address"
            return Failure(SourceOutcome.FORBIDDEN_ADDRESS, detail, head.status)
        if len(seen) > self._limits.max_redirects:
            detail = f"more than {self._limits.max_redirects} redirects"
            return Failure(SourceOutcome.UNREACHABLE, detail, head.status)
        if target.text in seen:
            detail = "the server redirects in a circle (some do without cookies)"
            return Failure(SourceOutcome.UNREACHABLE, detail, head.status)
        return target

    def _arrived(
        self, url: CheckedUrl, reply: Reply, cached: CacheEntry | None
    ) -> Fetched | Failure:
        now = self._clocks.now()
        head = reply.head
        if head.status == _NOT_MODIFIED:
            if page := _page_of(url, cached):
                return replace(page, fetched_at=now)
            detail = "the server answered 304 although we did not ask for it"
            return Failure(SourceOutcome.UNREACHABLE, detail, _NOT_MODIFIED, url.text)
        return Fetched(
            url=url.text,
            status=head.status,
            content_type=head.validator("content-type"),
            body=reply.body,
            sha256=hashlib.sha256(reply.body).hexdigest(),
            fetched_at=now,
            etag=head.validator("etag"),
            last_modified=head.validator("last-modified"),
        )


def _is_worth_keeping(failure: Failure) -> bool:
    # If no server answered, the cause may be our own network.
    return failure.http_status is not None and failure.outcome not in _NEVER_KEPT


async def _permit_all(_: CheckedUrl) -> Permission:
    return Permission()


def _page_of(url: CheckedUrl, cached: CacheEntry | None) -> Fetched | None:
    """Return the cached page if it came from exactly this address."""
    page = cached.answer if cached else None
    return page if isinstance(page, Fetched) and page.url == url.text else None


def _conditions(url: CheckedUrl, cached: CacheEntry | None) -> dict[str, str]:
    page = _page_of(url, cached)
    if page is None:
        return {}
    conditions = {"If-None-Match": page.etag, "If-Modified-Since": page.last_modified}
    return {name: value for name, value in conditions.items() if value}
