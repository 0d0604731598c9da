"""`sidenote evaluate wiki-live`: do systems' articles state facts, and cite them well?"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit, make_folder, write_whole
from bot.app.wiring import open_language_model, open_verifier
from bot.models.encoder import Encoder, RememberingEncoder
from bot.research.cli.measuring import (
    JSON,
    REPORT,
    Places,
    deliver,
    ready,
    tell_unscored,
)
from bot.research.evaluation.review import wiki_fact
from bot.research.evaluation.review.articles import Place, place_of
from bot.research.evaluation.review.directory import result_files
from bot.research.evaluation.review.examining import Examiner
from bot.research.evaluation.review.judge import EmbeddedJudge
from bot.research.evaluation.review.page import pages
from bot.research.evaluation.review.wiki_fact import Work
from bot.settings import Settings
from handlers.ports import PermanentError

_MOST_PROCESSES = 16
_JUDGEMENTS = "sample_citation_judgements.json"


@dataclass(frozen=True, slots=True)
class Ask:
    """What was asked for on the command line."""

    benchmark: Path
    systems: tuple[str, ...]
    judgements: Path | None
    working: Path | None
    results: Path | None
    workers: int | None
    limit: int | None
    articles: tuple[str, ...]
    model: bool


@click.command(name="wiki-live")
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
    help="A system to measure, as its file or folder is called; may be given again."
    " All, if not given.",
)
@JSON
@REPORT
@click.option(
    "--judgements",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A citation result file of another judge, to agree with;"
    f" {_JUDGEMENTS} of the benchmark, if not given.",
)
@click.option(
    "--resume",
    "working",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep what came of each article in this folder, and go on from there.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the benchmark's own result files into this folder, a folder a system.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, _MOST_PROCESSES),
    help="How many articles are judged at once; the number of cores, at most two, if"
    " not given. A language model is asked by one.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Only the first articles of a system."
)
@click.option(
    "--article",
    "articles",
    multiple=True,
    help="Only this article, as the files call it; may be given again.",
)
@click.option(
    "--model/--no-model",
    default=False,
    help="Let the language model of the settings judge, within its budget.",
)
@click.pass_obj
def of_wiki_live(
    settings_file: Path | None,
    *,
    benchmark: Path,
    systems: tuple[str, ...],
    output: Path | None,
    folder: Path | None,
    judgements: Path | None,
    working: Path | None,
    results: Path | None,
    workers: int | None,
    limit: int | None,
    articles: tuple[str, ...],
    model: bool,
) -> Exit:
    """Wiki Fact of the Wiki Live Challenge, for systems that write articles.

    Measured are how many facts of the Good Article a system covers, how often it
    contradicts it, and whether the pages it cites bear out what it says. Statements
    that cite the article itself are left out of coverage, and counted.
    """
    places = Places(output, folder)
    settings = ready(settings_file, places)
    ask = Ask(
        benchmark,
        systems,
        judgements,
        working,
        results,
        workers,
        limit,
        articles,
        model,
    )
    return _run(settings, ask, places)


def _run(settings: Settings, ask: Ask, places: Places) -> Exit:
    place = place_of(ask.benchmark)
    wanted = wiki_fact.Wanted(
        tuple(dict.fromkeys(ask.systems or place.systems())),
        ask.judgements or _beside(place),
        ask.limit,
        frozenset(one.replace(" ", "_") for one in ask.articles),
    )
    if not wanted.systems:
        raise PermanentError(f"{place.root} has articles of no system")
    with (
        TemporaryDirectory(prefix="sidenote-") as kept,
        TerminalProgress("Evaluating wiki live") as progress,
    ):
        done = ask.working or Path(kept) / "done"
        work = Work(Opener(settings, with_model=ask.model), place, done)
        engine = asyncio.run(wiki_fact.engine_name(work))
        measured = wiki_fact.evaluate(
            work,
            wanted,
            engine,
            progress,
            comparison=asyncio.run(wiki_fact.compared(work, wanted)),
            processes=1 if ask.model else ask.workers or min(2, os.cpu_count() or 1),
        )
    if ask.results is not None:
        _write(ask.results, result_files(measured.results))
    if places.folder is not None:
        shown = (measured.report, measured.results, measured.references)
        _write(places.folder, pages(*shown, measured.comparison))
        sys.stderr.write(f"The page is {places.folder.resolve() / 'wiki_live.html'}\n")
    tell_unscored(measured.report)
    return deliver(measured.report, Places(places.output))


def _write(folder: Path, files: Iterable[tuple[Path, str]]) -> None:
    for where, text in files:
        make_folder((folder / where).parent)
        write_whole(folder / where, text)


def _beside(place: Place) -> Path | None:
    found = place.root / _JUDGEMENTS
    return found if found.is_file() else None


@dataclass(frozen=True, slots=True)
class Opener:
    """Loads what judges in whichever process asks for it."""

    settings: Settings
    with_model: bool = False

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Examiner]:
        """Give an examiner by the settings."""
        embedded = EmbeddedJudge(open_verifier(self.settings))
        encoder = RememberingEncoder(Encoder())
        if not self.with_model:
            yield Examiner(embedded, encoder)
            return
        async with open_language_model(self.settings) as model:
            if model is None:
                raise PermanentError(
                    "--model needs a language model: set"
                    " SIDENOTE_LANGUAGE_MODEL_ADDRESS"
                )
            from bot.research.evaluation.review.judge import ModelJudge  # noqa: PLC0415 - only where it is used

            yield Examiner(ModelJudge(model, embedded), encoder)
