"""`sidenote evaluate retrieval`: is the cited page found again among all pages?"""

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bot.adapters.encoder import Encoder
from bot.cli.exits import Exit
from bot.cli.measuring import (
    JSON,
    Places,
    bench,
    data_option,
    deliver,
    ready,
    tell_unscored,
)
from bot.evaluation import retrieval


@click.command(name="retrieval")
@data_option("WikiGenBench's events: JSON lines, plain or gzipped.")
@JSON
@click.option(
    "--pool",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the index of all pages in this folder, for a quicker second run.",
)
@click.option(
    "--rerank",
    type=click.IntRange(1, 100),
    default=retrieval.RERANKED,
    show_default=True,
    help="How many pages of each answer the verifier reorders.",
)
@click.pass_obj
def of_retrieval(
    settings_file: Path | None,
    data: Path,
    output: Path | None,
    pool: Path | None,
    rerank: int,
) -> Exit:
    """Find the cited page among all pages: by words, by meaning, both, verified.

    A row is an event of WikiGenBench: an article with the pages that it cites.
    """
    places = Places(output)
    settings = ready(settings_file, places)
    with (
        TemporaryDirectory(prefix="sidenote-") as kept,
        bench(settings, "retrieval", Path(kept)) as given,
    ):
        report = retrieval.evaluate(
            data,
            given.verifier,
            Encoder(),
            given.progress,
            pool=pool or given.kept,
            reranked=rerank,
        )
    tell_unscored(report)
    return deliver(report, places)
