"""One life of the daemon: all its parts in a process that somebody will kill.

Processes are forked from one that has imported everything already, so that a life
begins within a moment of the end of the one before.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path

from bot.app.wiring import checks, daemon
from bot.app.wiring.daemon import WHOLE, open_daemon
from bot.app.wiring.logs import configure_logging
from bot.app.wiring.wiki import live_world
from bot.daemon.roles import run_roles, stopped_by_signals
from bot.daemon.threads import PassingThreads
from bot.settings import load_settings
from tests.rig.processes import ready_processes
from tests.torture.pipeline.edit_judge import EditJudge
from tests.torture.pipeline.haste import LEASE_S, open_hasty_store
from tests.torture.pipeline.holdings import Notes

_IDLE_S = 0.05
_REPORTS_S = 1.0


def begin(environment: Mapping[str, str], log: Path, holdings: Path) -> BaseProcess:
    """Begin a life with these settings; what it says is added to `log`.

    What it takes in hand is added to `holdings`.
    """
    given = (dict(environment), log, holdings)
    process = ready_processes().Process(target=live, args=given, daemon=True)
    process.start()
    return process


def live(environment: Mapping[str, str], log: Path, holdings: Path) -> None:
    """Run the daemon until it is told to stop, or killed."""
    os.environ.update(environment)
    with log.open("a", buffering=1) as output:
        sys.stdout = sys.stderr = output
        settings = load_settings(None)
        configure_logging(settings)
        daemon._REPORTS_S = _REPORTS_S
        checks.open_verifier = lambda settings: EditJudge()  # noqa: ARG005
        asyncio.run(_live(holdings))


async def _live(holdings: Path) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(PassingThreads())
    settings = load_settings(None)
    world = replace(live_world(settings), idle_s=_IDLE_S)
    with open_hasty_store(settings) as store:
        Notes(holdings).follow(store, LEASE_S)
        async with open_daemon(settings, store, world, WHOLE) as daemon:
            with stopped_by_signals(stop):
                await run_roles(daemon.roles, stop)
