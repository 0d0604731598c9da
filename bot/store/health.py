"""What is wrong with the program, since when, and which alerts the operator got.

A problem that comes back within a few minutes is the same one: a figure that hovers
around its limit makes one alert, not one a minute. A row is removed once its end was
reported.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from bot.records.heartbeat import (
    HealthChange,
    HealthProblem,
    HealthProblemKind,
    Incident,
)
from bot.store import compatibility, sanitise
from bot.store.database import Repository, reads, writes
from bot.store.schema import incidents

_WELL_AGAIN = timedelta(minutes=5)
_WHAT_CHARS = 1000


class Health(Repository):
    """The current problems, and which of them were reported."""

    @writes
    def keep(
        self, connection: Connection, found: Iterable[HealthProblem], now: datetime
    ) -> HealthChange:
        """Save what is wrong now; return what should be reported."""
        chosen = select(incidents).with_for_update()
        known = {(row.kind, row.subject): row for row in connection.execute(chosen)}
        wrong = {(one.kind.name, one.subject): one for one in found}
        for key, one in wrong.items():
            row = known.get(key)
            values = {
                "what": sanitise.text(one.what, _WHAT_CHARS),
                "remedy": sanitise.text(one.remedy, _WHAT_CHARS),
            }
            if row is None:
                named = {"kind": key[0], "subject": sanitise.text(key[1])}
                connection.execute(
                    insert(incidents).values(**named, **values, since=now)
                )
            else:
                connection.execute(
                    update(incidents).where(_same(row)).values(**values, ended_at=None)
                )
        for key, row in known.items():
            if key in wrong:
                continue
            if row.alerted_at is None:
                connection.execute(delete(incidents).where(_same(row)))
            elif row.ended_at is None:
                connection.execute(
                    update(incidents).where(_same(row)).values(ended_at=now)
                )
        rows = connection.execute(select(incidents).where(_is_known()))
        return _not_alerted(tuple(rows), now)

    @reads
    def known(self, connection: Connection) -> tuple[Incident, ...]:
        """Return the current problems, the oldest first."""
        return open_incidents(connection)

    @writes
    def notified(
        self, connection: Connection, change: HealthChange, now: datetime
    ) -> None:
        """Record that the operator was alerted to a change."""
        for one in change.begun:
            connection.execute(
                update(incidents).where(_named(one.problem)).values(alerted_at=now)
            )
        for one in change.ended:
            is_over = incidents.c.ended_at.is_not(None)
            connection.execute(delete(incidents).where(_named(one.problem) & is_over))


def open_incidents(connection: Connection) -> tuple[Incident, ...]:
    """Return the current problems, the oldest first."""
    rows = connection.execute(
        select(incidents)
        .where(incidents.c.ended_at.is_(None) & _is_known())
        .order_by(incidents.c.since, incidents.c.kind, incidents.c.subject)
    )
    return tuple(map(_incident, rows))


def _not_alerted(rows: tuple[Row[Any], ...], now: datetime) -> HealthChange:
    return HealthChange(
        begun=tuple(_incident(row) for row in rows if row.alerted_at is None),
        ended=tuple(
            _incident(row)
            for row in rows
            if row.ended_at is not None and row.ended_at <= now - _WELL_AGAIN
        ),
    )


def _is_known() -> Any:
    return compatibility.known(incidents.c.kind, HealthProblemKind)


def _same(row: Row[Any]) -> Any:
    return (incidents.c.kind == row.kind) & (incidents.c.subject == row.subject)


def _named(one: HealthProblem) -> Any:
    return (incidents.c.kind == one.kind.name) & (incidents.c.subject == one.subject)


def _incident(row: Row[Any]) -> Incident:
    kind = HealthProblemKind[row.kind]
    problem = HealthProblem(kind, row.what, row.remedy, row.subject)
    return Incident(problem, row.since, row.ended_at)
