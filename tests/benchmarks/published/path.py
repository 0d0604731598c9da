"""Pages and citations a second, from the queue to the posts, as the daemon does it."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import random

from bot.app.wiring.checks import open_checker
from bot.app.wiring.demo import embedded_settings
from bot.app.wiring.wiki import EMBEDDED_BOT, World, embedded_world
from bot.daemon.check import Checker
from bot.daemon.runner import Runner
from bot.daemon.worker import Worker
from bot.records.jobs import JobReason, PageJob
from bot.records.watches import ActiveWatch, WatcherKind
from bot.report import PageReport
from bot.settings import Settings, VerifierChoice
from bot.store import Store, open_store
from bot.surfaces.planning.planner import handlers, planning
from bot.surfaces.planning.posts import PlanningTools
from tests.benchmarks.published import contents
from tests.benchmarks.published.machine import apart
from tests.benchmarks.published.quiet import unlogged
from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Bar, Comparison, Section
from tests.benchmarks.published.verifiers import without_cache
from tests.fakes import Unheard

_PLACE = "User:Reader/Sidenote"


@dataclass(frozen=True)
class _Took:
    pages: int
    citations: int
    wall_s: float
    cpu_s: float
    unread: int


def measured(sizes: Sizes) -> list[Section]:
    """Return rates with either verifier."""
    choices = [VerifierChoice.LEXICAL]
    if sizes.has_network:
        choices.insert(0, VerifierChoice.MINILM)
    took = {
        choice.value: (
            apart(_measured, sizes, choice)
            if sizes.rounds > 1
            else _measured(sizes, choice)
        )
        for choice in choices
    }
    [some, *_] = [rounds[0] for rounds in took.values()]
    counted = (
        f"n = {some.pages} articles that ship, {some.citations} citations, in a round"
        f" ({some.unread} claims have no source that can be read): from the queue in SQLite over reading, checking (sources are plain texts on disk), saving and"
        " planning to the posts of a dry run. One worker, which waits for nothing but the"
        " disk; the first round, in which everything is loaded, does not count. No round"
        " remembers the texts of the one before."
    )
    formula = (
        "What a round has of them, divided by the time from its start to its last post."
    )
    return [
        Comparison(key, title, unit, counted, formula, _bars(took, field, kind))
        for key, title, unit, field, kind in (
            ("pages-rate", "Pages a second", "pages a second", "pages", "wall_s"),
            (
                "citations-rate",
                "Citations a second",
                "citations a second",
                "citations",
                "wall_s",
            ),
            (
                "citations-cpu",
                "Citations a second of CPU",
                "citations a second of CPU time",
                "citations",
                "cpu_s",
            ),
        )
    ]


def _bars(took: dict[str, list[_Took]], field: str, kind: str) -> tuple[Bar, ...]:
    return tuple(
        Bar(
            f"verifier {name}",
            tuple(getattr(one, field) / getattr(one, kind) for one in rounds),
        )
        for name, rounds in took.items()
    )


def _measured(sizes: Sizes, choice: VerifierChoice) -> list[_Took]:
    with unlogged():
        return asyncio.run(_rounds(sizes, choice))


async def _rounds(sizes: Sizes, choice: VerifierChoice) -> list[_Took]:
    took = []
    with tempfile.TemporaryDirectory() as name:
        settings = embedded_settings(
            Settings.model_validate({"data_dir": name, "verifier": choice})
        )
        async with open_checker(
            settings, contents.DEMO / "sources", Unheard()
        ) as checker:
            for number in range(sizes.rounds + 1):
                world = embedded_world(settings, contents.DEMO, "")
                address = f"sqlite:///{name}/{number}.sqlite"
                with open_store(address) as store:
                    reports: list[PageReport] = []
                    worker = Worker(
                        *("bench", store, world.pages, _forgetful(checker)),
                        now=lambda: datetime.now(UTC),
                        draw=random,
                        shown=reports.append,
                    )
                    _ask(store, sizes.articles)
                    wall_s, cpu_s = time.perf_counter(), time.process_time()
                    await _done(worker, world, store)
                    took.append(
                        _Took(
                            len(reports),
                            _citations(reports),
                            time.perf_counter() - wall_s,
                            time.process_time() - cpu_s,
                            _unread(reports),
                        )
                    )
    return took[1:]


def _forgetful(checker: Checker) -> Checker:
    """Return it with the same models, and a verifier that has read nothing yet."""
    fresh = without_cache(checker.tools.verifier)
    return replace(checker, tools=replace(checker.tools, verifier=fresh))


def _ask(store: Store, articles: int) -> None:
    at = datetime.now(UTC) - timedelta(seconds=1)
    titles = tuple(path.stem for path in contents.shipped(articles))
    watch = ActiveWatch(
        *(contents.WIKI, _PLACE, WatcherKind.USER, "Reader", titles),
        report=f"{_PLACE} report",
    )
    jobs = [PageJob(contents.WIKI, one, JobReason.OPT_IN, at, at) for one in titles]
    store.watches.keep(watch, jobs, at)


async def _done(worker: Worker, world: World, store: Store) -> None:
    while await worker.runner.work_once():
        pass
    tools = PlanningTools(
        *(store, world.keys(), EMBEDDED_BOT, world.lists),
        now=lambda: datetime.now(UTC) + timedelta(hours=1),
        is_dry=True,
    )
    planner = Runner(
        "planner",
        tools.store.tasks,
        planning(tools, handlers(tools)),
        tools.now,
        random,
    )
    while await planner.work_once():
        pass
    publisher = world.publisher(contents.WIKI, store)
    while publisher.publish_once() is not None:
        pass


def _unread(reports: Sequence[PageReport]) -> int:
    return sum(one.verification is None for report in reports for one in report.checks)


def _citations(reports: Sequence[PageReport]) -> int:
    return sum(
        len(claim.citations) for report in reports for claim in report.page.claims
    )
