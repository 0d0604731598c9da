"""From an address to a body: redirects, robots.txt, turns and the cache.

Each hop of a chain of redirects is a new address: it passes the wall, asks the
robots.txt of its own site and waits for its own host's turn. Links in headers,
`Content-Location` and the page's own refreshes lead nowhere.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import Protocol
from urllib.parse import urljoin

from bot.adapters.sources.address_wall import (
    AddressWall,
    CheckedUrl,
    ForbiddenAddressError,
)
from bot.adapters.sources.answers import Failure, Fetched, Head, Reply
from bot.adapters.sources.cache import Kept, SourceCache
from bot.adapters.sources.http import Caps, HttpClient
from bot.adapters.sources.manners import Manners, SharedTurns
from bot.adapters.sources.robots import KEPT_S, Permission, Robots
from bot.adapters.sources.settings import ReaderSettings
from handlers.model import SourceOutcome

_NOT_MODIFIED = 304
_TOO_OFTEN = 429
# Without a status, so that it is not kept: no server said it of this page.
_LEFT_IN_PEACE = Failure(
    SourceOutcome.REFUSED, "its site said that we ask too often, so it was not asked"
)
# Decided by us and not by the web, so it is decided anew each time.
_NEVER_KEPT = frozenset({SourceOutcome.FORBIDDEN_ADDRESS, SourceOutcome.ROBOTS})

Permit = Callable[[CheckedUrl], Awaitable[Permission]]


@dataclass(frozen=True, slots=True)
class Clocks:
    """The three ways in which time is needed, so that tests need not wait."""

    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    now: Callable[[], datetime]


@dataclass(slots=True)
class _Walk:
    """One chain of redirects: where it has been and what time it has left."""

    caps: Caps
    permit: Permit
    kept: Kept | None
    seen: set[str]


class PageFetcher(Protocol):
    """Gets addresses, from wherever; never raises for anything the web does."""

    async def fetch(self, address: str) -> Fetched | Failure:
        """Get a page."""
        ...

    async def fetch_service(self, address: str) -> Fetched | Failure:
        """Get the answer of a service made for programs."""
        ...

    async def close(self) -> None:
        """End what is still asked for."""
        ...


class Fetcher:
    """Gets addresses; never raises for anything the web does.

    With `turns`, hosts are asked in turn with all other processes that have them; then
    every verb raises what these raise, too.
    """

    def __init__(
        self,
        client: HttpClient,
        wall: AddressWall,
        cache: SourceCache | None,
        settings: ReaderSettings,
        clocks: Clocks,
        *,
        turns: SharedTurns | None = None,
    ) -> None:
        self._client = client
        self._wall = wall
        self._cache = cache
        self._limits = settings.limits
        self._clocks = clocks
        self._manners = Manners(
            settings.politeness,
            clocks.monotonic,
            clocks.sleep,
            shared=turns,
            turn_s=settings.limits.turn_s,
        )
        self._robots = Robots(
            self._fetch_robots, settings.robots_token, clocks.monotonic
        )

    async def close(self) -> None:
        """End what is still asked for."""
        await self._robots.close()

    async def fetch(self, address: str) -> Fetched | Failure:
        """Get a page, as far as its site wants it read."""
        limits = self._limits
        caps = Caps(limits.total_s, limits.max_body_bytes, limits.max_decoded_bytes)
        return await self._through_cache(address, caps, self._robots.permission)

    async def fetch_service(self, address: str) -> Fetched | Failure:
        """Get the answer of a service made for programs; robots.txt is not asked."""
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
        kept = await self._recall(url)
        if kept is not None and kept.is_fresh and self._age_s(kept) <= most_age_s:
            return kept.answer
        answer = await self._walk(url, _Walk(caps, permit, kept, seen=set()))
        await self._remember(url, answer)
        return answer

    def _age_s(self, kept: Kept) -> float:
        if isinstance(kept.answer, Failure):
            return 0.0  # kept for minutes
        return (self._clocks.now() - kept.answer.fetched_at).total_seconds()

    async def _recall(self, url: CheckedUrl) -> Kept | None:
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
                return self._arrived(url, reply, walk.kept)
            target = self._next(url, reply.head, walk.seen)
            if isinstance(target, Failure):
                return replace(target, url=url.text)
            url = target

    async def _ask(self, url: CheckedUrl, walk: _Walk) -> Reply | Failure:
        permission = await walk.permit(url)
        if permission.failure is not None:
            return permission.failure
        async with self._manners.turn(url.host, permission.crawl_delay_s) as turn:
            if turn.is_weary:
                return _LEFT_IN_PEACE
            began_s = self._clocks.monotonic()
            reply = await self._client.get(url, walk.caps, _conditions(url, walk.kept))
            took_s = self._clocks.monotonic() - began_s
            if isinstance(reply, Failure) and reply.http_status == _TOO_OFTEN:
                turn.tire()
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
            detail = f"redirected to where we do not go: {error.reason}"
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
        self, url: CheckedUrl, reply: Reply, kept: Kept | None
    ) -> Fetched | Failure:
        now = self._clocks.now()
        head = reply.head
        if head.status == _NOT_MODIFIED:
            if page := _page_of(url, kept):
                return replace(page, fetched_at=now)
            detail = "the server answered 304 to a question that we did not ask"
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
    # Where no server answered, the fault may lie with our own network.
    return failure.http_status is not None and failure.outcome not in _NEVER_KEPT


async def _permit_all(_: CheckedUrl) -> Permission:
    return Permission()


def _page_of(url: CheckedUrl, kept: Kept | None) -> Fetched | None:
    """Return the kept page if it came from this very address."""
    page = kept.answer if kept else None
    return page if isinstance(page, Fetched) and page.url == url.text else None


def _conditions(url: CheckedUrl, kept: Kept | None) -> dict[str, str]:
    page = _page_of(url, kept)
    if page is None:
        return {}
    conditions = {"If-None-Match": page.etag, "If-Modified-Since": page.last_modified}
    return {name: value for name, value in conditions.items() if value}
