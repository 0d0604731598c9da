"""`sidenote evaluate`: the verifier on published data, as JSON of one form."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from bot.adapters.lexical_verifier import LexicalVerifier
from bot.bootstrap import configure_logging
from bot.cli.exits import Exit
from bot.cli.progress import TerminalProgress
from bot.cli.writing import require_place_for, write_out, write_whole
from bot.evaluation import unsupported, verification, wice
from bot.evaluation.report import EvaluationReport
from bot.settings import load_settings

_MAX_TOLD = 5
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


@click.group(name="evaluate")
def command() -> None:
    """Measure the verifier on published data.

    Every figure comes with a bootstrap interval, the data's fingerprint, the
    engine and the number of rows that could not be scored.
    """


@command.command(name="verification")
@_DATA
@_JSON
@click.pass_obj
def of_verification(
    settings_file: Path | None, data: Path, output: Path | None
) -> Exit:
    """Claims beside their evidence, set by set.

    A row is `{"id", "set", "claim", "evidence", "label"}`; the evidence is a text
    or a list of texts.
    """
    return _evaluate(settings_file, verification.evaluate, data, output)


@command.command(name="wice")
@_DATA
@_JSON
@click.pass_obj
def of_wice(settings_file: Path | None, data: Path, output: Path | None) -> Exit:
    """The whole path on WiCE: passages of the full page, retrieval, verdict.

    A row is `{"id", "claim", "evidence", "label", "meta"}`; the evidence is the
    list of the page's sentences, `meta.supporting_sentences` the gold sets.
    """
    return _evaluate(settings_file, wice.evaluate, data, output)


@command.command(name="unsupported")
@_DATA
@_JSON
@click.pass_obj
def of_unsupported(settings_file: Path | None, data: Path, output: Path | None) -> Exit:
    """Which words of a claim are marked as found nowhere in its source.

    A row is one of WiCE's partly supported claims, with `meta.claim_tokens` and
    `meta.non_supported_spans`.
    """
    return _evaluate(settings_file, unsupported.evaluate, data, output)


def _evaluate(
    settings_file: Path | None,
    evaluate: Callable[[Path, LexicalVerifier, TerminalProgress], EvaluationReport],
    data: Path,
    output: Path | None,
) -> Exit:
    configure_logging(load_settings(settings_file))
    require_place_for(output)
    with TerminalProgress("Evaluating") as progress:
        report = evaluate(data, LexicalVerifier(), progress)
    for row in report.unscored[:_MAX_TOLD]:
        sys.stderr.write(f"sidenote: line {row.line} is not scored: {row.reason}\n")
    if len(report.unscored) > _MAX_TOLD:
        more = len(report.unscored) - _MAX_TOLD
        sys.stderr.write(f"sidenote: and {more} more lines are not scored\n")
    if output is None:
        write_out(report.to_json(), as_utf8=True)
    else:
        write_whole(output, report.to_json())
        sys.stderr.write(f"The figures are in {output.resolve()}\n")
    return Exit.FINE
