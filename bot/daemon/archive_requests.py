"""Has cited pages archived while they can still be read, a few at a time.

Each address is requested once, whatever the archive answers: one that it refuses today
it will refuse tomorrow.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus

import aiohttp
import structlog

from bot.store.links import Links
from handlers.ports import PermanentError, TemporaryError

_TIMEOUT_S = 60.0
_AGAIN_S = 600.0
_NOT_WITHIN = "365d"


@dataclass(frozen=True, slots=True)
class SavePageNow:
    """The service at `address`; `keys` are an account's, with a colon between."""

    address: str
    keys: str = field(repr=False)
    user_agent: str

    async def ask(self, url: str) -> bool:
        """Ask for a copy of `url`; `False` if the archive refuses that page.

        Raises:
            PermanentError: the keys are wrong.
            TemporaryError: the archive is unavailable, or was asked too often.
        """
        headers = {
            "Accept": "application/json",
            "Authorization": f"LOW {self.keys}",
            "User-Agent": self.user_agent,
        }
        body = {"url": url, "if_not_archived_within": _NOT_WITHIN}
        try:
            async with (
                aiohttp.ClientSession(
                    timeout=aiohttp.ClientTimeout(total=_TIMEOUT_S)
                ) as session,
                session.post(
                    self.address, data=body, headers=headers, allow_redirects=False
                ) as answer,
            ):
                status = answer.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            why = f"the archive cannot be reached ({type(error).__name__})"
            raise TemporaryError(why, retry_in_s=_AGAIN_S) from None
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise PermanentError(
                f"the archive does not accept `save_page_keys` ({status}); copy them"
                " again from the account's page of keys"
            )
        is_away = status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if is_away or status == HTTPStatus.TOO_MANY_REQUESTS:
            raise TemporaryError(f"the archive answered {status}", retry_in_s=_AGAIN_S)
        return status == HTTPStatus.OK


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
