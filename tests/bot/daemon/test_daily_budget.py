"""At a page's cap, and the day's, the daemon leaves the model alone and goes on checking."""

import asyncio
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from bot.app.wiring.daemon import Part, open_daemon
from bot.app.wiring.wiki import EMBEDDED_WIKI, embedded_world, now
from bot.daemon.roles import run_roles, until_idle, work_left
from bot.records.jobs import JobReason, PageJob
from bot.records.spending import PayerKind
from bot.report import PageReport
from bot.settings import Settings
from bot.store import Store, open_store
from handlers.model import ModelFailure
from tests.rig.databases import ready_sqlite
from tests.rig.language_model import judges, serving

_TITLES = ("2020 Jonesboro tornado", "2011 Sawyerville–Eoline tornado")


async def _checked(settings: Settings, store: Store, title: str) -> PageReport:
    """Run a daemon until it has checked one page."""
    reports: list[PageReport] = []
    with as_file(files("bot") / "demo") as demo:
        world = embedded_world(settings, demo, "")
        store.jobs.put([PageJob(EMBEDDED_WIKI, title, JobReason.ASKED, now(), now())])
        async with open_daemon(
            settings, store, world, frozenset({Part.WORK}), shown=reports.append
        ) as daemon:
            idle = until_idle(lambda: work_left(store, now()), lambda: bool(reports))
            roles = {"worker": daemon.roles["worker 1"], "idle": idle}
            await run_roles(roles, asyncio.Event())
    [report] = reports
    return report


async def test_the_daemon_stops_asking_at_the_cap_and_goes_on_checking(
    tmp_path: Path,
) -> None:
    given: dict[str, Any] = {
        "data_dir": tmp_path,
        "contact": "tester@example.org",
        "verifier": "lexical",
        "language_model_name": "m",
        "language_model_calls": 1,  # of a run; here the day counts
        "language_model_daily_calls": 4,
        "language_model_daily_page_share": "0.5",
        "language_model_daily_person_share": 1,  # nobody opted in for either
    }
    url = ready_sqlite(tmp_path / "sidenote.sqlite")
    async with serving(judges(lambda *_: ("unclear", ""))) as server:
        settings = Settings(language_model_address=server.address, **given)
        reports = []
        for title in _TITLES:  # a daemon for each
            with open_store(url) as store:
                reports.append(await _checked(settings, store, title))

    assert len(server.asked) == 4
    with open_store(url) as store:
        spent = store.status(now()).spending
    assert (spent.calls, spent.refused_at is None) == (4, False)
    assert spent.refused == {PayerKind.PAGE: 1}, "the second page met the day's cap"
    for report, setting in zip(reports, ("PAGE_SHARE", "CALLS"), strict=True):
        assert report.consultation
        assert [setting in why for why in report.consultation.stopped] == [True]
        unanswered = [
            check
            for check in report.checks
            if check.opinion and check.opinion.failure is ModelFailure.OUT_OF_BUDGET
        ]
        assert unanswered
        assert all(check.verdict and check.fingerprint is None for check in unanswered)
