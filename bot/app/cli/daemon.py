"""`sidenote daemon`, its parts, `run` and `serve`: what goes on until it is stopped."""

import asyncio
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.app.cli.backend import panel_backend
from bot.app.cli.terminal import Exit, require_place_for, write_out, write_whole
from bot.app.wiring import configure_logging, open_store
from bot.app.wiring.daemon import WHOLE, Part, open_daemon, open_life_sign, open_pulse
from bot.app.wiring.serving import open_server
from bot.app.wiring.wiki import live_world, require_account
from bot.daemon.idle import UntilIdle
from bot.daemon.roles import last_resort, run_roles, stopped_by_signals
from bot.daemon.status.situation import SERVE
from bot.daemon.threads import PassingThreads
from bot.settings import Settings, load_settings

if TYPE_CHECKING:
    from bot.report import PageReport

_DEFAULT_REPORT = Path("sidenote-report.html")
_SINCE = click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%MZ"]),
    help="Also take up changes made since then (UTC), as far back as the feed and then"
    " the wiki itself still tell of them.",
)


def _command(name: str, told: str, parts: frozenset[Part]) -> click.Command:
    def run(settings_file: Path | None, since: datetime | None = None) -> Exit:
        since = since and since.replace(tzinfo=UTC)
        if since and since > datetime.now(UTC):
            raise click.BadParameter(
                f"{since:%Y-%m-%d %H:%M} UTC is still to come", param_hint="--since"
            )
        settings = load_settings(settings_file)
        configure_logging(settings)
        asyncio.run(run_live(settings, parts, since))
        return Exit.FINE

    run.__doc__ = told
    passed: Callable[..., Exit] = click.pass_obj(run)
    if Part.INTAKE in parts:
        passed = _SINCE(passed)
    return click.command(name=name)(passed)


async def run_live(
    settings: Settings, parts: frozenset[Part], since: datetime | None
) -> None:
    """Run parts of the daemon on the wikis that the settings name, until stopped.

    Raises:
        PermanentError: it cannot begin, or cannot go on; the message says what to do.
    """
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(PassingThreads())
    if parts & {Part.INTAKE, Part.PUBLISH}:
        require_account(settings)
    world = live_world(settings)
    with open_store(settings) as store:
        backend = panel_backend() if Part.SERVE in parts else None
        async with open_daemon(
            settings, store, world, parts, since=since, backend=backend
        ) as daemon:
            with stopped_by_signals(stop):
                what = ", ".join(sorted(part.value for part in parts))
                where = f"; see {daemon.address}" if daemon.address else ""
                posts = "a dry run" if world.is_dry else "posts are live"
                write_out(f"{what} for {', '.join(world.wikis)} ({posts}){where}\n")
                await run_roles({**daemon.roles, "end": last_resort()}, stop)


daemon = _command(
    "daemon",
    """Watch wikis: listen, look, post and show, all in one process.

    SIGTERM and Ctrl-C end it within fifteen seconds; nothing is lost by ending it.
    """,
    WHOLE,
)
intake = _command(
    "intake",
    """Listen to the change feed and let pages wait that changed; nothing else.""",
    frozenset({Part.INTAKE}),
)
work = _command(
    "work",
    """Look at the pages that wait; several such processes may share a MariaDB.""",
    frozenset({Part.WORK}),
)
read = _command(
    "read",
    """Read the sources that workers ask for, where `sources_read` is `elsewhere`.

    It can run on another machine than they do: all that both need is the database.
    """,
    frozenset({Part.READ}),
)
publish = _command(
    "publish",
    """Plan what is to be written for people, and post it (or show it, in a dry run).""",
    frozenset({Part.PUBLISH}),
)


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
def run_command(settings_file: Path | None, once: bool, output: Path) -> Exit:
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
    from bot.app.wiring.demo import open_embedded  # noqa: PLC0415 - only for this

    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(PassingThreads())
    reports: dict[str, PageReport] = {}

    def keep(report: "PageReport") -> None:
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
                _write_report(list(reports.values()), output, daemon.address)
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


def _write_report(reports: list["PageReport"], output: Path, address: str) -> None:
    from bot.app.cli.output import Format, overview, render  # noqa: PLC0415 - only for this

    in_order = sorted(reports, key=lambda report: report.page.id.title)
    write_whole(output, render(in_order, Format.HTML, to_terminal=False))
    lines = [overview(in_order), f"The whole report: {output.resolve()}"]
    if address:
        lines.append(f"The panel beside the articles, as on a wiki: {address}/panel/")
        lines.append(f"Reports, what would be posted, and how it is doing: {address}")
        lines.append("It goes on listening. Ctrl-C ends it.")
    write_out("\n".join(lines) + "\n")


@click.command(name="serve")
@click.pass_obj
def serve(settings_file: Path | None) -> Exit:
    """Serve status, metrics, reports and a dry run's pages until stopped.

    It changes nothing; any number of other processes may work meanwhile.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    asyncio.run(_serve(settings))
    return Exit.FINE


async def _serve(settings: Settings) -> None:
    # A look at a database that does not answer must not keep the server from ending.
    asyncio.get_running_loop().set_default_executor(PassingThreads())
    stop = asyncio.Event()
    with open_store(settings) as store, stopped_by_signals(stop):
        backend = panel_backend()(settings, store, live_world(settings))
        async with backend as mounts, open_server(settings, store, mounts) as address:
            write_out(f"{address}/ (Ctrl-C ends it)\n")
            roles = {
                "pulse": open_pulse(settings, store, [SERVE]).run,
                "sign of life": open_life_sign(settings, [SERVE]).run,
                "end": last_resort(),
            }
            await run_roles(roles, stop)
