"""Takes back what was written by a clock that was ahead, once it has been set right.

Work that was to be done within a minute would else wait for as long as the clock was
wrong: an hour, where it had the time of another zone. Which rows are meant can be told
by the time of their last change, which has not come yet. Several processes may do it;
one whose own clock is behind makes others do no more than try something too early.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import Case, Column, Connection, Table, case, update

from bot.store.draft_tables import drafts
from bot.store.outbox_tables import posts
from bot.store.queue_tables import jobs
from bot.store.sharing_tables import hosts, readings
from bot.store.standing_tables import plans, turns
from bot.store.transactions import Transactions

SLACK_S = 60.0  # by which clocks of several machines may differ
_LEASE = timedelta(minutes=2)  # for whoever still works on it to prolong it


@dataclass(frozen=True, slots=True)
class _Rows:
    """A table, the time of a row's last change, and times that may be too late."""

    table: Table
    changed: str
    waits_until: tuple[str, ...]
    leased_until: str = ""


_ALL = (
    _Rows(jobs, "changed_at", ("asked_at", "due_at", "begun_at"), "leased_until"),
    _Rows(plans, "changed_at", ("due_at",), "leased_until"),
    _Rows(posts, "changed_at", ("due_at", "asked_at"), "leased_until"),
    _Rows(drafts, "changed_at", ("due_at",)),
    _Rows(turns, "began_at", ("until",)),
    _Rows(hosts, "changed_at", ("until", "free_at", "weary_until")),
    _Rows(readings, "changed_at", ("asked_at",), "leased_until"),
)


def set_back(database: Transactions, now: datetime) -> int:
    """Let what was written later than `now` count as written now; return how many rows.

    Raises:
        PermanentError, TemporaryError: for what a database can do.
    """
    return sum(database.write(partial(_set_back, rows=rows, now=now)) for rows in _ALL)


def _set_back(connection: Connection, *, rows: _Rows, now: datetime) -> int:
    columns = rows.table.c
    values: dict[str, Any] = {rows.changed: now}
    values |= {name: _at_most(columns[name], now) for name in rows.waits_until}
    if rows.leased_until:
        until = _at_most(columns[rows.leased_until], now + _LEASE)
        values[rows.leased_until] = until
    is_ahead = columns[rows.changed] > now + timedelta(seconds=SLACK_S)
    done = connection.execute(update(rows.table).where(is_ahead).values(**values))
    return done.rowcount


def _at_most(column: Column[datetime], most: datetime) -> Case[datetime]:
    return case((column > most, most), else_=column)
