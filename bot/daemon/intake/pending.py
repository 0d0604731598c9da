"""Edits that wait for review on a wiki come first, where edits are looked at."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.records.patrol import PatrolEdit
from bot.store import Store
from bot.wiki.pages import PendingPage

_MOST = 50  # pages, the newest
_NOT_OFFERED_FOR = timedelta(days=1)
# What is due first comes first, so these are dated back.
_AHEAD = timedelta(days=1)


class PendingReader(Protocol):
    """Lists what waits for review, as `bot.wiki.lists.WikiLists` does."""

    async def pending(self, most: int) -> Sequence[PendingPage] | None:
        """Return articles with edits that wait for review, the newest first.

        `None` if the wiki has no reviews.
        """
        ...


@dataclass(frozen=True, slots=True)
class PendingEdits:
    """Puts edits first that wait for review, on wikis that have reviews.

    They are compared with the revision that was reviewed last, as the reviewer sees
    them. `not_offered` holds until when a wiki without reviews is not asked again.
    """

    store: Store
    lists: Callable[[str], PendingReader]
    wikis: Sequence[str]
    now: Callable[[], datetime]
    settle_s: float
    not_offered: dict[str, datetime] = field(default_factory=dict)

    async def run(self) -> None:
        """Queue the newest of them.

        Raises:
            PermanentError, TemporaryError: a wiki or the store does not answer.
        """
        for wiki in self.wikis:
            now = self.now()
            if now < self.not_offered.get(wiki, now):
                continue
            listed = await self.lists(wiki).pending(_MOST)
            if listed is None:
                self.not_offered[wiki] = now + _NOT_OFFERED_FOR
                continue
            watched = await asyncio.to_thread(self.store.watches.pauses)
            rested = now - timedelta(seconds=self.settle_s)
            edits = [
                PatrolEdit(
                    wiki=wiki,
                    title=one.title,
                    since_id=one.reviewed_id,
                    revision_id=one.revision_id,
                    edited_at=one.since,
                    due_at=one.since - _AHEAD,
                    is_pending=True,
                )
                for one in listed
                if one.since <= rested and (wiki, one.title) not in watched
            ]
            await asyncio.to_thread(self.store.patrols.put, edits)
