"""While a worker computes, its event loop goes on: leases, other pages, the server."""

import asyncio
import threading
from datetime import UTC, datetime
from pathlib import Path

from bot.daemon.check import Checker
from bot.daemon.worker import Worker
from bot.models.lexical import LexicalVerifier
from bot.records.jobs import JobReason, PageJob
from bot.records.watches import ActiveWatch, WatcherKind
from bot.report import PageReport
from bot.store import open_store
from bot.wiki.pages import WikiPage
from handlers.model import ClaimCheck, PageId
from handlers.ports import Tools
from tests.benchmarks.published.contents import WIKI, MadeUp, with_citations
from tests.fakes import Unheard
from tests.rig.databases import ready_sqlite

_NOW = datetime(2026, 2, 3, 12, 0, tzinfo=UTC)
_CLAIMS = 15


class _Wiki:
    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        del revision_id
        return WikiPage(PageId(WIKI, title, revision_id=7), with_citations(_CLAIMS))


class _Turns(Unheard):
    """Counts the turns of the loop, and those while claims are judged."""

    def __init__(self) -> None:
        self.all = self.before = self.while_judging = 0

    def started(self, claims: int, sources: int) -> None:
        del claims, sources
        self.before = self.all

    def checked(self, check: ClaimCheck) -> None:
        del check
        self.while_judging = self.all - self.before

    async def count(self) -> None:
        while True:
            await asyncio.sleep(0)
            self.all += 1


async def test_the_loop_turns_between_claims_and_no_report_is_written_in_it(
    tmp_path: Path,
) -> None:
    shown: list[tuple[PageReport, int]] = []
    turns = _Turns()
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as store:
        watch = ActiveWatch(
            *(WIKI, "User:R/Sidenote", WatcherKind.USER, "R", ("Harbours",)),
            report="User:R/Sidenote report",
        )
        job = PageJob(WIKI, "Harbours", JobReason.OPT_IN, _NOW, _NOW)
        store.watches.keep(watch, [job], _NOW)
        worker = Worker(
            *("worker", store, lambda _: _Wiki()),
            # All sources are there at once: nothing but the worker lets the loop turn.
            Checker(Tools(MadeUp(), LexicalVerifier()), turns, now=lambda: _NOW),
            now=lambda: _NOW,
            draw=lambda: 0.0,
            shown=lambda report: shown.append((report, threading.get_ident())),
        )
        counting = asyncio.create_task(turns.count())
        assert await worker.runner.work_once()
        counting.cancel()

    [(report, thread)] = shown
    assert len(report.checks) == _CLAIMS
    assert all(check.verification for check in report.checks)
    assert turns.while_judging > _CLAIMS
    assert thread != threading.get_ident()
