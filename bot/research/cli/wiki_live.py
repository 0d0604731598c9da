"""`sidenote evaluate wiki-live`, `wiki-writing`, `review`: how good are articles?"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import make_folder, write_whole
from bot.app.wiring.checks import open_verifier
from bot.daemon.check import Reviewer
from bot.models.encoder import Encoder, RememberingEncoder
from bot.research.cli.measurement import (
    cores,
    folder_of,
    open_needed_model,
    reports,
    tell_first,
)
from bot.research.cli.options import (
    FILE,
    FOLDER,
    RESUME,
    Option,
    limit_option,
    processes_option,
)
from bot.research.evaluation.report import EvaluationReport
from bot.research.evaluation.review import flaws, wiki_fact
from bot.research.evaluation.review.articles import Place, place_of
from bot.research.evaluation.review.directory import result_files
from bot.research.evaluation.review.examination import Examiner
from bot.research.evaluation.review.judge import EmbeddedJudge, ModelJudge
from bot.research.evaluation.review.pairwise import PairwiseJudge
from bot.research.evaluation.review.wiki_fact import Work
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
from handlers.model import Category, Criterion
from handlers.ports import PermanentError
from handlers.review.criteria import CRITERIA

_JUDGEMENTS = "sample_citation_judgements.json"
_BENCHMARK = click.option(
    "--benchmark",
    "place",
    type=click.Path(path_type=Path, exists=True),
    callback=lambda _context, _option, path: place_of(path),
    required=True,
    help="A benchmark's folder, in either form, or its file of Good Articles.",
)
_SYSTEMS = click.option(
    "--system",
    "systems",
    multiple=True,
    callback=lambda _context, _option, names: tuple(dict.fromkeys(names)),
    help=(
        "A system to measure, by the name of its file or folder; may be repeated. By"
        " default all."
    ),
)
_TITLES = click.option(
    "--article",
    "titles",
    multiple=True,
    callback=lambda _context, _option, names: frozenset(
        one.replace(" ", "_") for one in names
    ),
    help="Only this article, by its name in the files; may be repeated.",
)
_LIMIT: Option = limit_option("Limit the number of articles of a system.")


@click.command(name="wiki-live")
@_BENCHMARK
@_SYSTEMS
@click.option(
    "--judgements",
    type=FILE,
    help="A file of citation results from another judge, to compare with; by default"
    f" {_JUDGEMENTS} of the benchmark, if not given.",
)
@RESUME
@click.option(
    "--results",
    type=FOLDER,
    help=(
        "Write the benchmark's own result files into this folder, with a subfolder for"
        " each system."
    ),
)
@processes_option(
    "--workers",
    "Number of articles to judge at once; by default the number of cores, at most"
    " two. With a language model, one.",
)
@_LIMIT
@_TITLES
@click.option(
    "--model/--no-model",
    default=False,
    help="Let the language model in the settings judge, within its budget.",
)
@reports
def of_wiki_live(
    settings: Settings,
    *,
    place: Place,
    systems: tuple[str, ...],
    judgements: Path | None,
    resume: Path | None,
    results: Path | None,
    workers: int | None,
    limit: int | None,
    titles: frozenset[str],
    model: bool,
) -> EvaluationReport:
    """Measure systems that write articles by Wiki Fact of the Wiki Live Challenge.

    Measured are how many facts of the Good Article a system covers, how often it
    contradicts it, and whether the pages it cites support what it says. Statements
    that cite the article itself are left out of coverage, and counted.
    """
    chosen = systems or _all(place)
    beside = place.root / _JUDGEMENTS
    judged_by = judgements or (beside if beside.is_file() else None)
    with (
        folder_of(resume) as done,
        TerminalProgress("Evaluating wiki live") as progress,
    ):
        work = Work(Opener(settings, with_model=model), place, done)
        engine = asyncio.run(wiki_fact.engine_name(work))
        measured = wiki_fact.evaluate(
            work,
            chosen,
            engine,
            progress,
            titles=titles,
            limit=limit,
            comparison=asyncio.run(wiki_fact.compared(work, chosen, judged_by)),
            processes=1 if model else cores(workers),
        )
    if results is not None:
        for where, text in result_files(measured.results):
            make_folder((results / where).parent)
            write_whole(results / where, text)
    return measured.report


def _all(place: Place) -> tuple[str, ...]:
    if not place.systems():
        raise PermanentError(f"{place.root} has articles of no system")
    return place.systems()


@dataclass(frozen=True, slots=True)
class Opener:
    """Loads the judge in any process that asks for it."""

    settings: Settings
    with_model: bool = False

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Examiner]:
        embedded = EmbeddedJudge(open_verifier(self.settings))
        encoder = RememberingEncoder(Encoder())
        if not self.with_model:
            yield Examiner(embedded, encoder)
            return
        async with open_needed_model(self.settings, "--model") as model:
            yield Examiner(ModelJudge(model, embedded), encoder)


@click.command(name="wiki-writing")
@_BENCHMARK
@_SYSTEMS
@click.option(
    "--category",
    "categories",
    type=click.Choice(Category, case_sensitive=False),
    multiple=True,
    help="Only criteria of this category; may be repeated.",
)
@click.option(
    "--allow-tie",
    is_flag=True,
    help="Allow the model to call a tie; the paper's judge may not.",
)
@click.option(
    "--topics",
    type=FILE,
    help=(
        "The topics of articles, for difficulty and the analysis of variance: one line"
        " each, with title, tab and topic."
    ),
)
@click.option(
    "--people",
    type=FILE,
    help=(
        "People's judgements, to measure agreement: JSON lines of system, title,"
        " criterion and winner (Gen, Wiki or Tie)."
    ),
)
@click.option(
    "--results",
    type=FOLDER,
    help=(
        "Keep the benchmark's own result files in this folder, with a subfolder for"
        " each system, and continue from there."
    ),
)
@_LIMIT
@_TITLES
@reports
def of_wiki_writing(
    settings: Settings,
    *,
    place: Place,
    systems: tuple[str, ...],
    categories: tuple[Category, ...],
    allow_tie: bool,
    topics: Path | None,
    people: Path | None,
    results: Path | None,
    limit: int | None,
    titles: frozenset[str],
) -> EvaluationReport:
    """Compare articles by the 39 criteria of Wiki Writing (Wiki Live Challenge).

    Needs a language model: the embedded engine cannot honestly say which of two
    articles reads better.
    """
    by_topic = read_topics(topics) if topics else {}
    annotations = read_annotations(people) if people else []
    found = paired(
        place,
        systems or _all(place),
        titles=titles,
        limit=limit,
    )
    with (
        folder_of(results) as folder,
        TerminalProgress("Comparing articles") as progress,
    ):
        progress.started(sum(map(len, found.pairs.values())))
        chosen = tuple(
            one for one in CRITERIA if not categories or one.category in categories
        )
        panel, judged = asyncio.run(
            _compared(
                settings, found, folder, progress, criteria=chosen, allow_tie=allow_tie
            )
        )
    by_id = {one.id: one for one in CRITERIA}
    rows = [row for name, some in judged.items() for row in rows_of(name, some, by_id)]
    silent = [  # of the model
        f"{system}: {one.title}: {one.troubles[0]}"
        for system, some in judged.items()
        for one in some
        if one.troubles
    ]
    tell_first(silent, "articles")
    return report_of(
        found, panel, judged, rows, topics=by_topic, annotations=annotations
    )


async def _compared(
    settings: Settings,
    found: Paired,
    folder: Path,
    progress: TerminalProgress,
    *,
    criteria: tuple[Criterion, ...],
    allow_tie: bool,
) -> tuple[Panel, dict[str, list[ArticleResult]]]:
    what = "comparing how articles are written"
    async with open_needed_model(settings, what) as model:
        judge = PairwiseJudge(model, allows_ties=allow_tie)
        panel = Panel(judge, model.engine, criteria, allow_tie)
        results = {}
        for system, pairs in found.pairs.items():
            place = folder / system / "writing"
            results[system] = await compare_all(pairs, panel, place, progress)
            await asyncio.to_thread(save_summary, place, results[system])
        return panel, results


@click.command(name="review")
@_BENCHMARK
@_SYSTEMS
@_LIMIT
@_TITLES
@click.option(
    "--model",
    "with_model",
    is_flag=True,
    help="Also have the language model in the settings review the articles.",
)
@reports
def of_review(
    settings: Settings,
    *,
    place: Place,
    systems: tuple[str, ...],
    limit: int | None,
    titles: frozenset[str],
    with_model: bool,
) -> EvaluationReport:
    """Review Good Articles and generated ones, and measure whether they differ.

    Both are reviewed as `sidenote review` does it. What a program finds needs nothing;
    with --model the language model of the settings reads each article, too, and the
    report counts what it played and where it gave no usable answer.
    """
    chosen = systems or _all(place)
    found = paired(place, chosen, titles=titles, limit=limit)
    with TerminalProgress("Reviewing articles") as progress:
        progress.started(sum(map(len, found.pairs.values())))
        return asyncio.run(_reviewed(settings, found, progress, with_model=with_model))


async def _reviewed(
    settings: Settings, found: Paired, progress: TerminalProgress, *, with_model: bool
) -> EvaluationReport:
    opened = open_needed_model(settings, "--model") if with_model else nullcontext()
    async with opened as model:
        reviewed = await flaws.review_all(
            found, Reviewer(language_model=model), progress
        )
        return flaws.report_of(found, reviewed, model.engine if model else None)
