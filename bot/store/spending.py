"""What all processes together spend on language models in a day, kept below limits.

The day is UTC at the database: one clock for all. A request is booked on the day on
which it was allowed, even if it ends on the next. Days are kept long enough that a
clock that was set back cannot reach a forgotten one: each day's budget can be spent
only once.

Each request is also booked for those who pay for it: its page, and who asked for that.
If one payer's part is spent, its requests are refused, and the others continue. Parts
are stored by hash and forgotten after a month, as names are.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_CEILING, Decimal
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, select

from bot.records.spending import (
    Allowance,
    Denied,
    Granted,
    PageCosts,
    Payer,
    Payers,
    Work,
    payers_of,
)
from bot.store import sanitise
from bot.store.clock import database_now
from bot.store.database import (
    Repository,
    Transactions,
    change,
    find,
    reads,
    rows_with,
    writes,
)
from bot.store.mapping import as_columns
from bot.store.schema import (
    NAME_CHARS,
    NOBODY,
    model_uses,
    reservations,
    spending,
    spending_parts,
)
from bot.store.tasks import tenants_of
from handlers.model import ModelUse

BILLION = 10**9
_ASK_AGAIN_S = 60.0  # others may yet cost less than was reserved for them

_MODEL_USE_DAYS = 90
_A_MONTH_DAYS = 30


@dataclass(frozen=True, slots=True)
class _Booked:
    """What is booked on a day, in billionths: in all, or for one payer.

    `key` identifies its row; `is_stored` if that exists.
    """

    table: Table
    key: dict[str, Any]
    reserved: int = 0
    settled: int = 0
    calls: int = 0
    is_stored: bool = False

    @property
    def day(self) -> date:
        """The day it is booked on."""
        day: date = self.key["day"]
        return day


class Spending(Repository):
    """What was spent, by all processes together."""

    def __init__(
        self,
        transactions: Transactions,
        now: Callable[[Connection], datetime] = database_now,
    ) -> None:
        super().__init__(transactions)
        self._now = now

    @reads
    def payers(self, connection: Connection, wiki: str, title: str) -> Payers:
        """Return who pays for a page: the page itself, and who watches it.

        If several do, it is the one for whom its work counts; see `bot.store.tasks`.
        All who ask for pages that nobody watches count as one.
        """
        found = tenants_of(connection, wiki, [title])
        return payers_of(wiki, title, found.get(title, NOBODY))

    @reads
    def taken(
        self,
        connection: Connection,
        wiki: str,
        titles: Iterable[str],
        tenant: str,
        day: date,
    ) -> PageCosts:
        """Return what pages cost; `tenant` is who pays for their checks."""
        columns = spending_parts.c
        page_keys = [str(payers_of(wiki, title, tenant)[0]) for title in titles]
        whose = str(payers_of(wiki, "", tenant)[1])
        works = {True: Work(), False: Work()}
        held_back = 0
        is_today = columns.day == day
        query = (
            select(
                is_today,
                func.sum(columns.checks),
                func.sum(columns.fetches),
                func.sum(columns.tokens),
                func.sum(columns.settled),
                func.count(columns.refused_at),
            )
            .where((columns.day >= day.replace(day=1)) & (columns.day <= day))
            .group_by(is_today)
        )
        for today, *sums, refused in rows_with(
            connection, query, columns.payer, page_keys
        ):
            checks, fetches, tokens, settled = (int(one or 0) for one in sums)
            money = Decimal(settled) / BILLION
            works[bool(today)] += Work(checks, fetches, tokens, money)
            held_back += refused if today else 0
        all_refused = connection.scalar(
            select(spending.c.refused_at).filter_by(day=day)
        )
        own = select(columns.refused_at).filter_by(day=day, payer=whose)
        if all_refused is not None or connection.scalar(own) is not None:
            held_back = len(page_keys)
        return PageCosts(day, works[True], works[True] + works[False], held_back)

    @reads
    def of_a_page(self, connection: Connection) -> Decimal:
        """Return what models cost for a page, on average, in the last month."""
        month = self._now(connection) - timedelta(days=_A_MONTH_DAYS)
        mean = connection.scalar(
            select(func.avg(model_uses.c.billionths)).where(
                model_uses.c.used_at > month
            )
        )
        return Decimal(int(mean or 0)) / BILLION

    def reserve(
        self, money: Decimal, allowance: Allowance, payers: Payers = ()
    ) -> Granted | Denied:
        """Reserve the most that a request can cost, unless that could exceed a limit."""
        # Named here: if the answer is lost, the same reservation is requested again.
        granted = Granted(token_hex(16))
        return self._reserve(granted, _billionths(money), allowance, payers)

    @writes
    def _reserve(
        self,
        connection: Connection,
        granted: Granted,
        most: int,
        allowance: Allowance,
        payers: Payers,
    ) -> Granted | Denied:
        now = self._now(connection)
        day = _locked(connection, spending, {"day": now.date()})
        if _money_of(connection, granted) is not None:
            return granted  # a first try whose answer was lost
        allowed: list[tuple[_Booked, Payer | None]] = [(day, None)]
        for payer in sorted(payers, key=str):
            key = {"day": day.day, "payer": str(payer)}
            allowed.append((_locked(connection, spending_parts, key), payer))
        for booked, whose in allowed:
            cap = allowance.of(whose) if whose else allowance
            denied = _denied(booked, most, cap, whose, now)
            if denied is not None:
                _keep(connection, booked, now, refused_at=now)
                return denied
        for booked, _ in allowed:
            taken = {"reserved": booked.reserved + most, "calls": booked.calls + 1}
            _keep(connection, booked, now, refused_at=None, **taken)
        connection.execute(
            insert(reservations).values(
                token=granted.token,
                day=day.day,
                money=most,
                payers=",".join(map(str, payers)) or None,
            )
        )
        return granted

    @writes
    def settle(self, connection: Connection, granted: Granted, cost: Decimal) -> None:
        """Book what a request cost, at most what was reserved for it.

        Repeating it does nothing. A request that is never settled stays booked in full.
        """
        now = self._now(connection)
        found = find(connection, reservations, token=granted.token)
        if found is None:
            return
        # The day before its requests: the same order of locks everywhere.
        day = _locked(connection, spending, {"day": found.day})
        most = _money_of(connection, granted)
        if most is None or not day.is_stored:
            return
        connection.execute(delete(reservations).filter_by(token=granted.token))
        named = sorted(found.payers.split(",")) if found.payers else []
        least = min(_billionths(cost), most)
        for booked in (day, *_parts(connection, found.day, named)):
            settled = {"reserved": booked.reserved - most}
            settled |= {"settled": booked.settled + least}
            _keep(connection, booked, now, **settled)


def day_of(at: datetime) -> date:
    """Return the day (UTC) of a time."""
    return at.astimezone(UTC).date()


def _denied(
    booked: _Booked, most: int, allowance: Allowance, payer: Payer | None, now: datetime
) -> Denied | None:
    cap = int(allowance.money * BILLION)
    taken = booked.settled + booked.reserved
    # Free requests need no money, even if more was spent before the limit was lowered.
    passes = most > 0 and taken + most > cap
    if not passes and booked.calls < allowance.calls:
        return None
    tomorrow = datetime.combine(booked.day + timedelta(days=1), time(), UTC)
    wait_s = (tomorrow - now).total_seconds()
    may_pass = booked.calls < allowance.calls and booked.settled + most <= cap
    if may_pass:
        wait_s = min(wait_s, _ASK_AGAIN_S)
    money = Decimal(taken) / BILLION
    return Denied(money, booked.calls, allowance, wait_s, payer, may_pass)


def _parts(
    connection: Connection, day: date, payers: Iterable[str]
) -> Iterator[_Booked]:
    """Yield what is booked for payers, unless it has been forgotten since."""
    for payer in payers:
        part = _locked(connection, spending_parts, {"day": day, "payer": payer})
        if part.is_stored:
            yield part


def _locked(connection: Connection, table: Table, key: dict[str, Any]) -> _Booked:
    row = find(connection, table, **key, lock=True)
    if row is None:
        return _Booked(table, key)
    return _Booked(table, key, row.reserved, row.settled, row.calls, is_stored=True)


def _money_of(connection: Connection, granted: Granted) -> int | None:
    chosen = select(reservations.c.money).filter_by(token=granted.token)
    return connection.scalar(chosen.with_for_update())


def _keep(
    connection: Connection, booked: _Booked, now: datetime, **values: Any
) -> None:
    if booked.is_stored:
        change(connection, booked.table, values | {"changed_at": now}, **booked.key)
        return
    nothing = {"reserved": 0, "settled": 0, "calls": 0, "changed_at": now}
    fresh = booked.key | nothing | values
    connection.execute(insert(booked.table).values(**fresh))


def _billionths(money: Decimal) -> int:
    return int((money * BILLION).to_integral_value(ROUND_CEILING))


def keep_use(connection: Connection, model: str, use: ModelUse, now: datetime) -> None:
    """Record what asking `model` used, if it was asked; forget what is months old."""
    if not (use.calls or use.remembered):
        return
    old = model_uses.c.used_at < now - timedelta(days=_MODEL_USE_DAYS)
    connection.execute(delete(model_uses).where(old))
    connection.execute(
        insert(model_uses).values(
            as_columns(
                model_uses,
                use,
                used_at=now,
                model=sanitise.text(model, NAME_CHARS),
                billionths=round(use.cost * BILLION),
            )
        )
    )


def book_work(
    connection: Connection, wiki: str, title: str, work: Work, now: datetime
) -> None:
    """Book the work done for a page; its money is booked as it is spent."""
    columns = spending_parts.c
    payer = str(payers_of(wiki, title, NOBODY)[0])
    booked = _locked(connection, spending_parts, {"day": day_of(now), "payer": payer})
    added = {"checks": work.checks, "fetches": work.fetches, "tokens": work.tokens}
    if booked.is_stored:
        sums = {name: func.coalesce(columns[name], 0) + n for name, n in added.items()}
        _keep(connection, booked, now, **sums)
    else:
        _keep(connection, booked, now, **added)
