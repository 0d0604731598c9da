"""Forgets who readers of the panel were, in small transactions.

What they decided and judged stays, without them: what it closed must stay closed, and
what it says of precision is nobody's. A reader who comes back after that is a stranger.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Table

from bot.store.reader_tables import (
    decisions,
    judgements,
    kept_answers,
    looks,
    reader_sessions,
    sign_ins,
)
from bot.store.sweeping_rows import remove_all
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
        return remove_all(database, table, due, batch)

    def nameless(table: Table, at: ColumnElement[datetime]) -> int:
        due = (at < names) & table.c.reader.is_not(None)
        return remove_all(database, table, due, batch, values={"reader": None})

    return ReaderCounts(
        keys=nameless(decisions, decisions.c.decided_at)
        + nameless(judgements, judgements.c.judged_at),
        sessions=gone(reader_sessions, reader_sessions.c.expires_at <= now)
        + gone(sign_ins, sign_ins.c.expires_at <= now),
        answers=gone(kept_answers, kept_answers.c.kept_at < now - _ANSWERS_FOR),
        looks=gone(looks, looks.c.changed_at < names),
    )
