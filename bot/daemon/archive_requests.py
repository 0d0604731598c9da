"""Has cited pages archived while they can still be read, a few at a time.

Each address is requested once, whatever the archive answers: one that it refuses today
it will refuse tomorrow.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.sources.save_page import SavePageNow
from bot.store.links import Links

EVERY_S = 900.0
_AT_ONCE = 20
_PAUSE_S = 15.0  # the archive limits an account's requests per minute
_READ_WITHIN = timedelta(days=7)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ArchiveRequests:
    """Requests copies of what was read lately, at most `per_day`."""

    links: Links
    archive: SavePageNow
    per_day: int
    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def run(self) -> None:
        """Request some copies.

        Raises:
            PermanentError: the keys are wrong.
            TemporaryError: the archive or the store is unavailable.
        """
        now = self.now()
        asked = await asyncio.to_thread(self.links.asked_since, now - _DAY)
        most = min(_AT_ONCE, self.per_day - asked)
        if most <= 0:
            return
        wanted = await asyncio.to_thread(
            self.links.to_archive, now - _READ_WITHIN, most
        )
        for number, address in enumerate(wanted):
            if number:
                await self.sleep(_PAUSE_S)
            is_taken = await self.archive.ask(address)
            await asyncio.to_thread(self.links.asked, address, self.now())
            log = structlog.get_logger()
            log.info("archived copy requested", address=address, is_taken=is_taken)
