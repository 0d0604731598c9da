"""Checks the pages that wait, and saves what is found.

On a page that was checked before, only those claims are checked that changed, or whose
last check is out of date; see `handlers.citations.due_checks`. If a person asks, all
are.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from bot.daemon.check import Before, Checker, PageReader, read_before
from bot.daemon.progress import followed_progress
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
from handlers.citations.unsure import UnsureFinding
from handlers.edits.finding import ChangedFinding, baselines
from handlers.findings import Suggestion
from handlers.model import PageId
from handlers.ports import (
    AwayError,
    PermanentError,
    TemporaryError,
    UnansweredError,
)
from handlers.registry import (
    Checked,
    found_by,
    kinds_of_pages,
    requested_kinds,
    told_once,
)

_AWAY = BackOff(5.0, 30.0)  # between tries to reach a wiki
_LAGGING_RETRY_S = 15.0
_LOGGED_AT = 2  # one lost request is no news
# For a single page without an answer: a partial outage may look like that for a while.
_ALONE = BackOff(first_s=600.0)
_NOT_THIS_ONE = (
    "{wiki} answers for other pages but not for this one; check whether the wiki can"
    " show the page ({why})"
)
_ALL_OF_A_CHECK = frozenset({NoteKind.CITATIONS, NoteKind.WRITING, NoteKind.UPDATES})


@dataclass(frozen=True, slots=True)
class Away:
    """A wiki that failed to answer `times` times; the next try is due in `in_s`."""

    times: int
    since: datetime
    in_s: float

    def rests(self, now: datetime) -> bool:
        """Whether to leave the wiki alone; not after one failure or a clock change."""
        return self.times > 1 and 0.0 <= (now - self.since).total_seconds() < self.in_s


@dataclass(frozen=True, slots=True)
class Worker:
    """Checks pages.

    `wiki` gives the reader of a wiki by its host name; `draw` random numbers from 0 to
    1; `shown` is given each report once it is saved, in a thread, because a long page
    takes a second to write; what it raises is logged, and retried if that may help.
    `away` holds the wikis that did not answer this worker last time, `unanswered` the
    pages without an answer, for all workers of a process. Several workers, also in
    several processes, may share one store.
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
        before = self.away.get(wiki)
        times = before.times + 1 if before else 1
        wait_s = _AWAY.wait_s(times, error.retry_in_s, self.draw())
        away = Away(times, self.now(), wait_s)
        log = structlog.get_logger()
        write = log.warning if away.times == _LOGGED_AT else log.info
        write("wiki is away", why=why, in_s=round(away.in_s), times=away.times)
        self.away[wiki] = away
        return FailureOutcome(why, away.in_s, counts=False)

    def _is_alone(self, job: PageJob, error: AwayError) -> bool:
        """Return whether only this page has gone unanswered, and for a long time."""
        if isinstance(error, UnansweredError):
            return self.unanswered.failed(job.wiki, job.title) > PATIENCE
        self.unanswered.forget(job.wiki)
        return False

    async def _work_on(self, held: Lease[PageJob]) -> None:
        job, check_state = held.task, None
        if job.reason is JobReason.ASKED:  # people follow the check
            check_state = await asyncio.to_thread(
                self.store.check_states.begin, job.wiki, job.title, self.now()
            )
        page = await self._page(held)
        if page is None:
            await self._close(held, check_state)
            return
        with structlog.contextvars.bound_contextvars(revision_id=page.id.revision_id):
            await self._check(held, page, check_state)

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
        await self._end(check_state, "refusal-page-gone")
        closed = await asyncio.to_thread(
            self.store.close_page, job.wiki, job.title, self.now(), ends=held
        )
        structlog.get_logger().info("page is no more", closed=closed)

    async def _end(self, check_state: CheckState | None, why: str) -> None:
        """Tell those who follow a check, if any do, why there is nothing to check."""
        if check_state is not None:
            problem = to_note(message(why))
            state = replace(check_state, problem=problem, changed_at=self.now())
            await asyncio.to_thread(self.store.check_states.step, state)

    async def _check(
        self, held: Lease[PageJob], page: WikiPage, check_state: CheckState | None
    ) -> None:
        store, wiki, title = self.store, page.id.wiki, page.id.title
        last = await asyncio.to_thread(store.last_check, wiki, title)
        refused = await asyncio.to_thread(
            Refusals(store, self.now).read, wiki, title, page.wikitext
        )
        if refused >= _ALL_OF_A_CHECK:
            await self._end(check_state, "refusal-page-refuses")
            await asyncio.to_thread(store.finish_check, held, self.now())
            return
        is_requested = held.task.reason is JobReason.ASKED
        last_checks = last.claims if last and not is_requested else ()
        checker = await self._checker_for(wiki, is_requested=is_requested)
        stored = await asyncio.to_thread(
            store.suggestions_of, wiki, title, all_or_none=False
        )
        known = tuple(one.suggestion for one in stored)
        before = await self._before(held.task, page, last, known)
        followed = check_state and replace(check_state, revision=page.id.revision_id)
        async with followed_progress(
            followed, checker.progress, store, self.now
        ) as progress:
            report = await replace(checker, progress=progress).check(
                *(page.wikitext, page.id, page.notes),
                last_checks=last_checks,
                before=before,
            )
        others = await asyncio.to_thread(_other_findings, store, report, known)
        if last is not None and others.is_known and _is_as_before(report, last):
            await asyncio.to_thread(store.finish_check, held, self.now())
            return
        found = await asyncio.to_thread(suggestions_of, report.page, report.checks)
        found = told_once(found, others.found.get(ChangedFinding.kind, ()))
        carried = [
            Carried(one.claim, last_checks[one.last_check]) for one in report.unchanged
        ]
        await asyncio.to_thread(
            store.save_check,
            *(report, found),
            carried=carried,
            beside=others.found,
            ends=held,
        )
        if NoteKind.CITATIONS not in refused:
            await _show(report, self.shown)

    async def _before(
        self,
        job: PageJob,
        page: WikiPage,
        last: StoredCheck | None,
        known: Sequence[Suggestion],
    ) -> Before | None:
        """Return the revision to compare with: the last one checked, else the parent.

        A page that is checked because somebody began to watch it was not edited.
        """
        number = last.page.revision_id if last else None
        if last is None and job.reason is JobReason.CHANGE:
            number = page.parent_id
        if number is None or number == page.id.revision_id:
            return None
        reader = self.wiki(job.wiki)
        return await read_before(
            reader, page.id, number, baselines(known), parent_id=page.parent_id
        )

    async def _checker_for(self, wiki: str, *, is_requested: bool) -> Checker:
        """Return the checker with the wiki's ratings; a person gets sources read anew."""
        community = await asyncio.to_thread(self.store.communities.get, wiki)
        checker = self.checker.with_ratings(wiki, in_force(community).sources)
        return checker.without_cache() if is_requested else checker


def _is_as_before(report: PageReport, last: StoredCheck) -> bool:
    """Return whether nothing was checked and nothing on the page has changed.

    A page without claims had nothing stored that could be lost.
    """
    same = report.page.id.revision_id == last.page.revision_id
    return same and not report.checks and len(report.unchanged) == len(last.claims)


def _is_older(page: PageId, revision_id: int) -> bool:
    """Return whether a wiki lags; a page on disk has no revision number to show it."""
    return page.revision_id is not None and page.revision_id < revision_id


_TRIES = 3  # with half a minute in between, before the last one


async def _show(report: PageReport, shown: Callable[[PageReport], None]) -> None:
    """Give `shown` a report, retrying if that may help; what it raises is logged.

    It is called in a thread, because a long page takes a second to write. The page is
    done even if this fails.
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


@dataclass(frozen=True, slots=True)
class _OtherFindings:
    """What to report for a page besides its citations, by kind.

    A kind that could not be determined is missing. `is_known` says that all of it is
    reported already.
    """

    found: Mapping[str, tuple[Suggestion, ...]]
    is_known: bool


def _other_findings(
    store: Store, report: PageReport, known: tuple[Suggestion, ...]
) -> _OtherFindings:
    """Return the findings of the kinds that the page's watchers ask for.

    The registry says which kinds there are and who finds them; here is what handlers
    cannot know: who asks, what has been reported for the page already (`known`), and
    what the wiki's community decided. A kind that nobody asks for has no findings, so earlier
    ones of it are closed.

    Raises:
        TemporaryError, PermanentError: as the store does.
    """
    wiki, title = report.page.id.wiki, report.page.id.title
    requested = requested_kinds(
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
        comparison=report.comparison,
    )
    found: dict[str, tuple[Suggestion, ...]] = {}
    for kind in sorted(kinds_of_pages()):
        try:
            found[kind] = found_by(kind, checked) if kind in requested else ()
        except Exception:  # noqa: BLE001 - the other kinds are reported all the same
            structlog.get_logger().exception(
                "fault while looking for findings", kind=kind
            )
    changed = found.get(ChangedFinding.kind, ())
    if UnsureFinding.kind in found:
        found[UnsureFinding.kind] = told_once(found[UnsureFinding.kind], changed)
    before = {one.identity for one in known if one.kind in found}
    after = {one.identity for some in found.values() for one in some}
    return _OtherFindings(found, before == after)
