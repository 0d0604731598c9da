"""Which processes run, and how they are doing, by their own account. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

_BEATS = 3  # how many heartbeats a process may miss before it counts as gone


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A process of the program, by its own account.

    `name` stays the same from start to end. `figures` are its own measurements, named
    with their units (`lag_s`); `problem` is in words, empty if there is none.
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
        """Return whether its last heartbeat is recent: within a few intervals."""
        return (now - self.seen_at).total_seconds() <= _BEATS * self.every_s


@dataclass(slots=True)
class LastSeen:
    """Remembers when each process had its last heartbeat.

    A heartbeat is new if it differs from the last one. Its own time is only trusted
    while there is no earlier heartbeat to compare it with.

    Args:
        clock: monotonic, in seconds.
    """

    clock: Callable[[], float]
    _last: dict[str, tuple[datetime, float]] = field(default_factory=dict)

    def any_runs(self, beats: Iterable[Heartbeat], now: datetime) -> bool:
        """Return whether any of these processes runs."""
        now_s = self.clock()
        beats = tuple(beats)
        self._last = {one.name: self._last_seen(one, now, now_s) for one in beats}
        return any(
            now_s - self._last[one.name][1] <= _BEATS * one.every_s for one in beats
        )

    def _last_seen(
        self, beat: Heartbeat, now: datetime, now_s: float
    ) -> tuple[datetime, float]:
        before = self._last.get(beat.name)
        if before is None:
            return beat.seen_at, now_s if beat.is_fresh(now) else float("-inf")
        return before if before[0] == beat.seen_at else (beat.seen_at, now_s)


# What is wrong with the program as a whole: the kinds, and since when.


class HealthProblemKind(Enum):
    """What an operator has to know at once; the value is its name in metrics."""

    FEED = "feed"  # nobody reads the change feed, or it is far behind
    STOPPED = "stopped"  # somebody stopped a task on its stop page
    BLOCKED = "blocked"  # the account is blocked
    ACCOUNT = "account"  # it may not edit, or cannot log in
    BUDGET = "budget"  # the language model's budget for the day is spent
    QUEUE = "queue"  # pages that are due are not checked
    POSTS = "posts"  # posts that are due are not made
    OPT_INS = "opt-ins"  # somebody opted in, and the opt-in has not been read


OF_THE_WIKI = frozenset({HealthProblemKind.STOPPED, HealthProblemKind.BLOCKED})
"""The parts that ask the wiki; the others can be seen in the database."""


@dataclass(frozen=True, slots=True)
class HealthProblem:
    """Something that is wrong; `subject` separates several of a kind (by wiki)."""

    kind: HealthProblemKind
    what: str
    remedy: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Incident:
    """A problem, when it began, and when it ended if it has."""

    problem: HealthProblem
    since: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class HealthChange:
    """What an operator has not been notified of yet."""

    begun: tuple[Incident, ...] = ()
    ended: tuple[Incident, ...] = ()
