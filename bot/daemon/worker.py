"""Checks the pages that wait and saves what it finds.

On a page that was checked before, only those claims are checked that changed, or whose
last check is out of date; see `handlers.citations.due_checks`. If a person asks, all
are.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from bot.daemon.check import Checker, PageReader, Progress
from bot.daemon.runner import Runner
from bot.records.accounts import CheckState
from bot.records.fetches import NoReaderError
from bot.records.jobs import PATIENCE, JobReason, PageJob, UnansweredPages
from bot.records.tasks import BackOff, FailureOutcome, Lease, TaskKind, Work
from bot.records.watches import NoteKind
from bot.report import PageReport
from bot.store import Carried, Store, StoredCheck
from bot.surfaces.messages import message, to_note
from bot.surfaces.opt_in.community import in_force
from bot.surfaces.opt_in.refusal import Refusals
from bot.wiki.pages import NoSuchPageError, WikiPage
from handlers.citations.suggestions import suggestions_of
from handlers.findings import Suggestion
from handlers.model import ClaimCheck, ModelUse, PageId
from handlers.ports import (
    AwayError,
    PermanentError,
    TemporaryError,
    UnansweredError,
)
from handlers.registry import (
    Checked,
    found_by,
    kinds_asked,
    kinds_of_pages,
)

_AWAY = BackOff(5.0, 30.0)  # between tries to reach a wiki


@dataclass(frozen=True, slots=True)
class Away:
    """A wiki that failed to answer `times` times; the next try is due in `in_s`."""

    times: int
    since: datetime
    in_s: float

    def rests(self, now: datetime) -> bool:
        """Whether to leave the wiki alone; not after one failure or a clock change."""
        return self.times > 1 and 0.0 <= (now - self.since).total_seconds() < self.in_s


def away_again(before: Away | None, now: datetime, asked_s: float, draw: float) -> Away:
    """Return the state of a wiki that just failed to answer.

    The wiki asked us to wait `asked_s` seconds; `draw` is a random number from 0 to 1.
    """
    times = before.times + 1 if before else 1
    return Away(times, now, _AWAY.wait_s(times, asked_s, draw))


# Passes a report on to whatever shows it; its page is done even if that fails.

_TRIES = 3  # with half a minute in between, before the last one


async def show(report: PageReport, shown: Callable[[PageReport], None]) -> None:
    """Give `shown` a report, retrying if that may help; what it raises is logged.

    It is called in a thread, because a long page takes a second to write.
    """
    for _ in range(_TRIES):
        retry_in_s = await asyncio.to_thread(_shown_or_wait_s, report, shown)
        if retry_in_s is None:
            return
        await asyncio.sleep(retry_in_s)
    await asyncio.to_thread(_shown_or_wait_s, report, shown)


def _shown_or_wait_s(
    report: PageReport, shown: Callable[[PageReport], None]
) -> float | None:
    """Return how long to wait before another try, if one may help."""
    try:
        shown(report)
    except TemporaryError as error:
        structlog.get_logger().warning("report not shown", why=str(error))
        return error.retry_in_s
    except PermanentError as error:
        structlog.get_logger().warning("report not shown", why=str(error))
    except Exception:  # noqa: BLE001 - the page is done
        structlog.get_logger().exception("fault while showing a report")
    return None


_LAGGING_RETRY_S = 15.0
_LOGGED_AT = 2  # one lost request is no news
# For a single page without an answer: a partial outage may look like that for a while.
_ALONE = BackOff(first_s=600.0)
_NOT_THIS_ONE = (
    "{wiki} answers for other pages but not for this one; check whether the wiki can"
    " show the page ({why})"
)


@dataclass(frozen=True, slots=True)
class Worker:
    """Checks pages.

    `wiki` gives the reader of a wiki by its host name; `draw` random numbers from 0 to
    1; `shown` is given each report once it is saved, in a thread, because a long page
    takes a second to write; what it raises is logged, and retried if that may help.
    `away` holds the wikis that did not answer last time, `unanswered` the pages without
    an answer; the workers of a process share both. Several workers, also in several
    processes, may share one store.
    """

    name: str
    store: Store
    wiki: Callable[[str], PageReader]
    checker: Checker
    now: Callable[[], datetime]
    draw: Callable[[], float]
    shown: Callable[[PageReport], None] = lambda _report: None
    away: dict[str, Away] = field(default_factory=dict)
    unanswered: UnansweredPages = field(default_factory=UnansweredPages)

    @property
    def runner(self) -> Runner:
        """The queue of pages."""
        works = {TaskKind.CHECK: Work(self._work_on, failed=self._failed)}
        store, at = self.store.tasks, (self.now, self.draw)
        return Runner(self.name, store, works, *at, without=self._resting)

    def _resting(self) -> list[str]:
        now = self.now()
        return [wiki for wiki, away in self.away.items() if away.rests(now)]

    def _failed(self, held: Lease[PageJob], error: Exception) -> FailureOutcome | None:
        """Let a page wait through no fault of its own."""
        match error:
            case NoReaderError():
                in_s = error.retry_in_s * (1 + self.draw())
                return FailureOutcome(str(error), in_s, counts=False)
            case AwayError():
                return self._away(held, error)
        return None

    def _away(self, held: Lease[PageJob], error: AwayError) -> FailureOutcome:
        """Let a page wait whose wiki is unavailable; no page is given up for that.

        If nothing on the wiki could be read in between, this worker lets all of its
        pages wait: trying each would take time from other wikis. A single page that
        repeatedly gets no answer is given up like any other that fails.
        """
        wiki, why = held.wiki, str(error)
        if self._is_alone(held.task, error):
            why = _NOT_THIS_ONE.format(wiki=wiki, why=why)
            in_s = _ALONE.wait_s(held.attempt, error.retry_in_s, self.draw())
            return FailureOutcome(why, in_s)
        asked_s, draw = error.retry_in_s, self.draw()
        away = away_again(self.away.get(wiki), self.now(), asked_s, draw)
        log = structlog.get_logger()
        tell = log.warning if away.times == _LOGGED_AT else log.info
        tell("wiki is away", why=why, in_s=round(away.in_s), times=away.times)
        self.away[wiki] = away
        return FailureOutcome(why, away.in_s, counts=False)

    def _is_alone(self, job: PageJob, error: AwayError) -> bool:
        """Return whether only this page has gone unanswered, and for a long time."""
        if isinstance(error, UnansweredError):
            return self.unanswered.failed(job.wiki, job.title) > PATIENCE
        self.unanswered.forget(job.wiki)
        return False

    async def _work_on(self, held: Lease[PageJob]) -> None:
        check_state = await self._taken_up(held.task)
        page = await self._page(held)
        if page is None:
            await self._close(held, check_state)
            return
        with structlog.contextvars.bound_contextvars(revision_id=page.id.revision_id):
            await self._check(held, page, check_state)

    async def _taken_up(self, job: PageJob) -> CheckState | None:
        """Begin the check that people asked for and follow, if any did."""
        if job.reason is not JobReason.ASKED:
            return None
        return await asyncio.to_thread(
            self.store.check_states.begin, job.wiki, job.title, self.now()
        )

    async def _page(self, held: Lease[PageJob]) -> WikiPage | None:
        """Return the page; `None` if it no longer exists or is a redirect.

        Raises:
            TemporaryError: the wiki answers with the text from before the change.
        """
        job = held.task
        try:
            page = await self.wiki(job.wiki).page(job.title)
        except NoSuchPageError:
            self._note_answer(job)
            if job.revision_id is None or held.attempt > 1:
                return None
            raise TemporaryError(
                f"{job.wiki} has no page with revision {job.revision_id}",
                retry_in_s=_LAGGING_RETRY_S,
            ) from None
        self._note_answer(job)
        if page.redirected_from is not None:
            return None
        if job.revision_id is not None and _is_older(page.id, job.revision_id):
            raise TemporaryError(
                f"{job.wiki} still answers with revision {page.id.revision_id},"
                f" older than {job.revision_id}",
                retry_in_s=_LAGGING_RETRY_S,
            )
        return page

    def _note_answer(self, job: PageJob) -> None:
        self.away.pop(job.wiki, None)
        self.unanswered.answered(job.wiki, job.title)

    async def _close(
        self, held: Lease[PageJob], check_state: CheckState | None
    ) -> None:
        """Leave no suggestion for a page that was deleted, moved or redirected."""
        job = held.task
        if check_state is not None:
            gone = to_note(message("refusal-page-gone"))
            state = replace(check_state, problem=gone, changed_at=self.now())
            await asyncio.to_thread(self.store.check_states.step, state)
        closed = await asyncio.to_thread(
            self.store.close_page, job.wiki, job.title, self.now(), ends=held
        )
        structlog.get_logger().info("page is no more", closed=closed)

    async def _check(
        self, held: Lease[PageJob], page: WikiPage, check_state: CheckState | None
    ) -> None:
        last = await asyncio.to_thread(
            self.store.last_check, page.id.wiki, page.id.title
        )
        kinds = await asyncio.to_thread(
            Refusals(self.store, self.now).read,
            *(page.id.wiki, page.id.title, page.wikitext),
        )
        if kinds >= {NoteKind.CITATIONS, NoteKind.WRITING, NoteKind.UPDATES}:
            if check_state is not None:
                why = to_note(message("refusal-page-refuses"))
                state = replace(check_state, problem=why, changed_at=self.now())
                await asyncio.to_thread(self.store.check_states.step, state)
            await asyncio.to_thread(self.store.finish_check, held, self.now())
            return
        last_checks = (
            last.claims if last and held.task.reason is not JobReason.ASKED else ()
        )
        followed = check_state and replace(check_state, revision=page.id.revision_id)
        kept_for = await asyncio.to_thread(self.store.communities.get, page.id.wiki)
        checker = self.checker.regarding(page.id.wiki, in_force(kept_for).sources)
        if held.task.reason is JobReason.ASKED:
            checker = checker.without_cache()
        async with reported_progress(
            checker, followed, self.store, self.now
        ) as checker:
            report = await checker.check(
                page.wikitext, page.id, page.notes, last_checks=last_checks
            )
        others = await page_findings(self.store, report)
        if last is not None and others.is_known and _is_as_before(report, last):
            await asyncio.to_thread(self.store.finish_check, held, self.now())
            return
        found = await asyncio.to_thread(suggestions_of, report.page, report.checks)
        kept = [
            Carried(one.claim, last_checks[one.last_check]) for one in report.unchanged
        ]
        save = self.store.save_check
        await asyncio.to_thread(
            save, report, found, kept=kept, beside=others.found, ends=held
        )
        if NoteKind.CITATIONS not in kinds:
            await show(report, self.shown)


def _is_as_before(report: PageReport, last: StoredCheck) -> bool:
    """Return whether nothing was checked and nothing on the page has changed.

    A page without claims had nothing stored that could be lost.
    """
    same = report.page.id.revision_id == last.page.revision_id
    return same and not report.checks and len(report.unchanged) == len(last.claims)


def _is_older(page: PageId, revision_id: int) -> bool:
    """Return whether a wiki lags; a page on disk has no revision number to show it."""
    return page.revision_id is not None and page.revision_id < revision_id


# Shows those who asked for a check of a page how far it has come. The check reports each
# step as it happens, hundreds in a moment; the store is updated at most four times a
# second, and nothing waits for that.

_PAUSE_S = 0.25


@asynccontextmanager
async def reported_progress(
    checker: Checker,
    check_state: CheckState | None,
    store: Store,
    now: Callable[[], datetime],
) -> AsyncIterator[Checker]:
    """Give a checker whose progress is shown to followers of `check_state`, if any.

    If the store is unavailable, the check is not affected.
    """
    if check_state is None:
        yield checker
        return
    shown = _CheckProgress(check_state, checker.progress, now)
    shown.news.set()
    keeping = asyncio.create_task(_keep_reporting(shown, store))
    try:
        yield replace(checker, progress=shown)
    finally:
        shown.stop()
        await keeping


class _CheckProgress:
    """Fulfils `Progress`; `check_state` holds the current state."""

    def __init__(
        self, check_state: CheckState, progress: Progress, now: Callable[[], datetime]
    ) -> None:
        self.check_state = check_state
        self.news = asyncio.Event()
        self.over = asyncio.Event()
        self._progress = progress
        self._now = now
        self._in_flight: list[str] = []  # places, in the order they were begun

    def started(self, claims: int, sources: int) -> None:
        self._reached(claims=claims, sources=sources)
        self._progress.started(claims, sources)

    def reading(self, place: str) -> None:
        self._in_flight.append(place)
        self._reached(reading=self._in_flight[0])
        self._progress.reading(place)

    def read(self, place: str) -> None:
        self._in_flight.remove(place)
        read = self.check_state.sources_read + 1
        self._reached(
            reading=self._in_flight[0] if self._in_flight else None,
            sources_read=read,
            # Better sources, which the page does not cite, are read, too.
            sources=max(self.check_state.sources, read),
        )
        self._progress.read(place)

    def checked(self, check: ClaimCheck) -> None:
        self._reached(claims_checked=self.check_state.claims_checked + 1)
        self._progress.checked(check)

    def asking(self, claims: int, expected: ModelUse) -> None:
        self._progress.asking(claims, expected)

    def asked(self, claims: int) -> None:
        self._progress.asked(claims)

    def stop(self) -> None:
        self.over.set()
        self.news.set()

    def _reached(self, **changes: int | str | None) -> None:
        self.check_state = replace(self.check_state, **changes, changed_at=self._now())  # type: ignore[arg-type]  # fields by name
        self.news.set()


async def _keep_reporting(shown: _CheckProgress, store: Store) -> None:
    while not shown.over.is_set():
        await shown.news.wait()
        await _report_progress(shown, store)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PAUSE_S):
                await shown.over.wait()
    if shown.news.is_set():
        await _report_progress(shown, store)


async def _report_progress(shown: _CheckProgress, store: Store) -> None:
    shown.news.clear()
    try:
        await asyncio.to_thread(store.check_states.step, shown.check_state)
    except (PermanentError, TemporaryError) as error:
        structlog.get_logger().warning("progress not told", why=str(error))


# Finds what does not concern a citation on a checked page, if its watchers ask for it.
#
# It is part of a worker's check. The registry says which kinds there are and who finds
# them; here is what handlers cannot know: who asks, what has been reported for the page
# already, and what the wiki's community decided. For a kind that nobody asks for,
# nothing is found, so earlier findings of it are closed.


@dataclass(frozen=True, slots=True)
class PageFindings:
    """What to report for a page, by kind, and whether all of it is reported already.

    A kind that could not be determined is missing.
    """

    found: Mapping[str, tuple[Suggestion, ...]]
    is_known: bool


async def page_findings(store: Store, report: PageReport) -> PageFindings:
    """Return what to report for a page besides its citations.

    Raises:
        TemporaryError, PermanentError: as the store does.
    """
    return await asyncio.to_thread(_find, store, report)


def _find(store: Store, report: PageReport) -> PageFindings:
    wiki, title = report.page.id.wiki, report.page.id.title
    kept = store.suggestions_of(wiki, title, all_or_none=False)
    known = tuple(one.suggestion for one in kept)
    asked = kinds_asked(
        {
            check.value
            for watch in store.watches.of_page(wiki, title)
            for check in watch.checks
        }
    )
    checked = Checked(
        report.now,
        report.checks,
        today=report.checked_at.date(),
        settings=in_force(store.communities.get(wiki)).findings,
        open=known,
        closed=lambda names: store.decisions.closed(wiki, names),
    )
    found: dict[str, tuple[Suggestion, ...]] = {}
    for kind in sorted(kinds_of_pages()):
        try:
            found[kind] = found_by(kind, checked) if kind in asked else ()
        except Exception:  # noqa: BLE001 - the rest is told all the same
            structlog.get_logger().exception(
                "fault while looking for findings", kind=kind
            )
    before = {one.identity for one in known if one.kind in found}
    after = {one.identity for some in found.values() for one in some}
    return PageFindings(found, before == after)
