"""`sidenote evaluate preferences` and `reviews`: what people judged in the panel."""

from collections.abc import Callable
from pathlib import Path

import click

from bot.cli.exits import Exit
from bot.cli.measuring import (
    JSON,
    REPORT,
    Places,
    data_option,
    deliver,
    ready,
    tell_unscored,
)
from bot.evaluation import preferences, reviews
from bot.evaluation.report import EvaluationReport


@click.command(name="preferences")
@data_option("What `sidenote judgements preferences` wrote: JSON lines.")
@JSON
@REPORT
@click.pass_obj
def of_preferences(
    settings_file: Path | None, data: Path, output: Path | None, folder: Path | None
) -> Exit:
    """Which citation people prefer, the present one or the one recommended.

    As SIDE reports it: shares of each answer and majorities by claim, by how sure the
    engine is, with intervals, the sign test and the agreement of those who judged.
    """
    places = Places(output, folder)
    return _reported(settings_file, places, lambda: preferences.evaluate(data))


@click.command(name="reviews")
@data_option("What `sidenote judgements reviews` wrote: JSON lines.")
@JSON
@REPORT
@click.pass_obj
def of_reviews(
    settings_file: Path | None, data: Path, output: Path | None, folder: Path | None
) -> Exit:
    """What reviewers would do with suggestions, and what is wrong with them.

    As WiNELL reports it: shares of accept, accept with changes and reject, and of each
    kind of error, with intervals and the agreement of those who judged.
    """
    places = Places(output, folder)
    return _reported(settings_file, places, lambda: reviews.evaluate(data))


def _reported(
    settings_file: Path | None, places: Places, measure: Callable[[], EvaluationReport]
) -> Exit:
    ready(settings_file, places)
    report = measure()
    tell_unscored(report)
    return deliver(report, places)
