"""`sidenote search`: finds documents of an index that may speak of a claim."""

import asyncio
import json
import textwrap
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

import click

from bot.app.cli.exits import Exit
from bot.app.cli.writing import write_out
from bot.app.wiring import configure_logging, index_folder, open_search
from bot.report.words import clean_for_terminal
from bot.search.index.search import SearchMethod
from bot.settings import load_settings
from handlers.model import Found, Query

_WIDTH = 88
_MOST = 1_000


class Form(Enum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"


@click.command(name="search")
@click.argument("claim")
@click.option("--title", default="", help="The article that the claim stands in.")
@click.option("--section", multiple=True, help="Its heading; the outermost first.")
@click.option(
    "--index",
    "place",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the index. Without it: `index` in the data folder.",
)
@click.option(
    "--opensearch", is_flag=True, help="Search the OpenSearch of the settings instead."
)
@click.option(
    "--method",
    type=click.Choice(SearchMethod, case_sensitive=False),
    default=SearchMethod.MERGED,
    show_default="merged",
    help="By words, by meaning, or by both.",
)
@click.option("--limit", type=click.IntRange(1, _MOST), default=10, show_default=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(Form, case_sensitive=False),
    default=Form.TEXT,
    show_default="text",
)
@click.pass_obj
def command(  # noqa: PLR0917 - click's options
    settings_file: Path | None,
    claim: str,
    title: str,
    section: tuple[str, ...],
    place: Path | None,
    opensearch: bool,
    method: SearchMethod,
    limit: int,
    form: Form,
) -> Exit:
    """Find documents of an index that may bear CLAIM out, best first.

    Scores tell how far apart the documents of one answer are, and nothing beyond it.
    """
    if not claim.strip():
        raise click.UsageError("CLAIM is empty; give the sentence to look for")
    settings = load_settings(settings_file)
    configure_logging(settings)
    where = None if opensearch else place or index_folder(settings)
    query = Query(claim, title, section)

    async def ask() -> Sequence[Found]:
        async with open_search(settings, where, method) as search:
            return await search.search(query, limit=limit)

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
        return "Nothing in the index speaks of it.\n"
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
