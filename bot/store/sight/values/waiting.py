"""What waits to be done, and since when. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.records.dossiers import DraftState
from bot.records.jobs import JobState, ParkedJob
from bot.records.watches import FailingPlan, PlanKind

DAY_S = 86_400.0
WEEK_S = 7 * DAY_S
AGES_S = (60.0, 600.0, 3600.0, DAY_S)
"""Where the ages of a queue are parted; one more class has what is older."""


@dataclass(frozen=True, slots=True)
class Ages:
    """How many there are in each class of age, and the time of the oldest.

    `counts` has one number more than `AGES_S`. `to_come` are those whose time is
    still ahead.
    """

    to_come: int = 0
    counts: tuple[int, ...] = (0,) * (len(AGES_S) + 1)
    oldest_at: datetime | None = None

    @property
    def total(self) -> int:
        """Return how many there are in all."""
        return self.to_come + self.come

    @property
    def come(self) -> int:
        """Return how many there are whose time has come."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class QueueSight:
    """The pages by state; ages count from when they were due, begun, parked or done."""

    states: Mapping[JobState, Ages]
    parked: tuple[ParkedJob, ...]  # the newest
    why_parked: tuple[tuple[str, int], ...]  # reasons, the most frequent first
    next_due_at: datetime | None
    failing: int  # waiting after a failure


@dataclass(frozen=True, slots=True)
class ReadingsSight:
    """How many sources workers wait for that others are to read, and since when."""

    waiting: int = 0
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class PlansSight:
    """What has to be planned anew: how much waits of each kind, since when."""

    waiting: Mapping[PlanKind, Ages]
    failing: tuple[FailingPlan, ...]


@dataclass(frozen=True, slots=True)
class DraftsSight:
    """How many drafts that people asked for are in each state, and since when.

    `why_none` counts the reasons why there is none, the most frequent first.
    """

    states: Mapping[DraftState, Ages]
    why_none: tuple[tuple[str, int], ...] = ()
