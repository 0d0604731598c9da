"""Processes that have imported the program before they begin.

Importing it takes a second of processor time, more than most of what tests have such a
process do.
"""

from multiprocessing import get_context
from multiprocessing.context import ForkServerContext

# A process of pytest has one such parent, so all that any test wants is here.
_IMPORTED = (
    "alembic.command",
    "alembic.config",
    "bot.app.cli.check",
    "bot.app.cli.daemon",
    "bot.app.cli.demo",
    "bot.app.cli.run",
    "bot.app.wiring.checks",
    "bot.app.wiring.daemon",
    "bot.app.wiring.serving",
    "bot.daemon.intake.backfill",
    "bot.daemon.intake.event_stream",
    "bot.daemon.intake.queue",
    "bot.daemon.local_reports",
    "bot.daemon.schedule",
    "bot.daemon.web.server",
    "bot.daemon.worker",
    "bot.models.lexical",
    "bot.models.neural",
    "bot.models.operating_points",
    "bot.report.to_html",
    "bot.search.index",
    "bot.sources.reader",
    "bot.store",
    "bot.surfaces.planning.opt_ins",
    "bot.surfaces.planning.planner",
    "bot.surfaces.planning.recheck",
    "bot.wiki.lists",
    "bot.wiki.reader",
    "bot.wiki.session",
    "gadget.wiring",
    "mwclient",
    "openai",
    "pymysql",
    "sqlalchemy.dialects.sqlite",
    "tests.program",
    "tests.torture.pipeline.life",
)


def ready_processes() -> ForkServerContext:
    """Return what makes them: children of one process that imported it once."""
    processes = get_context("forkserver")
    processes.set_forkserver_preload(list(_IMPORTED))
    return processes
