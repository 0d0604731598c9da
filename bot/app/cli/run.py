"""`sidenote run`: the daemon, at once and without any setting."""

import asyncio
import sys
from pathlib import Path

import click

from bot.app.cli.backend import panel_backend
from bot.app.cli.daemon import run_live
from bot.app.cli.exits import Exit
from bot.app.cli.output import Format, overview, render
from bot.app.cli.writing import require_place_for, write_out, write_whole
from bot.app.wiring import configure_logging
from bot.app.wiring.daemon import WHOLE, Part
from bot.app.wiring.embedded import open_embedded
from bot.daemon.idle import UntilIdle
from bot.daemon.roles import run_roles, stopped_by_signals
from bot.daemon.threads import PassingThreads
from bot.report import PageReport
from bot.settings import Settings, load_settings

_DEFAULT_REPORT = Path("sidenote-report.html")


@click.command(name="run")
@click.option("--once", is_flag=True, help="End when nothing is left to do.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=_DEFAULT_REPORT,
    show_default=True,
    help="Where the HTML report on all articles goes.",
)
@click.pass_obj
def command(settings_file: Path | None, once: bool, output: Path) -> Exit:
    """Run the daemon: on articles that ship with Sidenote, or on the wiki that is set.

    Without a wiki in the settings it needs no network and no keys: recorded changes
    are replayed, articles checked against the pages they cite, and what would be
    posted stands in a folder. Then it stays, with its status page on this machine,
    until Ctrl-C.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    if "wiki" in settings.model_fields_set:
        if once:
            raise click.UsageError(
                "--once is for the articles that ship; a real wiki always changes"
                " (to check one page: sidenote check TITLE)"
            )
        asyncio.run(run_live(settings, WHOLE, None))
        return Exit.FINE
    require_place_for(output)
    asyncio.run(_run_embedded(settings, output, once=once))
    return Exit.FINE


async def _run_embedded(settings: Settings, output: Path, *, once: bool) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(PassingThreads())
    reports: dict[str, PageReport] = {}

    def keep(report: PageReport) -> None:
        if not report.unchanged:  # a look at all of the page
            reports[report.page.id.title] = report
        sys.stderr.write(f"checked: {report.page.id.title}\n")

    parts = WHOLE - ({Part.SERVE} if once else set())
    backend = panel_backend() if Part.SERVE in parts else None
    async with open_embedded(settings, parts, keep, backend) as (daemon, idle):
        if daemon.address:
            sys.stderr.write(f"status page: {daemon.address}\n")

        async def tell(told_to_stop: asyncio.Event) -> None:
            if await _has_done_all(idle, told_to_stop):
                _tell(list(reports.values()), output, daemon.address)
                if once:
                    stop.set()

        with stopped_by_signals(stop):
            await run_roles({**daemon.roles, "teller": tell}, stop)


async def _has_done_all(idle: UntilIdle, stop: asyncio.Event) -> bool:
    done = asyncio.Event()
    looking = asyncio.create_task(idle.run(done))
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait({looking, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    looking.cancel()
    await asyncio.gather(looking, waiting, return_exceptions=True)
    return done.is_set()


def _tell(reports: list[PageReport], output: Path, address: str) -> None:
    in_order = sorted(reports, key=lambda report: report.page.id.title)
    write_whole(output, render(in_order, Format.HTML, to_terminal=False))
    lines = [overview(in_order), f"The whole report: {output.resolve()}"]
    if address:
        lines.append(f"The panel beside the articles, as on a wiki: {address}/panel/")
        lines.append(f"Reports, what would be posted, and how it is doing: {address}")
        lines.append("It goes on listening. Ctrl-C ends it.")
    write_out("\n".join(lines) + "\n")
