"""Forgets who readers of the panel were, in small transactions.

What they decided and judged stays, without them: what it closed must stay closed, and
what it says of precision is nobody's. A reader who comes back after that is a stranger.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    delete,
    select,
    tuple_,
    update,
)

from bot.store.reader_tables import (
    decisions,
    judgements,
    kept_answers,
    looks,
    reader_sessions,
    sign_ins,
)
from bot.store.transactions import Transactions

_ANSWERS_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ReaderCounts:
    """How many rows were removed, and from how many a reader was taken."""

    keys: int
    sessions: int
    answers: int
    looks: int


def sweep_readers(
    database: Transactions, now: datetime, names: datetime, batch: int
) -> ReaderCounts:
    """Forget readers whose decisions are older than `names`, and what has run out.

    Raises:
        PermanentError, TemporaryError: for what a database can do; what was removed
            before stays removed.
    """

    def gone(table: Table, due: ColumnElement[bool]) -> int:
        return _all(database, table, due, batch, None)

    def nameless(table: Table, at: ColumnElement[datetime]) -> int:
        due = (at < names) & table.c.reader.is_not(None)
        return _all(database, table, due, batch, {"reader": None})

    return ReaderCounts(
        keys=nameless(decisions, decisions.c.decided_at)
        + nameless(judgements, judgements.c.judged_at),
        sessions=gone(reader_sessions, reader_sessions.c.expires_at <= now)
        + gone(sign_ins, sign_ins.c.expires_at <= now),
        answers=gone(kept_answers, kept_answers.c.kept_at < now - _ANSWERS_FOR),
        looks=gone(looks, looks.c.changed_at < names),
    )


def _all(
    database: Transactions,
    table: Table,
    due: ColumnElement[bool],
    batch: int,
    values: dict[str, Any] | None,
) -> int:
    """Remove rows, or set them to `values`, which makes them no longer due."""
    keys = tuple(table.primary_key.columns)
    found = 0
    while True:
        rows = database.read(_listed(select(*keys).where(due).limit(batch)))
        done = database.write(_changed(table, rows, due, values)) if rows else 0
        if not done:
            return found
        found += done


def _listed(wanted: Any) -> Callable[[Connection], list[Row[Any]]]:
    return lambda made: list(made.execute(wanted))


def _changed(
    table: Table,
    rows: list[Row[Any]],
    due: ColumnElement[bool],
    values: dict[str, Any] | None,
) -> Callable[[Connection], int]:
    named = tuple_(*table.primary_key.columns).in_([tuple(row) for row in rows])
    change = (
        delete(table).where(named & due)
        if values is None
        else update(table).where(named & due).values(**values)
    )
    return lambda made: made.execute(change).rowcount
