"""How the program logs."""

import logging
import sys
from time import monotonic
from typing import Any

import structlog

from bot.bootstrap.log_limits import Limited, shortened
from bot.settings import LogFormat, Settings


def configure_logging(settings: Settings) -> None:
    """Log to stderr: readable in a terminal, one JSON object a line elsewhere.

    What nobody reads as it comes is bounded, see `bot.bootstrap.log_limits`, and holds
    what libraries say, too.
    """
    readable = settings.log_format is LogFormat.READABLE or (
        settings.log_format is LogFormat.AUTO and sys.stderr.isatty()
    )
    level = logging.getLevelNamesMapping()[settings.log_level.value.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *([] if readable else [Limited(monotonic)]),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            *([structlog.dev.ConsoleRenderer()] if readable else _AS_JSON),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # logs every index it builds
    # It tells with a traceback of each connection that a server ended, and those are
    # made again.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    if not readable:
        _hear_libraries()


class _Libraries(logging.Handler):
    """Makes lines of ours of what libraries say in their own way."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record; one that cannot be put into words is told by its pattern."""
        try:
            said = record.getMessage()
        except (TypeError, ValueError):
            said = str(record.msg)
        given: dict[str, Any] = {"exc_info": record.exc_info} if record.exc_info else {}
        log = structlog.get_logger()
        log.log(record.levelno, f"{record.name} says", said=said, **given)


def _hear_libraries() -> None:
    root = logging.getLogger()
    if not any(isinstance(one, _Libraries) for one in root.handlers):
        root.addHandler(_Libraries(logging.WARNING))


_AS_JSON = (shortened, structlog.processors.JSONRenderer())
