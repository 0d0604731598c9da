"""What language models took of what a day allows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal

from sqlalchemy import Connection, func, select

from bot.records.spending import PayerKind
from bot.store.spending import BILLION
from bot.store.spending_tables import spending, spending_parts


@dataclass(frozen=True, slots=True)
class SpendingSight:
    """What language models took of what a day of UTC allows, over all processes.

    `reserved` is set aside for requests under way, or of processes that died. With
    `refused_at` the last request was not let through. `refused` counts the pages and
    people whose own part does not allow the next request.
    """

    settled: Decimal = Decimal(0)
    reserved: Decimal = Decimal(0)
    calls: int = 0
    refused_at: datetime | None = None
    refused: Mapping[PayerKind, int] = field(default_factory=dict)


def spent_today(connection: Connection, now: datetime) -> SpendingSight:
    """Return what is booked on the day of UTC that `now` is on."""
    day = now.astimezone(UTC).date()
    chosen = select(spending).filter_by(day=day)
    row = connection.execute(chosen).one_or_none()
    refused = _refused(connection, day)
    if row is None:
        return SpendingSight(refused=refused)
    settled, reserved = (Decimal(one) / BILLION for one in (row.settled, row.reserved))
    return SpendingSight(settled, reserved, row.calls, row.refused_at, refused)


def _refused(connection: Connection, day: date) -> Mapping[PayerKind, int]:
    """Return how many payers were not let through last, by kind, where any were."""
    kept = spending_parts.c
    was_refused = (kept.day == day) & kept.refused_at.is_not(None)
    found = {}
    for kind in PayerKind:
        of_kind = kept.payer.startswith(f"{kind.value}:")
        several = select(func.count()).where(was_refused & of_kind)
        if count := connection.scalar(several):
            found[kind] = count
    return found
