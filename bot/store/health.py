"""What is wrong with the program, since when, and which alerts the operator got.

A problem that comes back within a few minutes is the same one: a figure that hovers
around its limit makes one alert, not one a minute. A row is removed once its end was
reported.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from bot.records.heartbeat import Ailment, AilmentKind, HealthChange, KeptAilment
from bot.store import compatibility, sanitise
from bot.store.database import Repository, reads, writes
from bot.store.schema import ailments

_WELL_AGAIN = timedelta(minutes=5)
_WHAT_CHARS = 1000


class Health(Repository):
    """The current problems, and which of them were reported."""

    @writes
    def keep(
        self, connection: Connection, found: Iterable[Ailment], now: datetime
    ) -> HealthChange:
        """Save what is wrong now; return what should be reported."""
        chosen = select(ailments).with_for_update()
        known = {(row.kind, row.subject): row for row in connection.execute(chosen)}
        wrong = {(one.kind.name, one.subject): one for one in found}
        for key, one in wrong.items():
            row = known.get(key)
            said = {
                "what": sanitise.text(one.what, _WHAT_CHARS),
                "remedy": sanitise.text(one.remedy, _WHAT_CHARS),
            }
            if row is None:
                named = {"kind": key[0], "subject": sanitise.text(key[1])}
                connection.execute(insert(ailments).values(**named, **said, since=now))
            else:
                connection.execute(
                    update(ailments).where(_same(row)).values(**said, ended_at=None)
                )
        for key, row in known.items():
            if key in wrong:
                continue
            if row.told_at is None:
                connection.execute(delete(ailments).where(_same(row)))
            elif row.ended_at is None:
                connection.execute(
                    update(ailments).where(_same(row)).values(ended_at=now)
                )
        rows = connection.execute(select(ailments).where(_is_known()))
        return _untold(tuple(rows), now)

    @reads
    def known(self, connection: Connection) -> tuple[KeptAilment, ...]:
        """Return the current problems, the oldest first."""
        return known_ailments(connection)

    @writes
    def notified(
        self, connection: Connection, change: HealthChange, now: datetime
    ) -> None:
        """Record that the operator was alerted to a change."""
        for one in change.begun:
            connection.execute(
                update(ailments).where(_named(one.ailment)).values(told_at=now)
            )
        for one in change.ended:
            is_over = ailments.c.ended_at.is_not(None)
            connection.execute(delete(ailments).where(_named(one.ailment) & is_over))


def known_ailments(connection: Connection) -> tuple[KeptAilment, ...]:
    """Return the current problems, the oldest first."""
    rows = connection.execute(
        select(ailments)
        .where(ailments.c.ended_at.is_(None) & _is_known())
        .order_by(ailments.c.since, ailments.c.kind, ailments.c.subject)
    )
    return tuple(map(_kept, rows))


def _untold(rows: tuple[Row[Any], ...], now: datetime) -> HealthChange:
    return HealthChange(
        begun=tuple(_kept(row) for row in rows if row.told_at is None),
        ended=tuple(
            _kept(row)
            for row in rows
            if row.ended_at is not None and row.ended_at <= now - _WELL_AGAIN
        ),
    )


def _is_known() -> Any:
    return compatibility.known(ailments.c.kind, AilmentKind)


def _same(row: Row[Any]) -> Any:
    return (ailments.c.kind == row.kind) & (ailments.c.subject == row.subject)


def _named(one: Ailment) -> Any:
    return (ailments.c.kind == one.kind.name) & (ailments.c.subject == one.subject)


def _kept(row: Row[Any]) -> KeptAilment:
    kind = AilmentKind[row.kind]
    ailment = Ailment(kind, row.what, row.remedy, row.subject)
    return KeptAilment(ailment, row.since, row.ended_at)
