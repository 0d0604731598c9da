"""Finds the edits that readers saved through the panel, and whether they still stand.

The panel fills in an edit and its summary. The reader saves it on the wiki, and the
program is not notified. So the recent changes are searched: an edit is the panel's if
it has the change tag, or if its summary still names the bot as the panel's summaries
do. On a wiki without the tag only the summary is left; edits with neither are not
found.

MediaWiki itself marks an edit that was undone, rolled back or manually reverted within
15 edits (`mw-reverted`). A change that was removed later among others is not
recognised.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from bot.records.panel_edits import CHANGE_TAG, EditKind, EditState, FoundBy, PanelEdit
from bot.store.accuracy import PanelEdits
from bot.surfaces.messages import language_of, pattern_of
from bot.wiki.changes import REVERTED, ListedEdit
from handlers.ports import PermanentError, TemporaryError

_LONGEST = timedelta(days=30)  # the least time that wikis keep recent changes
_FIRST = timedelta(days=1)  # nobody had the panel before that
_AT_ONCE = timedelta(hours=6)  # stored together: a sweep may end at any time
_LAG = timedelta(minutes=5)  # how far a replica of the wiki's database may lag


class Reader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does."""

    def edits(
        self, since: datetime, until: datetime, namespaces: Collection[int] = ()
    ) -> AsyncGenerator[ListedEdit, None]:
        """Yield the edits that people made between two times."""
        ...

    async def tags_of(self, revisions: Iterable[int]) -> Mapping[int, frozenset[str]]:
        """Return the change tags of revisions, without those that no longer exist."""
        ...


@dataclass(frozen=True, slots=True)
class PanelEditSweep:
    """Searches the recent changes of wikis.

    `namespaces` are those in which a wiki has pages checked.
    """

    store: PanelEdits
    reader: Callable[[str], Reader]
    namespaces: Callable[[str], Collection[int]]
    bot: str
    now: Callable[[], datetime]

    async def run(self, wikis: Iterable[str]) -> None:
        """Find what was saved since the last time, and check the known edits again.

        A wiki that is down is continued next time.
        """
        for wiki in wikis:
            log = structlog.get_logger().bind(wiki=wiki)
            try:
                count = await self._find(wiki)
                await self._recheck(wiki)
            except (TemporaryError, PermanentError) as error:
                log.warning("edits of the panel not found", why=str(error))
                continue
            if count:
                log.info("edits of the panel", new=count)

    async def _find(self, wiki: str) -> int:
        """Find new edits, some hours at a time; return how many."""
        now, summaries = self.now(), Summaries(self.bot, language_of(wiki))
        namespaces = await asyncio.to_thread(self.namespaces, wiki)
        since = await asyncio.to_thread(self.store.swept_until, wiki)
        since = max(since or now - _FIRST, now - _LONGEST)
        count = 0
        while since < now - _LAG:
            until = min(since + _AT_ONCE, now - _LAG)
            found: list[PanelEdit] = []
            async with aclosing(
                self.reader(wiki).edits(since, until, namespaces)
            ) as edits:
                async for edit in edits:
                    ours = summaries.panel_edit(edit)
                    if ours is not None:
                        found.append(ours)
            count += await asyncio.to_thread(self.store.keep, wiki, found, until, now)
            since = until
        return count

    async def _recheck(self, wiki: str) -> None:
        now = self.now()
        revisions = await asyncio.to_thread(self.store.due, wiki, now)
        if not revisions:
            return
        tags = await self.reader(wiki).tags_of(revisions)
        states = {
            revision: _state(tags[revision]) if revision in tags else EditState.GONE
            for revision in revisions
        }
        await asyncio.to_thread(self.store.keep_states, wiki, states, now)


def _state(tags: Collection[str]) -> EditState:
    return EditState.REVERTED if REVERTED in tags else EditState.STANDS


class Summaries:
    """Recognises the panel's summaries on a wiki of one language."""

    def __init__(self, bot: str, language: str) -> None:
        self._ours = re.compile(
            rf"\[\[[^\[\]|]{{1,80}}:{re.escape(bot)}\|Sidenote\]\]", re.IGNORECASE
        )
        self._kinds = {
            kind: pattern_of(f"summary-{kind.value}", language)
            for kind in EditKind
            if kind is not EditKind.OTHER
        }

    def panel_edit(self, edit: ListedEdit) -> PanelEdit | None:
        """Return an edit if it is the panel's."""
        is_tagged = CHANGE_TAG in edit.tags
        if not is_tagged and not self._ours.search(edit.comment):
            return None
        return PanelEdit(
            revision=edit.revision_id,
            kind=self._kind(edit.comment),
            found_by=FoundBy.TAG if is_tagged else FoundBy.SUMMARY,
            saved_at=edit.saved_at,
            state=_state(edit.tags),
        )

    def _kind(self, comment: str) -> EditKind:
        fitting = (kind for kind, form in self._kinds.items() if form.search(comment))
        return next(fitting, EditKind.OTHER)
