"""Whose turn it is to be read, within a transaction of the caller's."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, exists, select, update

from bot.records.fetches import ReadingRules, ReadingTurn, Request
from bot.store import reading_forms, sanitise
from bot.store.schema import NAME_CHARS
from bot.store.tenant_tables import hosts, readings
from handlers.model import SourceOutcome

WAITING, LEASED, DONE = "WAITING", "LEASED", "DONE"
_DIED = "whoever read it failed or died over it, {attempts} times"
_NO_FORM = "it was asked for in a form that whoever reads does not know"


def any_waits(connection: Connection, now: datetime) -> bool:
    """Tell whether there is anything to lease."""
    run_out = (readings.c.state == LEASED) & (readings.c.leased_until <= now)
    waits = (readings.c.state == WAITING) & (readings.c.wanted_until > now)
    return any(
        connection.scalar(select(readings.c.id).where(which).limit(1)) is not None
        for which in (waits, run_out)
    )


def lease(
    connection: Connection, reader: str, now: datetime, rules: ReadingRules
) -> ReadingTurn | None:
    """Take the turn to read what waits longest; `None` if nothing can be read."""
    while True:
        row = _next(connection, now)
        if row is None:
            return None
        same = readings.c.id == row.id
        values: dict[str, Any] = {
            "state": LEASED,
            "attempts": row.attempts + 1,
            "token": row.token + 1,
            "leased_until": now + timedelta(seconds=rules.lease_s),
            "worker": sanitise.text(reader, NAME_CHARS),
            "changed_at": now,
        }
        source = reading_forms.source_of(row.asked)
        if source is not None and row.attempts < rules.attempts:
            connection.execute(update(readings).where(same).values(**values))
            request = Request(source, row.request, row.host)
            return ReadingTurn(request, row.token + 1, row.attempts + 1)
        why = _DIED.format(attempts=row.attempts) if source else _NO_FORM
        told = reading_forms.packed_failure(SourceOutcome.INCOMPLETE, why)
        given_up = ended(now) | {"state": DONE, "answer": told}
        connection.execute(update(readings).where(same).values(**given_up))


def _next(connection: Connection, now: datetime) -> Row[Any] | None:
    other = readings.alias()
    in_work = (other.c.state == LEASED) & (other.c.leased_until > now)
    is_read = exists().where(in_work & (other.c.host == readings.c.host))
    is_asked = exists().where((hosts.c.host == readings.c.host) & (hosts.c.until > now))
    waits = (readings.c.state == WAITING) & (readings.c.wanted_until > now)
    run_out = (readings.c.state == LEASED) & (readings.c.leased_until <= now)
    for which in (run_out, waits & ~is_read & ~is_asked):
        row = connection.execute(
            select(readings)
            .where(which)
            .order_by(readings.c.asked_at, readings.c.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        ).one_or_none()
        if row is not None:
            return row
    return None


def ended(now: datetime) -> dict[str, Any]:
    """Return what a row holds that no reader has any more."""
    return {"leased_until": None, "worker": None, "changed_at": now}
