"""`sidenote evaluate recommendations`: are the better sources better?"""

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bot.adapters.encoder import Encoder
from bot.adapters.reliability import load_reliability
from bot.cli.exits import Exit
from bot.cli.measuring import (
    JSON,
    REPORT,
    Places,
    bench,
    data_option,
    deliver,
    ready,
    tell_unscored,
)
from bot.evaluation import recommendations
from bot.settings import Settings
from handlers.citations.better.policy import Policy


@click.command(name="recommendations")
@data_option("WikiGenBench's events: JSON lines, plain or gzipped.")
@JSON
@REPORT
@click.option(
    "--pool",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the index of all pages in this folder, for a quicker second run;"
    " `evaluate retrieval` can use the same.",
)
@click.option("--pairs", type=click.IntRange(min=1), help="Try only so many sentences.")
@click.pass_obj
def of_recommendations(
    settings_file: Path | None,
    *,
    data: Path,
    output: Path | None,
    folder: Path | None,
    pool: Path | None,
    pairs: int | None,
) -> Exit:
    """Give sentences a wrong citation, none or the right one, and see what is advised.

    A row is an event of WikiGenBench: an article with the pages that it cites. How
    often is a page recommended, how often is it the one that the article cites, and
    how often is one recommended although the citation is right?
    """
    places = Places(output, folder)
    settings = ready(settings_file, places)
    with (
        TemporaryDirectory(prefix="sidenote-") as kept,
        bench(settings, "recommendations", Path(kept)) as given,
    ):
        report = recommendations.evaluate(
            data,
            given.verifier,
            Encoder(),
            given.progress,
            pool=pool or given.kept,
            policy=_policy(settings),
            most_pairs=pairs,
        )
    tell_unscored(report)
    return deliver(report, places)


def _policy(settings: Settings) -> Policy:
    """Return the limits of `check --search`."""
    return Policy(
        margin=settings.better_margin,
        per_claim=settings.candidates_per_claim,
        per_page=settings.candidates_per_page,
        lists=load_reliability(),
    )
