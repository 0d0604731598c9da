"""`sidenote evaluate discovery`: are hidden sentences found again on other pages?"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit, require_place_for, write_whole
from bot.app.wiring import open_language_model, open_verifier
from bot.models.encoder import Encoder
from bot.research.cli.measuring import (
    JSON,
    REPORT,
    Places,
    data_option,
    deliver,
    ready,
    tell_unscored,
)
from bot.research.evaluation.updates import discovery
from bot.research.evaluation.updates.discovery import Engine, Work, cast_of, no_model
from bot.research.evaluation.updates.results import Configuration, EventResult
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from handlers.ports import PermanentError

_MOST_PROCESSES = 16


@click.command(name="discovery")
@data_option("WikiGenBench's events: JSON lines, plain or gzipped.")
@JSON
@REPORT
@click.option(
    "--pool",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the index of all pages in this folder, for a quicker second run. That of"
    " `evaluate retrieval` holds other pages.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep what each event gave in this folder, and go on from there. Use another"
    " one for other data or another version of the program.",
)
@click.option(
    "--model",
    "with_model",
    is_flag=True,
    help="Have the language model of the settings play WiNELL's roles. Each process has"
    " its whole budget.",
)
@click.option(
    "--run",
    "runs",
    type=click.Choice(Configuration, case_sensitive=False),
    multiple=True,
    help="Make only this run on each event, more than once for several: the whole"
    " engine, an ablation, the oracle. All, if not given.",
)
@click.option(
    "--event",
    "events",
    multiple=True,
    help="Examine only the event with this id, more than once for several.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Examine only the first events."
)
@click.option(
    "--processes",
    type=click.IntRange(1, _MOST_PROCESSES),
    help="How many events are worked on at once; the number of cores, at most two,"
    " if not given.",
)
@click.option(
    "--suggestions",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all suggestions into this file, too, as JSON lines.",
)
@click.pass_obj
def of_discovery(
    settings_file: Path | None,
    *,
    data: Path,
    output: Path | None,
    folder: Path | None,
    pool: Path | None,
    resume: Path | None,
    with_model: bool,
    runs: tuple[Configuration, ...],
    events: tuple[str, ...],
    limit: int | None,
    processes: int | None,
    suggestions: Path | None,
) -> Exit:
    """Hide sentences of articles, and see which of them update discovery finds again.

    A row is an event of WikiGenBench: an article with what a search engine returned
    for it. All pages of all events are searched. Beside the engine stand the paper's
    ablations and its oracle, which reads the event's own pages and no others.
    """
    places = Places(output, folder)
    settings = ready(settings_file, places)
    if with_model and not settings.language_model_address:
        raise PermanentError(
            "no language model is set up; set SIDENOTE_LANGUAGE_MODEL_ADDRESS, or leave"
            " --model out"
        )
    require_place_for(suggestions)
    with (
        TemporaryDirectory(prefix="sidenote-") as kept,
        TerminalProgress("Evaluating discovery") as progress,
    ):
        work = Work(
            opener=_Opener(settings),
            cast=cast_of,
            pool=pool or Path(kept) / "pool",
            done=resume or Path(kept) / "done",
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
            processes=processes or min(2, os.cpu_count() or 1),
        )
    if suggestions is not None:
        write_whole(suggestions, _lines(measured.results))
    tell_unscored(measured.report)
    return deliver(measured.report, places)


@dataclass(frozen=True, slots=True)
class _Opener:
    """Loads the engine in whichever process asks for it."""

    settings: Settings

    def __call__(self) -> Engine:
        return Engine(open_verifier(self.settings), Encoder(), load_reliability())


def _lines(results: Sequence[EventResult]) -> str:
    return "".join(f"{line}\n" for line in _suggestions(results))


def _suggestions(results: Sequence[EventResult]) -> Iterator[str]:
    for result in results:
        for configuration, run in result.runs.items():
            for one in run.suggested:
                told = {
                    "event": result.event,
                    "title": result.title,
                    "run": configuration.value,
                    **asdict(one),
                }
                yield json.dumps(told, ensure_ascii=False)
