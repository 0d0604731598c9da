"""Sources that are read for others, and turns at asking hosts, for all processes together.

Each method is one transaction. Processes on several machines ask the same hosts, so
times are kept by the database's clock. Where it was set back, what lies in the future
counts as of now: a host is asked a little later than it might be, and never left out
for an hour.

What nobody waits for any more is not read, and goes with the old answers. What comes
out of the table is checked like anything else that enters: another version of the
program may have written it.
"""

import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from bot.records.fetches import ReadingRules, Request
from bot.records.hosts import HostBusy, HostTurn
from bot.records.tasks import Lease, TaskKind
from bot.store import sanitise
from bot.store.clock import Agreed, Clock, database_now
from bot.store.schema import KEY_CHARS, fetches, hosts, tasks
from bot.store.tasks import (
    IDLE,
    LEASED,
    WAITING,
    Policy,
    finish,
    put_each,
    set_task,
)
from bot.store.transactions import Transactions
from handlers.model import Source, SourceForm, SourceOutcome, SourceReading, UrlStatus

_LOOK_AGAIN_S = 0.5  # where another process asks a host just now
_LONGEST_TURN_S = 3600.0

_AT_ONCE = 100

_IS_FETCH = tasks.c.kind == TaskKind.FETCH.name
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

    def answer(
        self, held: Lease[Request], reading: SourceReading, now: datetime
    ) -> None:
        """Tell what came of a source, and end its task.

        Raises:
            LeaseLost: somebody else has it.
        """

        def work(made: Connection) -> None:
            at = self._agreed.at(made, now)
            finish(made, held, at)
            _keep_answer(made, held.subject, packed(reading), at)

        self._database.write(work)

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


def fetch_policy(rules: ReadingRules) -> Policy:
    """Return how sources are read: of one host one at a time, none while it is asked."""
    return Policy(
        rules.lease_s,
        rules.attempts,
        _request_of,
        waits=_is_free,
        told=_tell_asker,
        is_agreed=True,
    )


def _request_of(connection: Connection, row: Row[Any], now: datetime) -> Request | None:
    """Return what to read; `None` where nobody waits for it, or nobody can."""
    asked = connection.execute(
        select(fetches.c.asked, fetches.c.wanted_until).filter_by(request=row.subject)
    ).one_or_none()
    source = None if asked is None else source_of(asked.asked)
    if asked is not None and source is not None and asked.wanted_until > now:
        return Request(source, row.subject, row.wiki)
    if asked is not None and source is None:
        failed = packed_failure(SourceOutcome.INCOMPLETE, _NO_FORM)
        _keep_answer(connection, row.subject, failed, now)
    values = {"state": IDLE, "leased_until": None, "changed_at": now}
    set_task(connection, row.id, values)
    return None


def _is_free(now: datetime) -> ColumnElement[bool]:
    other = tasks.alias()
    in_work = (other.c.state == LEASED) & (other.c.leased_until > now)
    same = (other.c.kind == tasks.c.kind) & (other.c.wiki == tasks.c.wiki)
    is_asked = exists().where((hosts.c.host == tasks.c.wiki) & (hosts.c.until > now))
    return ~exists().where(same & in_work) & ~is_asked


def _tell_asker(
    connection: Connection,
    row: Row[Any],
    now: datetime,
    why: str | None,
    in_s: float | None,
) -> None:
    if in_s is None and why is not None:
        failed = packed_failure(SourceOutcome.INCOMPLETE, why)
        _keep_answer(connection, row.subject, failed, now)


def _keep_answer(
    connection: Connection, request: str, answer: bytes, now: datetime
) -> None:
    same = fetches.c.request == request
    kept = update(fetches).where(same).values(answer=answer, changed_at=now)
    connection.execute(kept)


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
        fetches.c.answer.is_not(None) & (fetches.c.changed_at < old),
        fetches.c.answer.is_(None) & (fetches.c.wanted_until < old),
    )
    gone = select(fetches.c.request).where(is_over, fetches.c.wanted_until < now)
    found = list(connection.scalars(gone.limit(_AT_ONCE)))
    # Tasks first, as all do who change both: nobody waits in a circle.
    connection.execute(delete(tasks).where(_IS_FETCH, tasks.c.subject.in_(found)))
    connection.execute(delete(fetches).where(fetches.c.request.in_(found)))
    return len(found)


def waiting_fetches(
    connection: Connection, now: datetime
) -> tuple[int, datetime | None]:
    """Return how many sources somebody waits for, and since when the first."""
    counted = (
        select(func.count(), func.min(fetches.c.asked_at))
        .join(tasks, _IS_FETCH & (tasks.c.subject == fetches.c.request))
        .where(tasks.c.state == WAITING, fetches.c.wanted_until > now)
    )
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
        some = {key: asked[key] for key in sorted(asked)[at : at + _AT_ONCE]}
        of_some = fetches.c.request.in_(some)
        is_answered = fetches.c.answer.is_not(None)
        lately = select(fetches.c.request).where(
            of_some, is_answered, fetches.c.changed_at >= old
        )
        answered = set(connection.scalars(lately))
        known = set(connection.scalars(select(fetches.c.request).where(of_some)))
        _let_read(connection, some, answered, now)
        later = case(
            (fetches.c.wanted_until < wanted_until, wanted_until),
            else_=fetches.c.wanted_until,
        )
        waits = fetches.c.wanted_until < now  # it waits from now on
        since = case((waits, now), else_=fetches.c.asked_at)
        connection.execute(
            update(fetches).where(of_some).values(asked_at=since, wanted_until=later)
        )
        outdated = of_some & is_answered & fetches.c.request.not_in(answered)
        connection.execute(
            update(fetches).where(outdated).values(answer=None, asked_at=now)
        )
        fresh = [
            {
                "request": key,
                "host": sanitise.text(one.host),
                "asked": asked_text(one.source),
                "asked_at": now,
                "wanted_until": wanted_until,
                "changed_at": now,
            }
            for key, one in some.items()
            if key not in known
        ]
        if fresh:
            connection.execute(insert(fetches), fresh)


def _let_read(
    connection: Connection,
    some: Mapping[str, Request],
    answered: Collection[str],
    now: datetime,
) -> None:
    """Let tasks wait for what is not answered, in one order for all who do so."""

    def fresh(_: Request) -> dict[str, Any]:
        return {"asked_at": now, "due_at": now, "changed_at": now}

    def renewed(request: Request, row: Row[Any]) -> dict[str, Any] | None:
        if row.state in {WAITING, LEASED} or request.key in answered:
            return None
        begun = {"state": WAITING, "attempts": 0, "note": None}
        return fresh(request) | begun

    for host, group in groupby(
        sorted(some.values(), key=lambda one: (one.host, one.key)),
        key=lambda one: one.host,
    ):
        wanted = {one.key: one for one in group}
        name = sanitise.text(host)
        put_each(connection, TaskKind.FETCH, name, wanted, fresh=fresh, renewed=renewed)


def _answers(
    connection: Connection, requests: Collection[Request]
) -> Mapping[str, SourceReading]:
    asked = {request.key: request.source for request in requests}
    found = {}
    keys = sorted(asked)
    for at in range(0, len(keys), _AT_ONCE):
        rows = connection.execute(
            select(fetches.c.request, fetches.c.answer)
            .where(fetches.c.request.in_(keys[at : at + _AT_ONCE]))
            .where(fetches.c.answer.is_not(None))
        )
        for key, answer in rows:
            reading = reading_of(answer, asked[key])
            found[key] = reading or _not_known(asked[key])
    return found


def _not_known(source: Any) -> SourceReading:
    detail = "it was read by another version of the program, in a form we do not know"
    return SourceReading(source, SourceOutcome.UNREACHABLE, detail)


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
