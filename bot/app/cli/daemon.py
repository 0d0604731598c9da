"""`sidenote daemon`, its parts and `serve`: the commands that run until stopped."""

import asyncio
import gc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.app.cli.terminal import Exit, write_out
from bot.app.wiring.daemon import (
    WHOLE,
    Part,
    open_daemon,
    open_heartbeat,
    open_heartbeat_file,
)
from bot.app.wiring.logs import configure_logging
from bot.app.wiring.serving import open_server, panel_backend
from bot.app.wiring.store import open_store
from bot.app.wiring.wiki import live_world, require_account
from bot.daemon.roles import last_resort, run_roles, stopped_by_signals
from bot.daemon.status.situation import SERVE
from bot.daemon.threads import PassingThreads
from bot.settings import Settings, load_settings

_SINCE = click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%MZ"]),
    help="Start with the changes made since then (UTC), as far back as the feed and the"
    " wiki still list them.",
)


def _command(name: str, summary: str, parts: frozenset[Part]) -> click.Command:
    def run(settings_file: Path | None, since: datetime | None = None) -> Exit:
        since = since and since.replace(tzinfo=UTC)
        if since and since > datetime.now(UTC):
            raise click.BadParameter(
                f"{since:%Y-%m-%d %H:%M} UTC is in the future", param_hint="--since"
            )
        settings = load_settings(settings_file)
        configure_logging(settings)
        asyncio.run(run_live(settings, parts, since))
        return Exit.FINE

    run.__doc__ = summary
    passed: Callable[..., Exit] = click.pass_obj(run)
    if Part.INTAKE in parts:
        passed = _SINCE(passed)
    return click.command(name=name)(passed)


async def run_live(
    settings: Settings, parts: frozenset[Part], since: datetime | None
) -> None:
    """Run parts of the daemon on the wikis in the settings, until stopped.

    Raises:
        PermanentError: it cannot start or continue; the message says what to do.
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
                gc.freeze()  # the garbage collector need not scan what stays for good
                await run_roles({**daemon.roles, "end": last_resort()}, stop)


daemon = _command(
    "daemon",
    """Watch wikis: listen, check, post and serve, all in one process.

    SIGTERM and Ctrl-C stop it within fifteen seconds; no work is lost.
    """,
    WHOLE,
)
intake = _command(
    "intake",
    """Listen to the change feed and put changed pages into the queue.""",
    frozenset({Part.INTAKE}),
)
work = _command(
    "work",
    """Check the pages in the queue; several such processes may share a MariaDB database.""",
    frozenset({Part.WORK}),
)
read = _command(
    "read",
    """Read the sources that workers ask for, where `sources_read` is `elsewhere`.

    It may run on another machine: it shares only the database with the workers.
    """,
    frozenset({Part.READ}),
)
publish = _command(
    "publish",
    """Plan the posts and make them, or show them in a dry run.""",
    frozenset({Part.PUBLISH}),
)


@click.command(name="serve")
@click.pass_obj
def serve(settings_file: Path | None) -> Exit:
    """Serve the status page, metrics, reports and the pages of a dry run.

    It changes nothing and can run beside any number of other processes.
    """
    settings = load_settings(settings_file)
    configure_logging(settings)
    asyncio.run(_serve(settings))
    return Exit.FINE


async def _serve(settings: Settings) -> None:
    # A database that does not answer must not keep the server from stopping.
    asyncio.get_running_loop().set_default_executor(PassingThreads())
    stop = asyncio.Event()
    with open_store(settings) as store, stopped_by_signals(stop):
        backend = panel_backend()(settings, store, live_world(settings))
        async with backend as mounts, open_server(settings, store, mounts) as address:
            write_out(f"{address}/ (Ctrl-C stops it)\n")
            roles = {
                "pulse": open_heartbeat(settings, store, [SERVE]).run,
                "sign of life": open_heartbeat_file(settings, [SERVE]).run,
                "end": last_resort(),
            }
            await run_roles(roles, stop)
