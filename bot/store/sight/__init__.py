"""How the program is doing, read from the database in one go.

What it costs: a few sums over the tables, none of them over texts, and a look at each
decision of readers that counts. It is made for a
look every few seconds, not for each request of a crowd.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from bot.store import readings
from bot.store.sight import (
    costs,
    drafts,
    feeding,
    findings,
    posting,
    processes,
    standing,
    work,
)
from bot.store.sight.decided import DecidedSight, decided
from bot.store.sight.spent import SpendingSight, spent_today
from bot.store.sight.values.found import (
    DayOfChecks,
    FindingsSight,
    ModelCost,
    SourcesSight,
)
from bot.store.sight.values.running import (
    CommunitySight,
    FeedSight,
    Heartbeat,
    TurnSight,
    WatchesSight,
)
from bot.store.sight.values.waiting import (
    AGES_S,
    DAY_S,
    WEEK_S,
    Ages,
    DraftsSight,
    PlansSight,
    QueueSight,
    ReadingsSight,
)
from bot.store.sight.values.whole import Sight
from bot.store.sight.values.written import PostLine, PostsSight, ToldSight, Used

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
        queue=work.queue(connection, now),
        plans=standing.planned(connection, now),
        posts=posting.posted(connection, now),
        findings=findings.findings(connection, now, standing.told(connection)),
        decided=decided(connection, decided_since),
        feeds=feeding.feeds(connection, now),
        watches=standing.watched(connection),
        communities=standing.configured(connection),
        turns=standing.in_turn(connection),
        processes=processes.known(connection),
        costs_day=costs.since(connection, now - timedelta(seconds=DAY_S)),
        costs_week=costs.since(connection, now - timedelta(seconds=WEEK_S)),
        drafts=drafts.drafted(connection, now),
        readings=ReadingsSight(*readings.waiting(connection, now)),
        spending=spent_today(connection, now),
    )
