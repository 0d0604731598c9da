"""Looks at all edits of a wiki, and notes those that moved a claim from its source.

A look costs little at first: both sides of up to 25 edits come in one request, and most
edits change no cited claim, or only its form. Only for what may say something else are
sources read and judged, as many a day as the operator allows. A page that is only
patrolled is never checked as a whole: nothing but the notes about its edits is stored.

Tasks are leased one by one, as everywhere; those that want revisions at the same time
share a request.
"""

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

import structlog

from bot.daemon.check import Checker, HistoryReader, PageReader
from bot.daemon.runner import Runner
from bot.records.patrol import PatrolCounts, PatrolTask
from bot.records.tasks import BackOff, FailureOutcome, Lease, TaskKind, Work
from bot.records.watches import NoteKind
from bot.store import Store
from bot.surfaces.opt_in.community import in_force
from bot.surfaces.opt_in.refusal import Refusals
from bot.surfaces.post_summaries import Task, stop_page
from bot.wiki.pages import PageText, RevisionReader, WikiPage
from bot.writing.preflight import GO
from handlers.edits.alignment import Changes, Side, changes_between, refused_texts
from handlers.edits.comparison import traced
from handlers.edits.finding import ChangedFinding, baselines, changed_claims
from handlers.edits.first_look import worth_reading
from handlers.findings import Suggestion
from handlers.model import ChangedClaim, Comparison, Page
from handlers.page import parse
from handlers.ports import AwayError, PermanentError, TemporaryError

AT_ONCE = 25  # edits, two revisions each: what an ordinary account may ask for at once
_GATHER_S = 0.5  # in which those that want revisions share a request
_STOPPED_S = 60.0  # between two looks at a stop page
_AWAY = BackOff(10.0, 600.0)


class TextReader(Protocol):
    """Reads pages of a wiki, as `bot.wiki.lists.WikiLists` does."""

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return current texts by title; missing pages are left out."""
        ...


class SharedRequests:
    """Asks one wiki for revisions, those that several tasks want in one request.

    Args:
        reader: of the wiki.
        gather_s: how long they wait for another one.
        pairs: with how many they wait no longer.
    """

    def __init__(
        self, reader: RevisionReader, gather_s: float = _GATHER_S, pairs: int = AT_ONCE
    ) -> None:
        self._reader, self._gather_s, self._pairs = reader, gather_s, pairs
        self._wanted: dict[
            tuple[int, int], asyncio.Future[Mapping[int, WikiPage | PermanentError]]
        ] = {}
        self._another = asyncio.Event()
        self._asking: asyncio.Task[None] | None = None

    async def pair(
        self, since: int, revision: int
    ) -> tuple[WikiPage | PermanentError, WikiPage | PermanentError]:
        """Return the two sides of an edit, or why one cannot be read.

        Raises:
            PermanentError, TemporaryError: the wiki does not answer.
        """
        wanted = self._wanted.get((since, revision))
        if wanted is None:
            wanted = asyncio.get_running_loop().create_future()
            self._wanted[since, revision] = wanted
        self._another.set()
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        found = await asyncio.shield(wanted)
        return found[since], found[revision]

    async def _ask(self) -> None:
        """Ask until nobody wants anything; one request at a time."""
        while self._wanted:
            await self._gather()
            some = dict(list(self._wanted.items())[: self._pairs])
            for pair in some:
                del self._wanted[pair]
            await self._answer(some)
        self._asking = None

    async def _gather(self) -> None:
        with suppress(TimeoutError):
            while len(self._wanted) < self._pairs:
                self._another.clear()
                async with asyncio.timeout(self._gather_s):
                    await self._another.wait()

    async def _answer(
        self,
        wanted: Mapping[
            tuple[int, int], asyncio.Future[Mapping[int, WikiPage | PermanentError]]
        ],
    ) -> None:
        try:
            numbers = {number for pair in wanted for number in pair}
            found = await self._reader.revisions(numbers)
        except Exception as error:  # noqa: BLE001 - each task says what becomes of it
            for one in wanted.values():
                if not one.done():
                    one.set_exception(error)
                    one.exception()  # nobody may be waiting any longer
            return
        for one in wanted.values():
            if not one.done():
                one.set_result(found)


class StopPages:
    """Knows whether the patrol may run on a wiki, from its stop page.

    Args:
        lists: reads pages of a wiki.
        bot: the account.
        now: the time.
        is_needed: the page must exist; else it only stops the patrol if it says
            something else, as in a dry run, for which nobody creates pages.
    """

    def __init__(
        self,
        lists: Callable[[str], TextReader],
        bot: str,
        now: Callable[[], datetime],
        *,
        is_needed: bool,
    ) -> None:
        self._lists, self._bot, self._now = lists, bot, now
        self._is_needed = is_needed
        self._known: dict[str, tuple[datetime, bool]] = {}
        self._turn = asyncio.Lock()

    async def lets_run(self, wiki: str) -> bool:
        """Return whether the page lets the patrol run; it is read once a minute."""
        async with self._turn:
            known, now = self._known.get(wiki), self._now()
            if known and abs(now - known[0]) < timedelta(seconds=_STOPPED_S):
                return known[1]
            title = stop_page(self._bot, Task.PATROL)
            page = (await self._lists(wiki).texts_of([title])).get(title)
            may_run = not self._is_needed if page is None else page.text == GO
            self._known[wiki] = now, may_run
            return may_run


class PatrolStopped(TemporaryError):  # noqa: N818 - it tells what happened
    """The wiki's stop page does not let the patrol run."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What the diff alone shows. `after` is `None` if it was not read."""

    earlier: Page | None = None
    after: Page | None = None
    candidates: tuple[ChangedClaim, ...] = ()
    is_compared: bool = False


def look(
    before: WikiPage | PermanentError,
    after: WikiPage | PermanentError,
    known: Sequence[Suggestion] = (),
    *,
    only_values: bool = False,
) -> Looked:
    """Return what an edit changed that is worth reading a source for.

    Args:
        before: the page before.
        after: the page now.
        known: open notes about its edits, for which it is read in any case.
        only_values: see `handlers.edits.first_look.worth_reading`.
    """
    if isinstance(after, PermanentError):
        return Looked()
    is_same = isinstance(before, WikiPage) and before.wikitext == after.wikitext
    if not isinstance(before, WikiPage) or before.id.page_id != after.id.page_id:
        return Looked(after=parse(after.wikitext, after.id) if known else None)
    if is_same and not known:
        return Looked(is_compared=True)
    if refused_texts(before.wikitext, after.wikitext) is not None:
        return Looked(after=parse(after.wikitext, after.id) if known else None)
    old, new = (parse(one.wikitext, one.id) for one in (before, after))
    if new.redirect_to:
        return Looked(after=new)
    changes = changes_between(old, new, baselines(known))
    candidates = worth_reading(changes.claims, only_values=only_values)
    return Looked(old, new, candidates, is_compared=changes.not_compared is None)


@dataclass(frozen=True, slots=True)
class Patrol:
    """Looks at edits.

    `wiki` gives the reader of a wiki by its host name; `lets_run` says whether its stop
    page allows it; `draw` gives random numbers from 0 to 1. At most `sources_per_day`
    sources are read for a wiki. `resting` holds until when wikis are left alone.
    Several may share one store, also in several processes.
    """

    name: str
    store: Store
    wiki: Callable[[str], PageReader]
    lets_run: Callable[[str], Awaitable[bool]]
    checker: Checker
    now: Callable[[], datetime]
    draw: Callable[[], float]
    sources_per_day: int
    gather_s: float = _GATHER_S
    resting: dict[str, datetime] = field(default_factory=dict)
    requests: dict[str, SharedRequests] = field(default_factory=dict)

    @property
    def runner(self) -> Runner:
        """The queue of edits, those due first coming first."""
        works = {TaskKind.PATROL: Work(self._look, failed=self._failed)}
        return Runner(
            *(self.name, self.store.tasks, works, self.now, self.draw),
            at_once=2 * AT_ONCE,  # some are judged while others gather
            without=self._left_alone,
        )

    def _left_alone(self) -> list[str]:
        now = self.now()
        return [wiki for wiki, until in self.resting.items() if now < until]

    def _failed(
        self, held: Lease[PatrolTask], error: Exception
    ) -> FailureOutcome | None:
        """Let the edits of a wiki wait that is away, or where the patrol is stopped."""
        match error:
            case PatrolStopped():
                in_s = error.retry_in_s
            case AwayError():
                in_s = _AWAY.wait_s(held.attempt, error.retry_in_s, self.draw())
            case _:
                return None
        self.resting[held.wiki] = self.now() + timedelta(seconds=in_s)
        return FailureOutcome(str(error), in_s, counts=False)

    async def _look(self, held: Lease[PatrolTask]) -> None:
        task, store = held.task, self.store
        if not await self.lets_run(task.wiki):
            raise PatrolStopped(
                f"the patrol is stopped on {task.wiki}", retry_in_s=_STOPPED_S
            )
        before, after = await self._shared(task.wiki).pair(
            task.since_id, task.revision_id
        )
        known = await asyncio.to_thread(self._known, task)
        only_values = task.is_by_bots
        if isinstance(after, WikiPage) and after.id.title != task.title:
            looked = Looked()  # it was moved meanwhile
        else:
            looked = await asyncio.to_thread(
                look, before, after, known, only_values=only_values
            )
        page = looked.after
        counts = PatrolCounts(
            diffs=int(looked.is_compared),
            not_read=int(not looked.is_compared),
            candidates=int(bool(looked.candidates)),
        )
        if page is None or not (known or looked.candidates):
            await asyncio.to_thread(store.patrols.finish, held, counts, self.now())
            return
        found, counts = await self._found(looked, page, known, counts)
        names = [one.identity for one in known]
        await asyncio.to_thread(
            partial(store.patrols.save, held, page, found, known=names),
            counts=counts,
            now=self.now(),
        )
        _log(page, counts, len(found))

    def _shared(self, wiki: str) -> SharedRequests:
        if wiki not in self.requests:
            reader = self.wiki(wiki)
            if not isinstance(reader, RevisionReader):
                raise PermanentError(f"{wiki} has no revisions to compare")
            self.requests[wiki] = SharedRequests(reader, self.gather_s)
        return self.requests[wiki]

    def _known(self, task: PatrolTask) -> tuple[Suggestion, ...]:
        """Return the open notes about edits of the page."""
        stored = self.store.suggestions_of(task.wiki, task.title, all_or_none=False)
        found = (one.suggestion for one in stored)
        return tuple(one for one in found if one.kind == ChangedFinding.kind)

    async def _found(
        self,
        looked: Looked,
        page: Page,
        known: Sequence[Suggestion],
        counts: PatrolCounts,
    ) -> tuple[tuple[Suggestion, ...], PatrolCounts]:
        """Return the open notes about the page's edits, with the counts."""
        wiki, comparison = page.id.wiki, None
        refused = await asyncio.to_thread(
            Refusals(self.store, self.now).read, wiki, page.id.title, page.wikitext
        )
        if NoteKind.CITATIONS in refused:
            return (), counts
        if looked.candidates and looked.earlier is not None:
            # A page with open notes is always read: they may have to be closed.
            limit = None if known else self.sources_per_day
            sources = len(_sources(looked.candidates))
            if await asyncio.to_thread(
                self.store.patrols.take_sources, wiki, sources, limit, self.now()
            ):
                checker = await self._checker_for(wiki)
                changes = Changes(looked.candidates)
                comparison = await checker.compared(looked.earlier, page, changes)
                comparison = await self._traced(comparison, looked.earlier, page)
            else:
                counts += PatrolCounts(over_budget=1)
        side = await asyncio.to_thread(Side, page)
        found = await asyncio.to_thread(changed_claims, side, comparison, known)
        return found, counts

    async def _traced(
        self, comparison: Comparison, earlier: Page, page: Page
    ) -> Comparison:
        """Find which edit brought what is noted, if there were several."""
        reader, since = self.wiki(page.id.wiki), earlier.id.revision_id
        is_noted = any(one.flag for one in comparison.checks)
        if not is_noted or since is None or not isinstance(reader, HistoryReader):
            return comparison
        saved = [(one.id, one.wikitext) for one in await reader.between(page.id, since)]
        return await asyncio.to_thread(traced, comparison, earlier, page, saved)

    async def _checker_for(self, wiki: str) -> Checker:
        community = await asyncio.to_thread(self.store.communities.get, wiki)
        return self.checker.with_ratings(wiki, in_force(community).sources)


def _sources(candidates: Iterable[ChangedClaim]) -> frozenset[str]:
    """Return the keys of all sources that are read to judge some changes."""
    return frozenset(
        source.key
        for one in candidates
        for source in (*one.sources, *(one.after.sources if one.after else ()))
    )


def _log(page: Page, counts: PatrolCounts, notes: int) -> None:
    structlog.get_logger().info(
        "edit looked at",
        wiki=page.id.wiki,
        title=page.id.title,
        revision_id=page.id.revision_id,
        candidates=counts.candidates,
        notes=notes,
    )
