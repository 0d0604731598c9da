"""How the program logs."""

import logging
import sys
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any

import structlog
from structlog import DropEvent

from bot.settings import Settings

_ERRORS = frozenset({"error", "critical", "exception"})
_OTHERS = "of other kinds"  # kinds beyond those that are counted by themselves
_MOST_KINDS = 300
_TEXT_CHARS = 2_000
_TRACE_CHARS = 6_000
_MOST_FIELDS = 40


@dataclass(frozen=True, slots=True)
class LineRate:
    """So many lines at once, and so many a second after that."""

    burst: float
    per_s: float


@dataclass(slots=True)
class _Bucket:
    """Room for lines; it refills over time."""

    rate: LineRate
    room: float
    at_s: float
    left_out: int = 0

    def fill(self, now_s: float) -> None:
        passed_s = max(now_s - self.at_s, 0.0)
        self.room = min(self.rate.burst, self.room + passed_s * self.rate.per_s)
        self.at_s = now_s

    @property
    def is_idle(self) -> bool:
        """Whether it is full again, like a new one."""
        return self.room >= self.rate.burst and not self.left_out


class Limited:
    """A processor for structlog that limits the number of lines; threads may share it.

    Where many programs share one collector, as on Toolforge, an error that repeats a
    thousand times a second must not cost others their lines. Each kind of line (its
    level and event) has a limit; lines above it are counted, and the next line of the
    kind says how many were left out. All kinds together have a limit, too, half of
    which is reserved for errors.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        each: LineRate = LineRate(burst=30, per_s=1),
        all_of_them: LineRate = LineRate(burst=200, per_s=10),
    ) -> None:
        self._now_s = now_s
        self._each = each
        self._all = _Bucket(all_of_them, all_of_them.burst, now_s())
        self._kinds: dict[tuple[str, str], _Bucket] = {}
        self._lock = Lock()

    def __call__(
        self, _logger: Any, level: str, line: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """Let a line through, or drop it.

        Raises:
            DropEvent: there is no room for it.
        """
        with self._lock:
            left_out = self._taken(level, str(line.get("event", "")))
        if left_out:
            line["left_out"] = left_out
        return line

    def _taken(self, level: str, event: str) -> int:
        now_s = self._now_s()
        kind = self._kind(level, event, now_s)
        for bucket in (kind, self._all):
            bucket.fill(now_s)
        reserve = 0.0 if level in _ERRORS else self._all.rate.burst / 2
        if kind.room < 1 or self._all.room < 1 + reserve:
            kind.left_out += 1
            raise DropEvent
        kind.room -= 1
        self._all.room -= 1
        left_out, kind.left_out = kind.left_out, 0
        return left_out

    def _kind(self, level: str, event: str, now_s: float) -> _Bucket:
        name = (level, event)
        if name not in self._kinds and len(self._kinds) >= _MOST_KINDS:
            self._forget_idle(now_s)
        if name not in self._kinds and len(self._kinds) >= _MOST_KINDS:
            name = (level, _OTHERS)
        return self._kinds.setdefault(
            name, _Bucket(self._each, self._each.burst, now_s)
        )

    def _forget_idle(self, now_s: float) -> None:
        """Forget kinds that have not come up lately: over weeks they become many."""
        for name, kind in list(self._kinds.items()):
            kind.fill(now_s)
            if kind.is_idle:
                del self._kinds[name]


def shortened(
    _logger: Any, _level: str, line: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Clip long values: text at its end, a stack trace at its beginning."""
    for name in list(line)[_MOST_FIELDS:]:
        del line[name]
    for name, value in line.items():
        text = value if isinstance(value, str) else repr(value)
        if name == "exception" and len(text) > _TRACE_CHARS:
            line[name] = f"…{text[-_TRACE_CHARS:]}"
        elif len(text) > _TEXT_CHARS and name != "exception":
            line[name] = f"{text[:_TEXT_CHARS]}…"
    return line


def configure_logging(settings: Settings) -> None:
    """Log to stderr: readable in a terminal, one JSON object a line elsewhere.

    Outside a terminal, `Limited` bounds the log, including messages from libraries.
    """
    readable = sys.stderr.isatty()
    level = logging.getLevelNamesMapping()[settings.log_level.value.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *([] if readable else [Limited(monotonic)]),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            *(
                [structlog.dev.ConsoleRenderer()]
                if readable
                else [shortened, structlog.processors.JSONRenderer()]
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # logs every index it builds
    # The pool logs a traceback for each connection that the server closed; these are
    # reopened.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    if not readable:
        _log_libraries()


class _Libraries(logging.Handler):
    """Turns the log records of libraries into lines like ours."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record; if its message cannot be formatted, log the pattern."""
        try:
            text = record.getMessage()
        except (TypeError, ValueError):
            text = str(record.msg)
        given: dict[str, Any] = {"exc_info": record.exc_info} if record.exc_info else {}
        log = structlog.get_logger()
        log.log(record.levelno, f"{record.name} says", said=text, **given)


def _log_libraries() -> None:
    root = logging.getLogger()
    if not any(isinstance(one, _Libraries) for one in root.handlers):
        root.addHandler(_Libraries(logging.WARNING))
