"""How the program logs."""

import logging
import sys

import structlog

from bot.settings import LogFormat, Settings


def configure_logging(settings: Settings) -> None:
    """Log to stderr: readable in a terminal, one JSON object a line elsewhere."""
    readable = settings.log_format is LogFormat.READABLE or (
        settings.log_format is LogFormat.AUTO and sys.stderr.isatty()
    )
    level = logging.getLevelNamesMapping()[settings.log_level.value.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer()
            if readable
            else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    # It tells with a traceback of each connection that a server ended, and those are
    # made again.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
