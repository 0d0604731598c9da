"""`sidenote review`: what could be better in the writing of an article or draft."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from bot.app.cli.options import (
    OnePage,
    from_folder,
    in_form,
    into_file,
    of_one_page,
    pass_settings,
    without_asking,
)
from bot.app.cli.progress import Step, step
from bot.app.cli.terminal import Exit, Format, put, require_place_for, text_width
from bot.app.wiring.checks import open_reviewer
from bot.daemon.check import parse_page
from bot.report.reviews import (
    ReviewView,
    render_html,
    render_json,
    render_text,
    review_view,
)
from bot.settings import Settings
from bot.wiki.pages import WikiPage
from handlers.review.by_model import expected_use
from handlers.review.markdown import has_footnotes, title_of, wikitext_of

_MARKDOWN = frozenset({".md", ".markdown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(OnePage):
    """What the command line says."""

    sources: Path | None
    web: bool
    everything: bool
    form: Format
    output: Path | None
    yes: bool


@click.command(name="review")
@of_one_page(
    "Use",
    "wikitext or Markdown (.md)",
    named="Title of the article in --file; by default its first heading, or the file name.",
)
@from_folder(
    "Look for close paraphrasing of the sources in this folder (with its index.json)."
)
@click.option(
    "--web",
    is_flag=True,
    help="Look for close paraphrasing of the cited sources, read from the web.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Show every place, with its words."
)
@in_form(Format, "report")
@into_file("report")
@without_asking()
@pass_settings
def command(settings: Settings, /, **given: Any) -> Exit:
    """Review the writing of TITLE, or of a file, as a Good Article reviewer would.

    Looks for words to watch, paragraphs without a source, leads and sections that are
    too long or too short, headings, tone, one-sided sourcing and close paraphrasing. If a
    language model is set up, it is asked about the remaining criteria.
    """
    options = Options(**given)
    _validate(options)
    require_place_for(options.output)
    with step("Reviewing the page") as going:
        view = asyncio.run(_review(settings, options, going))
    _deliver(view, options)
    return Exit.NEEDS_ATTENTION if view.findings else Exit.FINE


def _validate(options: Options) -> None:
    options.validate()
    if options.web and options.sources is not None:
        raise click.UsageError("give either --sources or --web, not both")


async def _review(settings: Settings, options: Options, going: Step) -> ReviewView:
    page, footnotes_lost = await _page(settings, options)
    if settings.language_model_address:
        expected = expected_use(parse_page(page.wikitext, page.id))
        going.asking(settings, expected, asks=not options.yes)
    async with open_reviewer(
        settings, options.sources, reads_web=options.web
    ) as reviewer:
        found = await reviewer.review(
            page.wikitext,
            page.id,
            today=datetime.now(UTC).date(),
            footnotes_lost=footnotes_lost,
        )
    return review_view(found)


async def _page(settings: Settings, options: Options) -> tuple[WikiPage, bool]:
    """Return the page, and whether its text lacks its footnotes.

    Plain articles of a benchmark, and unfinished drafts, are often Markdown without
    footnotes.
    """
    page = await options.read(settings)
    if options.file is None or options.file.suffix.lower() not in _MARKDOWN:
        return page, False
    title = options.named or title_of(page.wikitext) or page.id.title
    text = wikitext_of(page.wikitext)
    footnotes_lost = not has_footnotes(page.wikitext)
    return replace(
        page, id=replace(page.id, title=title), wikitext=text
    ), footnotes_lost


def _deliver(view: ReviewView, options: Options) -> None:
    if options.form is Format.JSON:
        document = render_json(view)
    elif options.form is Format.HTML:
        document = render_html(view)
    else:
        width = text_width(options.output)
        document = render_text(view, width=width, shows_all=options.everything)
    put(document, "report", options.output, is_text=options.form is Format.TEXT)
