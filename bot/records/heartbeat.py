"""Tells whether processes on other machines run, whatever their clocks show. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

_BEATS = 3  # without a word, after which a process counts as gone


class Beat(Protocol):
    """What a process said of itself last."""

    @property
    def name(self) -> str:
        """The same from its start to its end."""
        ...

    @property
    def seen_at(self) -> datetime:
        """When that was, by its own clock."""
        ...

    @property
    def every_s(self) -> float:
        """How often it does."""
        ...

    def is_fresh(self, now: datetime) -> bool:
        """Tell whether that was lately, if its clock is right."""
        ...


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

    def any_runs(self, beats: Iterable[Beat], now: datetime) -> bool:
        """Tell whether any of some processes runs."""
        now_s = self.clock()
        told = tuple(beats)
        self._last = {one.name: self._heard(one, now, now_s) for one in told}
        return any(
            now_s - self._last[one.name][1] <= _BEATS * one.every_s for one in told
        )

    def _heard(self, beat: Beat, now: datetime, now_s: float) -> tuple[datetime, float]:
        before = self._last.get(beat.name)
        if before is None:
            return beat.seen_at, now_s if beat.is_fresh(now) else float("-inf")
        return before if before[0] == beat.seen_at else (beat.seen_at, now_s)
