"""The time that all machines use, which is the database's, and clocks that were wrong.

Processes on several machines take turns of a few seconds. If their clocks differ by
half a minute, a time of one means nothing to another: it would take over work that is
still being done.

Times written by a clock that was ahead are corrected once it has been set right. Work
that was due within a minute would otherwise wait for as long as the clock was wrong: an
hour, if it had the time of another zone. The rows concerned are those whose
last change is in the future. Several processes may do this at once; if one's own clock
is behind, others only try something too early.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

from sqlalchemy import (
    Case,
    Column,
    ColumnElement,
    Connection,
    Table,
    case,
    func,
    select,
    true,
    update,
)

from bot.records.tasks import TaskKind
from bot.store.database import Transactions
from bot.store.schema import checks, drafts, fetches, hosts, posts, role_leases, tasks

_MEASURED_EVERY_S = 60.0
_SAME = timedelta(seconds=0.5)  # asking takes a while, too

SLACK_S = 60.0  # how far the clocks of several machines may differ
_LEASE = timedelta(minutes=2)  # so that whoever still works on it can renew it
# A start recorded by a wrong clock counts as a day ago: nobody knows how wrong it was.
_BEGUN = timedelta(days=1)
_ROWS_AT_ONCE = 200  # checks in one transaction

Clock: TypeAlias = Callable[[Connection], datetime]


def database_now(connection: Connection) -> datetime:
    """Return the database's time; with SQLite this machine's."""
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    database_time: datetime = connection.execute(
        select(func.utc_timestamp(6))
    ).scalar_one()
    return database_time.replace(tzinfo=UTC)


class DatabaseTime:
    """Converts times of this machine's clock into the database's.

    The difference is measured once a minute, and again when our clock was set.

    Args:
        theirs: the database's time.
        ours: this machine's.
    """

    def __init__(
        self,
        theirs: Clock = database_now,
        ours: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._theirs = theirs
        self._ours = ours
        self._measured_s = float("-inf")
        self._began = datetime.min.replace(tzinfo=UTC)
        self._apart = timedelta()

    def at(self, connection: Connection, moment: datetime) -> datetime:
        """Return the time of the database's clock when ours shows `moment`."""
        now_s = time.monotonic()
        began = self._ours() - timedelta(seconds=now_s)
        was_set = abs(began - self._began) > _SAME
        if was_set or now_s - self._measured_s > _MEASURED_EVERY_S:
            apart = self._theirs(connection) - self._ours()
            self._apart = apart if abs(apart) > _SAME else timedelta()
            self._measured_s, self._began = now_s, began
        return moment + self._apart


@dataclass(frozen=True, slots=True)
class _Rows:
    """A table, the time of a row's last change, and times that may be too late.

    The result of an attempt is looked for from `begun` on, so that time may be too
    early but never too late. Some tables have the database's times (`is_theirs`), which
    our clock alone cannot correct.
    """

    table: Table
    changed: str
    waits_until: tuple[str, ...]
    leased_until: str = ""
    begun: str = ""
    is_theirs: bool = False
    where: ColumnElement[bool] = field(default_factory=true)


_OF_TASKS = ("asked_at", "due_at", "begun_at")
_IS_FETCH = tasks.c.kind == TaskKind.FETCH.name
_ALL = (
    _Rows(tasks, "changed_at", _OF_TASKS, "leased_until", where=~_IS_FETCH),
    _Rows(
        tasks,
        "changed_at",
        _OF_TASKS,
        "leased_until",
        where=_IS_FETCH,
        is_theirs=True,
    ),
    _Rows(
        posts, "changed_at", ("due_at", "asked_at"), "leased_until", "first_tried_at"
    ),
    _Rows(drafts, "changed_at", ()),
    _Rows(role_leases, "began_at", ("until",)),
    _Rows(hosts, "changed_at", ("until", "free_at", "throttled_until"), is_theirs=True),
    _Rows(fetches, "changed_at", ("asked_at",), is_theirs=True),
)


def set_back(
    database: Transactions, now: datetime, database_time: DatabaseTime | None = None
) -> int:
    """Set what was written later than `now` to `now`; return how many rows.

    Args:
        database: where it was written.
        now: by the clock of this machine.
        database_time: converts times into the database's.

    Raises:
        PermanentError, TemporaryError: the database failed.
    """
    clocks = database_time or DatabaseTime()
    steps = (partial(_set_back, rows=rows, now=now, clocks=clocks) for rows in _ALL)
    changed, moved = sum(map(database.write, steps)), 0
    while several := database.write(partial(_times_set_back, now=now, done=moved)):
        moved += several
    return changed + moved


def _set_back(
    connection: Connection, *, rows: _Rows, now: datetime, clocks: DatabaseTime
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
    ahead = update(rows.table).where(is_ahead, rows.where)
    done = connection.execute(ahead.values(**values))
    return done.rowcount


def _times_set_back(connection: Connection, *, now: datetime, done: int) -> int:
    """Move the end of checks to now, in order; the latest `done` are already moved.

    Of two checks of one revision the later one counts, even after times were corrected.
    """
    is_ahead = checks.c.checked_at > now + timedelta(seconds=SLACK_S)
    latest_first = checks.c.checked_at.desc(), checks.c.id.desc()
    ahead = (
        select(checks.c.id).where(is_ahead).order_by(*latest_first).limit(_ROWS_AT_ONCE)
    )
    found = connection.scalars(ahead).all()
    for place, each in enumerate(found, start=done):  # no two end at the same time
        at = now - timedelta(microseconds=place)
        connection.execute(update(checks).filter_by(id=each).values(checked_at=at))
    return len(found)


def _at_most(column: Column[datetime], most: datetime) -> Case[datetime]:
    return case((column > most, most), else_=column)
