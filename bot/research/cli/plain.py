"""`sidenote evaluate plain`: cases in which any careful reader gives the same verdict."""

import asyncio
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import click

from bot.app.cli.options import in_form, into_file
from bot.app.cli.output import put
from bot.app.cli.progress import QuietProgress, TerminalProgress
from bot.app.cli.terminal import Exit
from bot.app.wiring import open_checker
from bot.research.cli.measuring import Places, ready
from bot.research.evaluation.citations import plain
from bot.research.evaluation.report import EvaluationReport
from bot.settings import Settings


class Form(Enum):
    """How the figures are written."""

    TEXT = "text"
    JSON = "json"


@click.command(name="plain")
@click.option(
    "--cases",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Other cases: JSON lines, with a folder `pages` beside them.",
)
@click.option("--wrong", is_flag=True, help="List the cases that come out wrong, too.")
@in_form(Form, "result")
@into_file("result")
@click.pass_obj
def of_plain(
    settings_file: Path | None,
    *,
    file: Path | None,
    wrong: bool,
    form: Form,
    output: Path | None,
) -> Exit:
    """Plain cases on small invented pages, by the whole path of `check`.

    Needs no data but the program's own. A case is `{"id", "page", "claim", "verdict",
    "kind"}` with `title`, `section` and, for a cell, `header`: the `field` of an
    infobox, or the `row` and `column` of a table. Told are how many verdicts are
    right, how many false claims are called supported, and how many supported ones
    are called contradicted or not supported: of all cases, and of each file of them.
    """
    settings = ready(settings_file, Places(output))
    data = plain.read_cases(*((file,) if file else plain.shipped_cases()))
    report = asyncio.run(_measured(settings, data, with_wrong=wrong))
    is_text = form is Form.TEXT
    document = _text(report) if is_text else report.to_json()
    put(document, "result", output, is_text=is_text)
    return Exit.FINE


async def _measured(
    settings: Settings, data: plain.Cases, *, with_wrong: bool
) -> EvaluationReport:
    with TerminalProgress("Evaluating plain cases") as progress:
        async with open_checker(
            settings, data.pages, QuietProgress(progress)
        ) as checker:
            answers = await plain.answer_all(data.cases, checker, progress)
    engine = checker.tools.verifier.engine
    return plain.report_of(data, answers, engine, with_wrong=with_wrong)


def _text(report: EvaluationReport) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: EvaluationReport) -> Iterator[str]:
    metrics = report.metrics
    yield f"Engine: {report.engine['name']} {report.engine['version']}"
    yield from _shares(metrics)
    if len(metrics["files"]) > 1:
        for file, of in metrics["files"].items():
            yield ""
            yield file
            yield from _shares(of)
    yield ""
    yield from _by_verdict(metrics["verdicts"])
    yield ""
    yield from _by_kind(metrics["kinds"])
    for row in report.rows:
        yield ""
        yield from _wrong(row)


def _shares(metrics: Mapping[str, Any]) -> Iterator[str]:
    counts = metrics["counts"]
    yield _share("Right", counts["right"], counts["cases"], metrics["right"])
    yield _share(
        "False claims confirmed",
        counts["false_claims_confirmed"],
        counts["false_claims"],
        metrics["false_claims_confirmed"],
    )
    yield _share(
        "False alarms",
        counts["false_alarms"],
        counts["supported"],
        metrics["false_alarms"],
    )


def _share(name: str, hits: int, tries: int, share: float | None) -> str:
    told = "" if share is None else f" ({share:.0%})"
    return f"{name + ':':<24}{hits} of {tries}{told}"


def _by_verdict(verdicts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    yield f"{'Verdict of a reader':<24}given"
    for expected, given in verdicts.items():
        told = ", ".join(f"{count} {verdict}" for verdict, count in given.items())
        yield f"{expected:<24}{told}"


def _by_kind(kinds: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    yield f"{'Kind':<24}{'cases':>6}{'right':>7}{'confirmed':>11}{'alarms':>8}"
    for kind, of in kinds.items():
        yield (
            f"{kind:<24}{of['cases']:>6}{of['right']:>7}"
            f"{of['false_claims_confirmed']:>11}{of['false_alarms']:>8}"
        )


def _wrong(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"{row['id']} ({row['kind']}): {row['given']}, not {row['verdict']}"
    about = "; ".join(row.get("header", {}).values())
    yield f"  {about}: {row['claim']}" if about else f"  {row['claim']}"
    if row["quote"]:
        yield f"  “{' '.join(row['quote'].split())}”"
