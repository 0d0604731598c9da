"""`sidenote evaluate all`: every benchmark, against the floors that are pinned."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from bot.app.cli.terminal import Exit, write_out, write_whole
from bot.research.cli.measuring import JSON, REPORT, Places, measured, ready, write_page
from bot.research.evaluation.benchmarks import (
    BENCHMARKS,
    Benchmark,
    Floor,
    compared,
    read_floors,
    shipped_floors,
)
from bot.research.evaluation.report import EvaluationReport
from bot.settings import Settings
from handlers.ports import PermanentError

_Compared = Sequence[tuple[Floor, float | None, bool]]


@click.command(name="all")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder that holds the data sets: verification/, wice/ and so on.",
)
@JSON
@REPORT
@click.option(
    "--floors",
    "floors_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Compare with the floors in this file instead of those that ship.",
)
@click.pass_obj
def of_all(
    settings_file: Path | None,
    *,
    data: Path,
    output: Path | None,
    folder: Path | None,
    floors_file: Path | None,
) -> Exit:
    """Run every benchmark and compare the figures with pinned floors.

    Ends with exit code 1, naming each metric, where one is below its floor.
    """
    places = Places(output, folder)
    settings = ready(settings_file, places)
    floors = read_floors(floors_file) if floors_file else shipped_floors()
    return evaluate_all(settings, BENCHMARKS, floors, data, places)


def evaluate_all(
    settings: Settings,
    benchmarks: Sequence[Benchmark],
    floors: Sequence[Floor],
    data: Path,
    places: Places,
) -> Exit:
    """Run `benchmarks`, deliver their figures and compare them with `floors`.

    Raises:
        PermanentError: one of their files is not in the folder `data`.
    """
    _require(benchmarks, data)
    with TemporaryDirectory(prefix="sidenote-") as kept:
        reports = {
            one.name: measured(settings, one, one.place(data), Path(kept))
            for one in benchmarks
        }
    checked = compared({name: one.metrics for name, one in reports.items()}, floors)
    if places.folder is not None:
        for report in reports.values():
            write_page(places.folder, report)
    if places.output is not None:
        write_whole(places.output, _to_json(reports, checked))
    write_out(_summary(checked))
    missed = [floor.metric for floor, _, holds in checked if not holds]
    if missed:
        sys.stderr.write(f"sidenote: below the floor: {', '.join(missed)}\n")
    return Exit.NEEDS_ATTENTION if missed else Exit.FINE


def _require(benchmarks: Sequence[Benchmark], data: Path) -> None:
    files = {one.file: one.place(data) for one in benchmarks}
    missing = [file for file, place in files.items() if not place.is_file()]
    if missing:
        raise PermanentError(
            f"{data} lacks {', '.join(missing)}; name the folder of data sets"
        )


def _to_json(reports: Mapping[str, EvaluationReport], checked: _Compared) -> str:
    content: dict[str, Any] = {
        "benchmarks": {name: report.to_dict() for name, report in reports.items()},
        "floors": [
            {**floor.model_dump(exclude_none=True), "value": value, "holds": holds}
            for floor, value, holds in checked
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _summary(checked: _Compared) -> str:
    lines = [f"{'metric':64} {'value':>7}  {'floor':16}"]
    for floor, value, holds in checked:
        shown = "none" if value is None else f"{value:.3f}"
        mark = "" if holds else "  BELOW"
        lines.append(f"{floor.metric:64} {shown:>7}  {floor.bound:16}{mark}")
    return "\n".join(lines) + "\n"
