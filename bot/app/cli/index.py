"""`sidenote index` makes documents searchable; `sidenote search` finds them."""

import asyncio
import json
import sys
import textwrap
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

import click

from bot.app.cli.options import pass_settings
from bot.app.cli.progress import TerminalProgress, step
from bot.app.cli.terminal import Exit, write_out
from bot.app.wiring.searches import open_search, open_updater
from bot.app.wiring.sources import open_cache
from bot.app.wiring.store import index_folder, make_folder
from bot.report.words import clean_for_terminal
from bot.search.index import CacheCollection, FolderCollection
from bot.search.index.search import SearchMethod
from bot.settings import Settings
from handlers.model import Found, Query

_MAX_SHOWN = 20
_in_folder = click.option(
    "--index",
    "place",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the index; by default `index` in the data folder.",
)


@click.command(name="index")
@click.argument(
    "folder", required=False, type=click.Path(path_type=Path, file_okay=False)
)
@click.option("--cache", is_flag=True, help="Index the sources in the cache.")
@_in_folder
@click.option(
    "--words-only",
    is_flag=True,
    help="Skip vectors: much faster, but only finds documents by their words.",
)
@click.option(
    "--opensearch",
    is_flag=True,
    help="Use the OpenSearch in the settings instead of a folder.",
)
@pass_settings
def index(  # noqa: PLR0917 - click's options
    settings: Settings,
    folder: Path | None,
    cache: bool,
    place: Path | None,
    words_only: bool,
    opensearch: bool,
) -> Exit:
    """Index the documents in FOLDER, or the sources in the cache.

    Reads text, HTML and PDF; if FOLDER has an `index.json`, only the files it lists. Run
    it again after changes: only changed documents are read, and deleted ones are removed
    from the index. One index can cover several folders and the cache.
    """
    if (folder is None) != cache:
        raise click.UsageError("give either a FOLDER or --cache, not both")
    if opensearch and place is not None:
        raise click.UsageError(
            "--index names a folder and cannot be combined with --opensearch"
        )
    if place is None:
        make_folder(settings.data_dir)
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
    most = settings.source_max_bytes
    collection = (
        CacheCollection(open_cache(settings), max_bytes=most)
        if folder is None
        else FolderCollection(folder, max_bytes=most, leave_out=where)
    )
    with TerminalProgress("Indexing") as progress:
        async with open_updater(
            settings,
            None if opensearch else where,
            progress,
            vectors=not words_only,
        ) as updater:
            found = await updater.update(collection)
    if found.rebuild_reason:
        sys.stderr.write(f"The index was rebuilt: {found.rebuild_reason}\n")
    for address, why in found.unreadable[:_MAX_SHOWN]:
        sys.stderr.write(
            f"sidenote: {clean_for_terminal(address)} was not indexed: {clean_for_terminal(why)}\n"
        )
    if len(found.unreadable) > _MAX_SHOWN:
        more = len(found.unreadable) - _MAX_SHOWN
        sys.stderr.write(f"sidenote: {more:,} more were not indexed\n")
    write_out(
        f"{found.added:,} added, {found.updated:,} updated, {found.removed:,} removed,"
        f" {found.unchanged:,} unchanged, {len(found.unreadable):,} unreadable\n"
    )


_WIDTH = 88
_MOST = 1_000


class Form(Enum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"


@click.command(name="search")
@click.argument("claim")
@click.option("--title", default="", help="Title of the article with the claim.")
@click.option(
    "--section",
    multiple=True,
    help="Heading above the claim, outermost first; may be repeated.",
)
@_in_folder
@click.option(
    "--opensearch", is_flag=True, help="Search the OpenSearch in the settings instead."
)
@click.option(
    "--method",
    type=click.Choice(SearchMethod, case_sensitive=False),
    default=SearchMethod.MERGED,
    show_default="merged",
    help="Search by words, by meaning, or by both.",
)
@click.option("--limit", type=click.IntRange(1, _MOST), default=10, show_default=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(Form, case_sensitive=False),
    default=Form.TEXT,
    show_default="text",
)
@pass_settings
def search(  # noqa: PLR0917 - click's options
    settings: Settings,
    claim: str,
    title: str,
    section: tuple[str, ...],
    place: Path | None,
    opensearch: bool,
    method: SearchMethod,
    limit: int,
    form: Form,
) -> Exit:
    """Find documents in an index that may support CLAIM, best first.

    Scores can only be compared within one answer.
    """
    if not claim.strip():
        raise click.UsageError("CLAIM is empty; give the sentence to look for")
    where = None if opensearch else place or index_folder(settings)
    query = Query(claim, title, section)

    async def ask() -> Sequence[Found]:
        async with open_search(settings, where, method) as search:
            return await search.search(query, limit=limit)

    with step("Searching"):
        found = asyncio.run(ask())
    if form is Form.JSON:
        write_out(_as_json(query, found), as_utf8=True)
    else:
        write_out(_as_text(found))
    return Exit.FINE


def _as_json(query: Query, found: Sequence[Found]) -> str:
    results = [
        {
            "address": one.address,
            "title": one.title,
            "excerpt": one.excerpt,
            "score": round(one.score, 6),
            "search": one.search,
        }
        for one in found
    ]
    content = {"claim": query.claim, "results": results}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _as_text(found: Sequence[Found]) -> str:
    if not found:
        return "Nothing was found.\n"
    return "\n".join(_one(number, one) for number, one in enumerate(found, start=1))


def _one(number: int, one: Found) -> str:
    head = (
        f"{number}. {clean_for_terminal(one.title or one.address)}  ({one.score:.3f})\n"
    )
    address = f"   {clean_for_terminal(one.address)}\n" if one.title else ""
    excerpt = textwrap.fill(
        clean_for_terminal(one.excerpt),
        _WIDTH,
        initial_indent="   ",
        subsequent_indent="   ",
    )
    return f"{head}{address}{excerpt}\n"
