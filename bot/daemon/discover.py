"""Finds what is newer than one article says, from its wikitext: the roles at work.

The use case behind `sidenote discover` and the daemon's handler of updates. It depends
on no library and no file path; it is given its roles, its tools and a clock.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime

import structlog

from bot.daemon.check import parse_page
from handlers.model import Discovery, Page, PageId, Window
from handlers.ports import PermanentError
from handlers.updates.discovery import discover
from handlers.updates.roles import Budget, Roles, Tools


@dataclass(frozen=True, slots=True)
class Discoverer:
    """Looks for newer facts with one set of roles and tools."""

    roles: Roles
    tools: Tools
    now: Callable[[], datetime]
    budget: Budget = field(default_factory=Budget)

    async def discover(
        self, wikitext: str, page_id: PageId, window: Window
    ) -> Discovery:
        """Return what is newer than the page says, from the days in `window`.

        Raises:
            PermanentError: the page is larger than any wiki saves, or it is a redirect
                or a disambiguation page, which state nothing.
        """
        page = parse_page(wikitext, page_id)
        if page.redirect_to:
            raise PermanentError(
                f"{page_id.title} is a redirect; use “{page.redirect_to}” instead"
            )
        if page.is_disambiguation:
            raise PermanentError(
                f"{page_id.title} is a disambiguation page, which states no facts"
            )
        found = await run(
            self.roles,
            page,
            window,
            self.now().date(),
            tools=self.tools,
            budget=self.budget,
        )
        _log(found)
        return found


async def run(
    roles: Roles,
    page: Page,
    window: Window,
    today: date,
    *,
    tools: Tools,
    budget: Budget,
) -> Discovery:
    """Look for newer facts by the machine's clock."""
    return await discover(
        page,
        window,
        today,
        roles=roles,
        tools=tools,
        budget=budget,
        elapsed_s=time.monotonic,
    )


def _log(found: Discovery) -> None:
    page = found.subject.page.id
    structlog.get_logger().info(
        "updates looked for",
        wiki=page.wiki,
        title=page.title,
        revision_id=page.revision_id,
        window=str(found.subject.window),
        updates=len(found.updates),
        steps=len(found.trace),
        stopped=found.stopped.name,
        troubles=len(found.troubles),
        took_s=round(found.took_s, 2),
    )
