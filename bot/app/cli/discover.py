"""`sidenote discover`: newer facts that an article lacks."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
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
from bot.daemon.discoverer import Discoverer
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
class Ask(OnePage):
    """What was asked for on the command line."""

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
    help="Ignore sources older than this day; by default SIDENOTE_UPDATES_DAYS back.",
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
    ask = Ask(**given)
    _require_sense(ask)
    require_place_for(ask.output)
    window = _window(ask, settings)
    with step("Looking for newer facts") as going:
        expected = Budget(steps=settings.updates_steps).expected_use
        going.asking(settings, expected, at_most=True, asks=not ask.yes)
        found = asyncio.run(_discover(settings, ask, window))
    _deliver(found, ask)
    return Exit.NEEDS_ATTENTION if found.updates else Exit.FINE


def _require_sense(ask: Ask) -> None:
    ask.require_sense()
    if ask.any_day and (ask.since or ask.until):
        raise click.UsageError("--any-day cannot be combined with --since or --until")
    if ask.since and ask.until and ask.since > ask.until:
        raise click.UsageError("--since is later than --until")


def _window(ask: Ask, settings: Settings) -> Window:
    if ask.any_day:
        return Window()
    until = ask.until.date() if ask.until else _today()
    back = min(settings.updates_days, until.toordinal() - 1)  # dates begin in year 1
    since = ask.since.date() if ask.since else until - timedelta(days=back)
    if since > until:
        raise click.UsageError(
            f"--since is later than today, {until}; for days to come give --until as well"
        )
    return Window(since, until)


def _today() -> date:
    return datetime.now(UTC).date()


async def _discover(settings: Settings, ask: Ask, window: Window) -> News:
    page = await ask.read(settings)
    pasted = parse_page_address(ask.title or "")
    folders, services = searched(ask.search)
    async with (
        open_language_model(settings) as model,
        open_discoverer(
            settings,
            model,
            sources_folder=ask.sources,
            folders=folders,
            services=services,
            wiki=pasted.wiki if pasted else ask.wiki,
            words_edits=ask.policy is Shown.WORDING,
        ) as discoverer,
    ):
        _require_searches(discoverer)
        found = await discoverer.discover(page.wikitext, page.id, window)
        quotas = [
            str(quota)
            for search in discoverer.tools.searches
            if isinstance(search, Metered)
            for quota in search.quotas()
        ]
        return news(
            found,
            shows_facts=ask.policy is not Shown.POINTER,
            quotas=tuple(quotas),
        )


def _require_searches(discoverer: Discoverer) -> None:
    if not discoverer.tools.searches:
        raise PermanentError(
            "there is nowhere to search: give a folder or a service with --search, or"
            " set up services in SIDENOTE_SEARCHES"
        )


def _deliver(found: News, ask: Ask) -> None:
    if ask.form is Format.JSON:
        document = render_json(found)
    elif ask.form is Format.HTML:
        document = render_html(found)
    else:
        width = text_width(ask.output)
        document = render_text(found, width=width, with_trace=ask.trace)
    put(document, "report", ask.output, is_text=ask.form is Format.TEXT)
