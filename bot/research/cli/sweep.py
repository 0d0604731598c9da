"""`sidenote sweep`: checks a whole wiki from a dump, a folder or a list of titles."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from bot.app.cli.options import lines_of
from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit, write_out
from bot.research.cli.options import FILE, FOLDER, begin
from bot.research.sweep.portions import Input
from bot.research.sweep.rows import Wanted
from bot.research.sweep.run import Run, SweepAsk, run_sweep
from bot.research.sweep.summary import SweepSummary, render_text
from bot.settings import Settings

_MOST_SHOWN = 5_000


@click.command(name="sweep")
@click.argument(
    "inputs", nargs=-1, type=click.Path(path_type=Path, exists=True), metavar="INPUT..."
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=FOLDER,
    help="Folder for the results; an interrupted sweep continues there.",
)
@click.option(
    "--list",
    "listed",
    type=FILE,
    help="File with one title per line, read from the wiki; # starts a comment.",
)
@click.option(
    "--index",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Index of a multistream dump, if it is not beside it.",
)
@click.option("--wiki", help="The wiki, if the input does not name it.")
@click.option(
    "--sources",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Score claims by the sources in this folder (see `sidenote check`).",
)
@click.option(
    "--cache",
    "uses_cache",
    is_flag=True,
    help=(
        "Score claims by sources that were read from the web before, including"
        " archived copies. Nothing is fetched."
    ),
)
@click.option(
    "--namespaces",
    default="0",
    show_default=True,
    help="Numbers of the namespaces to check, separated by commas.",
)
@click.option("--redirects", is_flag=True, help="Also check redirects.")
@click.option(
    "--workers",
    type=click.IntRange(min=0, max=1000),
    help=(
        "Processes on this machine; 0: only this one, without Dask. [default: one per"
        " processor]"
    ),
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Work on the Dask workers behind this scheduler, such as tcp://10.0.0.5:8786;"
    " they need this program and the same input and output paths.",
)
@click.option(
    "--page-seconds",
    "page_s",
    type=click.FloatRange(min=1, max=3600),
    default=60.0,
    show_default=True,
    help="Processor time after which a page is skipped and reported.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1, max=_MOST_SHOWN),
    default=100,
    show_default=True,
    help="Number of claims in the summary.",
)
@click.pass_obj
def command(settings_file: Path | None, /, **given: Any) -> Exit:
    """Check every citation of a dump, of folders of wikitext, or of listed pages.

    INPUT is a dump (pages-articles-multistream.xml.bz2, with or without its index, or
    any export as .xml or .xml.bz2) or a folder of wikitext. Claims whose sources are
    available are scored, the others are ranked by what is visible without a source. The
    folder then holds Parquet tables, and summary.html to begin with. The exit code is 3
    if a dump was cut short or damaged; what could be read of it is swept all the same.
    """
    settings = begin(settings_file)
    ask = _request(settings, **given)
    with TerminalProgress("Parts") as progress:
        summary = run_sweep(settings, ask, _TerminalProgress(progress))
    write_out(render_text(summary))
    sys.stderr.write(f"The summary is in {(ask.output / 'summary.html').resolve()}\n")
    return _exit(summary)


def _request(
    settings: Settings,
    *,
    inputs: tuple[Path, ...],
    listed: Path | None,
    index: Path | None,
    wiki: str | None,
    namespaces: str,
    redirects: bool,
    workers: int | None,
    **given: Any,
) -> SweepAsk:
    """Return what the command line asks for."""
    if not inputs and listed is None:
        raise click.UsageError("give a dump, a folder of wikitext, or --list FILE")
    if index and (len(inputs) != 1 or inputs[0].is_dir()):
        raise click.UsageError("--index is for one dump; give only that")
    titles = tuple(dict.fromkeys(lines_of(listed))) if listed else ()
    if listed and not titles:
        raise click.UsageError(f"--list {listed} names no pages")
    wiki = wiki or (settings.wiki if titles else None)
    if workers is None:
        workers = max(1, len(os.sched_getaffinity(0)))
    return SweepAsk(
        given=Input(inputs, titles, index, wiki),
        wanted=Wanted(_numbers(namespaces), redirects),
        workers=workers,
        **given,
    )


@dataclass(slots=True)
class _TerminalProgress:
    """Implements `bot.research.sweep.run.SweepProgress` on a terminal."""

    progress: TerminalProgress

    def begin(self, parts: int | None, before: int) -> None:
        if before:
            self.progress.write(f"Continuing: {before:,} parts were done before.")
        self.progress.started(parts or 0)

    def done(self, run: Run) -> None:
        counts = run.counts
        self.progress.show(
            f"{counts.pages:,} pages, {counts.claims:,} claims,"
            f" {counts.scored:,} scored, {counts.all_failed:,} failed"
        )
        self.progress.advance()


def _exit(summary: SweepSummary) -> Exit:
    if not summary.is_whole:
        return Exit.LATER
    if summary.damaged:  # anyone who relies on a complete dump must know
        return Exit.CANNOT
    return Exit.NEEDS_ATTENTION if summary.flagged else Exit.FINE


def _numbers(text: str) -> frozenset[int]:
    try:
        return frozenset(int(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(
            f"--namespaces {text}: give numbers separated by commas, such as 0,118"
        ) from None
