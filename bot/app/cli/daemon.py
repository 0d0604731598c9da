"""`sidenote daemon`, its parts and `serve`: the commands that run until stopped."""

import asyncio
import gc
from datetime import UTC, datetime

import click

from bot.app.cli.options import pass_settings
from bot.app.cli.terminal import Exit, write_out
from bot.app.wiring.daemon import (
    WHOLE,
    Daemon,
    Part,
    open_daemon,
)
from bot.app.wiring.serving import panel_backend
from bot.app.wiring.store import open_store
from bot.app.wiring.wiki import live_world, require_account
from bot.daemon.roles import last_resort, run_roles, stopped_by_signals
from bot.daemon.threads import PassingThreads
from bot.settings import Settings

_SINCE = click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%MZ"]),
    help="Start with the changes made since then (UTC), as far back as the feed and the"
    " wiki still list them.",
)


def _command(
    name: str, summary: str, parts: frozenset[Part], *, patrols: bool = False
) -> click.Command:
    def run(settings: Settings, since: datetime | None = None) -> Exit:
        if patrols and not settings.patrol:
            settings = settings.model_copy(update={"patrol": ("on",)})
        since = since and since.replace(tzinfo=UTC)
        if since and since > datetime.now(UTC):
            raise click.BadParameter(
                f"{since:%Y-%m-%d %H:%M} UTC is in the future", param_hint="--since"
            )
        asyncio.run(run_live(settings, parts, since))
        return Exit.FINE

    run.__doc__ = summary
    passed = pass_settings(run)
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
                write_out(_first_line(daemon, parts))
                gc.freeze()  # the garbage collector need not scan what stays for good
                await run_roles({**daemon.roles, "end": last_resort()}, stop)


def _first_line(daemon: Daemon, parts: frozenset[Part]) -> str:
    if parts == {Part.SERVE}:
        return f"{daemon.address}/ (Ctrl-C stops it)\n"
    names = {part.value for part in parts}
    if daemon.settings.patrol and parts & {Part.INTAKE, Part.WORK}:
        names.add("patrol")
    what = ", ".join(sorted(names))
    where = f"; see {daemon.address}" if daemon.address else ""
    posts = "a dry run" if daemon.world.is_dry else "posts are live"
    return f"{what} for {', '.join(daemon.world.wikis)} ({posts}){where}\n"


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

patrol = _command(
    "patrol",
    """Look at all edits of the wikis, not only at those of watched pages.

    An edit that moved a claim away from its source is noted for the panel and its
    queue, and nothing is posted. It is `daemon` without `publish`, with `patrol` set
    to `on` if the settings name no wikis.
    """,
    frozenset({Part.INTAKE, Part.WORK, Part.SERVE}),
    patrols=True,
)


serve = _command(
    "serve",
    """Serve the status page, metrics, reports and the pages of a dry run.

    It changes nothing and can run beside any number of other processes.
    """,
    frozenset({Part.SERVE}),
)
