"""`sidenote run`: the first thing a newcomer sees, on the articles that ship.

It prints its first line before the program is loaded, names each step with its count,
and ends with one screen: where the report and the panel are, what was checked, and the
first three findings. If the settings name a wiki, it is `sidenote daemon`.
"""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.app.cli.terminal import Exit, require_place_for, write_out, write_whole
from bot.settings import Settings, load_settings

if TYPE_CHECKING:
    from bot.daemon.progress import Progress
    from bot.daemon.roles import Role
    from bot.report import PageReport
    from handlers.model import ClaimCheck

_DEFAULT_REPORT = Path("sidenote-report.html")
_EVERY = 20  # claims


@click.command(name="run")
@click.option("--once", is_flag=True, help="Stop when everything has been checked.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=_DEFAULT_REPORT,
    show_default=True,
    help="File for the HTML report on all articles.",
)
@click.pass_obj
def run(settings_file: Path | None, once: bool, output: Path) -> Exit:
    """Try the bot on the articles that ship with Sidenote, in a dry run.

    It needs no network and no keys: it replays recorded changes, checks the articles
    against the pages they cite, and writes what it would post to a folder. Then its
    panel and status page stay open on this machine until Ctrl-C. If the settings name a
    wiki, it is the same as `sidenote daemon`.
    """
    settings = load_settings(settings_file)
    is_live = "wiki" in settings.model_fields_set
    if is_live and once:
        raise click.UsageError(
            "--once works only on the articles that ship, because a real wiki never"
            " stops changing (to check one page: sidenote check TITLE)"
        )
    if not is_live:
        require_place_for(output)
        _say(
            "Sidenote is checking the articles that ship with it. No network, no keys."
        )
    from bot.app.cli.daemon import run_live
    from bot.app.wiring.daemon import WHOLE
    from bot.app.wiring.logs import configure_logging

    configure_logging(settings)
    if is_live:
        asyncio.run(run_live(settings, WHOLE, None))
    else:
        asyncio.run(_run_embedded(settings, output, once=once))
    return Exit.FINE


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


async def _run_embedded(settings: Settings, output: Path, *, once: bool) -> None:
    from bot.app.wiring.daemon import WHOLE, Part
    from bot.app.wiring.demo import open_embedded
    from bot.app.wiring.serving import panel_backend
    from bot.daemon.roles import run_roles, stopped_by_signals
    from bot.daemon.threads import PassingThreads

    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(PassingThreads())
    reports: dict[str, PageReport] = {}
    articles = 0

    def keep(report: "PageReport") -> None:
        title = report.page.id.title
        if report.unchanged:  # only a part of the page was checked
            _say(f"checked the changed part again: {title}")
            return
        again = " again" if title in reports else ""
        reports[title] = report
        claims = len(report.checks)
        _say(f"checked{again}, {len(reports)} of {articles}: {title} ({claims} claims)")

    parts = WHOLE - ({Part.SERVE} if once else set())
    backend = panel_backend() if Part.SERVE in parts else None
    _say("1/4 loading the model, opening the database")
    embedded = open_embedded(settings, parts, keep, backend, _steps())
    async with embedded as opened:
        daemon, idle = opened.daemon, opened.idle
        articles = opened.articles
        if daemon.address:
            _say(f"status page: {daemon.address}")
        _say(f"2/4 replaying {opened.events} recorded changes")
        _say(f"3/4 checking {articles} articles against the pages they cite")

        async def end(stop: asyncio.Event) -> None:
            if await _has_done_all(idle, stop):
                _say("4/4 writing the report")
                await asyncio.to_thread(
                    _write_report, list(reports.values()), output, daemon.address
                )
                if once:
                    stop.set()

        with stopped_by_signals(stop):
            await run_roles({**daemon.roles, "report": end}, stop)


def _steps() -> "Progress":
    from bot.daemon.progress import LoggedProgress

    class Steps(LoggedProgress):
        """Writes a line for each page and for every 20th claim."""

        checked_claims = 0

        def started(self, claims: int, sources: int) -> None:
            if claims:
                _say(f"    next: {claims} claims, {sources} sources")

        def checked(self, check: "ClaimCheck") -> None:  # noqa: ARG002 - the port's signature
            self.checked_claims += 1
            if self.checked_claims % _EVERY == 0:
                _say(f"    {self.checked_claims} claims checked")

    return Steps()


async def _has_done_all(idle: "Role", stop: asyncio.Event) -> bool:
    done = asyncio.Event()
    idle_task = asyncio.create_task(idle(done))
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait({idle_task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    idle_task.cancel()
    await asyncio.gather(idle_task, waiting, return_exceptions=True)
    return done.is_set()


def _write_report(reports: list["PageReport"], output: Path, address: str) -> None:
    from bot.app.cli.terminal import Format, render, summary

    in_order = sorted(reports, key=lambda report: report.page.id.title)
    write_whole(output, render(in_order, Format.HTML, to_terminal=False))
    places = {"Report": output.resolve().as_uri()}
    if address:
        places["Panel"] = f"{address}/panel/"
        places["Status and dry run"] = address
    end = "The pages stay open until you press Ctrl-C.\n" if address else ""
    write_out(f"{summary(in_order, places)}{end}")
