"""Looks for newer facts about pages whose watchers asked for it.

The task is a separate role from the workers: a search takes minutes, which no check of a
page's citations should wait for, and pages that nobody edits need it most.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from bot.daemon.check import PageReader, parse_page
from bot.daemon.discoverer import Discoverer
from bot.daemon.runner import Runner
from bot.records.tasks import BackOff, Lease, TaskKind, Work
from bot.records.watches import NoteKind, Policy
from bot.store import Store
from bot.surfaces.opt_in.community import in_force
from bot.surfaces.opt_in.refusal import Refusals
from bot.wiki.pages import WikiPage
from handlers.findings import Suggestion
from handlers.model import Criteria, Discovery, Engine, PageId, Window
from handlers.ports import PermanentError, TemporaryError
from handlers.registry import PageNow, stands
from handlers.updates.suggestions import Thresholds, suggestions_of

_DAY_S = 86_400.0
_LEAST_REST_S = 900.0
_MOST_TROUBLES = 20  # that are reported for one page


@dataclass(frozen=True, slots=True)
class UpdateRules:
    """How often to search for a page, how far back, and how long that may take."""

    every_days: float = 7.0
    days: int = 30
    time_s: float = 600.0

    @property
    def rest_s(self) -> float:
        """How long a page waits after a failure."""
        return max(_LEAST_REST_S, 2 * self.time_s)


@dataclass(frozen=True, slots=True)
class UpdateSearch:
    """Searches for newer facts about one page after another.

    `wiki` gives the reader of a wiki by its host name; `discoverer` opens a discoverer
    for a policy. `model` names the language model in use, if any.
    """

    name: str
    store: Store
    wiki: Callable[[str], PageReader]
    discoverer: Callable[[PageId, Policy], AbstractAsyncContextManager[Discoverer]]
    now: Callable[[], datetime]
    draw: Callable[[], float]
    rules: UpdateRules = UpdateRules()
    bar: Thresholds = field(default_factory=Thresholds)
    model: str = ""

    @property
    def runner(self) -> Runner:
        """The queue of pages, the one that has waited longest first."""
        rests = BackOff(self.rules.rest_s, self.rules.rest_s)
        work = Work(
            self._search, rests, hopeless_s=_DAY_S, fault_s=_DAY_S, enrol=self._enrol
        )
        store = self.store.tasks
        return Runner(self.name, store, {TaskKind.UPDATE: work}, self.now, self.draw)

    def _enrol(self, now: datetime) -> None:
        self.store.discoveries.enrol(timedelta(days=self.rules.every_days), now)

    async def _search(self, held: Lease[str]) -> None:
        run, found = await self._found(held.wiki, held.task)
        # Under another name its search would not be recognised, and would be repeated
        # for ever.
        is_named_so = run.subject.page.id.title == held.task
        ends = held if is_named_so else None
        await asyncio.to_thread(
            self.store.discoveries.save,
            *(run, found, self.now()),
            model=self.model,
            ends=ends,
        )
        if ends is None:
            put_off = self.store.tasks.put_off
            await asyncio.to_thread(put_off, held, self.now(), _DAY_S)

    async def _found(
        self, wiki: str, title: str
    ) -> tuple[Discovery, tuple[Suggestion, ...]]:
        """Return what a search found, as far as it still holds when the search ends.

        Raises:
            PermanentError: there is nothing to search for.
            TemporaryError: the wiki is away.
        """
        reader = self.wiki(wiki)
        page = await reader.page(title)
        if page.redirected_from is not None:
            raise PermanentError(f"{title} is a redirect")
        kinds = await asyncio.to_thread(
            Refusals(self.store, self.now).read,
            *(page.id.wiki, page.id.title, page.wikitext),
        )
        if NoteKind.UPDATES in kinds:
            raise PermanentError(f"newer facts about {title} are refused")
        community = await asyncio.to_thread(self.store.communities.get, wiki)
        today = self.now().date()
        window = Window(today - timedelta(days=self.rules.days), today)
        async with self.discoverer(page.id, in_force(community).policy) as discoverer:
            run = await discoverer.discover(page.wikitext, page.id, window)
        for trouble in run.troubles[:_MOST_TROUBLES]:
            structlog.get_logger().warning("trouble on the search", why=trouble)
        if run.troubles and not run.pages_found:
            raise TemporaryError(
                f"nothing could be searched: {run.troubles[0]}",
                retry_in_s=self.rules.rest_s,
            )
        found = suggestions_of(run, self.bar)
        return run, await _still(reader, title, page, found)


async def _still(
    reader: PageReader, title: str, page: WikiPage, found: tuple[Suggestion, ...]
) -> tuple[Suggestion, ...]:
    """Return what still holds on the page, which may have been edited meanwhile.

    Raises:
        PermanentError: by now there is another page in its place, or none.
    """
    if not found:
        return found
    latest = await reader.page(title)
    was, now = page.id.page_id, latest.id.page_id
    if latest.redirected_from is not None or (was and now and was != now):
        raise PermanentError(f"{title} was moved during the search for newer facts")
    if latest.wikitext == page.wikitext:
        return found
    current = PageNow(parse_page(latest.wikitext, latest.id))
    return tuple(one for one in found if stands(one, current) is not None)


class StoredCriteria:
    """Stores what belongs in an article's sections, so that no model is asked twice.

    It fulfils `handlers.updates.roles.CriteriaCache`. If the store is unavailable, the
    criteria are made again.
    """

    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self._store, self._now = store, now

    async def get(
        self, page: PageId, outline_sha256: str, engine: Engine
    ) -> Criteria | None:
        """Return what `engine` said; `None` also if the store cannot be read."""
        try:
            stored = await asyncio.to_thread(
                self._store.criteria.get, page, outline_sha256
            )
            return stored if stored and stored.engine == engine else None
        except (PermanentError, TemporaryError) as error:
            _warn(error)
            return None

    async def put(self, page: PageId, criteria: Criteria) -> None:
        """Store criteria, if possible."""
        try:
            await asyncio.to_thread(
                self._store.criteria.put, page, criteria, self._now()
            )
        except (PermanentError, TemporaryError) as error:
            _warn(error)


def _warn(error: Exception) -> None:
    structlog.get_logger().warning("criteria of sections not stored", why=str(error))
