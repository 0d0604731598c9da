"""Which processes of the program run, as they say themselves now and then.

A process that ends says so; one that is killed is known by its silence. A row of
one that was silent for a day is taken away by whoever speaks next.
"""

import json
import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from bot.store import sanitise
from bot.store.schema import NAME_CHARS
from bot.store.sight.values.running import Heartbeat
from bot.store.sight.values.waiting import DAY_S
from bot.store.status_tables import PROCESS_CHARS, processes
from bot.store.transactions import Transactions

_MOST_FIGURES = 50
_PROBLEM_CHARS = 1000


class Processes:
    """Where processes say that they run."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def beat(self, said: Heartbeat) -> None:
        """Say that a process runs at `said.seen_at`, and how it is doing."""
        self._database.write(lambda made: _beat(made, said))

    def end(self, name: str) -> None:
        """Say that a process has ended as it should."""
        self._database.write(
            lambda made: made.execute(delete(processes).where(processes.c.name == name))
        )

    def known(self) -> tuple[Heartbeat, ...]:
        """Return the processes that did not say that they ended."""
        return self._database.read(known)


def known(connection: Connection) -> tuple[Heartbeat, ...]:
    """Return the processes that did not say that they ended, by role and name."""
    rows = connection.execute(
        select(processes).order_by(processes.c.role, processes.c.name)
    )
    return tuple(map(_heartbeat, rows))


def _beat(connection: Connection, said: Heartbeat) -> None:
    name = sanitise.key(said.name, "name of a process", PROCESS_CHARS)
    now: dict[str, Any] = {
        "seen_at": said.seen_at,
        "problem": sanitise.text(said.problem, _PROBLEM_CHARS),
        "figures": json.dumps(_finite(said.figures)),
    }
    mine = processes.c.name == name
    row = connection.execute(
        select(processes.c.name).where(mine).with_for_update()
    ).one_or_none()
    if row is not None:
        connection.execute(update(processes).where(mine).values(**now))
        return
    # Two that speak for the first time at once must not wait for each other's rows.
    silent = processes.c.seen_at < said.seen_at - timedelta(seconds=DAY_S)
    for (gone,) in connection.execute(select(processes.c.name).where(silent)).all():
        connection.execute(delete(processes).where(processes.c.name == gone))
    connection.execute(
        insert(processes).values(
            name=name,
            role=sanitise.text(said.role, NAME_CHARS),
            host=sanitise.text(said.host, PROCESS_CHARS),
            pid=said.pid,
            version=sanitise.text(said.version, NAME_CHARS),
            started_at=said.started_at,
            every_s=said.every_s,
            **now,
        )
    )


def _finite(figures: Mapping[str, float]) -> dict[str, float]:
    told = list(figures.items())[:_MOST_FIGURES]
    return {
        sanitise.text(name, NAME_CHARS): float(value)
        for name, value in told
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
