"""Which processes run, which of them does what only one may do, and what is wrong.

A process that ends reports that; one that was killed is recognised by its silence. The
row of one that has been silent for a day is removed by the next process that reports.

A problem that comes back within a few minutes is the same one: a figure that hovers
around its limit makes one alert, not one a minute. A row is removed once its end was
reported.
"""

import json
import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from bot.records.heartbeat import (
    HealthChange,
    HealthProblem,
    HealthProblemKind,
    Heartbeat,
    Incident,
)
from bot.store import mapping, sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    put,
    read_with,
    reads,
    writes,
)
from bot.store.mapping import as_value
from bot.store.schema import (
    NAME_CHARS,
    PROCESS_CHARS,
    incidents,
    processes,
    role_leases,
)

_MOST_FIGURES = 50
_SILENT = timedelta(days=1)  # after which a process counts as gone
_WELL_AGAIN = timedelta(minutes=5)
_PROBLEM_CHARS = 1000


class ScheduleLocks(Repository):
    """Whose turn it is. The clocks of the processes must agree to within a second."""

    @writes
    def take(
        self,
        connection: Connection,
        name: str,
        holder: str,
        now: datetime,
        for_s: float,
    ) -> bool:
        """Take a turn, or extend the one that is held; `False` if another has it.

        Every process has its own `holder`. After `for_s` without an extension another
        may take the turn.
        """
        name = sanitise.key(name, "name of a task", NAME_CHARS)
        holder = sanitise.key(holder, "holder of a turn", NAME_CHARS)
        row = find(connection, role_leases, name=name, lock=True)
        is_held = row is not None and row.until > now and bool(row.holder)
        if row is not None and is_held and row.holder != holder:
            return False
        began_at = row.began_at if row is not None and is_held else now
        until = now + timedelta(seconds=for_s)
        values = {"holder": holder, "began_at": began_at, "until": until}
        put(connection, role_leases, row, values, name=name)
        return True

    @writes
    def release(self, connection: Connection, name: str, holder: str) -> None:
        """End a turn; harmless if another has it."""
        change(connection, role_leases, {"holder": ""}, name=name, holder=holder)

    @reads
    def last_run(self, connection: Connection, name: str) -> datetime | None:
        """Return when the last turn began, whoever had it; `None` if there was none."""
        return connection.scalar(select(role_leases.c.began_at).filter_by(name=name))


def known_processes(connection: Connection) -> tuple[Heartbeat, ...]:
    """Return the processes that have not reported their end, by role and name."""
    rows = connection.execute(
        select(processes).order_by(processes.c.role, processes.c.name)
    )
    return tuple(
        as_value(Heartbeat, row, figures=json.loads(row.figures)) for row in rows
    )


class Processes(Repository):
    """The processes that run, by their own reports."""

    known = read_with(known_processes)

    @writes
    def beat(self, connection: Connection, heartbeat: Heartbeat) -> None:
        """Report that a process runs at `heartbeat.seen_at`, and its state."""
        name = sanitise.key(heartbeat.name, "name of a process", PROCESS_CHARS)
        now: dict[str, Any] = {
            "seen_at": heartbeat.seen_at,
            "problem": sanitise.text(heartbeat.problem, _PROBLEM_CHARS),
            "figures": json.dumps(_finite(heartbeat.figures)),
        }
        if change(connection, processes, now, name=name):
            return
        # Two processes that report for the first time must not wait for each other's
        # rows.
        silent = processes.c.seen_at < heartbeat.seen_at - _SILENT
        for (gone,) in connection.execute(select(processes.c.name).where(silent)).all():
            connection.execute(delete(processes).filter_by(name=gone))
        fresh = {
            "role": sanitise.text(heartbeat.role, NAME_CHARS),
            "host": sanitise.text(heartbeat.host, PROCESS_CHARS),
            "pid": heartbeat.pid,
            "version": sanitise.text(heartbeat.version, NAME_CHARS),
            "started_at": heartbeat.started_at,
            "every_s": heartbeat.every_s,
        }
        connection.execute(insert(processes).values(name=name, **fresh, **now))

    @writes
    def end(self, connection: Connection, name: str) -> None:
        """Report that a process has ended normally."""
        connection.execute(delete(processes).filter_by(name=name))


def _finite(figures: Mapping[str, float]) -> dict[str, float]:
    first = list(figures.items())[:_MOST_FIGURES]
    return {
        sanitise.text(name, NAME_CHARS): float(value)
        for name, value in first
        if math.isfinite(value)
    }


def open_incidents(connection: Connection) -> tuple[Incident, ...]:
    """Return the current problems, the oldest first."""
    rows = connection.execute(
        select(incidents)
        .where(incidents.c.ended_at.is_(None) & _is_known())
        .order_by(incidents.c.since, incidents.c.kind, incidents.c.subject)
    )
    return tuple(map(_incident, rows))


class Health(Repository):
    """The current problems, and which of them were reported."""

    known = read_with(open_incidents)

    @writes
    def keep(
        self, connection: Connection, found: Iterable[HealthProblem], now: datetime
    ) -> HealthChange:
        """Save what is wrong now; return what should be reported."""
        query = select(incidents).with_for_update()
        known = {(row.kind, row.subject): row for row in connection.execute(query)}
        wrong = {(one.kind.name, sanitise.text(one.subject)): one for one in found}
        for (kind, subject), one in wrong.items():
            named = {"kind": kind, "subject": subject}
            values = {
                "what": sanitise.text(one.what, _PROBLEM_CHARS),
                "remedy": sanitise.text(one.remedy, _PROBLEM_CHARS),
            }
            if (kind, subject) in known:
                change(connection, incidents, values | {"ended_at": None}, **named)
            else:
                fresh = insert(incidents).values(**named, **values, since=now)
                connection.execute(fresh)
        for key in known.keys() - wrong.keys():
            named = dict(zip(("kind", "subject"), key, strict=True))
            if known[key].alerted_at is None:
                connection.execute(delete(incidents).filter_by(**named))
            elif known[key].ended_at is None:
                change(connection, incidents, {"ended_at": now}, **named)
        rows = connection.execute(select(incidents).where(_is_known())).all()
        return HealthChange(
            begun=tuple(_incident(row) for row in rows if row.alerted_at is None),
            ended=tuple(
                _incident(row)
                for row in rows
                if row.ended_at is not None and row.ended_at <= now - _WELL_AGAIN
            ),
        )

    @writes
    def notified(
        self, connection: Connection, alert: HealthChange, now: datetime
    ) -> None:
        """Record that the operator was alerted to a change."""
        for one in alert.begun:
            change(connection, incidents, {"alerted_at": now}, **_named(one.problem))
        is_over = incidents.c.ended_at.is_not(None)
        for one in alert.ended:
            ended = delete(incidents).filter_by(**_named(one.problem))
            connection.execute(ended.where(is_over))


def _is_known() -> Any:
    return mapping.known(incidents.c.kind, HealthProblemKind)


def _named(one: HealthProblem) -> dict[str, str]:
    return {"kind": one.kind.name, "subject": one.subject}


def _incident(row: Row[Any]) -> Incident:
    kind = HealthProblemKind[row.kind]
    problem = HealthProblem(kind, row.what, row.remedy, row.subject)
    return Incident(problem, row.since, row.ended_at)
