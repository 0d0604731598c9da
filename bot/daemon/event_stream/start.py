"""From where on a feed is read. Pure."""

from dataclasses import dataclass
from datetime import datetime

from bot.records.changes import Position
from handlers.ports import PermanentError


@dataclass(frozen=True, slots=True)
class Start:
    """After a position, else from a time on, else with what comes next."""

    position: Position | None = None
    since: datetime | None = None


class StartRefusedError(PermanentError):
    """The server does not take this start; it may take another."""
