"""What processes say of themselves, and whether they run, whatever their clocks show."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

_BEATS = 3  # without a word, after which a process counts as gone


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
        """Tell whether it was heard of lately: within some of its beats."""
        return (now - self.seen_at).total_seconds() <= _BEATS * self.every_s


@dataclass(slots=True)
class Heard:
    """Remembers when each process was heard of last.

    Its word is new that differs from the last one; a time in it is believed only while
    there is no other to hold it against.

    Args:
        clock: monotonic, in seconds.
    """

    clock: Callable[[], float]
    _last: dict[str, tuple[datetime, float]] = field(default_factory=dict)

    def any_runs(self, beats: Iterable[Heartbeat], now: datetime) -> bool:
        """Tell whether any of some processes runs."""
        now_s = self.clock()
        beats = tuple(beats)
        self._last = {one.name: self._heard(one, now, now_s) for one in beats}
        return any(
            now_s - self._last[one.name][1] <= _BEATS * one.every_s for one in beats
        )

    def _heard(
        self, beat: Heartbeat, now: datetime, now_s: float
    ) -> tuple[datetime, float]:
        before = self._last.get(beat.name)
        if before is None:
            return beat.seen_at, now_s if beat.is_fresh(now) else float("-inf")
        return before if before[0] == beat.seen_at else (beat.seen_at, now_s)
