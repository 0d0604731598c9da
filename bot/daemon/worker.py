"""Looks at one waiting page after the other and saves what it finds.

A worker holds the lease of one page at a time and prolongs it while it works. The
result and the end of the lease are saved together, so that a worker that is killed,
or that was thought dead, leaves nothing behind and loses nothing.

Of a page that was looked at before, only those claims are looked at that changed, or
whose last look has aged; see `handlers.citations.due_checks`. Where a person asks, all are.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

import structlog

from bot.daemon.check import Checker
from bot.daemon.check_progress import telling
from bot.daemon.lease_renewal import kept
from bot.daemon.page_findings import page_findings
from bot.records.accounts import LookState
from bot.records.fetches import NobodyReads
from bot.records.jobs import JobReason, Lease, LeaseLost, PageJob
from bot.records.poison import PATIENCE, Suspects
from bot.records.rounds import Looking, rounds
from bot.report import PageReport
from bot.store import Carried, KeptCheck, Store
from bot.wiki.pages import NoSuchPageError, WikiPage
from handlers.citations.suggestions import suggestions_of
from handlers.model import PageId
from handlers.ports import (
    AwayError,
    PermanentError,
    TemporaryError,
    UnansweredError,
)

# How long work rests after a failure. Pure.

_AWAY_S, _MOST_AWAY_S = 5.0, 30.0  # between tries to reach a wiki, the first and most


@dataclass(frozen=True, slots=True)
class BackOff:
    """How long a page waits after a failure: each time twice as long, with chance.

    Chance keeps pages that failed together from all coming back together.
    """

    first_s: float = 15.0
    most_s: float = 3600.0
    spread: float = 0.3

    def wait_s(self, attempt: int, asked_s: float, draw: float) -> float:
        """Return the wait after `attempt` (from 1), at least the `asked_s` seconds.

        `draw` is a random number from 0 to 1.
        """
        doubled_s = min(self.most_s, self.first_s * 2.0 ** min(attempt - 1, 30))
        return max(asked_s, doubled_s) * (1 + self.spread * draw)


@dataclass(frozen=True, slots=True)
class Away:
    """A wiki that failed to answer `times` times; a try is worth it in `in_s`."""

    times: int
    since: datetime
    in_s: float

    def rests(self, now: datetime) -> bool:
        """Whether all of it is let be: not after one failure, nor when time went back."""
        return self.times > 1 and 0.0 <= (now - self.since).total_seconds() < self.in_s


def away_again(
    before: Away | None, now: datetime, asked_s: float, longer: float
) -> Away:
    """Return what is known of a wiki that failed to answer now.

    It asked for `asked_s` seconds of rest, and `longer` is a factor to spread tries by.
    """
    times = before.times + 1 if before else 1
    doubled_s = min(_AWAY_S * 2.0 ** min(times - 1, 10), _MOST_AWAY_S)
    return Away(times, now, max(asked_s, doubled_s) * longer)


# Hands a report on to whoever shows it; its page is done, whatever becomes of that.

_TRIES = 3  # with half a minute in between, before the last one


async def show(report: PageReport, shown: Callable[[PageReport], None]) -> None:
    """Give `shown` a report, again where that may help; what it raises is logged.

    It is called in a thread, for a long page takes a second to write.
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
    """Return how long to wait for another try, where one may help."""
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
_TELLINGS = 10  # with half a minute in between, as long as a lease lasts
_TOLD_AT = 2  # one lost request is no news
# Of a page that alone is not answered: half of an outage may look like that for a while.
_ALONE = BackOff(first_s=600.0)
_NOT_THIS_ONE = (
    "{wiki} answers for other pages and not for this one; see whether it can show the"
    " page itself ({why})"
)
_GONE = "There is no such page any more, or it leads on to another; look there."


class PageReader(Protocol):
    """Reads pages of one wiki, as `bot.wiki.reader.WikiReader` does."""

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        """Return the current revision of `title`.

        Raises:
            NoSuchPageError: there is no such page.
            PermanentError: it cannot be checked.
            TemporaryError: the wiki cannot be reached or is busy.
        """
        ...


@dataclass(frozen=True, slots=True)
class Worker:
    """Works through the queue.

    `wiki` gives the reader of a wiki by its host name; `draw` random numbers from 0
    to 1; `shown` is given each report once it is saved, in a thread, for a long page
    takes a second to write; what it raises is logged, and it is given the report again
    where that may help. `away` holds the wikis that did
    not answer when they were asked last, `suspects` the pages that were not answered,
    which the workers of a process share. Several workers, also in several processes, may
    share one store.
    """

    name: str
    store: Store
    wiki: Callable[[str], PageReader]
    checker: Checker
    now: Callable[[], datetime]
    draw: Callable[[], float]
    back_off: BackOff = field(default_factory=BackOff)
    shown: Callable[[PageReport], None] = lambda _report: None
    away: dict[str, Away] = field(default_factory=dict)
    suspects: Suspects = field(default_factory=Suspects)

    async def run(self, stop: asyncio.Event, *, idle_s: float = 1.0) -> None:
        """Work until `stop` is set; the page in work is finished first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        await rounds(stop, Looking(self.work_once, idle_s))

    async def work_once(self) -> bool:
        """Work on the page that is due first; `False` if none is.

        Raises:
            TemporaryError: the store is away; a page in work comes back when its
                lease runs out.
            PermanentError: the store cannot be used.
        """
        now = self.now()
        resting = [wiki for wiki, away in self.away.items() if away.rests(now)]
        held = await asyncio.to_thread(
            self.store.jobs.lease, self.name, now, without=resting
        )
        if held is None:
            return False
        with structlog.contextvars.bound_contextvars(
            wiki=held.job.wiki, title=held.job.title, attempt=held.attempt
        ):
            try:
                await self._work_on(held)
            except LeaseLost:
                structlog.get_logger().warning("lease lost, result dropped")
        return True

    async def _work_on(self, held: Lease) -> None:
        jobs = self.store.jobs
        try:
            async with kept(lambda: jobs.renew(held, self.now()), jobs.rules.lease_s):
                await self._look_at(held)
        except asyncio.CancelledError:
            with suppress(LeaseLost):  # it was done, and only its report not shown
                await asyncio.to_thread(jobs.give_back, held, self.now())
            raise
        except LeaseLost:
            raise
        except NobodyReads as error:
            await self._wait_for_readers(held, error)
        except PermanentError as error:
            why = str(error)
            structlog.get_logger().info("page parked", why=why)
            await self._tell(lambda: jobs.park(held, self.now(), why=why))
        except AwayError as error:
            await self._wait_for_wiki(held, error)
        except TemporaryError as error:
            await self._retry(held, str(error), error.retry_in_s)
        except Exception as error:  # noqa: BLE001 - no page may stop the worker
            structlog.get_logger().exception("fault while looking at a page")
            why = f"a fault of the program: {type(error).__name__}: {error}"
            await self._retry(held, why, 0.0)

    async def _wait_for_wiki(self, held: Lease, error: AwayError) -> None:
        """Let a page wait whose wiki is away; no page is given up for that.

        If nothing of the wiki could be read in between, this worker lets all of its pages
        wait: to try each of them would take it from other wikis. A page that alone is not
        answered, again and again, is given up like any other that fails.
        """
        job, jobs, why = held.job, self.store.jobs, str(error)
        wiki, longer = job.wiki, 1 + self.back_off.spread * self.draw()
        if self._is_alone(job, error):
            why = _NOT_THIS_ONE.format(wiki=wiki, why=why)
            await self._retry(held, why, error.retry_in_s, _ALONE)
            return
        away = away_again(self.away.get(wiki), self.now(), error.retry_in_s, longer)
        log = structlog.get_logger()
        tell = log.warning if away.times == _TOLD_AT else log.info
        tell("wiki is away", why=why, in_s=round(away.in_s), times=away.times)
        self.away[wiki], in_s = away, away.in_s
        await self._tell(lambda: jobs.put_off(held, self.now(), in_s=in_s, why=why))

    def _is_alone(self, job: PageJob, error: AwayError) -> bool:
        """Tell whether only this page is not answered, and has not been for long."""
        if isinstance(error, UnansweredError):
            return self.suspects.failed(job.wiki, job.title) > PATIENCE
        self.suspects.forget(job.wiki)
        return False

    async def _retry(
        self, held: Lease, why: str, asked_s: float, back_off: BackOff | None = None
    ) -> None:
        back_off = back_off or self.back_off
        in_s = back_off.wait_s(held.attempt, asked_s, self.draw())
        log = structlog.get_logger()
        tell = log.info if held.attempt == 1 else log.warning
        tell("page tried again", why=why, in_s=round(in_s))
        jobs = self.store.jobs
        await self._tell(lambda: jobs.retry(held, self.now(), in_s=in_s, why=why))

    async def _wait_for_readers(self, held: Lease, nobody: NobodyReads) -> None:
        """Let a page wait for those who read sources; it is no fault of its own."""
        why, in_s = str(nobody), nobody.retry_in_s * (1 + self.draw())
        structlog.get_logger().warning("page put off", why=why, in_s=round(in_s))
        jobs = self.store.jobs
        await self._tell(lambda: jobs.put_off(held, self.now(), in_s=in_s, why=why))

    async def _tell(self, tell: Callable[[], None]) -> None:
        """Tell the store what became of a page, also if it is away for some minutes.

        Otherwise the page would wait until its lease runs out, which takes longer.
        """
        for _ in range(_TELLINGS - 1):
            try:
                return await asyncio.to_thread(tell)
            except TemporaryError as error:
                structlog.get_logger().warning("store is away", why=str(error))
                await asyncio.sleep(error.retry_in_s)
        return await asyncio.to_thread(tell)

    async def _look_at(self, held: Lease) -> None:
        look = await self._taken_up(held.job)
        page = await self._page(held)
        if page is None:
            await self._close(held, look)
            return
        with structlog.contextvars.bound_contextvars(revision_id=page.id.revision_id):
            await self._check(held, page, look)

    async def _taken_up(self, job: PageJob) -> LookState | None:
        """Begin the look that people asked for and follow, if any did."""
        if job.reason is not JobReason.ASKED:
            return None
        return await asyncio.to_thread(
            self.store.looks.begin, job.wiki, job.title, self.now()
        )

    async def _page(self, held: Lease) -> WikiPage | None:
        """Return the page; `None` if it is no more, or is a redirect.

        Raises:
            TemporaryError: the wiki answers with what was there before the change.
        """
        job = held.job
        try:
            page = await self.wiki(job.wiki).page(job.title)
        except NoSuchPageError:
            self._note_answer(job)
            if job.revision_id is None or held.attempt > 1:
                return None
            raise TemporaryError(
                f"{job.wiki} does not know the page of revision {job.revision_id}",
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
        self.suspects.answered(job.wiki, job.title)

    async def _close(self, held: Lease, look: LookState | None) -> None:
        """Leave no suggestion for a page that was deleted, or moved, or is a redirect."""
        job = held.job
        if look is not None:
            told = replace(look, problem=_GONE, changed_at=self.now())
            await asyncio.to_thread(self.store.looks.step, told)
        closed = await asyncio.to_thread(
            self.store.close_page, job.wiki, job.title, self.now(), ends=held
        )
        structlog.get_logger().info("page is no more", closed=closed)

    async def _check(self, held: Lease, page: WikiPage, look: LookState | None) -> None:
        last = await asyncio.to_thread(
            self.store.last_check, page.id.wiki, page.id.title
        )
        looks = last.claims if last and held.job.reason is not JobReason.ASKED else ()
        followed = look and replace(look, revision=page.id.revision_id)
        async with telling(self.checker, followed, self.store, self.now) as checker:
            report = await checker.check(
                page.wikitext, page.id, page.notes, looks=looks
            )
        others = await page_findings(self.store, report)
        if last is not None and others.is_known and _is_as_before(report, last):
            await asyncio.to_thread(self.store.jobs.finish, held, self.now())
            return
        found = await asyncio.to_thread(suggestions_of, report.page, report.checks)
        kept = [Carried(one.claim, looks[one.look]) for one in report.unchanged]
        save = self.store.save_check
        await asyncio.to_thread(
            save, report, found, kept=kept, beside=others.found, ends=held
        )
        await show(report, self.shown)


def _is_as_before(report: PageReport, last: KeptCheck) -> bool:
    """Tell whether nothing was looked at, and nothing of the page has changed.

    Of a page without claims, nothing was kept that could be lost.
    """
    same = report.page.id.revision_id == last.page.revision_id
    return same and not report.checks and len(report.unchanged) == len(last.claims)


def _is_older(page: PageId, revision_id: int) -> bool:
    """Tell whether a wiki lags; a page on disk has no number to tell it by."""
    return page.revision_id is not None and page.revision_id < revision_id
