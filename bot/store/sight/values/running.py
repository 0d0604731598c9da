"""What runs, what it follows, and for whom. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.records.changes import DeadReason, Hole
from bot.records.watches import CommunityPage, WatcherKind


@dataclass(frozen=True, slots=True)
class FeedSight:
    """How far a feed was read.

    `newest_at` is the time of the newest event that was kept, `received_at` when
    that was.
    """

    feed: str
    newest_at: datetime | None
    received_at: datetime
    holes: tuple[Hole, ...]  # still to be filled
    dead_day: Mapping[DeadReason, int]  # letters of the last 24 hours
    dead: int  # all that are kept

    def lag_s(self, now: datetime, *, quiet_s: float = 120.0) -> float | None:
        """Return how far behind the wikis we are; `None` before the first event.

        While events come that is how old the newest was on arrival; once none came
        for `quiet_s`, it grows, for nobody can tell a quiet feed from a lost one.
        """
        if self.newest_at is None:
            return None
        is_heard = (now - self.received_at).total_seconds() <= quiet_s
        until = self.received_at if is_heard else now
        return max((until - self.newest_at).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True)
class WatchesSight:
    """The opt-ins of one wiki that are in force."""

    wiki: str
    kinds: Mapping[WatcherKind, int]
    pages: int  # each counted once
    talk: int  # watches that want notes on talk pages


@dataclass(frozen=True, slots=True)
class CommunitySight:
    """A wiki's configuration page as it was read last."""

    wiki: str
    page: CommunityPage


@dataclass(frozen=True, slots=True)
class TurnSight:
    """A scheduled task: when it was begun last, and who holds it until when."""

    name: str
    last_run_at: datetime | None
    holder: str
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A process of the program, as it said itself.

    `name` is the same from its start to its end. `figures` are what it measured of
    itself, names with units (`lag_s`); `problem` is in words, empty if there is none.
    """

    name: str
    role: str
    host: str
    pid: int
    version: str
    started_at: datetime
    seen_at: datetime
    every_s: float = 15.0
    problem: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)

    def is_fresh(self, now: datetime) -> bool:
        """Tell whether it was heard of lately: within three of its beats."""
        return (now - self.seen_at).total_seconds() <= 3 * self.every_s
