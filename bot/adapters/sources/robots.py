"""Asks each site's robots.txt before its pages, once a day, as RFC 9309 has it.

A site without one (any 4xx) forbids nothing. A site whose robots.txt cannot be
read for an error of its own is left alone. A site that does not answer at all
is as unreachable for the page as for robots.txt, and is reported so.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from protego import Protego

from bot.adapters.sources.address_wall import CheckedUrl
from bot.adapters.sources.answers import Failure, Fetched
from bot.adapters.sources.remembered import Remembered
from handlers.model import SourceOutcome

# What is still a redirect at the end was one of too many.
_FIRST_REDIRECT = 300
_TOO_OFTEN = 429
_SERVER_ERRORS = 500
KEPT_S = 43_200.0  # and as long on disk before: a day together, as the standard has it
_UNREAD_S = 900.0  # until a site is asked again whose robots.txt could not be read
_MOST_CHARS = 5_000_000  # of rules that are remembered
_LEAST_WEIGHT = 1_000
# The parser gives every rule to every agent of its group; the product of the
# two is bounded, for it can be made quadratic.
_MAX_PARSE_STEPS = 2_000_000
_QUICK_STEPS = 50_000_000  # characters of rules by those of an address: about 10 ms


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether a page may be asked for (`failure` is `None`), and how slowly."""

    failure: Failure | None = None
    crawl_delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Site:
    failure: Failure | None = None
    rules: Protego | None = None
    chars: int = 0  # of its robots.txt


class Robots:
    """Remembers the robots.txt of every site for half a day, if it could be read.

    Args:
        fetch: gets an address without asking robots.txt.
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
            weigh=_weight,
            is_brief=lambda site: site.failure is not None,
            brief_s=_UNREAD_S,
        )

    async def close(self) -> None:
        """End what is still asked for."""
        await self._sites.close()

    async def permission(self, url: CheckedUrl) -> Permission:
        """Return what the site of `url` says about reading it."""
        site = await self._sites.of(url.origin, lambda: self._ask(url))
        if site.failure or site.rules is None:
            return Permission(site.failure)
        if not await self._allows(site, site.rules, url.text):
            detail = f"robots.txt of {url.host} does not want this page to be read"
            return Permission(Failure(SourceOutcome.ROBOTS, detail))
        return Permission(crawl_delay_s=site.rules.crawl_delay(self._agent) or 0.0)

    async def _allows(self, site: _Site, rules: Protego, address: str) -> bool:
        if site.chars * len(address) <= _QUICK_STEPS:
            return bool(rules.can_fetch(address, self._agent))
        # Thousands of rules on thousands of characters take the better part of a second.
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


def _weight(site: _Site) -> int:
    return _LEAST_WEIGHT + site.chars


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
