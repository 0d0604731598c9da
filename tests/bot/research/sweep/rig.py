"""Small wikis to sweep, and a reader of pages that needs no child."""

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bot.models.lexical import LexicalVerifier
from bot.models.operating_points import shipped_points
from bot.research.sweep.child import Answer, Desk, answer, read_page
from bot.research.sweep.portions import Cutter, Input
from bot.research.sweep.rows import Question, Rows, Wanted
from bot.research.sweep.run import (
    OneAfterAnother,
    Run,
    SweepAsk,
    run_sweep,
    work_through,
)
from bot.research.sweep.shards import Sweeper, SweepFolder
from bot.research.sweep.summary import SweepSummary, sum_up
from bot.settings import Settings, VerifierChoice
from bot.sources.reliability import load_reliability
from handlers.citations.flags import OperatingPoints
from handlers.model import PageId
from tests.benchmarks.sweep_dump import Written

SETTINGS = Settings(verifier=VerifierChoice.LEXICAL)
SOURCE = "https://museum.example/collections/clock"
SOURCE_TEXT = (
    "The clock on the customs quay was built in 1874 by Ada Penrose. It was stopped by a"
    " storm in 1911 and repaired two years later at the cost of the town. Visitors may"
    " climb the tower on the first Sunday of each month from May until September."
)


def article(number: int) -> Written:
    """Return a page of three cited claims; one of them at a time is about the clock."""
    fact = "was built in 1874 by Ada Penrose" if number % 2 else "sank near Esbjerg"
    text = (
        f"The clock number {number} {fact}.<ref>{{{{cite web |url={SOURCE}"
        " |title=Clock}}</ref> It was painted green.<ref>[https://gone.example/x]</ref>"
        f"\n\n== Visits ==\nVisitors come in May.<ref>{{{{cite book |title=B{number}"
        " |isbn=9780306406157}}</ref> Dogs are let in.{{citation needed|date=May 2020}}"
    )
    return Written(f"Clock {number}", number, text)


def wiki_of(articles: int) -> list[Written]:
    """Return articles with a redirect and a talk page before every fifth."""
    pages = []
    for number in range(1, articles + 1):
        if number % 5 == 0:
            redirect = f"Clock {number}"
            pages += [
                Written(f"C{number}", number + 5000, "#REDIRECT [[A]]", 0, redirect),
                Written(f"Talk:Clock {number}", number + 6000, "Hello <ref>a</ref>", 1),
                Written(f"Clock {number}.js", number + 7000, "var a;", 0, None, "javascript"),
            ]  # fmt: skip
        pages.append(article(number))
    return pages


def write_sources(folder: Path) -> Path:
    """Write the one source that there is."""
    folder.mkdir()
    (folder / "clock.txt").write_text(SOURCE_TEXT, "utf-8")
    entry = {"url": SOURCE, "file": "clock.txt", "captured": "2026-10-02"}
    (folder / "index.json").write_text(json.dumps([entry]), "utf-8")
    return folder


@dataclass
class Near:
    """Stands for `PageChild` in the test's own process."""

    desk: Desk = field(
        default_factory=lambda: Desk(
            LexicalVerifier(), OperatingPoints(shipped_points()), load_reliability()
        )
    )
    cpu_s: float = 0.0
    most_bytes: int = 0
    asked: list[str] = field(default_factory=list)

    def ask(self, question: Question) -> Answer:
        self.asked.append(question.page.title)

        async def read(wikitext: str, page: PageId) -> Rows:
            return await read_page(wikitext, page, self.desk)

        return Answer.model_validate_json(
            asyncio.run(answer(question, read)).model_dump_json()
        )

    def close(self) -> None:
        pass


def swept(
    given: Input,
    output: Path,
    *,
    wanted: Wanted | None = None,
    asker: Near | None = None,
    pages_aside: int = 8,
) -> SweepSummary:
    """Sweep without children and without Dask."""
    wanted, asker = wanted or Wanted(), asker or Near()
    folder = SweepFolder(output)
    with folder.opened({"namespaces": sorted(wanted.namespaces)}):
        cutter = Cutter(given, folder, lambda _: iter(()), pages_aside=pages_aside)
        cutter.plan()
        sweeper = Sweeper(folder, wanted, asker)
        run = work_through(cutter.portions(), OneAfterAnother(sweeper), lambda _: None)
        now = datetime(2026, 1, 1, tzinfo=UTC)
        return sum_up(
            folder,
            inputs=("a",),
            engine="b 1",
            made_at=now,
            parts_of=cutter.total(),
            undone=tuple(run.undone),
            damaged=cutter.damaged,
            top=10,
        )


def figures(summary: SweepSummary) -> dict[str, object]:
    """Return what must be the same whoever did the work, and how often."""
    names = (
        "pages", "swept", "skipped", "failed", "claims", "uncited", "citations",
        "scored", "flagged", "verdicts", "outcomes", "signs", "sources",
        "sources_missing", "characters", "bins", "hosts", "worst", "at_sight",
    )  # fmt: skip
    return {name: getattr(summary, name) for name in names}


class Silent:
    """Fulfils `bot.research.sweep.run.SweepProgress`."""

    def begin(self, parts: int | None, before: int) -> None:
        self.parts, self.before = parts, before

    def done(self, run: Run) -> None:
        pass


def really_swept(ask: SweepAsk, settings: Settings = SETTINGS) -> SweepSummary:
    """Sweep as the program does, with children that read the pages."""
    return run_sweep(settings, ask, Silent())
