"""What language models took of what a day allows."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from sqlalchemy import Connection, select

from bot.store.spending import BILLION
from bot.store.spending_tables import spending


@dataclass(frozen=True, slots=True)
class SpendingSight:
    """What language models took of what a day of UTC allows, over all processes.

    `reserved` is set aside for requests under way, or of processes that died. With
    `refused_at` the last request was not let through.
    """

    settled: Decimal = Decimal(0)
    reserved: Decimal = Decimal(0)
    calls: int = 0
    refused_at: datetime | None = None


def spent_today(connection: Connection, now: datetime) -> SpendingSight:
    """Return what is booked on the day of UTC that `now` is on."""
    chosen = select(spending).filter_by(day=now.astimezone(UTC).date())
    row = connection.execute(chosen).one_or_none()
    if row is None:
        return SpendingSight()
    settled, reserved = (Decimal(one) / BILLION for one in (row.settled, row.reserved))
    return SpendingSight(settled, reserved, row.calls, row.refused_at)
