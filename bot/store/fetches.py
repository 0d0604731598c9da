"""Sources that are read for others, and turns at asking hosts, for all processes together.

Each method is one transaction. Processes on several machines ask the same hosts, so
times are kept by the database's clock. Where it was set back, what lies in the future
counts as of now: a host is asked a little later than it might be, and never left out
for an hour.

    ask       → WAITING;  one that is answered and old → WAITING
    lease     WAITING, LEASED and run out → LEASED;  after too many attempts → DONE
    answer    LEASED → DONE
    put_back  LEASED → WAITING

What nobody waits for any more is not read, and goes with the old answers. What comes
out of the table is checked like anything else that enters: another version of the
program may have written it.
"""

import json
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    Connection,
    Row,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from bot.records.fetches import ReadingRules, ReadingTurn, Request
from bot.records.hosts import HostBusy, HostTurn
from bot.records.tasks import LeaseLost
from bot.store import sanitise
from bot.store.clock import Agreed, Clock, database_now
from bot.store.schema import KEY_CHARS, NAME_CHARS, hosts, readings
from bot.store.transactions import Transactions
from handlers.model import Source, SourceForm, SourceOutcome, SourceReading, UrlStatus

_LOOK_AGAIN_S = 0.5  # where another process asks a host just now
_LONGEST_TURN_S = 3600.0

_AT_ONCE = 100

WAITING, LEASED, DONE = "WAITING", "LEASED", "DONE"
_DIED = "whoever read it failed or died over it, {attempts} times"
_NO_FORM = "it was asked for in a form that whoever reads does not know"

_MOST_BYTES = 64 * 1024**2  # of an answer, unpacked
_MOST_PACKED_BYTES = 15 * 1024**2  # what a row takes
_READINGS = TypeAdapter(SourceReading)
_SOURCES = TypeAdapter(Source)
_NOTHING = Source(SourceForm.URL, "")


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
            lambda made: lease(made, reader, self._agreed.at(made, now), self.rules)
        )

    def any_waits(self, now: datetime) -> bool:
        """Tell whether there is anything to lease: one question, which locks nothing."""
        return self._database.read(
            lambda made: any_waits(made, self._agreed.at(made, now))
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
        answered = {"state": DONE, "answer": packed(reading)}
        self._change(turn, now, lambda at: _ended(at) | answered)

    def put_back(
        self, turn: ReadingTurn, now: datetime, *, counts: bool = False
    ) -> None:
        """Let another read it; it `counts` as an attempt where that may go wrong again.

        Raises:
            LeaseLost: somebody else has it.
        """
        attempts = turn.attempt if counts else turn.attempt - 1
        waits = {"state": WAITING, "attempts": attempts}
        self._change(turn, now, lambda at: _ended(at) | waits)

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


def _take(
    connection: Connection, host: str, clock: Clock, delay_s: float, for_s: float
) -> HostTurn | HostBusy:
    row = _locked_host(connection, host)
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
        _set_host(connection, host, {"free_at": now})
        return HostBusy(delay_s)
    if _is_held(row, now):
        return HostBusy(_LOOK_AGAIN_S)
    left_s = delay_s - (now - row.free_at).total_seconds()
    if left_s > 0:
        return HostBusy(left_s)
    _set_host(connection, host, taken | {"token": row.token + 1})
    is_weary = row.weary_until is not None and row.weary_until > now
    return HostTurn(host, row.token + 1, is_weary)


def _is_held(row: Row[Any], now: datetime) -> bool:
    if row.until is None:
        return False
    return bool(now < row.until <= now + timedelta(seconds=_LONGEST_TURN_S))


def _end(connection: Connection, turn: HostTurn, clock: Clock, weary_s: float) -> None:
    host = sanitise.text(turn.host, KEY_CHARS)
    row = _locked_host(connection, host)
    if row is None:
        return
    now = clock(connection)
    values: dict[str, Any] = {"changed_at": now}
    if weary_s > 0:
        values |= {"weary_until": now + timedelta(seconds=weary_s)}
    if row.token == turn.token:
        values |= {"until": None, "free_at": now}
    _set_host(connection, host, values)


def _locked_host(connection: Connection, host: str) -> Row[Any] | None:
    chosen = select(hosts).filter_by(host=host)
    return connection.execute(chosen.with_for_update()).one_or_none()


def _set_host(connection: Connection, host: str, values: dict[str, Any]) -> None:
    connection.execute(update(hosts).where(hosts.c.host == host).values(**values))


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


def waiting_fetches(
    connection: Connection, now: datetime
) -> tuple[int, datetime | None]:
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
        "asked": asked_text(request.source),
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
            reading = reading_of(answer, asked[key])
            found[key] = reading or _not_known(asked[key])
    return found


def _not_known(source: Any) -> SourceReading:
    detail = "it was read by another version of the program, in a form we do not know"
    return SourceReading(source, SourceOutcome.UNREACHABLE, detail)


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
        source = source_of(row.asked)
        if source is not None and row.attempts < rules.attempts:
            connection.execute(update(readings).where(same).values(**values))
            request = Request(source, row.request, row.host)
            return ReadingTurn(request, row.token + 1, row.attempts + 1)
        why = _DIED.format(attempts=row.attempts) if source else _NO_FORM
        told = packed_failure(SourceOutcome.INCOMPLETE, why)
        given_up = _ended(now) | {"state": DONE, "answer": told}
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


def _ended(now: datetime) -> dict[str, Any]:
    """Return what a row holds that no reader has any more."""
    return {"leased_until": None, "worker": None, "changed_at": now}


def asked_text(source: Source) -> str:
    """Return what is asked for as text."""
    said = {field.name: getattr(source, field.name) for field in fields(source)}
    given = {name: _plain(value) for name, value in said.items() if value}
    return json.dumps({"raw": ""} | given)


def source_of(kept: str) -> Source | None:
    """Return what `asked` was given; `None` if it is in no form that we know."""
    try:
        return _SOURCES.validate_python(json.loads(kept))
    except ValueError:
        return None


def packed(reading: SourceReading) -> bytes:
    """Return a reading without its source, as short as it gets."""
    bare = _READINGS.dump_python(replace(reading, source=_NOTHING), mode="json")
    packed = zlib.compress(json.dumps(_whole(bare)).encode(), 6)
    if len(packed) <= _MOST_PACKED_BYTES:
        return packed
    outcome, detail = SourceOutcome.TOO_LARGE, "its text is too long to be handed on"
    return packed_failure(outcome, detail)


def packed_failure(outcome: SourceOutcome, detail: str) -> bytes:
    """Return the reading of a source that was not read."""
    return packed(SourceReading(_NOTHING, outcome, detail))


def reading_of(kept: bytes, source: Source) -> SourceReading | None:
    """Return the reading of `source`; `None` if it is not in a form that we know."""
    try:
        unpacked = zlib.decompressobj().decompress(kept, _MOST_BYTES)
        reading = _READINGS.validate_python(json.loads(unpacked))
    except (zlib.error, ValueError, ValidationError):
        return None
    return replace(reading, source=source)


def _plain(value: object) -> object:
    if isinstance(value, UrlStatus | SourceForm):
        return value.value
    return value.isoformat() if isinstance(value, date) else value


def _whole(value: Any) -> Any:
    """Return a value without halves of letters, which no other program takes."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    return value
