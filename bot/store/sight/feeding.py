"""How far the feeds were read, and what could not be."""

from collections import defaultdict
from datetime import datetime, timedelta

from sqlalchemy import Connection, case, func, select

from bot.records.changes import DeadReason, Hole, Position
from bot.store.queue_tables import dead_letters, holes, positions
from bot.store.sight.values.running import FeedSight
from bot.store.sight.values.waiting import DAY_S

_MOST_HOLES = 20


def feeds(connection: Connection, now: datetime) -> tuple[FeedSight, ...]:
    """Return each feed that anything was kept of, by name."""
    rows = connection.execute(select(positions).order_by(positions.c.feed))
    dead = _dead(connection, now)
    return tuple(
        FeedSight(
            feed=row.feed,
            newest_at=_newest_at(row.position),
            received_at=row.received_at,
            holes=_holes(connection, row.feed),
            dead_day={why: new for why, (new, _) in dead[row.feed].items() if new},
            dead=sum(kept for _, kept in dead[row.feed].values()),
        )
        for row in rows.all()
    )


def _newest_at(kept: str) -> datetime | None:
    try:
        return Position.parse(kept).newest_at if kept else None
    except ValueError:  # intake tells of it; a look must not fail for it
        return None


def _holes(connection: Connection, feed: str) -> tuple[Hole, ...]:
    rows = connection.execute(
        select(holes.c.since, holes.c.until)
        .where((holes.c.feed == feed) & holes.c.filled_at.is_(None))
        .order_by(holes.c.id.desc())
        .limit(_MOST_HOLES)
    )
    return tuple(Hole(row.since, row.until) for row in rows)


def _dead(
    connection: Connection, now: datetime
) -> dict[str, dict[DeadReason, tuple[int, int]]]:
    """Return how many letters of a feed and reason there are: new ones, and all."""
    since = now - timedelta(seconds=DAY_S)
    is_new = case((dead_letters.c.received_at > since, 1), else_=0)
    rows = connection.execute(
        select(
            dead_letters.c.feed, dead_letters.c.reason, func.sum(is_new), func.count()
        ).group_by(dead_letters.c.feed, dead_letters.c.reason)
    )
    found: dict[str, dict[DeadReason, tuple[int, int]]] = defaultdict(dict)
    for feed, reason, new, kept in rows:
        found[feed][DeadReason[reason]] = (int(new), kept)
    return found
