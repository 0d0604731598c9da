"""What is spent on language models in a day, held below a cap by all processes together.

The day is that of UTC at the database, one clock for all. A request is booked on the day
on which it was let through, also where it ends on the next. Days are not forgotten for
so long that no clock that was moved meets one anew: each can be spent once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_CEILING, Decimal
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from bot.spending import Allowance, Denied, Granted
from bot.store.hosts import database_now
from bot.store.spending_tables import reservations, spending
from bot.store.transactions import Transactions

BILLION = 10**9
_LOOK_AGAIN_S = 60.0  # where others may yet cost less than was set aside for them
_KEPT_DAYS = 400


@dataclass(frozen=True, slots=True)
class _Day:
    """What is booked on a day, in billionths."""

    day: date
    reserved: int = 0
    settled: int = 0
    calls: int = 0
    is_kept: bool = False


class Spending:
    """What was spent. Each verb is one transaction; processes may share it anywhere."""

    def __init__(
        self,
        transactions: Transactions,
        now: Callable[[Connection], datetime] = database_now,
    ) -> None:
        self._database = transactions
        self._now = now

    def reserve(self, money: Decimal, allowance: Allowance) -> Granted | Denied:
        """Set aside the most that a request can cost, unless that could pass the cap."""
        granted, most = Granted(token_hex(16)), _billionths(money)
        return self._database.write(
            lambda made: _reserve(made, granted, most, allowance, self._now(made))
        )

    def settle(self, granted: Granted, cost: Decimal) -> None:
        """Book what a request did cost, at most what was set aside for it.

        A second time does nothing. What nobody settles stays booked in full.
        """
        self._database.write(
            lambda made: _settle(made, granted, _billionths(cost), self._now(made))
        )


def forget(connection: Connection, now: datetime) -> int:
    """Remove days of more than a year ago; return how many."""
    before = now.astimezone(UTC).date() - timedelta(days=_KEPT_DAYS)
    connection.execute(delete(reservations).where(reservations.c.day < before))
    return connection.execute(delete(spending).where(spending.c.day < before)).rowcount


def _reserve(
    connection: Connection,
    granted: Granted,
    most: int,
    allowance: Allowance,
    now: datetime,
) -> Granted | Denied:
    day = _locked(connection, now.date())
    if _money_of(connection, granted) is not None:
        return granted  # the answer to the first try was lost
    denied = _denied(day, most, allowance, now)
    if denied is not None:
        _keep(connection, day, now, refused_at=now)
        return denied
    _keep(
        connection,
        day,
        now,
        reserved=day.reserved + most,
        calls=day.calls + 1,
        refused_at=None,
    )
    connection.execute(
        insert(reservations).values(token=granted.token, day=day.day, money=most)
    )
    return granted


def _denied(day: _Day, most: int, allowance: Allowance, now: datetime) -> Denied | None:
    cap = int(allowance.money * BILLION)
    booked = day.settled + day.reserved
    # What costs nothing needs no money, even where more was spent before the cap fell.
    passes = most > 0 and booked + most > cap
    if not passes and day.calls < allowance.calls:
        return None
    tomorrow = datetime.combine(day.day + timedelta(days=1), time(), UTC)
    wait_s = (tomorrow - now).total_seconds()
    if day.calls < allowance.calls and day.settled + most <= cap:
        wait_s = min(wait_s, _LOOK_AGAIN_S)
    return Denied(Decimal(booked) / BILLION, day.calls, allowance, wait_s)


def _settle(connection: Connection, granted: Granted, cost: int, now: datetime) -> None:
    chosen = reservations.c.token == granted.token
    found = connection.execute(select(reservations.c.day).where(chosen)).one_or_none()
    if found is None:
        return
    day = _locked(connection, found.day)  # before its requests, as everywhere
    most = _money_of(connection, granted)
    if most is None or not day.is_kept:
        return
    connection.execute(delete(reservations).where(chosen))
    settled = day.settled + min(cost, most)
    _keep(connection, day, now, reserved=day.reserved - most, settled=settled)


def _locked(connection: Connection, day: date) -> _Day:
    chosen = select(spending).filter_by(day=day).with_for_update()
    row = connection.execute(chosen).one_or_none()
    if row is None:
        return _Day(day)
    return _Day(day, row.reserved, row.settled, row.calls, is_kept=True)


def _money_of(connection: Connection, granted: Granted) -> int | None:
    chosen = select(reservations.c.money).filter_by(token=granted.token)
    return connection.scalar(chosen.with_for_update())


def _keep(connection: Connection, day: _Day, now: datetime, **values: Any) -> None:
    if day.is_kept:
        changed = update(spending).where(spending.c.day == day.day)
        connection.execute(changed.values(changed_at=now, **values))
        return
    nothing = {"day": day.day, "reserved": 0, "settled": 0, "calls": 0}
    connection.execute(insert(spending).values(**nothing | values, changed_at=now))


def _billionths(money: Decimal) -> int:
    return int((money * BILLION).to_integral_value(ROUND_CEILING))
