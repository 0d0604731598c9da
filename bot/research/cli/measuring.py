"""What the commands of `sidenote evaluate` share: options, and how figures are told."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import (
    Exit,
    make_folder,
    require_place_for,
    write_out,
    write_whole,
)
from bot.app.wiring import configure_logging, open_language_model, open_verifier
from bot.app.wiring.checks import doubt_of
from bot.models.lexical import LexicalVerifier
from bot.models.operating_points import shipped_points
from bot.research.evaluation.benchmarks import Bench, Benchmark
from bot.research.evaluation.judging import Cascade, Contest
from bot.research.evaluation.page import render_page
from bot.research.evaluation.report import EvaluationReport
from bot.research.training.folds import folds_of
from bot.settings import Settings, load_settings
from handlers.citations.flagging import OperatingPoints
from handlers.ports import PermanentError, Verifier

_MAX_TOLD = 5
_Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def data_option(told: str) -> _Option:
    """Return the option that names the file of rows."""
    return click.option(
        "--data",
        type=click.Path(path_type=Path, dir_okay=False),
        required=True,
        help=told,
    )


ROWS = data_option("The rows: JSON lines, plain or gzipped.")
JSON = click.option(
    "--json",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the figures to this file instead of standard output.",
)
MODEL = click.option(
    "--model",
    "with_model",
    is_flag=True,
    help="Put would-be flags and doubtful rows to the language model of the settings,"
    " and measure both together; the figures without it stand beside.",
)
REPORT = click.option(
    "--report",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write a page with tables and plots into this folder, too.",
)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the figures go: `output` is a file, `folder` one of pages; else nowhere."""

    output: Path | None = None
    folder: Path | None = None

    def prepare(self) -> None:
        """Refuse places that cannot be written to, before the work."""
        require_place_for(self.output)
        if self.folder is not None:
            make_folder(self.folder)


def evaluate(
    settings_file: Path | None,
    benchmark: Benchmark,
    data: Path,
    places: Places,
    *,
    with_model: bool = False,
) -> Exit:
    """Run one benchmark and deliver its figures; `with_model`, of the whole cascade."""
    settings = ready(settings_file, places)
    with TemporaryDirectory(prefix="sidenote-") as kept:
        report = measured(settings, benchmark, data, Path(kept), with_model=with_model)
    return deliver(report, places)


def ready(settings_file: Path | None, places: Places) -> Settings:
    """Return the settings, once it is sure that the figures find a place."""
    settings = load_settings(settings_file)
    configure_logging(settings)
    places.prepare()
    return settings


def measured(
    settings: Settings,
    benchmark: Benchmark,
    data: Path,
    kept: Path,
    *,
    with_model: bool = False,
) -> EvaluationReport:
    """Run one benchmark; `kept` is a folder that all benchmarks of a run share."""
    with bench(settings, benchmark.name, kept, with_model=with_model) as given:
        report = benchmark.measure(data, given)
    tell_unscored(report)
    return report


@contextmanager
def bench(
    settings: Settings, name: str, kept: Path, *, with_model: bool = False
) -> Iterator[Bench]:
    """Give what a benchmark is measured with, by the settings."""
    with TerminalProgress(f"Evaluating {name.replace('_', ' ')}") as progress:
        cascade = _cascade(settings, progress) if with_model else None
        verifier = open_verifier(settings)
        contest = replace(_contest(verifier), cascade=cascade)
        yield Bench(verifier, progress, contest, kept)


def _cascade(settings: Settings, progress: TerminalProgress) -> Cascade:
    if not settings.language_model_address:
        raise PermanentError(
            "no language model is set up; give its server in"
            " SIDENOTE_LANGUAGE_MODEL_ADDRESS and its name in"
            " SIDENOTE_LANGUAGE_MODEL_NAME, or leave --model out"
        )
    return Cascade(
        partial(open_language_model, settings),
        doubt_of(settings),
        OperatingPoints(shipped_points(), settings.operating_points),
        progress.tell,
    )


def _contest(verifier: Verifier) -> Contest:
    """Say what the engine has to beat: the lexical verifier, unless it is that."""
    lexical = LexicalVerifier()
    is_lexical = verifier.engine == lexical.engine
    return Contest(baseline=None if is_lexical else lexical, folds=folds_of)


def tell_unscored(report: EvaluationReport) -> None:
    """Name the first rows that were left out, and count the others."""
    for row in report.unscored[:_MAX_TOLD]:
        sys.stderr.write(f"sidenote: line {row.line} is not scored: {row.reason}\n")
    if len(report.unscored) > _MAX_TOLD:
        more = len(report.unscored) - _MAX_TOLD
        sys.stderr.write(f"sidenote: and {more} more lines are not scored\n")


def deliver(report: EvaluationReport, places: Places) -> Exit:
    """Write the figures, and their page, where they are wanted."""
    if places.folder is not None:
        write_page(places.folder, report)
    if places.output is None:
        write_out(report.to_json(), as_utf8=True)
    else:
        write_whole(places.output, report.to_json())
        sys.stderr.write(f"The figures are in {places.output.resolve()}\n")
    return Exit.FINE


def write_page(folder: Path, report: EvaluationReport) -> None:
    """Write the page of a report into a folder."""
    page = folder / f"{report.benchmark.replace(' ', '_')}.html"
    write_whole(page, render_page(report))
    sys.stderr.write(f"The page is {page.resolve()}\n")
