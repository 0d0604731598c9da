"""Asks the wikis themselves for changes that their feed did not deliver.

A feed keeps a few days; a wiki's API has a few weeks of recent changes. These go
through the same sink as the feed, with a separate position for each gap and wiki:
killed at any time, it continues where it was. A change that comes twice does no harm,
since a page is queued once per revision.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import TypeAlias

import structlog

from bot.daemon.intake.harvest import ChangeSelection
from bot.daemon.intake.stream import IntakeLimits, SinkWriter, Surroundings
from bot.records.changes import Batch, Change, ChangeSink, Gap, Position, TopicPosition
from bot.sources.manners import backoff_s
from bot.store import Feeds
from bot.wiki.folder import WikiFolder
from bot.wiki.lists import WikiLists
from handlers.ports import PermanentError, TemporaryError

_TRIES = 5  # without a change between them; then the next run continues
_READ_AT_ONCE = 5_000  # changes, after which the position is saved in any case
_MS = 1000


PastChanges: TypeAlias = WikiLists | WikiFolder
"""Lists the changes of one wiki."""


class Backfill:
    """Fills the gaps in one feed.

    Args:
        feed: the name under which its gaps are stored.
        wikis: those whose changes are wanted.
        sink_of: gives a sink that stores its position under a separate name, and treats
            changes as the feed's sink does.
        gaps: those of the store.
        wanted: which changes are handed on.
        limits: how many changes are saved at once, and how long to wait.
        surroundings: the clock and random numbers.
    """

    def __init__(
        self,
        feed: str,
        wikis: Sequence[PastChanges],
        sink_of: Callable[[str], ChangeSink],
        gaps: Feeds,
        wanted: ChangeSelection,
        *,
        limits: IntakeLimits,
        surroundings: Surroundings,
    ) -> None:
        self._feed = feed
        self._wikis = wikis
        self._sink_of = sink_of
        self._gaps = gaps
        self._wanted = wanted
        self._limits = limits
        self._around = surroundings
        self._last_batch_at: datetime | None = None

    async def ask(self, since: datetime) -> None:
        """Ask for all changes from `since` until now; `fill` then gets them.

        For a start further back than the feed reaches. Call it before the feed, which
        uses the same sink, is followed. Calling it again before the gap is filled
        changes nothing.

        Raises:
            PermanentError: it cannot be stored.
        """
        known = await asyncio.to_thread(self._gaps.open_gaps, self._feed)
        if since not in {gap.since for _, gap in known}:
            now = self._next_moment()
            batch = Batch(now, None, gaps=(Gap(since, now),))
            await self._writer(self._feed).keep(batch)

    async def fill(self) -> int:
        """Fill all gaps; return how many a wiki left open by not listing all.

        One run at a time. What a wiki no longer lists is lost, and the log says so.

        Raises:
            PermanentError: the store cannot be used.
            TemporaryError: the store is unavailable; the gaps stay.
        """
        left = 0
        for number, gap in await asyncio.to_thread(self._gaps.open_gaps, self._feed):
            left += not await self._fill(number, gap)
        return left

    async def _fill(self, number: int, gap: Gap) -> bool:
        names = {
            one.wiki: f"backfill {number} of {self._feed}, {one.wiki}"
            for one in self._wikis
        }
        until = gap.until or self._around.now()
        log = structlog.get_logger().bind(gap=number, since=gap.since.isoformat())
        log.info("hole is filled", until=until.isoformat())
        lines = [
            await self._handed_on_all(one, names[one.wiki], gap.since, until)
            for one in self._wikis
        ]
        if not all(lines):
            return False
        await asyncio.to_thread(self._gaps.fill_gap, number, self._around.now())
        for name in names.values():
            await asyncio.to_thread(self._gaps.forget, name)
        log.info("hole is closed")
        return True

    async def _handed_on_all(
        self, wiki: PastChanges, name: str, since: datetime, until: datetime
    ) -> bool:
        """Save what one wiki lists; `False` if it did not list everything."""
        writer = self._writer(name)
        overlap = timedelta(seconds=self._limits.overlap_s)
        tries, before = 0, await _reached(writer)
        while True:
            reached = await _reached(writer)
            tries = tries + 1 if reached == before else 1
            before = reached
            try:
                if reached is None:
                    await _log_loss(wiki, since)
                await self._read(
                    wiki, writer, reached or since - overlap, until + overlap
                )
            except TemporaryError as error:
                if not await self._waits(wiki, error, tries):
                    return False
            except PermanentError as error:
                _log_failure(wiki, error)
                return False
            else:
                return True

    async def _waits(
        self, wiki: PastChanges, error: TemporaryError, tries: int
    ) -> bool:
        """Wait for a wiki that is unavailable, unless it has been for too long."""
        _log_failure(wiki, error)
        if tries >= _TRIES:
            return False
        own_s = backoff_s(self._limits.first_wait_s, tries, self._around.chance())
        await self._around.sleep(
            max(min(own_s, self._limits.longest_wait_s), error.retry_in_s)
        )
        return True

    async def _read(
        self, wiki: PastChanges, writer: SinkWriter, since: datetime, until: datetime
    ) -> None:
        """Save the changes between two times, in batches, oldest first."""
        if since >= until:
            return
        changes: list[Change] = []
        read = 0
        async with aclosing(
            wiki.changes(since, until, self._wanted.namespaces)
        ) as listed:
            async for change in listed:
                read += 1
                if self._wanted.wants(change):
                    changes.append(change)
                if self._is_enough(changes, read):
                    await self._keep(writer, wiki, changes, change.changed_at)
                    changes, read = [], 0
        await self._keep(writer, wiki, changes, until)

    def _is_enough(self, changes: list[Change], read: int) -> bool:
        return len(changes) >= self._limits.batch_changes or read >= _READ_AT_ONCE

    async def _keep(
        self,
        writer: SinkWriter,
        wiki: PastChanges,
        changes: list[Change],
        reached: datetime,
    ) -> None:
        at_ms = int(reached.timestamp() * _MS) + 1
        position = Position((TopicPosition(wiki.wiki, timestamp=at_ms),))
        await writer.keep(Batch(self._next_moment(), position, tuple(changes)))

    def _writer(self, name: str) -> SinkWriter:
        return SinkWriter(
            self._sink_of(name), self._limits, self._around, lambda _: None
        )

    def _next_moment(self) -> datetime:
        """Return the time; each batch needs a new one: an older one is rejected."""
        now = self._around.now()
        if self._last_batch_at is not None and now <= self._last_batch_at:
            now = self._last_batch_at + timedelta(microseconds=1)
        self._last_batch_at = now
        return now


async def _reached(writer: SinkWriter) -> datetime | None:
    position = await writer.position()
    return position.newest_at if position is not None else None


async def _log_loss(wiki: PastChanges, since: datetime) -> None:
    oldest = await wiki.oldest_change()
    if oldest is None or oldest > since:
        first = "none at all" if oldest is None else f"none before {oldest.isoformat()}"
        structlog.get_logger().warning(
            "changes may be lost",
            wiki=wiki.wiki,
            since=since.isoformat(),
            why=(
                f"the wiki lists changes since {first}; pages changed before are"
                " checked again when their last check is old"
            ),
        )


def _log_failure(wiki: PastChanges, error: Exception) -> None:
    structlog.get_logger().warning(
        "past changes are still missing", wiki=wiki.wiki, why=str(error)
    )
