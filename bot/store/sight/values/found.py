"""What was checked and found, and what that cost. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from bot.store.sight.values.written import ToldSight
from handlers.model import CheckKind, SourceOutcome, Verdict


@dataclass(frozen=True, slots=True)
class SourcesSight:
    """Readings by outcome, of the newest check of each page checked in the time."""

    pages: int
    outcomes: Mapping[SourceOutcome, int]

    @property
    def total(self) -> int:
        """Return how many readings there are."""
        return sum(self.outcomes.values())

    @property
    def is_mostly_unread(self) -> bool:
        """Return whether more readings failed than gave a text."""
        return 2 * self.outcomes.get(SourceOutcome.READ, 0) < self.total


@dataclass(frozen=True, slots=True)
class DayOfChecks:
    """The checks of 24 hours up to `until`, and the claims in them."""

    until: datetime
    checks: int
    claims: int
    verdicts: Mapping[Verdict, int]
    unchecked: int


@dataclass(frozen=True, slots=True)
class FindingsSight:
    """What was checked and found.

    `flagged` are open suggestions that are sure enough to be shown, by what they are
    flagged for; `doubtful` the others that are open.
    """

    pages: int
    last_check_at: datetime | None
    days: tuple[DayOfChecks, ...]  # the last 24 hours first
    flagged: Mapping[CheckKind, int]
    doubtful: int
    closed: int
    sources_day: SourcesSight
    sources_week: SourcesSight
    told: tuple[ToldSight, ...]


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What a language model took in the checks of some time."""

    model: str
    calls: int
    remembered: int
    input_tokens: int
    output_tokens: int
    cost: Decimal
