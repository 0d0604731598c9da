"""`sidenote evaluate wiki-writing`: do systems write as well as Good Articles are?"""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit
from bot.app.wiring import open_language_model
from bot.research.cli.measuring import (
    JSON,
    REPORT,
    Places,
    deliver,
    ready,
    tell_unscored,
)
from bot.research.evaluation.report import EvaluationReport
from bot.research.evaluation.review.articles import Place, place_of
from bot.research.evaluation.review.pairwise import PairwiseJudge
from bot.research.evaluation.review.wiki_writing import (
    ArticleResult,
    Paired,
    Panel,
    compare_all,
    paired,
    read_annotations,
    read_topics,
    report_of,
    rows_of,
    save_summary,
)
from bot.settings import Settings
from handlers.model import Category
from handlers.ports import PermanentError
from handlers.review.criteria import CRITERIA

_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class Ask:
    """What was asked for on the command line."""

    benchmark: Path
    systems: tuple[str, ...]
    categories: tuple[Category, ...]
    allow_tie: bool
    topics: Path | None
    people: Path | None
    results: Path | None
    limit: int | None
    articles: tuple[str, ...]
    output: Path | None
    folder: Path | None


@click.command(name="wiki-writing")
@click.option(
    "--benchmark",
    type=click.Path(path_type=Path, exists=True),
    required=True,
    help="A benchmark's folder, in either form, or its file of Good Articles.",
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    help="A system to measure; may be given again. All, if not given.",
)
@click.option(
    "--category",
    "categories",
    type=click.Choice(Category, case_sensitive=False),
    multiple=True,
    help="Only criteria of this category; may be given again.",
)
@click.option(
    "--allow-tie",
    is_flag=True,
    help="Let the model call a tie; the paper's judge may not.",
)
@click.option(
    "--topics",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The topics of articles, for difficulty and the analysis of variance: a line"
    " each, the title, a tab, the topic.",
)
@click.option(
    "--people",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What people judged, for the agreement with them: JSON lines of system, title,"
    " criterion and winner (Gen, Wiki or Tie).",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the benchmark's own result files in this folder, a folder a system, and"
    " go on from there.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Only the first articles of a system."
)
@click.option("--article", "articles", multiple=True, help="Only this article.")
@JSON
@REPORT
@click.pass_obj
def of_wiki_writing(settings_file: Path | None, /, **given: Any) -> Exit:
    """Wiki Writing of the Wiki Live Challenge: 39 criteria, system against Wikipedia.

    Needs a language model: which of two articles reads better is nothing that the
    embedded engine could honestly tell.
    """
    ask = Ask(**given)
    places = Places(ask.output, ask.folder)
    settings = ready(settings_file, places)
    place = place_of(ask.benchmark)
    topics = read_topics(ask.topics) if ask.topics else {}
    people = read_annotations(ask.people) if ask.people else []
    found = paired(
        place,
        ask.systems or _all(place),
        titles=frozenset(one.replace(" ", "_") for one in ask.articles),
        limit=ask.limit,
    )
    with (
        TemporaryDirectory(prefix="sidenote-") as kept,
        TerminalProgress("Comparing articles") as progress,
    ):
        progress.started(sum(map(len, found.pairs.values())))
        folder = ask.results or Path(kept)
        panel, results = asyncio.run(_compared(settings, ask, found, folder, progress))
    by_id = {one.id: one for one in CRITERIA}
    rows = [row for name, some in results.items() for row in rows_of(name, some, by_id)]
    _tell(results)
    report: EvaluationReport = report_of(
        found, panel, results, rows, topics=topics, annotations=people
    )
    tell_unscored(report)
    return deliver(report, places)


def _all(place: Place) -> tuple[str, ...]:
    if not place.systems():
        raise PermanentError(f"{place.root} has articles of no system")
    return place.systems()


async def _compared(
    settings: Settings,
    ask: Ask,
    found: Paired,
    folder: Path,
    progress: TerminalProgress,
) -> tuple[Panel, dict[str, list[ArticleResult]]]:
    async with open_language_model(settings) as model:
        if model is None:
            raise PermanentError(
                "comparing how articles are written needs a language model; set"
                " SIDENOTE_LANGUAGE_MODEL_ADDRESS (what a program can see for itself in"
                " one article, `sidenote review` tells without)"
            )
        wanted = ask.categories or tuple(Category)
        panel = Panel(
            PairwiseJudge(model, allows_ties=ask.allow_tie),
            model.engine,
            tuple(one for one in CRITERIA if one.category in wanted),
            ask.allow_tie,
        )
        results = {}
        for system, pairs in found.pairs.items():
            place = folder / system / "writing"
            results[system] = await compare_all(pairs, panel, place, progress)
            await asyncio.to_thread(save_summary, place, results[system])
        return panel, results


def _tell(results: dict[str, list[ArticleResult]]) -> None:
    """Name the first articles that the model gave no answer about."""
    silent = [
        f"{system}: {one.title}: {one.troubles[0]}"
        for system, some in results.items()
        for one in some
        if one.troubles
    ]
    for line in silent[:_MOST_TOLD]:
        sys.stderr.write(f"sidenote: {line}\n")
    if len(silent) > _MOST_TOLD:
        sys.stderr.write(f"sidenote: and {len(silent) - _MOST_TOLD} more articles\n")
