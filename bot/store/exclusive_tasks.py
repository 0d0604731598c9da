"""One process at a time does each scheduled task. Each verb is one transaction."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from bot.store import sanitise
from bot.store.schema import NAME_CHARS
from bot.store.standing_tables import turns
from bot.store.transactions import Transactions


class Turns:
    """Whose turn it is. Processes may share it; their clocks agree to a second."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def take(self, name: str, holder: str, now: datetime, for_s: float) -> bool:
        """Take a turn, or prolong the one that is held; `False` if another has it.

        Args:
            name: of the task.
            holder: who does it; no two processes have the same name.
            now: the time.
            for_s: after so long without a word, another may take it.
        """
        until = now + timedelta(seconds=for_s)
        return self._database.write(lambda made: _take(made, name, holder, now, until))

    def release(self, name: str, holder: str) -> None:
        """End a turn; harmless if another has it."""
        self._database.write(lambda made: _release(made, name, holder))

    def last_run(self, name: str) -> datetime | None:
        """Return when the last turn began, by anyone; `None` if none ever did."""
        return self._database.read(
            lambda made: made.scalar(select(turns.c.began_at).filter_by(name=name))
        )


def _take(
    connection: Connection, name: str, holder: str, now: datetime, until: datetime
) -> bool:
    holder = sanitise.key(holder, "holder of a turn", NAME_CHARS)
    row = _locked(connection, name)
    values = {"holder": holder, "began_at": now, "until": until}
    if row is None:
        named = {"name": sanitise.key(name, "name of a task", NAME_CHARS)}
        connection.execute(insert(turns).values(**named, **values))
        return True
    is_held = row.until > now and row.holder
    if is_held and row.holder != holder:
        return False
    if is_held:
        values |= {"began_at": row.began_at}
    _set(connection, name, values)
    return True


def _release(connection: Connection, name: str, holder: str) -> None:
    row = _locked(connection, name)
    if row is not None and row.holder == holder:
        _set(connection, name, {"holder": ""})


def _locked(connection: Connection, name: str) -> Row[Any] | None:
    chosen = select(turns).filter_by(name=name)
    return connection.execute(chosen.with_for_update()).one_or_none()


def _set(connection: Connection, name: str, values: dict[str, Any]) -> None:
    connection.execute(update(turns).where(turns.c.name == name).values(**values))
