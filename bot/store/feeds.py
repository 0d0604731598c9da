"""How far a feed was read, with what came of it, within a transaction of the caller's."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from bot.records.changes import Batch, DeadLetter, DeadReason, Hole, Position
from bot.records.jobs import PageJob
from bot.records.watches import Wish
from bot.store import enqueue, hidden_pages, planning, sanitise
from bot.store.queue_tables import dead_letters, holes, positions

_RAW_BYTES = 60_000  # of a dead letter; a column of MariaDB holds 65,535


def position(connection: Connection, feed: str) -> Position | None:
    """Return how far `feed` was read; `None` if nothing of it was kept yet.

    Raises:
        ValueError: what is kept is not a position.
    """
    kept = connection.scalar(
        select(positions.c.position).where(positions.c.feed == feed)
    )
    return Position.parse(kept) if kept else None


def keep(
    connection: Connection,
    feed: str,
    batch: Batch,
    found: Iterable[PageJob],
    wishes: Iterable[Wish] = (),
) -> int:
    """Keep what was read of `feed`, and what came of it; return how many jobs are new.

    What was found of a page goes that its wiki hides or deletes. A batch that was kept
    before, by a first try whose answer was lost, changes nothing.
    """
    if not _keep_position(connection, sanitise.key(feed, "feed"), batch):
        return 0
    _keep_dead_letters(connection, feed, batch.dead_letters, batch.received_at)
    _keep_holes(connection, feed, batch.holes)
    anew = hidden_pages.take_back(connection, batch.changes, batch.received_at)
    news = enqueue.put_all(connection, [*found, *anew])
    planning.ask(connection, wishes, batch.received_at)
    return news


def _keep_position(connection: Connection, feed: str, batch: Batch) -> bool:
    known = connection.execute(
        select(positions).where(positions.c.feed == feed).with_for_update()
    ).one_or_none()
    # Not "later or at once": a clock that was set back would lose all that comes.
    if known is not None and known.received_at == batch.received_at:
        return False
    values: dict[str, Any] = {"received_at": batch.received_at}
    if batch.position is not None:
        values["position"] = batch.position.text
    if known is None:
        fresh = {"feed": feed, "position": "", **values}
        connection.execute(insert(positions).values(**fresh))
    else:
        connection.execute(
            update(positions).where(positions.c.feed == feed).values(**values)
        )
    return True


def _keep_dead_letters(
    connection: Connection, feed: str, letters: Sequence[DeadLetter], now: datetime
) -> None:
    if letters:
        connection.execute(
            insert(dead_letters),
            [
                {
                    "feed": feed,
                    "received_at": now,
                    "reason": letter.reason.name,
                    "detail": sanitise.text(letter.detail),
                    "raw": letter.raw[:_RAW_BYTES],
                    "size_bytes": letter.size_bytes,
                }
                for letter in letters
            ],
        )


def _keep_holes(connection: Connection, feed: str, found: Sequence[Hole]) -> None:
    if found:
        rows = [{"feed": feed, "since": one.since, "until": one.until} for one in found]
        connection.execute(insert(holes), rows)


def dead(connection: Connection, limit: int) -> tuple[DeadLetter, ...]:
    """Return events that could not be read, the newest first."""
    rows = connection.execute(
        select(dead_letters).order_by(dead_letters.c.id.desc()).limit(limit)
    )
    return tuple(
        DeadLetter(DeadReason[row.reason], row.detail, bytes(row.raw), row.size_bytes)
        for row in rows
    )


def open_holes(connection: Connection, feed: str) -> tuple[tuple[int, Hole], ...]:
    """Return the times of `feed` that are still to be asked for, with their numbers."""
    rows = connection.execute(
        select(holes)
        .where((holes.c.feed == feed) & holes.c.filled_at.is_(None))
        .order_by(holes.c.id)
    )
    return tuple((row.id, Hole(row.since, row.until)) for row in rows)


def fill_hole(connection: Connection, number: int, now: datetime) -> None:
    """Note that the changes of such a time were asked for and kept."""
    connection.execute(update(holes).where(holes.c.id == number).values(filled_at=now))


def forget(connection: Connection, feed: str) -> None:
    """Remove a feed's position, with its dead letters and holes."""
    connection.execute(delete(positions).where(positions.c.feed == feed))
