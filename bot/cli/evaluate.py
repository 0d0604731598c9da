"""`sidenote evaluate`: the engine on published data, as JSON of one form."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from bot.adapters.lexical_verifier import LexicalVerifier
from bot.bootstrap import configure_logging, open_verifier
from bot.cli.exits import Exit
from bot.cli.progress import TerminalProgress
from bot.cli.retrieval import of_retrieval
from bot.cli.writing import make_folder, require_place_for, write_out, write_whole
from bot.evaluation.benchmarks import BENCHMARKS, Benchmark
from bot.evaluation.contest import Contest
from bot.evaluation.floors import Floor, compared, read_floors, shipped_floors
from bot.evaluation.page import render_page
from bot.evaluation.report import EvaluationReport
from bot.settings import Settings, load_settings
from bot.training.folds import folds_of
from handlers.ports import PermanentError, Verifier

_MAX_TOLD = 5
_BY_NAME = {one.name: one for one in BENCHMARKS}
_DATA = click.option(
    "--data",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The rows: JSON lines, plain or gzipped.",
)
_JSON = click.option(
    "--json",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the figures to this file instead of standard output.",
)
_REPORT = click.option(
    "--report",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write a page with tables and plots into this folder, too.",
)


@click.group(name="evaluate")
def command() -> None:
    """Measure the verifier on published data.

    Every figure comes with a bootstrap interval, the data's fingerprint, the
    engine and the number of rows that could not be scored.
    """


@command.command(name="verification")
@_DATA
@_JSON
@_REPORT
@click.pass_obj
def of_verification(
    settings_file: Path | None, data: Path, output: Path | None, folder: Path | None
) -> Exit:
    """Claims beside their evidence, set by set.

    A row is `{"id", "set", "claim", "evidence", "label"}`; the evidence is a text
    or a list of texts.
    """
    return _evaluate(settings_file, _BY_NAME["verification"], data, output, folder)


@command.command(name="wice")
@_DATA
@_JSON
@_REPORT
@click.pass_obj
def of_wice(
    settings_file: Path | None, data: Path, output: Path | None, folder: Path | None
) -> Exit:
    """The whole path on WiCE: passages of the full page, retrieval, verdict.

    A row is `{"id", "claim", "evidence", "label", "meta"}`; the evidence is the
    list of the page's sentences, `meta.supporting_sentences` the gold sets.
    """
    return _evaluate(settings_file, _BY_NAME["wice"], data, output, folder)


@command.command(name="unsupported")
@_DATA
@_JSON
@_REPORT
@click.pass_obj
def of_unsupported(
    settings_file: Path | None, data: Path, output: Path | None, folder: Path | None
) -> Exit:
    """Which words of a claim are marked as found nowhere in its source.

    A row is one of WiCE's partly supported claims, with `meta.claim_tokens` and
    `meta.non_supported_spans`.
    """
    return _evaluate(settings_file, _BY_NAME["unsupported"], data, output, folder)


@command.command(name="all")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder that holds the data sets: verification/, wice/ and so on.",
)
@_JSON
@_REPORT
@click.option(
    "--floors",
    "floors_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Compare with the floors in this file instead of those that ship.",
)
@click.pass_obj
def of_all(
    settings_file: Path | None,
    data: Path,
    output: Path | None,
    folder: Path | None,
    floors_file: Path | None,
) -> Exit:
    """Run every benchmark and compare the figures with pinned floors.

    Ends with exit code 1, naming each metric, where one is below its floor.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    require_place_for(output)
    if folder is not None:
        make_folder(folder)
    floors = read_floors(floors_file) if floors_file else shipped_floors()
    _require_data(data)
    reports = {
        one.name: _measured(settings, one, data / one.file) for one in BENCHMARKS
    }
    checked = compared(
        {name: report.metrics for name, report in reports.items()}, floors
    )
    if folder is not None:
        for report in reports.values():
            _write_page(folder, report)
    if output is not None:
        write_whole(output, _all_to_json(reports, checked))
    write_out(_summary(checked))
    missed = [floor.metric for floor, _, holds in checked if not holds]
    if missed:
        sys.stderr.write(f"sidenote: below the floor: {', '.join(missed)}\n")
    return Exit.NEEDS_ATTENTION if missed else Exit.FINE


def _require_data(data: Path) -> None:
    missing = [one.file for one in BENCHMARKS if not (data / one.file).is_file()]
    if missing:
        raise PermanentError(
            f"{data} lacks {', '.join(missing)}; name the folder of data sets"
        )


def _all_to_json(
    reports: Mapping[str, EvaluationReport],
    checked: Sequence[tuple[Floor, float | None, bool]],
) -> str:
    content: dict[str, Any] = {
        "benchmarks": {name: report.to_dict() for name, report in reports.items()},
        "floors": [
            {**floor.model_dump(exclude_none=True), "value": value, "holds": holds}
            for floor, value, holds in checked
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _summary(checked: Sequence[tuple[Floor, float | None, bool]]) -> str:
    lines = [f"{'metric':64} {'value':>7}  {'floor':16}"]
    for floor, value, holds in checked:
        shown = "none" if value is None else f"{value:.3f}"
        mark = "" if holds else "  BELOW"
        lines.append(f"{floor.metric:64} {shown:>7}  {floor.bound:16}{mark}")
    return "\n".join(lines) + "\n"


# --- one benchmark ------------------------------------------------------------


command.add_command(of_retrieval)


def _evaluate(
    settings_file: Path | None,
    benchmark: Benchmark,
    data: Path,
    output: Path | None,
    folder: Path | None,
) -> Exit:
    settings = load_settings(settings_file)
    configure_logging(settings)
    require_place_for(output)
    if folder is not None:
        make_folder(folder)
    report = _measured(settings, benchmark, data)
    if folder is not None:
        _write_page(folder, report)
    if output is None:
        write_out(report.to_json(), as_utf8=True)
    else:
        write_whole(output, report.to_json())
        sys.stderr.write(f"The figures are in {output.resolve()}\n")
    return Exit.FINE


def _measured(settings: Settings, benchmark: Benchmark, data: Path) -> EvaluationReport:
    verifier = open_verifier(settings)
    with TerminalProgress(f"Evaluating {benchmark.name}") as progress:
        report = benchmark.measure(data, verifier, progress, _contest(verifier))
    for row in report.unscored[:_MAX_TOLD]:
        sys.stderr.write(f"sidenote: line {row.line} is not scored: {row.reason}\n")
    if len(report.unscored) > _MAX_TOLD:
        more = len(report.unscored) - _MAX_TOLD
        sys.stderr.write(f"sidenote: and {more} more lines are not scored\n")
    return report


def _contest(verifier: Verifier) -> Contest:
    """Say what the engine has to beat: the lexical verifier, unless it is that."""
    lexical = LexicalVerifier()
    is_lexical = verifier.engine == lexical.engine
    return Contest(baseline=None if is_lexical else lexical, folds=folds_of)


def _write_page(folder: Path, report: EvaluationReport) -> None:
    page = folder / f"{report.benchmark.replace(' ', '_')}.html"
    write_whole(page, render_page(report))
    sys.stderr.write(f"The page is {page.resolve()}\n")
