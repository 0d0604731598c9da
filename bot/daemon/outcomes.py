"""Looks again at the edits that were noted: were they reverted, or do they still stand?

The first look comes 48 hours after the note, the last after 30 days. It reads the
current texts of the pages and the tags that the wiki gave the edits, up to 50 in a
request; no source, and no model. MediaWiki marks an edit that was undone, rolled back or
manually reverted within 15 edits (`mw-reverted`); for all others the words are compared.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog

from bot.records.noted_edits import DueLook
from bot.store.noted_edits import NotedEditRows
from bot.wiki.changes import REVERTED
from bot.wiki.pages import PageText
from handlers.edits.alignment import Side
from handlers.edits.finding import ChangedFinding
from handlers.edits.outcome import EditOutcome, outcome
from handlers.findings import Suggestion, finding_of
from handlers.model import PageId
from handlers.page import parse
from handlers.ports import PermanentError, TemporaryError

_AT_ONCE = 50  # notes, whose pages are in memory meanwhile
_WIKITEXT = "wikitext"


class Reader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does."""

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return current texts by title; missing and hidden pages are left out."""
        ...

    async def tags_of(self, revisions: Iterable[int]) -> Mapping[int, frozenset[str]]:
        """Return the change tags of revisions; those gone or hidden are left out."""
        ...


@dataclass(frozen=True, slots=True)
class OutcomeSweep:
    """Looks at what is due on some wikis.

    `reader` gives the reader of a wiki by its host name; `lets_run` says whether its
    stop page allows it.
    """

    store: NotedEditRows
    reader: Callable[[str], Reader]
    lets_run: Callable[[str], Awaitable[bool]]
    now: Callable[[], datetime]

    async def run(self, wikis: Iterable[str]) -> None:
        """Look at all that is due; a wiki that is away is looked at next time."""
        for wiki in wikis:
            log = structlog.get_logger().bind(wiki=wiki)
            try:
                counts = await self._run(wiki)
            except (TemporaryError, PermanentError) as error:
                log.warning("noted edits not looked at", why=str(error))
                continue
            if counts:
                log.info("noted edits looked at", **counts)

    async def _run(self, wiki: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        due = await asyncio.to_thread(self.store.due, wiki, self.now())
        if not due or not await self.lets_run(wiki):
            return counts
        for at in range(0, len(due), _AT_ONCE):
            seen = await self._seen(wiki, due[at : at + _AT_ONCE])
            await asyncio.to_thread(self.store.keep, wiki, seen, self.now())
            counts.update(one.name.lower() for one in seen.values())
        return counts

    async def _seen(
        self, wiki: str, due: Sequence[DueLook]
    ) -> Mapping[str, EditOutcome]:
        reader = self.reader(wiki)
        known = [one.found for one in due if one.found]
        tags = await reader.tags_of(sorted(set(filter(None, map(_revision, known)))))
        texts = await reader.texts_of(sorted({one.page.title for one in known}))
        return await asyncio.to_thread(_outcomes, due, tags, texts)


def _revision(found: Suggestion) -> int | None:
    """Return the revision that a note is about."""
    finding = finding_of(found, ChangedFinding)
    return finding.until if finding else None


def _outcomes(
    due: Iterable[DueLook],
    tags: Mapping[int, frozenset[str]],
    texts: Mapping[str, PageText],
) -> dict[str, EditOutcome]:
    sides: dict[str, Side] = {}
    return {one.identity: _became(one.found, tags, texts, sides) for one in due}


def _became(
    found: Suggestion | None,
    tags: Mapping[int, frozenset[str]],
    texts: Mapping[str, PageText],
    sides: dict[str, Side],
) -> EditOutcome:
    """Return what became of an edit; `sides` are the pages that were parsed already."""
    if found is None:
        return EditOutcome.UNSEEN
    title, of_edit = found.page.title, tags.get(_revision(found) or 0)
    page = texts.get(title)
    if page is None or of_edit is None or not _is_same(found.page, page):
        return EditOutcome.UNSEEN
    if REVERTED in of_edit:
        return EditOutcome.REVERTED
    if title not in sides:
        sides[title] = Side(parse(page.text, found.page))
    return outcome(found, sides[title])


def _is_same(noted: PageId, page: PageText) -> bool:
    """Return whether a title still has the article that it had."""
    is_other = noted.page_id is not None and noted.page_id != page.page_id
    return not is_other and not page.is_redirect and page.content_model == _WIKITEXT
