"""`sidenote check`: one page, from a wiki or from disk."""

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
    reader_of,
    without_asking,
)
from bot.app.cli.progress import TerminalProgress
from bot.app.cli.terminal import Exit, Format, deliver, exit_code, require_place_for
from bot.app.wiring.checks import open_checker
from bot.app.wiring.language_model import open_language_model
from bot.app.wiring.sources import make_extractor
from bot.app.wiring.store import open_store
from bot.daemon.check import Before, citing, parse_page, read_before
from bot.daemon.supplied import SuppliedSources, cited_as
from bot.report import PageReport
from bot.settings import Settings
from bot.store import Store
from bot.wiki.folder import read_page_file
from bot.wiki.pages import WikiPage
from handlers.model import Page
from handlers.ports import PermanentError
from handlers.registry import OF_CITATIONS

_OF_SUPPLIED = (
    "Only the claims that cite the text you supplied were checked. Neither the text nor"
    " this report is stored."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(OnePage):
    """What the command line says."""

    since: int | None
    before: Path | None
    sources: Path | None
    search: Path | None
    supplied: tuple[tuple[str, Path], ...]
    fresh: bool
    form: Format
    output: Path | None
    store: bool
    yes: bool

    def validate(self) -> None:
        """Refuse options that do not go together.

        Raises:
            click.UsageError: the message says which do.
        """
        # What is said of these two helps more than that there is no page.
        if self.since is not None and self.title is None:
            raise click.UsageError("--since needs a TITLE; for files, use --before")
        if self.before is not None and self.file is None:
            raise click.UsageError("--before needs --file; for a TITLE, use --since")
        OnePage.validate(self)
        if self.supplied and (self.since or self.before):
            raise click.UsageError(
                "--source cannot be combined with --since or --before"
            )


@click.command(name="check")
@of_one_page("Check")
@click.option(
    "--since",
    type=click.IntRange(min=1),
    metavar="REVISION",
    help="Also compare with this earlier revision: which edits moved a sentence away from its source.",
)
@click.option(
    "--before",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="The same for --file: the page as it was before the edit.",
)
@from_folder()
@click.option(
    "--search",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="INDEX_OR_FOLDER",
    help="Search here for a better source where a citation fails.",
)
@click.option(
    "--source",
    "supplied",
    type=(str, click.Path(path_type=Path, dir_okay=False, exists=True)),
    multiple=True,
    metavar="CITATION FILE",
    help="Check only the claims that cite CITATION (a ref name, URL or DOI), against the text or PDF in FILE. Neither is stored. May be repeated.",
)
@click.option(
    "--fresh",
    is_flag=True,
    help="Read every source again instead of using the cache.",
)
@in_form(Format, "report")
@into_file("report")
@click.option(
    "--store/--no-store",
    default=True,
    show_default=True,
    help="Save the results in the database.",
)
@without_asking()
@pass_settings
def command(settings: Settings, /, **given: Any) -> Exit:
    """Check every citation of TITLE, or of a file.

    TITLE is the title of a page or its URL. For each claim the report gives a verdict
    with the quote that decided it, or says why the source could not be checked and what
    you can do.
    """
    options = Options(**given)
    options.validate()
    require_place_for(options.output)
    _warn_of_missing_contact(settings, options)
    report = asyncio.run(_check(settings, options))
    deliver([report], options.form, options.output)
    if (
        options.store and not options.supplied
    ):  # the report is already written; a database error must not lose it
        with open_store(settings) as store:
            save(store, report)
    return exit_code([report])


def save(store: Store, report: PageReport) -> None:
    """Save a check and its findings."""
    found = dict(report.found)
    of_citations = [one for kind in OF_CITATIONS for one in found.pop(kind)]
    store.save_check(report, of_citations, beside=found)


def _warn_of_missing_contact(settings: Settings, options: Options) -> None:
    if not settings.contact and options.sources is None:
        click.echo(
            "Note: no contact is set. Wikimedia asks every program to name a contact"
            " for its operator: set SIDENOTE_CONTACT=you@example.org",
            err=True,
        )


async def _check(settings: Settings, options: Options) -> PageReport:
    page = await options.read(settings)
    before = await _before(settings, options, page)
    parsed = parse_page(page.wikitext, page.id) if options.supplied else None
    bodies = _supplied(settings, options, parsed) if parsed else {}
    with TerminalProgress("Checking citations", asks=not options.yes) as progress:
        async with (
            open_language_model(settings) as model,
            open_checker(
                settings, options.sources, progress, model, options.search
            ) as usual,
        ):
            checker = usual.without_cache() if options.fresh else usual
            if parsed is None:
                return await checker.check(
                    page.wikitext, page.id, page.notes, before=before
                )
            async with make_extractor(settings) as extractor:
                given = SuppliedSources(
                    checker.tools.sources, extractor, bodies, datetime.now(UTC)
                )
                tools = replace(checker.tools, sources=given)
                notes = (*page.notes, _OF_SUPPLIED)
                return await replace(checker, tools=tools).check_parsed(
                    citing(parsed, bodies), notes
                )


async def _before(
    settings: Settings, options: Options, page: WikiPage
) -> Before | None:
    """Return the revision to compare with, if one is named."""
    if options.before is not None:
        earlier = read_page_file(options.before, wiki=page.id.wiki, title=page.id.title)
        return Before(earlier.id, earlier.wikitext)
    if options.since is None:
        return None
    if page.id.revision_id is not None and options.since >= page.id.revision_id:
        raise click.UsageError(
            f"--since {options.since} is not earlier than the revision checked,"
            f" {page.id.revision_id}"
        )
    reader = reader_of(settings, options.title or "", options.wiki)
    return await read_before(reader, page.id, options.since, parent_id=page.parent_id)


def _supplied(settings: Settings, options: Options, page: Page) -> dict[str, bytes]:
    """Return the contents of the files, by the keys of the sources they stand for.

    Raises:
        click.UsageError: the page cites no source of that name.
        PermanentError: a file cannot be read, or is too large.
    """
    bodies: dict[str, bytes] = {}
    for name, file in options.supplied:
        keys = cited_as(page.claims, name)
        if not keys:
            raise click.UsageError(
                f"no citation in {page.id.title} has the name, URL or DOI {name!r}"
            )
        bodies |= dict.fromkeys(keys, _content(file, settings.source_max_bytes))
    return bodies


def _content(file: Path, most: int) -> bytes:
    try:
        with file.open("rb") as opened:
            body = opened.read(most + 1)
    except OSError as error:
        raise PermanentError(f"{file} cannot be read ({error.strerror})") from error
    if len(body) > most:
        raise PermanentError(f"{file} is larger than {most:,} bytes")
    return body
