"""Sources outside a check: read for other processes, and archived while they last.

The role `read` reads for processes that do not read the web themselves. It can run on
other machines, in any number of copies; all it shares with the rest is the store.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus

import aiohttp
import structlog

from bot.daemon.runner import Runner
from bot.records.fetches import Request
from bot.records.tasks import BackOff, FailureOutcome, Lease, TaskKind, Work
from bot.store import Store
from bot.store.links import Links
from handlers.model import SourceFetch
from handlers.ports import PermanentError, SourceReader, TemporaryError

_AT_ONCE = BackOff(first_s=0.0, most_s=0.0)
_AGAIN_S, _AGAIN_MOST_S = 1.0, 10.0  # between tries to save an answer


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Reads the sources that have waited longest, `at_once` at a time.

    Several may share one store, each in a separate process.
    """

    name: str
    store: Store
    sources: SourceReader
    now: Callable[[], datetime]
    at_once: int = 8

    @property
    def runner(self) -> Runner:
        """The queue of sources to read."""
        works = {TaskKind.FETCH: Work(self._fetch, _AT_ONCE, failed=_failed)}
        tasks, at_once = self.store.tasks, self.at_once
        return Runner(self.name, tasks, works, self.now, lambda: 0.0, at_once)

    async def _fetch(self, held: Lease[Request]) -> None:
        fetch = await self.sources.read(held.task.source)
        await self._save(held, fetch)
        outcome = fetch.outcome.value
        structlog.get_logger().debug("source read", outcome=outcome)

    async def _save(self, held: Lease[Request], fetch: SourceFetch) -> None:
        """Save an answer; try for as long as a lease lasts if the store is away.

        So the host is not asked again, and the source does not count as one that killed
        its reader.
        """
        fetches, loop = self.store.fetches, asyncio.get_running_loop()
        until_s = loop.time() + fetches.rules.lease_s
        while True:
            try:
                await asyncio.to_thread(fetches.answer, held, fetch, self.now())
            except TemporaryError as error:
                wait_s = min(max(error.retry_in_s, _AGAIN_S), _AGAIN_MOST_S)
                if loop.time() + wait_s > until_s:
                    raise
                await asyncio.sleep(wait_s)
            else:
                return


def _failed(_: Lease[Request], error: Exception) -> FailureOutcome | None:
    """Give a source back if the store, which holds the hosts' turns, was away."""
    away = isinstance(error, TemporaryError)
    return FailureOutcome(str(error), 0.0, counts=False) if away else None


_TIMEOUT_S = 60.0
_AWAY_S = 600.0
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
            raise TemporaryError(why, retry_in_s=_AWAY_S) from None
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise PermanentError(
                f"the archive does not accept `save_page_keys` ({status}); copy them"
                " again from the account's page of keys"
            )
        is_away = status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if is_away or status == HTTPStatus.TOO_MANY_REQUESTS:
            raise TemporaryError(f"the archive answered {status}", retry_in_s=_AWAY_S)
        return status == HTTPStatus.OK


ARCHIVE_EVERY_S = 900.0
_MOST_AT_ONCE = 20
_PAUSE_S = 15.0  # the archive limits an account's requests per minute
_READ_WITHIN = timedelta(days=7)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ArchiveRequests:
    """Requests copies of what was read lately, at most `per_day`.

    Each address is requested once, whatever the archive answers: one that it refuses
    today it will refuse tomorrow.
    """

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
        requested = await asyncio.to_thread(self.links.submitted_since, now - _DAY)
        most = min(_MOST_AT_ONCE, self.per_day - requested)
        if most <= 0:
            return
        wanted = await asyncio.to_thread(
            self.links.to_archive, now - _READ_WITHIN, most
        )
        for number, address in enumerate(wanted):
            if number:
                await self.sleep(_PAUSE_S)
            is_taken = await self.archive.ask(address)
            await asyncio.to_thread(self.links.note_submission, address, self.now())
            log = structlog.get_logger()
            log.info("archived copy requested", address=address, is_taken=is_taken)
