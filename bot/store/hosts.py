"""Turns at asking hosts, held by all processes together. Each verb is one transaction.

Processes on several machines ask the same hosts, so the time is the database's own.
Where it was set back, what lies in the future counts as of now: a host is asked a
little later than it might be, and never left out for an hour.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from sqlalchemy import Connection, Row, func, insert, select, update

from bot.records.hosts import HostBusy, HostTurn
from bot.store import sanitise
from bot.store.schema import KEY_CHARS
from bot.store.tenant_tables import hosts
from bot.store.transactions import Transactions

_LOOK_AGAIN_S = 0.5  # where another process asks a host just now
_LONGEST_TURN_S = 3600.0

Clock: TypeAlias = Callable[[Connection], datetime]


def database_now(connection: Connection) -> datetime:
    """Return the time at the database; a SQLite file has this machine's."""
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    told: datetime = connection.execute(select(func.utc_timestamp(6))).scalar_one()
    return told.replace(tzinfo=UTC)


class Hosts:
    """Whose turn it is at each host. Processes may share it, wherever they run."""

    def __init__(
        self,
        transactions: Transactions,
        now: Clock = database_now,
    ) -> None:
        self._database = transactions
        self._now = now

    def take(self, host: str, delay_s: float, for_s: float) -> HostTurn | HostBusy:
        """Take the turn at a host if it is free, and was left alone for `delay_s`.

        Args:
            host: its name.
            delay_s: from the end of an answer to the next question.
            for_s: after so long, another may take it: longer than any question takes.
        """
        name = sanitise.text(host, KEY_CHARS)
        return self._database.write(
            lambda made: _take(made, name, self._now, delay_s, for_s)
        )

    def end(self, turn: HostTurn, *, weary_s: float = 0.0) -> None:
        """End a turn: the pause begins. Harmless if it ran out and another has it.

        With `weary_s` the host said that it is asked too often, and whoever takes its
        turn is told so for that long.
        """
        self._database.write(lambda made: _end(made, turn, self._now, weary_s))


def _take(
    connection: Connection, host: str, clock: Clock, delay_s: float, for_s: float
) -> HostTurn | HostBusy:
    row = _locked(connection, host)
    now = clock(connection)  # once the row is ours: others may have ended their turn
    taken = {
        "until": now + timedelta(seconds=for_s),
        "free_at": now,  # counts if whoever takes it dies
        "changed_at": now,
    }
    if row is None:
        first = {"host": host, "token": 1, "weary_until": None}
        connection.execute(insert(hosts).values(**first, **taken))
        return HostTurn(host, 1)
    if row.free_at > now:
        _set(connection, host, {"free_at": now})
        return HostBusy(delay_s)
    if _is_held(row, now):
        return HostBusy(_LOOK_AGAIN_S)
    left_s = delay_s - (now - row.free_at).total_seconds()
    if left_s > 0:
        return HostBusy(left_s)
    _set(connection, host, taken | {"token": row.token + 1})
    is_weary = row.weary_until is not None and row.weary_until > now
    return HostTurn(host, row.token + 1, is_weary)


def _is_held(row: Row[Any], now: datetime) -> bool:
    if row.until is None:
        return False
    return bool(now < row.until <= now + timedelta(seconds=_LONGEST_TURN_S))


def _end(connection: Connection, turn: HostTurn, clock: Clock, weary_s: float) -> None:
    host = sanitise.text(turn.host, KEY_CHARS)
    row = _locked(connection, host)
    if row is None:
        return
    now = clock(connection)
    values: dict[str, Any] = {"changed_at": now}
    if weary_s > 0:
        values |= {"weary_until": now + timedelta(seconds=weary_s)}
    if row.token == turn.token:
        values |= {"until": None, "free_at": now}
    _set(connection, host, values)


def _locked(connection: Connection, host: str) -> Row[Any] | None:
    chosen = select(hosts).filter_by(host=host)
    return connection.execute(chosen.with_for_update()).one_or_none()


def _set(connection: Connection, host: str, values: dict[str, Any]) -> None:
    connection.execute(update(hosts).where(hosts.c.host == host).values(**values))
