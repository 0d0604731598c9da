"""`sidenote check`: one page, from a wiki or from disk."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from bot.app.cli.options import OnePage, in_form, into_file, without_asking
from bot.app.cli.output import Format, deliver, exit_code
from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit, require_place_for
from bot.app.wiring.checks import open_checker
from bot.app.wiring.language_model import open_language_model
from bot.app.wiring.logs import configure_logging
from bot.app.wiring.store import open_store
from bot.report import PageReport
from bot.report.notes import findings_of
from bot.settings import Settings, load_settings
from bot.store import Store
from handlers.registry import OF_CITATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(OnePage):
    """What was asked for on the command line."""

    sources: Path | None
    search: Path | None
    form: Format
    output: Path | None
    store: bool
    yes: bool


@click.command(name="check")
@click.argument("title", required=False)
@click.option("--wiki", help="The wiki of TITLE, such as de.wikipedia.org.")
@click.option("--revision", type=click.IntRange(min=1), help="Check this revision.")
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Check this file of wikitext instead of a page of a wiki.",
)
@click.option(
    "--sources",
    type=click.Path(path_type=Path, file_okay=False),
    help="Read sources from this folder (with its index.json), never from the web.",
)
@click.option(
    "--search",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="INDEX_OR_FOLDER",
    help="Look here for better sources of claims whose citation fails.",
)
@in_form(Format, "report")
@into_file("report")
@click.option(
    "--store/--no-store",
    default=True,
    show_default=True,
    help="Remember the results in the database.",
)
@without_asking()
@click.pass_obj
def command(settings_file: Path | None, /, **given: Any) -> Exit:
    """Check every citation of TITLE, or of a file.

    TITLE is a page's title or its address in the browser. For each claim the
    report gives a verdict with the quote that decided it, or says why the
    source could not be checked and what you can do.
    """
    ask = Ask(**given)
    ask.require_sense()
    settings = load_settings(settings_file)
    configure_logging(settings)
    require_place_for(ask.output)
    _warn_of_missing_contact(settings, ask)
    report = asyncio.run(_check(settings, ask))
    deliver([report], ask.form, ask.output)
    if ask.store:  # after delivery: trouble with the database must not cost the report
        with open_store(settings) as store:
            save(store, report)
    return exit_code([report])


def save(store: Store, report: PageReport) -> None:
    """Keep a check and all that it found."""
    found = dict(findings_of(report))
    of_citations = [one for kind in OF_CITATIONS for one in found.pop(kind)]
    store.save_check(report, of_citations, beside=found)


def _warn_of_missing_contact(settings: Settings, ask: Ask) -> None:
    if not settings.contact and ask.sources is None:
        click.echo(
            "Note: no contact is set. Wikimedia asks every program to say how its"
            " operator can be reached: set SIDENOTE_CONTACT=you@example.org",
            err=True,
        )


async def _check(settings: Settings, ask: Ask) -> PageReport:
    page = await ask.read(settings)
    with TerminalProgress("Checking citations", asks=not ask.yes) as progress:
        async with (
            open_language_model(settings) as model,
            open_checker(settings, ask.sources, progress, model, ask.search) as checker,
        ):
            return await checker.check(page.wikitext, page.id, page.notes)
