"""`sidenote discover`: newer facts that an article lacks."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
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
    search_in,
    searched,
    without_asking,
)
from bot.app.cli.progress import step
from bot.app.cli.terminal import Exit, Format, put, require_place_for, text_width
from bot.app.wiring.language_model import open_language_model
from bot.app.wiring.updates import open_discoverer
from bot.report.updates import News, news, render_html, render_json, render_text
from bot.settings import Settings
from bot.wiki.address import parse_page_address
from handlers.model import Window
from handlers.ports import Metered, PermanentError
from handlers.updates.roles import Budget


class Shown(Enum):
    """What may be shown, as a wiki's policy says."""

    POINTER = "pointer"  # quotes and where they belong
    FACTS = "facts"  # and a plain statement of the fact
    WORDING = "wording"  # and a proposed edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(OnePage):
    """What the command line says."""

    since: datetime | None
    until: datetime | None
    any_day: bool
    search: tuple[str, ...]
    sources: Path | None
    policy: Shown
    trace: bool
    form: Format
    output: Path | None
    yes: bool


@click.command(name="discover")
@of_one_page("Use", named="Title of the article in --file; by default the file name.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Ignore sources older than this day; by default those of the last 30 days.",
)
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Ignore sources newer than this day.",
)
@click.option(
    "--any-day", is_flag=True, help="Accept sources of any date, and undated ones."
)
@search_in()
@from_folder()
@click.option(
    "--policy",
    type=click.Choice(Shown, case_sensitive=False),
    default=Shown.POINTER,
    show_default="pointer",
    help="What to show: only quotes, plain facts as well, or proposed edits as well.",
)
@click.option("--trace", is_flag=True, help="Show every step of the search.")
@in_form(Format, "report")
@into_file("report")
@without_asking()
@pass_settings
def command(settings: Settings, /, **given: Any) -> Exit:
    """Find newer facts for TITLE, or for a file, with their sources.

    Shows outdated sentences beside dated quotes from newer sources, and new facts with
    the section they belong in. Lists what was found but not used, with the reason.
    """
    options = Options(**given)
    _validate(options)
    require_place_for(options.output)
    window = _window(options, settings)
    with step("Looking for newer facts") as going:
        expected = Budget(steps=settings.updates_steps).expected_use
        going.asking(settings, expected, at_most=True, asks=not options.yes)
        found = asyncio.run(_discover(settings, options, window))
    _deliver(found, options)
    return Exit.NEEDS_ATTENTION if found.updates else Exit.FINE


def _validate(options: Options) -> None:
    options.validate()
    if options.any_day and (options.since or options.until):
        raise click.UsageError("--any-day cannot be combined with --since or --until")
    if options.since and options.until and options.since > options.until:
        raise click.UsageError("--since is later than --until")


def _window(options: Options, settings: Settings) -> Window:
    if options.any_day:
        return Window()
    until = options.until.date() if options.until else datetime.now(UTC).date()
    back = min(settings.updates_days, until.toordinal() - 1)  # dates begin in year 1
    since = options.since.date() if options.since else until - timedelta(days=back)
    if since > until:
        raise click.UsageError(
            f"--since is later than today, {until}; for days to come give --until as well"
        )
    return Window(since, until)


async def _discover(settings: Settings, options: Options, window: Window) -> News:
    page = await options.read(settings)
    pasted = parse_page_address(options.title or "")
    folders, services = searched(options.search)
    async with (
        open_language_model(settings) as model,
        open_discoverer(
            settings,
            model,
            sources_folder=options.sources,
            folders=folders,
            services=services,
            wiki=pasted.wiki if pasted else options.wiki,
            words_edits=options.policy is Shown.WORDING,
        ) as discoverer,
    ):
        if not discoverer.tools.searches:
            raise PermanentError(
                "there is nowhere to search: give a folder or a service with --search,"
                " or set up services in SIDENOTE_SEARCHES"
            )
        found = await discoverer.discover(page.wikitext, page.id, window)
        quotas = [
            str(quota)
            for search in discoverer.tools.searches
            if isinstance(search, Metered)
            for quota in search.quotas()
        ]
        return news(
            found,
            shows_facts=options.policy is not Shown.POINTER,
            quotas=tuple(quotas),
        )


def _deliver(found: News, options: Options) -> None:
    if options.form is Format.JSON:
        document = render_json(found)
    elif options.form is Format.HTML:
        document = render_html(found)
    else:
        width = text_width(options.output)
        document = render_text(found, width=width, with_trace=options.trace)
    put(document, "report", options.output, is_text=options.form is Format.TEXT)
