"""Checks of pages that readers ask for, and their progress.

A worker makes the check itself, perhaps in another process or on another machine; its
state is read from the database.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.records.accounts import CheckState, Reader, RefusedError
from bot.records.watches import NoteKind
from bot.store import Store
from bot.surfaces.messages import message, to_note
from bot.surfaces.opt_in.refusal import Refusals
from bot.wiki.pages import ListedPage

_ARTICLES = 0
_RESTS_S = 60


class Pages(Protocol):
    """Says what a wiki knows about pages, as `bot.wiki.lists.WikiLists` does."""

    async def facts_of(self, titles: Iterable[str]) -> Mapping[str, ListedPage]:
        """Return what is known about pages, by the requested titles."""
        ...


@dataclass(frozen=True, slots=True)
class PollRate:
    """How often the state of a check is read, and how long it may stay the same."""

    poll_s: float = 0.3
    taken_up_s: float = 60.0
    silence_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks that readers ask for and follow.

    `wiki` gives the page lookup of a wiki by its host name; it raises PermanentError
    for an unknown one.
    """

    store: Store
    wiki: Callable[[str], Pages]
    now: Callable[[], datetime]
    poll_rate: PollRate = PollRate()

    async def ask(self, reader: Reader, wiki: str, title: str) -> CheckState:
        """Have a page checked before all others; return the state of the check.

        If the page's revision was checked a moment ago it is not checked again: the
        returned check has ended, and its findings can be read.

        Raises:
            RefusedError: the page cannot be checked, or the reader is from another
                wiki.
            PermanentError: the wiki is not served.
            TemporaryError: the wiki cannot be reached now.
        """
        if reader.wiki != wiki:
            raise RefusedError(message("refusal-other-wiki", reader.wiki, wiki))
        page = await self._article(wiki, _spaced(title))
        refusals = Refusals(self.store, self.now)
        kinds = await asyncio.to_thread(refusals.of, wiki, page.title)
        if NoteKind.CITATIONS in kinds:
            raise RefusedError(message("refusal-page-refuses"))
        done = await asyncio.to_thread(self._just_done, wiki, page)
        if done is not None:
            return done
        return await asyncio.to_thread(
            self.store.check_states.ask, wiki, page.title, self.now()
        )

    async def state(self, wiki: str, title: str) -> CheckState | None:
        """Return the state of the last requested check of a page, if there was one."""
        return await asyncio.to_thread(self.store.check_states.of, wiki, _spaced(title))

    async def events(
        self, wiki: str, title: str, since: datetime | None = None
    ) -> AsyncGenerator[CheckState, None]:
        """Yield the state of a check, now and whenever it changes, until it ends.

        Args:
            wiki: host of the wiki.
            title: of the page.
            since: checks that ended before do not count.
        """
        shown: CheckState | None = None
        seen_at = self.now()
        while True:
            state = await self.state(wiki, title)
            if state is not None and state != shown:
                shown, seen_at = state, self.now()
                yield state
            if state is None or _has_ended(state, since):
                return
            problem = self._problem(state, seen_at)
            if problem:
                yield replace(state, problem=problem)
                return
            await asyncio.sleep(self.poll_rate.poll_s)

    def _problem(self, state: CheckState, seen_at: datetime) -> str | None:
        silent = self.now() - seen_at
        if state.begun_at is None and silent > timedelta(
            seconds=self.poll_rate.taken_up_s
        ):
            return to_note(message("refusal-check-waiting"))
        if silent > timedelta(seconds=self.poll_rate.silence_s):
            return to_note(message("refusal-check-stalled"))
        return None

    async def _article(self, wiki: str, title: str) -> ListedPage:
        found = await self.wiki(wiki).facts_of([title])
        page = found.get(title)
        if page is None:
            raise RefusedError(message("refusal-page-unknown", wiki))
        if page.namespace != _ARTICLES:
            raise RefusedError(message("refusal-not-article"))
        if page.is_redirect:
            raise RefusedError(message("refusal-redirect"))
        return page

    def _just_done(self, wiki: str, page: ListedPage) -> CheckState | None:
        last = self.store.last_check(wiki, page.title)
        if last is None or last.page.revision_id not in {None, page.revision_id}:
            return None
        ago_s = (self.now() - last.checked_at).total_seconds()
        if ago_s >= _RESTS_S:
            return None
        return CheckState(
            wiki=wiki,
            title=page.title,
            asked_at=last.checked_at,
            changed_at=last.checked_at,
            begun_at=last.checked_at,
            ended_at=last.checked_at,
            claims=len(last.claims),
            claims_checked=len(last.claims),
            revision=page.revision_id,
        )


def _has_ended(state: CheckState, since: datetime | None) -> bool:
    return state.ended_at is not None and (since is None or state.ended_at >= since)


def _spaced(title: str) -> str:
    return title.replace("_", " ").strip()
