"""`sidenote evaluate discovery`, `pages` and `updates`: is what is new found?"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import click

from bot.app.cli.options import searched
from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import require_place_for, write_whole
from bot.app.wiring.checks import open_verifier
from bot.app.wiring.language_model import open_language_model
from bot.app.wiring.searches import open_history
from bot.app.wiring.sources import make_extractor, open_sources
from bot.app.wiring.updates import open_discoverer
from bot.models.encoder import Encoder
from bot.models.lexical import shipped_lexical
from bot.research.cli.measurement import cores, folder_of, reports, require_model
from bot.research.cli.options import (
    DAY,
    EVENTS,
    FILE,
    FOLDER,
    POOL,
    RESUME,
    at_utc,
    limit_option,
    processes_option,
)
from bot.research.evaluation.evaluator import Evaluator
from bot.research.evaluation.report import EvaluationReport
from bot.research.evaluation.updates import discovery, history, pages
from bot.research.evaluation.updates.coverage import (
    Configuration,
    EmbeddedJudge,
    EventResult,
    Judge,
    ModelFacts,
    ModelJudge,
)
from bot.research.evaluation.updates.discovery import Engine, Work, cast_of, no_model
from bot.research.evaluation.updates.history import Examiner
from bot.research.evaluation.updates.human_edits import (
    FactFinder,
    HistoryReader,
    RuleFacts,
    StudiedPage,
    Study,
)
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from bot.wiki.address import parse_address
from handlers.model import ModelUse
from handlers.ports import PermanentError, SourceReader

_MOST_LISTED_BYTES = 1_000_000


@click.command(name="discovery")
@EVENTS
@POOL
@RESUME
@click.option(
    "--model",
    "with_model",
    is_flag=True,
    help=(
        "Have the language model in the settings play WiNELL's roles. Each process has"
        " the whole budget."
    ),
)
@click.option(
    "--run",
    "runs",
    type=click.Choice(Configuration, case_sensitive=False),
    multiple=True,
    help=(
        "Make only this run on each event: the whole engine, an ablation, or the"
        " oracle. May be repeated; by default all."
    ),
)
@click.option(
    "--event",
    "events",
    multiple=True,
    help="Only the event with this id; may be repeated.",
)
@limit_option("Limit the number of events.")
@processes_option(
    "--processes",
    "Number of events to work on at once; by default the number of cores, at most two.",
)
@click.option(
    "--suggestions",
    type=FILE,
    help="Also write all suggestions to this file, as JSON lines.",
)
@reports
def of_discovery(
    settings: Settings,
    *,
    data: Path,
    pool: Path | None,
    resume: Path | None,
    with_model: bool,
    runs: tuple[Configuration, ...],
    events: tuple[str, ...],
    limit: int | None,
    processes: int | None,
    suggestions: Path | None,
) -> EvaluationReport:
    """Hide sentences of articles, and measure which of them discovery finds.

    A row is an event of WikiGenBench: an article with what a search engine returned
    for it. All pages of all events are searched. Beside the engine stand the paper's
    ablations and its oracle, which reads the event's own pages and no others.
    """
    if with_model:
        require_model(settings, "--model")
    require_place_for(suggestions)
    with (
        folder_of(None) as folder,
        TerminalProgress("Evaluating discovery") as progress,
    ):
        work = Work(
            opener=partial(_engine, settings),
            cast=cast_of,
            pool=pool or folder / "pool",
            done=resume or folder / "done",
            models=partial(open_language_model, settings) if with_model else no_model,
            players=settings.language_model_name if with_model else "embedded",
            configurations=tuple(dict.fromkeys(runs)) or tuple(Configuration),
        )
        measured = discovery.evaluate(
            data,
            work,
            progress,
            limit=limit,
            only=frozenset(events),
            processes=cores(processes),
        )
    if suggestions is not None:
        lines = _suggestions(measured.results)
        write_whole(suggestions, "".join(f"{line}\n" for line in lines))
    return measured.report


def _engine(settings: Settings) -> Engine:
    """Load the engine, in any process that asks for it."""
    return Engine(open_verifier(settings), Encoder(), load_reliability())


def _suggestions(results: Sequence[EventResult]) -> Iterator[str]:
    for result in results:
        for configuration, run in result.runs.items():
            for one in run.suggested:
                fields = {
                    "event": result.event,
                    "title": result.title,
                    "run": configuration.value,
                    **asdict(one),
                }
                yield json.dumps(fields, ensure_ascii=False)


@click.command(name="pages")
@EVENTS
@reports
def of_pages(_: Settings, *, data: Path) -> EvaluationReport:
    """Measure which pages discovery takes to be about an article's subject.

    A row is an event of WikiGenBench: an article with what a search engine returned
    for it. Counts how many of these pages pass, and how many of other events.
    """
    with TerminalProgress("Evaluating the choice of pages") as progress:
        return pages.evaluate(
            data, load_reliability(), shipped_lexical().model.rarity, progress
        )


@click.command(name="updates")
@click.option("--title", "titles", multiple=True, help="A page; may be repeated.")
@click.option(
    "--list",
    "listed",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help=(
        "File with one page per line; after a tab its category, for figures by"
        " category."
    ),
)
@click.option("--wiki", help="The wiki of the pages, such as de.wikipedia.org.")
@click.option("--since", type=DAY, required=True, help="First day.")
@click.option("--until", type=DAY, required=True, help="Last day.")
@click.option(
    "--days",
    type=click.IntRange(1, 366),
    default=14,
    show_default=True,
    help="Days that discovery covers in one run.",
)
@click.option(
    "--search",
    multiple=True,
    metavar="PLACE",
    help=(
        "An index or a folder to search, or services such as gdelt or brave; by"
        " default the services in the settings."
    ),
)
@click.option(
    "--sources",
    type=FOLDER,
    help="Read sources from this folder (with its index.json), never from the web.",
)
@click.option(
    "--edits-only",
    is_flag=True,
    help="Only report what people added and how old their sources were.",
)
@click.option(
    "--ablations/--no-ablations",
    default=True,
    show_default=True,
    help="Also run discovery without criteria, and with a single question.",
)
@click.option(
    "--dates",
    is_flag=True,
    help="Read cited pages for their date where the citation gives none.",
)
@RESUME
@reports
def of_updates(
    settings: Settings,
    /,
    *,
    titles: tuple[str, ...],
    listed: Path | None,
    wiki: str | None,
    since: datetime,
    until: datetime,
    days: int,
    resume: Path | None,
    **how: Any,
) -> EvaluationReport:
    """Run discovery on the past weeks of pages, and compare with what people added.

    Takes from a page's history the facts that people added with new sources, and runs
    discovery on the article as it was before, with sources of the same days.
    """
    if wiki:
        settings = settings.model_copy(update={"wiki": wiki})
    studied = [StudiedPage(title) for title in titles]
    studied += _listed(listed) if listed else ()
    if not studied:
        raise click.UsageError("name pages with --title or --list")
    if since > until:
        raise click.UsageError("--since is later than --until")
    if at_utc(until) > datetime.now(UTC) + timedelta(days=1):
        raise click.UsageError("--until is in the future")
    study = Study(
        parse_address(settings.wiki).host,
        tuple({page.title: page for page in studied}.values()),
        since.date(),
        until.date(),
        days,
    )
    with (
        folder_of(resume) as folder,
        TerminalProgress("Evaluating updates") as progress,
    ):
        return asyncio.run(_measure(settings, study, folder, progress, **how))


def _listed(path: Path) -> Iterator[StudiedPage]:
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_LISTED_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise PermanentError(f"{path} cannot be read as a list of pages") from error
    for line in text.splitlines():
        title, _, category = line.partition("\t")
        if title.strip():
            yield StudiedPage(title.strip(), category.strip())


async def _measure(
    settings: Settings,
    study: Study,
    folder: Path,
    progress: TerminalProgress,
    *,
    search: tuple[str, ...],
    sources: Path | None,
    edits_only: bool,
    ablations: bool,
    dates: bool,
) -> EvaluationReport:
    histories = open_history(settings, settings.wiki)
    async with AsyncExitStack() as opened:
        model = await opened.enter_async_context(open_language_model(settings))
        evaluator = Evaluator(model) if model else None
        finder: FactFinder = RuleFacts()
        if evaluator is not None:
            finder = ModelFacts(evaluator, finder)
        examiner: Examiner | None = None
        reader: SourceReader | None = None
        if not edits_only:
            folders, services = searched(search)
            discoverer = await opened.enter_async_context(
                open_discoverer(
                    settings,
                    model,
                    sources_folder=sources,
                    folders=folders,
                    services=services,
                )
            )
            reader = discoverer.tools.sources
            judge: Judge = EmbeddedJudge(discoverer.tools.verifier)
            if evaluator is not None:
                judge = ModelJudge(evaluator, judge)
            configurations = (
                Configuration
                if ablations
                else (Configuration.FULL, Configuration.ORACLE)
            )
            examiner = Examiner(
                study.wiki, histories, discoverer, judge, tuple(configurations)
            )
        elif dates:
            extractor = await opened.enter_async_context(make_extractor(settings))
            reader = await opened.enter_async_context(
                open_sources(settings, sources, extractor)
            )
        history_reader = HistoryReader(
            study.wiki, histories, finder, reader if dates else None
        )
        report = await history.evaluate(
            study, history_reader, examiner, folder, progress
        )
    if evaluator is None:
        return report
    use = evaluator.use + (examiner.use if examiner else ModelUse())
    of_model = {
        "model_requests": str(use.calls),
        "model_cost": str(use.cost),
        "answers_that_could_not_be_used": str(evaluator.unanswered),
    }
    return replace(report, engine={**report.engine, **of_model})
