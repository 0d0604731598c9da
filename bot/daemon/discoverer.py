"""Looks for newer facts about one page: the use case behind `sidenote discover`.

Apart from the task that does it for watched pages, which needs a store.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from bot.daemon.check import parse_page
from handlers.model import Discovery, PageId, Window
from handlers.ports import PermanentError
from handlers.updates.discovery import discover
from handlers.updates.roles import Budget, Roles, Tools


@dataclass(frozen=True, slots=True)
class Discoverer:
    """Looks for newer facts about a page, with one set of roles and tools."""

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
        found = await discover(
            page,
            window,
            self.now().date(),
            roles=self.roles,
            tools=self.tools,
            budget=self.budget,
            elapsed_s=time.monotonic,
        )
        _log(found)
        return found


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
