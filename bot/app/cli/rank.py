"""`sidenote rank`: the claims of many pages, least supported first."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import click

from bot.app.cli.options import (
    Target,
    Targets,
    from_folder,
    in_form,
    into_file,
    pass_settings,
    without_asking,
)
from bot.app.cli.progress import QuietProgress, TerminalProgress
from bot.app.cli.terminal import Exit, put, require_place_for, terminal_width
from bot.app.wiring.checks import open_checker
from bot.app.wiring.language_model import open_language_model
from bot.daemon.check import Checker
from bot.report import PageReport
from bot.report.rankings import (
    Failure,
    Ranking,
    gathered,
    ranking,
    render_csv,
    render_html,
    render_json,
    render_text,
)
from bot.report.words import clean_for_terminal
from bot.settings import Settings
from handlers.citations.ranking import Ranked, Unranked
from handlers.ports import PermanentError, TemporaryError


class Form(Enum):
    """How a ranking is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    pages: tuple[str, ...]
    listed: Path | None
    wiki: str | None
    sources: Path | None
    form: Form
    top: int | None
    output: Path | None
    yes: bool


@click.command(name="rank")
@click.argument("pages", nargs=-1, metavar="[PAGE|FILE|FOLDER]...")
@click.option(
    "--list",
    "listed",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with one page per line; # starts a comment.",
)
@click.option("--wiki", help="The wiki of the titles, such as de.wikipedia.org.")
@from_folder()
@in_form(Form, "ranking")
@click.option("--top", type=click.IntRange(min=1), help="Show only the first N claims.")
@into_file("ranking")
@without_asking()
@pass_settings
def command(settings: Settings, /, **given: Any) -> Exit:
    """List the claims of any number of pages, least supported first.

    A page is a title, a URL, a file of wikitext, or a folder of such files. A source
    that several pages cite is read once. Claims that could not be checked are listed
    separately, and a page that cannot be read does not stop the others.
    """
    options = Options(**given)
    if not options.pages and options.listed is None:
        raise click.UsageError("give a page, a file or a folder, or --list FILE")
    require_place_for(options.output)
    targets = Targets(settings, options.wiki).of(options.pages, options.listed)
    checked = asyncio.run(_check_all(settings, options, targets))
    document = _rendered(checked.ranking(options.top), options.form)
    put(document, "ranking", options.output, is_text=options.form is Form.TEXT)
    return checked.exit_code


@dataclass(slots=True)
class _RankedPage:
    """What is needed of each page after its check."""

    checker: Checker
    rows: list[Ranked] = field(default_factory=list)
    unchecked: list[Unranked] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    pages: int = 0
    all_temporary: bool = True

    def add(self, report: PageReport) -> None:
        rows, apart = gathered(report)
        self.rows += rows
        self.unchecked += apart
        self.pages += 1

    def fail(self, target: Target, error: Exception) -> None:
        self.failures.append(Failure(target.name, str(error)))
        self.all_temporary &= isinstance(error, TemporaryError)

    def ranking(self, top: int | None) -> Ranking:
        return ranking(
            self.rows,
            self.unchecked,
            self.failures,
            pages=self.pages,
            engine=self.checker.tools.verifier.engine,
            made_at=datetime.now(UTC),
            top=top,
        )

    @property
    def exit_code(self) -> Exit:
        """Return the exit code: whether a claim is flagged, else whether a page is missing."""
        if any(row.flag for row in self.rows):
            return Exit.NEEDS_ATTENTION
        if not self.failures:
            return Exit.FINE
        return Exit.LATER if self.all_temporary else Exit.CANNOT


async def _check_all(
    settings: Settings, options: Options, targets: list[Target]
) -> _RankedPage:
    with TerminalProgress("Pages", asks=not options.yes) as progress:
        progress.started(len(targets))
        async with (
            open_language_model(settings) as model,
            open_checker(
                settings, options.sources, QuietProgress(progress), model
            ) as checker,
        ):
            checked = _RankedPage(checker)
            for target in targets:
                await _check(target, checked, progress)
                progress.advance()
    return checked


async def _check(
    target: Target, checked: _RankedPage, progress: TerminalProgress
) -> None:
    """Check one page, and keep only what the ranking needs."""
    try:
        page = await target.read()
        report = await checked.checker.check(page.wikitext, page.id, page.notes)
    except (PermanentError, TemporaryError) as error:
        checked.fail(target, error)
        progress.write(f"{clean_for_terminal(target.name)}: {error}")
        return
    checked.add(report)
    counts = report.summary
    progress.write(
        f"{clean_for_terminal(page.id.title)}: {counts.flagged} flagged,"
        f" {counts.doubtful} doubtful, {counts.checked} checked,"
        f" {counts.unchecked} could not be checked"
    )


def _rendered(found: Ranking, form: Form) -> str:
    match form:
        case Form.JSON:
            return render_json(found)
        case Form.CSV:
            return render_csv(found)
        case Form.HTML:
            return render_html(found)
        case Form.TEXT:
            return render_text(found, width=terminal_width())
