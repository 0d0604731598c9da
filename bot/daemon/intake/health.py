"""How intake is doing, at any time. Pure."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Health:
    """What is known of the feed since the program began.

    `newest_at` is when the newest event came about, `heard_at` when it reached us;
    canaries count, as all events do, wanted or not. `problem` is in words for the
    operator, and gone once an event has come.
    """

    is_connected: bool = False
    newest_at: datetime | None = None
    heard_at: datetime | None = None
    problem: str | None = None
    connections: int = 0
    silences: int = 0  # times that the feed gave no event for too long
    events: int = 0
    changes: int = 0
    repeated: int = 0  # changes that had come before
    dead_letters: int = 0
    holes: int = 0

    def lag_s(self, now: datetime) -> float | None:
        """Return how far behind the wikis we are, `None` before the first event.

        While connected that is how old the newest event was on arrival: a feed
        that is merely quiet is not behind. Without a connection it grows.
        """
        if self.newest_at is None or self.heard_at is None:
            return None
        until = self.heard_at if self.is_connected else now
        return max((until - self.newest_at).total_seconds(), 0.0)

    def silent_s(self, now: datetime) -> float | None:
        """Return how long ago the last event came, `None` before the first."""
        if self.heard_at is None:
            return None
        return max((now - self.heard_at).total_seconds(), 0.0)
