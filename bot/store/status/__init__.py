"""How the program is doing, read from the database in one go.

What it costs: a few sums over the tables, none of them over texts, and a look at each
decision of readers that counts. It is made for a
look every few seconds, not for each request of a crowd.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from bot.store.fetches import waiting_fetches
from bot.store.processes import Heartbeat, known_processes
from bot.store.status.findings import (
    configured,
    costs_since,
    decided,
    findings,
    in_turn,
    planned,
    spent_today,
    told,
    watched,
)
from bot.store.status.values import (
    AGES_S,
    DAY_S,
    WEEK_S,
    Ages,
    CommunitySight,
    DayOfChecks,
    DecidedSight,
    DraftsSight,
    FeedSight,
    FindingsSight,
    ModelCost,
    PlansSight,
    PostLine,
    PostsSight,
    QueueSight,
    ReadingsSight,
    Sight,
    SourcesSight,
    SpendingSight,
    ToldSight,
    TurnSight,
    Used,
    WatchesSight,
)
from bot.store.status.work import drafted, feeds, posted, queue

__all__ = [
    "AGES_S",
    "DAY_S",
    "WEEK_S",
    "Ages",
    "CommunitySight",
    "DayOfChecks",
    "DecidedSight",
    "DraftsSight",
    "FeedSight",
    "FindingsSight",
    "Heartbeat",
    "ModelCost",
    "PlansSight",
    "PostLine",
    "PostsSight",
    "QueueSight",
    "ReadingsSight",
    "Sight",
    "SourcesSight",
    "SpendingSight",
    "ToldSight",
    "TurnSight",
    "Used",
    "WatchesSight",
    "sight",
]


def sight(connection: Connection, now: datetime, decided_since: datetime) -> Sight:
    """Return all that the database tells; of decisions only those that count still."""
    return Sight(
        at=now,
        queue=queue(connection, now),
        plans=planned(connection, now),
        posts=posted(connection, now),
        findings=findings(connection, now, told(connection)),
        decided=decided(connection, decided_since),
        feeds=feeds(connection, now),
        watches=watched(connection),
        communities=configured(connection),
        turns=in_turn(connection),
        processes=known_processes(connection),
        costs_day=costs_since(connection, now - timedelta(seconds=DAY_S)),
        costs_week=costs_since(connection, now - timedelta(seconds=WEEK_S)),
        drafts=drafted(connection, now),
        readings=ReadingsSight(*waiting_fetches(connection, now)),
        spending=spent_today(connection, now),
    )
