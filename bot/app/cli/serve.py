"""`sidenote serve`: the status, reports and a dry run's pages, in a browser."""

import asyncio
from pathlib import Path

import click

from bot.app.cli.backend import panel_backend
from bot.app.cli.exits import Exit
from bot.app.cli.writing import write_out
from bot.app.wiring import configure_logging, open_store
from bot.app.wiring.pulse import open_life_sign, open_pulse
from bot.app.wiring.serving import open_server
from bot.app.wiring.world import live_world
from bot.daemon.roles import last_resort, run_roles, stopped_by_signals
from bot.daemon.status.situation import SERVE
from bot.daemon.threads import PassingThreads
from bot.settings import Settings, load_settings


@click.command(name="serve")
@click.pass_obj
def command(settings_file: Path | None) -> Exit:
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
