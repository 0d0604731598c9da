"""`sidenote review`: what is to be mended in the writing of one article or draft."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from bot.adapters.page_file import read_page_file
from bot.adapters.wiki_page import WikiPage
from bot.bootstrap import configure_logging
from bot.bootstrap.reviews import open_reviewer
from bot.cli.exits import Exit
from bot.cli.output import Format, is_terminal, terminal_width
from bot.cli.targets import page_titled
from bot.cli.writing import require_place_for, write_out, write_whole
from bot.report.reviews import (
    ReviewView,
    render_html,
    render_json,
    render_text,
    review_view,
)
from bot.settings import Settings, load_settings
from handlers.review.manuscript.markdown import has_footnotes, title_of, wikitext_of

_MARKDOWN = frozenset({".md", ".markdown"})


@dataclass(frozen=True, slots=True)
class Ask:
    """What was asked for on the command line."""

    title: str | None
    wiki: str | None
    revision: int | None
    file: Path | None
    named: str | None
    sources: Path | None
    web: bool
    everything: bool
    form: Format
    output: Path | None


@click.command(name="review")
@click.argument("title", required=False)
@click.option("--wiki", help="The wiki of TITLE, such as simple.wikipedia.org.")
@click.option("--revision", type=click.IntRange(min=1), help="Take this revision.")
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Take this file of wikitext, or of Markdown (.md), instead of a page of a wiki.",
)
@click.option(
    "--title",
    "named",
    help="What the article of --file is called; else as it says, or as the file is.",
)
@click.option(
    "--sources",
    type=click.Path(path_type=Path, file_okay=False),
    help="Look for close paraphrase in the sources of this folder (with its index.json).",
)
@click.option(
    "--web",
    is_flag=True,
    help="Look for close paraphrase in the cited sources, read from the web.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Show findings that are less sure, too."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(Format, case_sensitive=False),
    default=Format.TEXT,
    show_default="text",
    help="How the report is written.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the report to this file instead of standard output.",
)
@click.pass_obj
def command(settings_file: Path | None, /, **given: Any) -> Exit:
    """Review the writing of TITLE, or of a file, as a Good Article reviewer would.

    Looks for words to watch, paragraphs without a source, leads and sections of the
    wrong size, headings, tone, one-sided sourcing and close paraphrase without any
    model, and asks the language model of the settings about the rest.
    """
    ask = Ask(**given)
    _require_sense(ask)
    settings = load_settings(settings_file)
    configure_logging(settings)
    require_place_for(ask.output)
    view = asyncio.run(_review(settings, ask))
    _deliver(view, ask)
    return Exit.NEEDS_ATTENTION if view.findings else Exit.FINE


def _require_sense(ask: Ask) -> None:
    if (ask.title is None) == (ask.file is None):
        raise click.UsageError("give either a TITLE or --file, and not both")
    if ask.file is not None and ask.revision is not None:
        raise click.UsageError("--revision goes with a TITLE; a file has one text")
    if ask.named is not None and ask.file is None:
        raise click.UsageError("--title goes with --file")
    if ask.web and ask.sources is not None:
        raise click.UsageError("give either --sources or --web, and not both")


async def _review(settings: Settings, ask: Ask) -> ReviewView:
    page, footnotes_lost = await _page(settings, ask)
    async with open_reviewer(settings, ask.sources, reads_web=ask.web) as reviewer:
        found = await reviewer.review(
            page.wikitext, page.id, footnotes_lost=footnotes_lost
        )
    return review_view(found, shows_all=ask.everything)


async def _page(settings: Settings, ask: Ask) -> tuple[WikiPage, bool]:
    """Return the page, and whether its text came without its footnotes.

    Plain articles of a benchmark, and drafts on their way, are often such Markdown.
    """
    if ask.file is None:
        page = await page_titled(settings, ask.title or "", ask.wiki, ask.revision)
        return page, False
    page = read_page_file(ask.file, wiki=ask.wiki)
    title, footnotes_lost = ask.named, False
    if ask.file.suffix.lower() in _MARKDOWN:
        title = title or title_of(page.wikitext)
        footnotes_lost = not has_footnotes(page.wikitext)
        page = replace(page, wikitext=wikitext_of(page.wikitext))
    page = replace(page, id=replace(page.id, title=title or page.id.title))
    return page, footnotes_lost


def _deliver(view: ReviewView, ask: Ask) -> None:
    if ask.form is Format.JSON:
        document = render_json(view)
    elif ask.form is Format.HTML:
        document = render_html(view)
    else:
        width = terminal_width() if is_terminal() and not ask.output else 100
        document = render_text(view, width=width, shows_all=ask.everything)
    if ask.output is None:
        write_out(document, as_utf8=ask.form is not Format.TEXT)
        return
    write_whole(ask.output, document)
    click.echo(f"The report is in {ask.output.resolve()}", err=True)
