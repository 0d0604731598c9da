"""Sources that are read for others: the queue and the answers. Each verb is a transaction.

    ask       → WAITING;  one that is answered and old → WAITING
    lease     WAITING, LEASED and run out → LEASED;  after too many attempts → DONE
    answer    LEASED → DONE
    put_back  LEASED → WAITING

What nobody waits for any more is not read, and goes with the old answers. Times are
given by the clock of this machine, and kept by the database's (`bot.store.database_time`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from bot.records.fetches import ReadingRules, ReadingTurn, Request
from bot.records.jobs import LeaseLost
from bot.store import reading_forms, reading_turns, sanitise
from bot.store.database_time import Agreed
from bot.store.reading_turns import DONE, LEASED, WAITING, ended
from bot.store.tenant_tables import readings
from bot.store.transactions import Transactions
from handlers.model import SourceOutcome, SourceReading

_AT_ONCE = 100


class Readings:
    """What processes of the role `read` are asked for. Processes may share it."""

    def __init__(
        self,
        transactions: Transactions,
        rules: ReadingRules,
        agreed: Agreed | None = None,
    ) -> None:
        self._database = transactions
        self._agreed = agreed or Agreed()
        self.rules = rules

    def ask(
        self, requests: Sequence[Request], now: datetime, wanted_until: datetime
    ) -> None:
        """Let sources be read that are not; what was answered lately stays."""

        def ask(made: Connection) -> None:
            at, until = self._agreed.at(made, now), self._agreed.at(made, wanted_until)
            _ask(made, requests, at, until, self._old(at))

        self._database.write(ask)

    def answers(self, requests: Collection[Request]) -> Mapping[str, SourceReading]:
        """Return what is answered, by the keys of the requests."""
        return self._database.read(lambda made: _answers(made, requests))

    def lease(self, reader: str, now: datetime) -> ReadingTurn | None:
        """Take the turn to read what waits longest; `None` if nothing can be read.

        Of one host, one source is read at a time, and none while it is being asked.
        """
        return self._database.write(
            lambda made: reading_turns.lease(
                made, reader, self._agreed.at(made, now), self.rules
            )
        )

    def any_waits(self, now: datetime) -> bool:
        """Tell whether there is anything to lease: one question, which locks nothing."""
        return self._database.read(
            lambda made: reading_turns.any_waits(made, self._agreed.at(made, now))
        )

    def renew(self, turn: ReadingTurn, now: datetime) -> None:
        """Prolong a turn.

        Raises:
            LeaseLost: somebody else has it.
        """
        lease = timedelta(seconds=self.rules.lease_s)
        self._change(turn, now, lambda at: {"leased_until": at + lease})

    def answer(self, turn: ReadingTurn, reading: SourceReading, now: datetime) -> None:
        """Tell what came of a source.

        Raises:
            LeaseLost: somebody else has it.
        """
        packed = reading_forms.packed(reading)
        answered = {"state": DONE, "answer": packed}
        self._change(turn, now, lambda at: ended(at) | answered)

    def put_back(
        self, turn: ReadingTurn, now: datetime, *, counts: bool = False
    ) -> None:
        """Let another read it; it `counts` as an attempt where that may go wrong again.

        Raises:
            LeaseLost: somebody else has it.
        """
        attempts = turn.attempt if counts else turn.attempt - 1
        waits = {"state": WAITING, "attempts": attempts}
        self._change(turn, now, lambda at: ended(at) | waits)

    def forget(self, now: datetime) -> int:
        """Remove answers that are old and not waited for, and questions; return how many."""

        def forget_some(made: Connection) -> int:
            at = self._agreed.at(made, now)
            return _forget_some(made, at, self._old(at))

        count = 0
        while some := self._database.write(forget_some):
            count += some
        return count

    def _old(self, at: datetime) -> datetime:
        return at - timedelta(seconds=self.rules.keep_s)

    def _change(
        self,
        turn: ReadingTurn,
        now: datetime,
        values: Callable[[datetime], dict[str, Any]],
    ) -> None:
        mine = (
            (readings.c.request == turn.request.key)
            & (readings.c.token == turn.token)
            & (readings.c.state == LEASED)
        )

        def change(made: Connection) -> int:
            at = self._agreed.at(made, now)
            changed = update(readings).where(mine).values(**values(at))
            return made.execute(changed).rowcount

        if not self._database.write(change):
            raise LeaseLost(f"the reading of {turn.request.host} is no longer ours")


def _forget_some(connection: Connection, now: datetime, old: datetime) -> int:
    """Remove some of what is of no use, as nothing is that somebody waits for."""
    is_over = or_(
        (readings.c.state == DONE) & (readings.c.changed_at < old),
        (readings.c.state == WAITING) & (readings.c.wanted_until < old),
        (readings.c.state == LEASED) & (readings.c.leased_until < old),
    )
    gone = select(readings.c.id).where(is_over, readings.c.wanted_until < now)
    chosen = gone.limit(_AT_ONCE).with_for_update(skip_locked=True)
    numbers = list(connection.scalars(chosen))
    connection.execute(delete(readings).where(readings.c.id.in_(numbers)))
    return len(numbers)


def waiting(connection: Connection, now: datetime) -> tuple[int, datetime | None]:
    """Return how many sources somebody waits for, and since when the first."""
    waits = (readings.c.state == WAITING) & (readings.c.wanted_until > now)
    counted = select(func.count(), func.min(readings.c.asked_at)).where(waits)
    count, since = connection.execute(counted).one()
    return count, since


def _ask(
    connection: Connection,
    requests: Sequence[Request],
    now: datetime,
    wanted_until: datetime,
    old: datetime,
) -> None:
    asked = {request.key: request for request in requests}
    for at in range(0, len(asked), _AT_ONCE):
        keys = sorted(asked)[at : at + _AT_ONCE]
        rows = connection.execute(
            select(readings).where(readings.c.request.in_(keys)).with_for_update()
        ).all()
        for row in rows:
            values = _asked_again(row, now, wanted_until, old)
            same = readings.c.id == row.id
            connection.execute(update(readings).where(same).values(**values))
        fresh = [
            _fresh(asked[key], now, wanted_until)
            for key in keys
            if key not in {row.request for row in rows}
        ]
        if fresh:
            connection.execute(insert(readings), fresh)


def _fresh(request: Request, now: datetime, wanted_until: datetime) -> dict[str, Any]:
    return {
        "request": request.key,
        "host": sanitise.text(request.host),
        "asked": reading_forms.asked(request.source),
        "state": WAITING,
        "asked_at": now,
        "wanted_until": wanted_until,
        "attempts": 0,
        "token": 0,
        "changed_at": now,
    }


def _asked_again(
    row: Row[Any], now: datetime, wanted_until: datetime, old: datetime
) -> dict[str, Any]:
    values: dict[str, Any] = {"wanted_until": max(row.wanted_until, wanted_until)}
    if row.state == WAITING and row.wanted_until < now:
        values |= {"asked_at": now}  # it waits from now on
    if row.state == DONE and row.changed_at < old:
        values |= {"state": WAITING, "asked_at": now, "attempts": 0, "answer": None}
    return values


def _answers(
    connection: Connection, requests: Collection[Request]
) -> Mapping[str, SourceReading]:
    asked = {request.key: request.source for request in requests}
    found = {}
    keys = sorted(asked)
    for at in range(0, len(keys), _AT_ONCE):
        rows = connection.execute(
            select(readings.c.request, readings.c.answer)
            .where(readings.c.request.in_(keys[at : at + _AT_ONCE]))
            .where(readings.c.state == DONE)
        )
        for key, answer in rows:
            reading = reading_forms.reading_of(answer, asked[key])
            found[key] = reading or _not_known(asked[key])
    return found


def _not_known(source: Any) -> SourceReading:
    detail = "it was read by another version of the program, in a form we do not know"
    return SourceReading(source, SourceOutcome.UNREACHABLE, detail)
