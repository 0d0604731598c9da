"""What readers of the panel decided, as far as it counts still."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from bot.records.accounts import DecisionKind, Tally
from bot.store import decision_counts


@dataclass(frozen=True, slots=True)
class DecidedSight:
    """What readers of the panel decided at `since` or later, and what they closed.

    `kinds` are standing decisions; `closed` are all suggestions that two refused.
    """

    since: datetime
    kinds: Mapping[DecisionKind, int]
    closed: int
    tallies: tuple[Tally, ...]


def decided(connection: Connection, since: datetime) -> DecidedSight:
    """Count the decisions at `since` or later."""
    kinds, closed = decision_counts.counts(connection, since)
    return DecidedSight(
        since, kinds, closed, decision_counts.tallies(connection, since)
    )
