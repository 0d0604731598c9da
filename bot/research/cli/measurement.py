"""Shared by the commands of `sidenote evaluate`: measuring and showing figures."""

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import (
    Exit,
    make_folder,
    put,
    require_place_for,
    write_whole,
)
from bot.app.wiring.checks import open_verifier, terms_of
from bot.app.wiring.language_model import open_language_model
from bot.models.lexical import LexicalVerifier
from bot.models.operating_points import shipped_points
from bot.records.spending import PaidModel
from bot.research.cli.options import JSON, REPORT, begin
from bot.research.evaluation.benchmarks import Benchmark, Measurement
from bot.research.evaluation.contest import Cascade, Contest
from bot.research.evaluation.page import render_page
from bot.research.evaluation.report import EvaluationReport
from bot.research.training.lexical import folds_of
from bot.settings import Settings
from handlers.citations.flags import OperatingPoints
from handlers.ports import PermanentError

_MAX_SHOWN = 5


def reports(measure: Callable[..., EvaluationReport]) -> Callable[..., Exit]:
    """Turn a function that returns a report into a command.

    The function gets the settings and its own options. `--json` and `--report` are
    added and handled here; places that cannot be written to are refused before the work
    starts.
    """

    @JSON
    @REPORT
    @click.pass_obj
    @wraps(measure)
    def command(
        settings_file: Path | None,
        /,
        *,
        output: Path | None,
        folder: Path | None,
        **given: Any,
    ) -> Exit:
        settings = begin(settings_file)
        prepare(output, folder)
        report = measure(settings, **given)
        tell_unscored(report)
        if folder is not None:
            write_page(folder, report)
        put(report.to_json(), "figures", output, is_text=False)
        return Exit.FINE

    return command


def prepare(output: Path | None, folder: Path | None) -> None:
    """Refuse places that cannot be written to, before the work starts."""
    require_place_for(output)
    if folder is not None:
        make_folder(folder)


def measured(
    settings: Settings,
    benchmark: Benchmark,
    data: Path,
    folder: Path | None = None,
    *,
    with_model: bool = False,
) -> EvaluationReport:
    """Run one benchmark; all benchmarks of a run share `folder`."""
    with measurement_of(
        settings, benchmark.name, folder, with_model=with_model
    ) as given:
        return benchmark.measure(data, given)


@contextmanager
def measurement_of(
    settings: Settings,
    name: str,
    folder: Path | None = None,
    *,
    with_model: bool = False,
) -> Iterator[Measurement]:
    with (
        folder_of(folder) as place,
        TerminalProgress(f"Evaluating {name.replace('_', ' ')}") as progress,
    ):
        cascade = _cascade(settings, progress) if with_model else None
        verifier, lexical = open_verifier(settings), LexicalVerifier()
        baseline = None if verifier.engine == lexical.engine else lexical
        yield Measurement(
            verifier, progress, Contest(baseline, cascade, folds_of), place
        )


@contextmanager
def folder_of(folder: Path | None) -> Iterator[Path]:
    """Yield the folder that was named, or else one that is deleted afterwards."""
    if folder is not None:
        yield folder
        return
    with TemporaryDirectory(prefix="sidenote-") as place:
        yield Path(place)


@asynccontextmanager
async def open_needed_model(settings: Settings, what: str) -> AsyncIterator[PaidModel]:
    """Yield the language model of the settings, which `what` cannot do without."""
    require_model(settings, what)
    async with open_language_model(settings) as model:
        assert model is not None  # noqa: S101 - narrows the type
        yield model


def require_model(settings: Settings, what: str) -> None:
    """Refuse what needs a language model if there is none, before the work starts."""
    if not settings.language_model_address:
        raise PermanentError(
            f"{what} needs a language model: give its server in"
            " SIDENOTE_LANGUAGE_MODEL_ADDRESS and its name in"
            " SIDENOTE_LANGUAGE_MODEL_NAME"
        )


def _cascade(settings: Settings, progress: TerminalProgress) -> Cascade:
    require_model(settings, "--model")
    return Cascade(
        partial(open_language_model, settings),
        terms_of(settings),
        OperatingPoints(shipped_points(), settings.operating_points),
        progress.write,
    )


def cores(requested: int | None) -> int:
    """Return how many processes to use: as many as asked for, or else at most two."""
    return requested or min(2, os.cpu_count() or 1)


def tell_unscored(report: EvaluationReport) -> None:
    """Name the first rows that were left out, and count the others."""
    lines = [
        f"line {row.line} is not scored: {row.reason}"
        if row.line
        else f"not scored: {row.reason}"
        for row in report.unscored
    ]
    tell_first(lines, "lines are not scored")


def tell_first(lines: list[str], others: str) -> None:
    """Write the first lines to stderr, and how many others there are."""
    for line in lines[:_MAX_SHOWN]:
        sys.stderr.write(f"sidenote: {line}\n")
    if len(lines) > _MAX_SHOWN:
        sys.stderr.write(f"sidenote: and {len(lines) - _MAX_SHOWN} more {others}\n")


def write_page(folder: Path, report: EvaluationReport) -> None:
    page = folder / f"{report.benchmark.replace(' ', '_')}.html"
    write_whole(page, render_page(report))
    sys.stderr.write(f"The page is {page.resolve()}\n")
