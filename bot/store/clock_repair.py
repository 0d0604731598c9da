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

from sqlalchemy import Case, Column, Connection, Table, case, select, update

from bot.store.database_time import Agreed
from bot.store.draft_tables import drafts
from bot.store.outbox_tables import posts
from bot.store.queue_tables import jobs
from bot.store.schema import checks
from bot.store.standing_tables import plans, turns
from bot.store.tenant_tables import hosts, readings
from bot.store.transactions import Transactions

SLACK_S = 60.0  # by which clocks of several machines may differ
_LEASE = timedelta(minutes=2)  # for whoever still works on it to prolong it
# How long ago something was begun by a wrong clock, at most: nobody knows how wrong it was.
_BEGUN = timedelta(days=1)
_LOOKS = 200  # in one transaction


@dataclass(frozen=True, slots=True)
class _Rows:
    """A table, the time of a row's last change, and times that may be too late.

    Who looks for what came of something begun looks from `begun` on: that may be too
    early, but never too late. In some tables times are the database's (`is_theirs`):
    our clock by itself says nothing of those.
    """

    table: Table
    changed: str
    waits_until: tuple[str, ...]
    leased_until: str = ""
    begun: str = ""
    is_theirs: bool = False


_ALL = (
    _Rows(jobs, "changed_at", ("asked_at", "due_at", "begun_at"), "leased_until"),
    _Rows(plans, "changed_at", ("due_at",), "leased_until"),
    _Rows(
        posts, "changed_at", ("due_at", "asked_at"), "leased_until", "first_tried_at"
    ),
    _Rows(drafts, "changed_at", ("due_at",)),
    _Rows(turns, "began_at", ("until",)),
    _Rows(hosts, "changed_at", ("until", "free_at", "weary_until"), is_theirs=True),
    _Rows(readings, "changed_at", ("asked_at",), "leased_until", is_theirs=True),
)


def set_back(
    database: Transactions, now: datetime, agreed: Agreed | None = None
) -> int:
    """Let what was written later than `now` count as written now; return how many rows.

    Args:
        database: where it was written.
        now: by the clock of this machine.
        agreed: how that stands to the database's.

    Raises:
        PermanentError, TemporaryError: for what a database can do.
    """
    clocks = agreed or Agreed()
    steps = (partial(_set_back, rows=rows, now=now, clocks=clocks) for rows in _ALL)
    changed, looks = sum(map(database.write, steps)), 0
    while found := database.write(partial(_looks_set_back, now=now, done=looks)):
        looks += found
    return changed + looks


def _set_back(
    connection: Connection, *, rows: _Rows, now: datetime, clocks: Agreed
) -> int:
    columns = rows.table.c
    if rows.is_theirs:
        now = clocks.at(connection, now)
    values: dict[str, Any] = {rows.changed: now}
    values |= {name: _at_most(columns[name], now) for name in rows.waits_until}
    if rows.leased_until:
        until = _at_most(columns[rows.leased_until], now + _LEASE)
        values[rows.leased_until] = until
    if rows.begun:
        values[rows.begun] = _at_most(columns[rows.begun], now - _BEGUN)
    is_ahead = columns[rows.changed] > now + timedelta(seconds=SLACK_S)
    done = connection.execute(update(rows.table).where(is_ahead).values(**values))
    return done.rowcount


def _looks_set_back(connection: Connection, *, now: datetime, done: int) -> int:
    """Let looks at pages have ended now, in their order; `done` are done of the latest.

    Of two looks at one revision the later one counts, whatever has been asked for since.
    """
    is_ahead = checks.c.checked_at > now + timedelta(seconds=SLACK_S)
    latest_first = checks.c.checked_at.desc(), checks.c.id.desc()
    ahead = select(checks.c.id).where(is_ahead).order_by(*latest_first).limit(_LOOKS)
    found = connection.scalars(ahead).all()
    for place, each in enumerate(found, start=done):  # no two ended at one time
        at = now - timedelta(microseconds=place)
        connection.execute(update(checks).filter_by(id=each).values(checked_at=at))
    return len(found)


def _at_most(column: Column[datetime], most: datetime) -> Case[datetime]:
    return case((column > most, most), else_=column)
