"""`sidenote evaluate retrieval`: is the cited page found again among all pages?"""

import sys
import tempfile
from pathlib import Path

import click

from bot.adapters.encoder import Encoder
from bot.bootstrap import configure_logging, open_verifier
from bot.cli.exits import Exit
from bot.cli.progress import TerminalProgress
from bot.cli.writing import require_place_for, write_out, write_whole
from bot.evaluation import retrieval
from bot.settings import load_settings


@click.command(name="retrieval")
@click.option(
    "--data",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="WikiGenBench's events: JSON lines, plain or gzipped.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the figures to this file instead of standard output.",
)
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
    settings = load_settings(settings_file)
    configure_logging(settings)
    require_place_for(output)
    with (
        tempfile.TemporaryDirectory(prefix="sidenote-") as folder,
        TerminalProgress("Evaluating retrieval") as progress,
    ):
        report = retrieval.evaluate(
            data,
            open_verifier(settings),
            Encoder(),
            progress,
            pool=pool or Path(folder),
            reranked=rerank,
        )
    for row in report.unscored:
        sys.stderr.write(f"sidenote: line {row.line} is not scored: {row.reason}\n")
    if output is None:
        write_out(report.to_json(), as_utf8=True)
    else:
        write_whole(output, report.to_json())
        sys.stderr.write(f"The figures are in {output.resolve()}\n")
    return Exit.FINE
