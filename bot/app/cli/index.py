"""`sidenote index`: makes documents searchable, and keeps them so."""

import asyncio
import sys
from pathlib import Path

import click

from bot.app.cli.exits import Exit
from bot.app.cli.progress import TerminalProgress
from bot.app.cli.writing import write_out
from bot.app.wiring import (
    cache_collection,
    configure_logging,
    folder_collection,
    index_folder,
    open_updater,
)
from bot.report.words import clean_for_terminal
from bot.settings import Settings, load_settings

_MAX_TOLD = 20


@click.command(name="index")
@click.argument(
    "folder", required=False, type=click.Path(path_type=Path, file_okay=False)
)
@click.option("--cache", is_flag=True, help="Index the sources that were read so far.")
@click.option(
    "--index",
    "place",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the index. Without it: `index` in the data folder.",
)
@click.option(
    "--words-only",
    is_flag=True,
    help="Leave out vectors: many times faster, and found by words alone.",
)
@click.option(
    "--opensearch",
    is_flag=True,
    help="Index into the OpenSearch of the settings instead of a folder.",
)
@click.pass_obj
def command(  # noqa: PLR0917 - click's options
    settings_file: Path | None,
    folder: Path | None,
    cache: bool,
    place: Path | None,
    words_only: bool,
    opensearch: bool,
) -> Exit:
    """Index the documents in FOLDER, or the cache of sources that were read.

    Text, HTML and PDF are read; with an `index.json` in FOLDER, those that it lists.
    Run it again after a change: only what changed is read, and what is gone leaves
    the index. One index can hold several folders and the cache.
    """
    if (folder is None) != cache:
        raise click.UsageError("give either a FOLDER or --cache, and not both")
    if opensearch and place is not None:
        raise click.UsageError(
            "--index names a folder; it does not go with --opensearch"
        )
    settings = load_settings(settings_file)
    configure_logging(settings)
    where = place or index_folder(settings)
    asyncio.run(_update(settings, folder, where, words_only, opensearch))
    return Exit.FINE


async def _update(
    settings: Settings,
    folder: Path | None,
    where: Path,
    words_only: bool,
    opensearch: bool,
) -> None:
    collection = (
        cache_collection(settings)
        if folder is None
        else folder_collection(settings, folder, leave_out=where)
    )
    with TerminalProgress("Indexing") as progress:
        async with open_updater(
            settings,
            None if opensearch else where,
            progress,
            vectors=not words_only,
        ) as updater:
            found = await updater.update(collection)
    if found.anew:
        sys.stderr.write(f"The index was made anew: {found.anew}\n")
    for address, why in found.unreadable[:_MAX_TOLD]:
        sys.stderr.write(
            f"sidenote: {clean_for_terminal(address)} is not indexed: {clean_for_terminal(why)}\n"
        )
    if len(found.unreadable) > _MAX_TOLD:
        more = len(found.unreadable) - _MAX_TOLD
        sys.stderr.write(f"sidenote: and {more:,} more are not indexed\n")
    write_out(
        f"{found.added:,} added, {found.updated:,} updated, {found.removed:,} removed,"
        f" {found.unchanged:,} unchanged, {len(found.unreadable):,} unreadable\n"
    )
