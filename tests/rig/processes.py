"""Processes that have imported the program before they begin.

Importing it takes a second of processor time, more than most of what tests have such a
process do.
"""

from multiprocessing import get_context
from multiprocessing.context import ForkServerContext

_IMPORTED = (
    "bot.app.cli.check",
    "bot.app.cli.daemon",
    "bot.app.cli.demo",
    "bot.app.cli.run",
    "bot.app.wiring.checks",
    "bot.app.wiring.daemon",
    "bot.daemon.local_reports",
    "bot.models.neural",
    "bot.report.to_html",
    "bot.search.index",
    "bot.store",
    "gadget.wiring",
    "tests.program",
)


def ready_processes() -> ForkServerContext:
    """Return what makes them: children of one process that imported it once."""
    processes = get_context("forkserver")
    processes.set_forkserver_preload(list(_IMPORTED))
    return processes
