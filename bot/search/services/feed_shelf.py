"""Keeps feeds as they were fetched last, so that each is asked for seldom and shortly.

A feed is asked for anew after a while only, and then with what it said of its state
(`ETag`, `Last-Modified`), so that one without news answers with nothing. What a feed
no longer lists is forgotten with it.
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from bot.search.services.asking import Answer, Asker, Request
from bot.search.services.failing import failure_of
from bot.search.services.feed_forms import FeedEntry, read_feed
from bot.sources.whole_file import replacing, unwritten
from handlers.ports import PermanentError

_ACCEPT = "application/atom+xml,application/rss+xml,application/xml;q=0.9,*/*;q=0.5"
_MAX_BYTES = 4 * 1024 * 1024
_MAX_FILE_BYTES = 3 * _MAX_BYTES
_MAX_STATE = 500  # characters of an ETag


class _Kept(BaseModel):
    feed: str  # its digest; the address may hold a secret
    fetched_at: datetime
    etag: str = Field("", max_length=_MAX_STATE)
    changed: str = Field("", max_length=_MAX_STATE)
    body: str  # its bytes as Latin-1, which holds all of them


class FeedShelf:
    """Gives the entries of feeds.

    Args:
        folder: where they are kept; made if it is missing.
        asker: sends the requests.
        now: in UTC.
        fresh_for: for how long a feed is not asked for again.
    """

    def __init__(
        self,
        folder: Path,
        asker: Asker,
        now: Callable[[], datetime],
        *,
        fresh_for: timedelta = timedelta(minutes=15),
    ) -> None:
        self._folder = folder
        self._asker = asker
        self._now = now
        self._fresh_for = fresh_for
        self._read: dict[str, tuple[datetime, tuple[FeedEntry, ...]]] = {}

    async def entries(self, address: str) -> tuple[FeedEntry, ...]:
        """Return the entries of a feed.

        Raises:
            TemporaryError: it cannot be reached or is out of order.
            PermanentError: it is no feed, is gone, or has moved.
        """
        read = self._read.get(address)
        if read and self._is_fresh(read[0]):
            return read[1]
        kept = self._kept(address)
        if kept is None or not self._is_fresh(kept.fetched_at):
            kept = await self._fetch(address, kept)
            self._keep(address, kept)
        entries = read_feed(kept.body.encode("latin-1"))
        if entries is None:
            raise _no_feed(address)
        self._read[address] = kept.fetched_at, entries
        return entries

    def _is_fresh(self, at: datetime) -> bool:
        return timedelta() <= self._now() - at < self._fresh_for

    async def _fetch(self, address: str, kept: _Kept | None) -> _Kept:
        states = {
            "If-None-Match": kept.etag if kept else "",
            "If-Modified-Since": kept.changed if kept else "",
        }
        headers = {name: state for name, state in states.items() if state}
        request = Request(
            address, headers=headers, accept=_ACCEPT, max_bytes=_MAX_BYTES
        )
        name = _named(address)
        answer = await self._asker.ask(name, request)
        if answer.status == HTTPStatus.NOT_MODIFIED and kept:
            return kept.model_copy(update={"fetched_at": self._now()})
        # What it says with a refusal helps nobody, and may repeat the address.
        silent = replace(answer, body=b"")
        failure = failure_of(name, silent, remedy="check SIDENOTE_SEARCH_FEEDS")
        if failure is not None:
            raise failure
        if read_feed(answer.body) is None:
            raise _no_feed(address)
        return _Kept(
            feed=_digest(address),
            fetched_at=self._now(),
            etag=_state(answer, "etag"),
            changed=_state(answer, "last-modified"),
            body=answer.body.decode("latin-1"),
        )

    def _file(self, address: str) -> Path:
        return self._folder / f"{_digest(address)[:32]}.json"

    def _kept(self, address: str) -> _Kept | None:
        """Return what is kept; what is broken, or of another feed, is nothing."""
        try:
            with self._file(address).open("rb") as file:
                kept = _Kept.model_validate_json(file.read(_MAX_FILE_BYTES))
        except (OSError, ValidationError):
            return None
        return kept if kept.feed == _digest(address) else None

    def _keep(self, address: str, kept: _Kept) -> None:
        try:
            with replacing(self._file(address), kept.model_dump_json()):
                pass
        except OSError as error:
            raise unwritten(f"a feed in {self._folder}", error) from error


def _digest(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()


def _state(answer: Answer, header: str) -> str:
    told = answer.headers.get(header, "")
    return told if len(told) <= _MAX_STATE and told.isprintable() else ""


def _named(address: str) -> str:
    """Return a feed's name for people; what follows a "?" may be a secret."""
    parts = urlsplit(address)
    return f"the feed {parts.hostname}{parts.path}"


def _no_feed(address: str) -> PermanentError:
    return PermanentError(
        f"{_named(address)} is neither RSS nor Atom; correct SIDENOTE_SEARCH_FEEDS"
    )
