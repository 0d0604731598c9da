"""`sidenote run`: the main job on articles that ship with the program."""

import asyncio
from importlib.resources import as_file, files
from pathlib import Path

import click

from bot.adapters.page_file import read_page_file
from bot.bootstrap import (
    configure_logging,
    open_checker,
    open_language_model,
    open_store,
)
from bot.cli.exits import Exit
from bot.cli.output import Format, overview, render
from bot.cli.progress import TerminalProgress
from bot.cli.writing import require_place_for, write_out, write_whole
from bot.report import PageReport
from bot.settings import Settings, load_settings
from handlers.citations.suggestions import suggestions_of
from handlers.ports import PermanentError


@click.command(name="run")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("sidenote-report.html"),
    show_default=True,
    help="Where the HTML report goes.",
)
@click.pass_obj
def command(settings_file: Path | None, output: Path) -> Exit:
    """Check real articles with the pages they cite, all from disk.

    Needs no network and no keys. Prints a summary and writes an HTML report.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    require_place_for(output)
    with as_file(files("bot") / "demo") as demo:
        reports = asyncio.run(_check_all(settings, demo))
    write_whole(output, render(reports, Format.HTML, to_terminal=False))
    write_out(f"{overview(reports)}\nThe whole report: {output.resolve()}\n")
    with open_store(settings) as store:
        for report in reports:
            store.save_check(report, suggestions_of(report.page, report.checks))
    return Exit.FINE


async def _check_all(settings: Settings, demo: Path) -> list[PageReport]:
    reports = []
    articles = sorted((demo / "articles").glob("*.wikitext"))
    if not articles:
        raise PermanentError(f"no article ships in {demo}; the installation is broken")
    async with open_language_model(settings) as model:
        for article in articles:
            page = read_page_file(article)
            with TerminalProgress(page.id.title) as progress:
                async with open_checker(
                    settings, demo / "sources", progress, model
                ) as checker:
                    report = await checker.check(page.wikitext, page.id, page.notes)
            reports.append(report)
    return reports
