"""Looks for newer facts about the pages whose watchers asked for `updates`.

It is a role of its own, beside the workers: a search takes minutes, which no look at a
page's citations should wait for, and a page that nobody edits needs it most. Each page
has a turn, so that several processes share the pages and one that failed rests.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Protocol

import structlog

from bot.daemon.check import parse_page
from bot.records.rounds import Looking, rounds
from bot.records.watches import Check, Policy
from bot.store import Store
from bot.surfaces.planning.communities import in_force
from bot.wiki.pages import WikiPage
from handlers.findings import Suggestion
from handlers.model import Discovery, PageId, Window
from handlers.ports import PermanentError, TemporaryError
from handlers.updates.subject import statements_of
from handlers.updates.suggestions import Article, Bar, suggestions_of

_DAY_S = 86_400.0
_NEVER = datetime.min.replace(tzinfo=UTC)
_LEAST_TURN_S = 900.0
_HOLDER_CHARS = 100
_MOST_TROUBLES = 20  # that are told of one page


class PageReader(Protocol):
    """Reads pages of one wiki, as `bot.wiki.reader.WikiReader` does."""

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        """Return the current revision of `title`."""
        ...


class Discovers(Protocol):
    """Looks for newer facts, as `bot.daemon.discover.Discoverer` does."""

    async def discover(
        self, wikitext: str, page_id: PageId, window: Window
    ) -> Discovery:
        """Return what is newer than a page says, of the days in `window`."""
        ...


@dataclass(frozen=True, slots=True)
class UpdateRules:
    """How often a page is searched for, how far back, and how long that may take."""

    every_days: float = 7.0
    days: int = 30
    time_s: float = 600.0

    @property
    def turn_s(self) -> float:
        """How long a page is left to who took it, and rests after a failure."""
        return max(_LEAST_TURN_S, 2 * self.time_s)


@dataclass(frozen=True, slots=True)
class Updating:
    """Searches one page after the other, the one that waits longest first.

    `wiki` gives the reader of a wiki by its host name, `discoverer` opens what looks for
    a page's newer facts under a policy. `model` names the language model that is asked, if any.
    """

    name: str
    store: Store
    wiki: Callable[[str], PageReader]
    discoverer: Callable[[PageId, Policy], AbstractAsyncContextManager[Discovers]]
    now: Callable[[], datetime]
    rules: UpdateRules = UpdateRules()
    bar: Bar = field(default_factory=Bar)
    model: str = ""
    tries: Iterator[int] = field(default_factory=count, init=False, compare=False)

    async def run(self, stop: asyncio.Event, *, idle_s: float = 60.0) -> None:
        """Work until `stop` is set; the page in work is finished first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        await rounds(stop, Looking(self.work_once, idle_s))

    async def work_once(self) -> bool:
        """Search for the page that is due first; `False` if none is.

        Raises:
            TemporaryError: the store is away.
            PermanentError: the store cannot be used.
        """
        taken = await asyncio.to_thread(self._take)
        if taken is None:
            return False
        (wiki, title), holder = taken
        with structlog.contextvars.bound_contextvars(wiki=wiki, title=title):
            try:
                found = await self._found(wiki, title)
            except TemporaryError as error:
                structlog.get_logger().warning("updates later", why=str(error))
                return True  # its turn is over by and by
            except PermanentError as error:
                structlog.get_logger().info("no updates", why=str(error))
                await asyncio.to_thread(self._rest, wiki, title, holder)
                return True
            except asyncio.CancelledError:
                with suppress(TemporaryError, PermanentError):
                    await asyncio.to_thread(self._release, wiki, title, holder)
                raise
            except Exception:  # noqa: BLE001 - no page may stop the others
                structlog.get_logger().exception("fault while looking for updates")
                await asyncio.to_thread(self._rest, wiki, title, holder)
                return True
            await asyncio.to_thread(self._save, *found)
            is_named_so = found[0].subject.page.id.title == title
            # Under another name its search would not be known, and be made for ever.
            end = self._release if is_named_so else self._rest
            await asyncio.to_thread(end, wiki, title, holder)
        return True

    def _take(self) -> tuple[tuple[str, str], str] | None:
        """Return the page that is due first and free, and who holds its turn."""
        now = self.now()
        before = now - timedelta(days=self.rules.every_days)
        # A turn is not taken twice by one holder: a page that failed shall rest.
        holder = f"{next(self.tries)}:{self.name}"[:_HOLDER_CHARS]
        for searched_at, wiki, title in sorted(self._asked_for()):
            if searched_at > before:
                return None
            taken = self.store.turns.take(
                _turn(wiki, title), holder, now, self.rules.turn_s
            )
            if taken:
                return (wiki, title), holder
        return None

    def _asked_for(self) -> list[tuple[datetime, str, str]]:
        """Return the pages to look after, each with when it was last searched for."""
        titles: dict[str, dict[str, None]] = {}
        for watch in self.store.watches.all():
            if Check.UPDATES in watch.checks:
                titles.setdefault(watch.wiki, {}).update(dict.fromkeys(watch.pages))
        return [
            (searched.get(title, _NEVER), wiki, title)
            for wiki, some in titles.items()
            for searched in [self.store.discoveries.searched(wiki, list(some))]
            for title in some
        ]

    async def _found(
        self, wiki: str, title: str
    ) -> tuple[Discovery, tuple[Suggestion, ...]]:
        """Return what a search found that still holds when it ends.

        Raises:
            PermanentError: there is nothing to search for.
            TemporaryError: the wiki is away.
        """
        reader = self.wiki(wiki)
        page = await reader.page(title)
        if page.redirected_from is not None:
            raise PermanentError(f"{title} leads on to another page")
        kept = await asyncio.to_thread(self.store.communities.get, wiki)
        today = self.now().date()
        window = Window(today - timedelta(days=self.rules.days), today)
        async with self.discoverer(page.id, in_force(kept).policy) as discoverer:
            run = await discoverer.discover(page.wikitext, page.id, window)
        for trouble in run.troubles[:_MOST_TROUBLES]:
            structlog.get_logger().warning("trouble on the search", why=trouble)
        if run.troubles and not run.pages_found:
            raise TemporaryError(
                f"nothing could be searched: {run.troubles[0]}",
                retry_in_s=self.rules.turn_s,
            )
        found = suggestions_of(run, self.bar)
        return run, await _still(reader, title, page, found)

    def _save(self, run: Discovery, found: tuple[Suggestion, ...]) -> None:
        self.store.discoveries.save(run, found, self.now(), model=self.model)

    def _rest(self, wiki: str, title: str, holder: str) -> None:
        """Leave a page alone for a day."""
        self.store.turns.take(_turn(wiki, title), holder, self.now(), _DAY_S)

    def _release(self, wiki: str, title: str, holder: str) -> None:
        self.store.turns.release(_turn(wiki, title), holder)


async def _still(
    reader: PageReader, title: str, page: WikiPage, found: tuple[Suggestion, ...]
) -> tuple[Suggestion, ...]:
    """Return what holds on the page as it reads now: somebody may have edited it.

    Raises:
        PermanentError: another page is in its place by now, or none.
    """
    if not found:
        return found
    latest = await reader.page(title)
    was, now = page.id.page_id, latest.id.page_id
    if latest.redirected_from is not None or (was and now and was != now):
        raise PermanentError(f"{title} was moved while its newer facts were looked for")
    if latest.wikitext == page.wikitext:
        return found
    parsed = parse_page(latest.wikitext, latest.id)
    article = Article(parsed, statements_of(parsed))
    return tuple(one for one in found if article.find(one) is not None)


def _turn(wiki: str, title: str) -> str:
    name = f"{wiki}\x1f{title}".encode("utf-8", "replace")
    return f"updates of {sha256(name).hexdigest()[:32]}"
