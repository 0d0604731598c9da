"""Which articles there are to read here, and the text of each."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.daemon.check import PageReader
from bot.records.watches import ActiveWatch
from bot.store import StoredCheck
from bot.wiki.pages import NoSuchPageError
from handlers.model import PageId
from handlers.page import parse
from handlers.page.article import Article, article_of

_MOST = 200


class Counts(Protocol):
    """Counts notes, as `gadget.cards` does."""

    async def counts(self, wiki: str, titles: Sequence[str]) -> dict[str, int]: ...  # noqa: D102 - see the class


class Watches(Protocol):
    """Knows what is watched."""

    def all(self) -> tuple[ActiveWatch, ...]: ...  # noqa: D102 - see the class


class Checks(Protocol):
    """Knows what has been checked; blocks."""

    @property
    def watches(self) -> Watches: ...  # noqa: D102 - see the class

    def last_check(self, wiki: str, title: str) -> StoredCheck | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Entry:
    """A watched article; `notes` is missing until it has been checked."""

    wiki: str
    title: str
    notes: int | None


@dataclass(frozen=True, slots=True)
class Opened:
    """An article to read, and sentences about where it comes from."""

    id: PageId
    article: Article
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WatchedArticles:
    """The watched articles; nothing else is read from a wiki."""

    checks: Checks
    counts: Counts
    pages: Callable[[str], PageReader]

    async def entries(self) -> list[Entry]:
        """Return at most 200 of them, in alphabetical order."""
        found = await asyncio.to_thread(self._checked_pages)
        entries = []
        for wiki in dict.fromkeys(wiki for wiki, _ in found):
            titles = [title for (of, title), is_checked in found.items() if of == wiki]
            checked = [title for title in titles if found[wiki, title]]
            notes = await self._notes(wiki, checked)
            entries += [Entry(wiki, title, notes.get(title)) for title in titles]
        return entries

    async def open(self, wiki: str, title: str) -> Opened | None:
        """Return an article; `None` if nobody watches it, or it is gone.

        Raises:
            PermanentError: it cannot be read.
            TemporaryError: the wiki cannot be reached.
        """
        if (wiki, title) not in await asyncio.to_thread(self._watched):
            return None
        try:
            page = await self.pages(wiki).page(title)
        except NoSuchPageError:
            return None
        article = await asyncio.to_thread(
            lambda: article_of(parse(page.wikitext, page.id))
        )
        return Opened(page.id, article, page.notes)

    async def _notes(self, wiki: str, titles: Sequence[str]) -> dict[str, int]:
        notes = dict.fromkeys(titles, 0)
        at_once = 50  # what the panel's backend counts at most
        for start in range(0, len(titles), at_once):
            notes |= await self.counts.counts(wiki, titles[start : start + at_once])
        return notes

    def _watched(self) -> frozenset[tuple[str, str]]:
        watches = self.checks.watches.all()
        return frozenset((one.wiki, title) for one in watches for title in one.pages)

    def _checked_pages(self) -> dict[tuple[str, str], bool]:
        known = sorted(self._watched())[:_MOST]
        return {
            (wiki, title): self.checks.last_check(wiki, title) is not None
            for wiki, title in known
        }
