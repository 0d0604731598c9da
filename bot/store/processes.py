"""Which process does a task that only one may do at a time, and which processes run.

A process that ends reports that; one that was killed is recognised by its silence. The
row of one that has been silent for a day is removed by the next process that reports.
"""

import json
import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from bot.records.heartbeat import Heartbeat
from bot.store import sanitise
from bot.store.database import Repository, reads, writes
from bot.store.schema import NAME_CHARS, PROCESS_CHARS, processes, role_leases

_MOST_FIGURES = 50
_SILENT = timedelta(days=1)  # after which a process counts as gone
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
        holder = sanitise.key(holder, "holder of a turn", NAME_CHARS)
        row = _locked_schedule(connection, name)
        until = now + timedelta(seconds=for_s)
        values = {"holder": holder, "began_at": now, "until": until}
        if row is None:
            named = {"name": sanitise.key(name, "name of a task", NAME_CHARS)}
            connection.execute(insert(role_leases).values(**named, **values))
            return True
        is_held = row.until > now and row.holder
        if is_held and row.holder != holder:
            return False
        if is_held:
            values |= {"began_at": row.began_at}
        _set_schedule(connection, name, values)
        return True

    @writes
    def release(self, connection: Connection, name: str, holder: str) -> None:
        """End a turn; harmless if another has it."""
        row = _locked_schedule(connection, name)
        if row is not None and row.holder == holder:
            _set_schedule(connection, name, {"holder": ""})

    @reads
    def last_run(self, connection: Connection, name: str) -> datetime | None:
        """Return when the last turn began, whoever had it; `None` if there was none."""
        return connection.scalar(select(role_leases.c.began_at).filter_by(name=name))


class Processes(Repository):
    """The processes that run, by their own reports."""

    @writes
    def beat(self, connection: Connection, heartbeat: Heartbeat) -> None:
        """Report that a process runs at `said.seen_at`, and its state."""
        name = sanitise.key(heartbeat.name, "name of a process", PROCESS_CHARS)
        now: dict[str, Any] = {
            "seen_at": heartbeat.seen_at,
            "problem": sanitise.text(heartbeat.problem, _PROBLEM_CHARS),
            "figures": json.dumps(_finite(heartbeat.figures)),
        }
        chosen = select(processes.c.name)
        mine = processes.c.name == name
        if connection.scalar(chosen.where(mine).with_for_update()) is not None:
            connection.execute(update(processes).where(mine).values(**now))
            return
        # Two processes that report for the first time must not wait for each other's
        # rows.
        silent = processes.c.seen_at < heartbeat.seen_at - _SILENT
        for (gone,) in connection.execute(chosen.where(silent)).all():
            connection.execute(delete(processes).where(processes.c.name == gone))
        connection.execute(
            insert(processes).values(
                name=name,
                role=sanitise.text(heartbeat.role, NAME_CHARS),
                host=sanitise.text(heartbeat.host, PROCESS_CHARS),
                pid=heartbeat.pid,
                version=sanitise.text(heartbeat.version, NAME_CHARS),
                started_at=heartbeat.started_at,
                every_s=heartbeat.every_s,
                **now,
            )
        )

    @writes
    def end(self, connection: Connection, name: str) -> None:
        """Report that a process has ended normally."""
        connection.execute(delete(processes).where(processes.c.name == name))

    @reads
    def known(self, connection: Connection) -> tuple[Heartbeat, ...]:
        """Return the processes that have not reported their end."""
        return known_processes(connection)


def _locked_schedule(connection: Connection, name: str) -> Row[Any] | None:
    chosen = select(role_leases).filter_by(name=name)
    return connection.execute(chosen.with_for_update()).one_or_none()


def _set_schedule(connection: Connection, name: str, values: dict[str, Any]) -> None:
    connection.execute(
        update(role_leases).where(role_leases.c.name == name).values(**values)
    )


def known_processes(connection: Connection) -> tuple[Heartbeat, ...]:
    """Return the processes that have not reported their end, by role and name."""
    rows = connection.execute(
        select(processes).order_by(processes.c.role, processes.c.name)
    )
    return tuple(map(_heartbeat, rows))


def _finite(figures: Mapping[str, float]) -> dict[str, float]:
    first = list(figures.items())[:_MOST_FIGURES]
    return {
        sanitise.text(name, NAME_CHARS): float(value)
        for name, value in first
        if math.isfinite(value)
    }


def _heartbeat(row: Row[Any]) -> Heartbeat:
    return Heartbeat(
        row.name,
        row.role,
        row.host,
        row.pid,
        row.version,
        row.started_at,
        row.seen_at,
        row.every_s,
        row.problem,
        json.loads(row.figures),
    )
