"""Sources read for other processes, and turns for asking hosts, shared by all processes.

Processes on several machines ask the same hosts, so the times are those of the
database's clock. If that was set back, times in the future count as now: a host is
asked a little later than it could be, instead of being left out for an hour.

A source that nobody waits for any more is not read, and is removed with the old
answers. Values from the table are checked like any other input: another version of the
program may have written them.
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

from bot.records.fetches import FetchRules, HostBusy, HostSlot, Request
from bot.records.tasks import Lease, TaskKind
from bot.store import sanitise
from bot.store.clock import Agreed, Clock, database_now
from bot.store.database import Repository, Transactions, reads, writes
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
from handlers.model import Source, SourceFetch, SourceForm, SourceOutcome, UrlStatus

_ASK_AGAIN_S = 0.5  # when another process is asking the host
_LONGEST_TURN_S = 3600.0

_AT_ONCE = 100

_IS_FETCH = tasks.c.kind == TaskKind.FETCH.name
_OTHER_FORM = "it was read by another version of the program, in a form we do not know"
_TOO_LONG = "its text is too long to be handed on"
_NO_FORM = "it was asked for in a form that whoever reads does not know"

_MOST_BYTES = 64 * 1024**2  # for an answer, uncompressed
_MOST_PACKED_BYTES = 15 * 1024**2  # the most that fits in a row
_FETCHES = TypeAdapter(SourceFetch)
_SOURCES = TypeAdapter(Source)
_NOTHING = Source(SourceForm.URL, "")


class Hosts(Repository):
    """Whose turn it is at each host. Processes on any machine may share it."""

    def __init__(self, transactions: Transactions, now: Clock = database_now) -> None:
        super().__init__(transactions)
        self._now = now

    @writes
    def take(
        self, connection: Connection, host: str, delay_s: float, for_s: float
    ) -> HostSlot | HostBusy:
        """Take the turn at a host if it is free and nobody asked it for `delay_s`.

        The delay runs from the end of an answer to the next request. After `for_s`,
        longer than any request takes, another may take the turn.
        """
        host = sanitise.text(host, KEY_CHARS)
        row = _locked_host(connection, host)
        now = self._now(connection)  # after locking: others may have ended their turns
        taken = {
            "until": now + timedelta(seconds=for_s),
            "free_at": now,  # counts if its holder dies
            "changed_at": now,
        }
        if row is None:
            first = {"host": host, "token": 1, "throttled_until": None}
            connection.execute(insert(hosts).values(**first, **taken))
            return HostSlot(host, 1)
        if row.free_at > now:
            _set_host(connection, host, {"free_at": now})
            return HostBusy(delay_s)
        longest = now + timedelta(seconds=_LONGEST_TURN_S)
        if row.until is not None and now < row.until <= longest:
            return HostBusy(_ASK_AGAIN_S)
        left_s = delay_s - (now - row.free_at).total_seconds()
        if left_s > 0:
            return HostBusy(left_s)
        _set_host(connection, host, taken | {"token": row.token + 1})
        is_throttling = row.throttled_until is not None and row.throttled_until > now
        return HostSlot(host, row.token + 1, is_throttling)

    @writes
    def end(
        self, connection: Connection, turn: HostSlot, *, throttle_s: float = 0.0
    ) -> None:
        """End a turn: the pause begins. Harmless if it expired and another has the turn.

        `throttle_s` means that the host refused because of too many requests; whoever
        takes its turn is informed for that long.
        """
        host = sanitise.text(turn.host, KEY_CHARS)
        row = _locked_host(connection, host)
        if row is None:
            return
        now = self._now(connection)
        values: dict[str, Any] = {"changed_at": now}
        if throttle_s > 0:
            values |= {"throttled_until": now + timedelta(seconds=throttle_s)}
        if row.token == turn.token:
            values |= {"until": None, "free_at": now}
        _set_host(connection, host, values)


class Fetches(Repository):
    """The requests to processes of the role `read`."""

    def __init__(
        self,
        transactions: Transactions,
        rules: FetchRules,
        agreed: Agreed | None = None,
    ) -> None:
        super().__init__(transactions)
        self._agreed = agreed or Agreed()
        self.rules = rules

    @writes
    def ask(
        self,
        connection: Connection,
        requests: Sequence[Request],
        now: datetime,
        wanted_until: datetime,
    ) -> None:
        """Queue sources to be read, except those answered recently."""
        at, until = (self._agreed.at(connection, one) for one in (now, wanted_until))
        by_key = {request.key: request for request in requests}
        for place in range(0, len(by_key), _AT_ONCE):
            some = {
                key: by_key[key] for key in sorted(by_key)[place : place + _AT_ONCE]
            }
            _ask_some(connection, some, at, until, self._old(at))

    @reads
    def answers(
        self, connection: Connection, requests: Collection[Request]
    ) -> Mapping[str, SourceFetch]:
        """Return the answers so far, by the keys of the requests."""
        sources = {request.key: request.source for request in requests}
        found = {}
        keys = sorted(sources)
        for at in range(0, len(keys), _AT_ONCE):
            rows = connection.execute(
                select(fetches.c.request, fetches.c.answer)
                .where(fetches.c.request.in_(keys[at : at + _AT_ONCE]))
                .where(fetches.c.answer.is_not(None))
            )
            for key, answer in rows:
                found[key] = fetch_of(answer, sources[key])
        return found

    @writes
    def answer(
        self,
        connection: Connection,
        lease: Lease[Request],
        fetch: SourceFetch,
        now: datetime,
    ) -> None:
        """Save the text of a source, and end its task.

        Raises:
            LeaseLost: somebody else has it.
        """
        at = self._agreed.at(connection, now)
        finish(connection, lease, at)
        _keep_answer(connection, lease.subject, fetch, at)

    def forget(self, now: datetime) -> int:
        """Remove old answers and requests that nobody waits for; return how many."""
        count = 0
        while some := self._forget_some(now):
            count += some
        return count

    @writes
    def _forget_some(self, connection: Connection, now: datetime) -> int:
        at = self._agreed.at(connection, now)
        old = self._old(at)
        is_over = or_(
            fetches.c.answer.is_not(None) & (fetches.c.changed_at < old),
            fetches.c.answer.is_(None) & (fetches.c.wanted_until < old),
        )
        gone = select(fetches.c.request).where(is_over, fetches.c.wanted_until < at)
        found = list(connection.scalars(gone.limit(_AT_ONCE)))
        # Tasks first, as in every change of both, so that none waits for another in a
        # circle.
        connection.execute(delete(tasks).where(_IS_FETCH, tasks.c.subject.in_(found)))
        connection.execute(delete(fetches).where(fetches.c.request.in_(found)))
        return len(found)

    def _old(self, at: datetime) -> datetime:
        return at - timedelta(seconds=self.rules.keep_s)


def fetch_policy(rules: FetchRules) -> Policy:
    """Return the policy for sources: one at a time for each host, and not while it is busy."""
    return Policy(
        rules.lease_s,
        rules.attempts,
        _request_of,
        waits=_is_free,
        on_failure=_record_failure,
        is_agreed=True,
    )


def _request_of(connection: Connection, row: Row[Any], now: datetime) -> Request | None:
    """Return what to read; `None` if nobody waits for it, or nobody can read it."""
    asked = connection.execute(
        select(fetches.c.asked, fetches.c.wanted_until).filter_by(request=row.subject)
    ).one_or_none()
    source = None if asked is None else source_of(asked.asked)
    if asked is not None and source is not None and asked.wanted_until > now:
        return Request(source, row.subject, row.wiki)
    if asked is not None and source is None:
        failed = SourceFetch(_NOTHING, SourceOutcome.INCOMPLETE, _NO_FORM)
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


def _record_failure(
    connection: Connection,
    row: Row[Any],
    now: datetime,
    why: str | None,
    in_s: float | None,
) -> None:
    if in_s is None and why is not None:
        failed = SourceFetch(_NOTHING, SourceOutcome.INCOMPLETE, why)
        _keep_answer(connection, row.subject, failed, now)


def _keep_answer(
    connection: Connection, request: str, fetch: SourceFetch, now: datetime
) -> None:
    change = update(fetches).where(fetches.c.request == request)
    connection.execute(change.values(answer=packed(fetch), changed_at=now))


def _locked_host(connection: Connection, host: str) -> Row[Any] | None:
    chosen = select(hosts).filter_by(host=host)
    return connection.execute(chosen.with_for_update()).one_or_none()


def _set_host(connection: Connection, host: str, values: dict[str, Any]) -> None:
    connection.execute(update(hosts).where(hosts.c.host == host).values(**values))


def waiting_fetches(
    connection: Connection, now: datetime
) -> tuple[int, datetime | None]:
    """Return how many sources somebody waits for, and since when for the first."""
    counted = (
        select(func.count(), func.min(fetches.c.asked_at))
        .join(tasks, _IS_FETCH & (tasks.c.subject == fetches.c.request))
        .where(tasks.c.state == WAITING, fetches.c.wanted_until > now)
    )
    count, since = connection.execute(counted).one()
    return count, since


def _ask_some(
    connection: Connection,
    some: Mapping[str, Request],
    now: datetime,
    wanted_until: datetime,
    old: datetime,
) -> None:
    of_some = fetches.c.request.in_(some)
    is_answered = fetches.c.answer.is_not(None)
    known = select(fetches.c.request).where(of_some)
    lately = known.where(is_answered, fetches.c.changed_at >= old)
    answered = set(connection.scalars(lately))
    new = some.keys() - set(connection.scalars(known))
    _let_read(connection, some, answered, now)
    later = case(
        (fetches.c.wanted_until < wanted_until, wanted_until),
        else_=fetches.c.wanted_until,
    )
    waits = fetches.c.wanted_until < now  # its wait begins now
    since = case((waits, now), else_=fetches.c.asked_at)
    asked_again = update(fetches).where(of_some)
    connection.execute(asked_again.values(asked_at=since, wanted_until=later))
    outdated = asked_again.where(is_answered, fetches.c.request.not_in(answered))
    connection.execute(outdated.values(answer=None, asked_at=now))
    fresh = [
        {
            "request": key,
            "host": sanitise.text(some[key].host),
            "asked": asked_text(some[key].source),
            "asked_at": now,
            "wanted_until": wanted_until,
            "changed_at": now,
        }
        for key in sorted(new)
    ]
    if fresh:
        connection.execute(insert(fetches), fresh)


def _let_read(
    connection: Connection,
    some: Mapping[str, Request],
    answered: Collection[str],
    now: datetime,
) -> None:
    """Queue tasks for what is not answered, in the same order for all who do so."""

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
        by_key = {one.key: one for one in group}
        name = sanitise.text(host)
        put_each(connection, TaskKind.FETCH, name, by_key, fresh=fresh, renewed=renewed)


def asked_text(source: Source) -> str:
    """Return a request as text."""
    values = {field.name: getattr(source, field.name) for field in fields(source)}
    plain = {name: _plain(value) for name, value in values.items() if value}
    return json.dumps({"raw": ""} | plain)


def source_of(text: str) -> Source | None:
    """Return the request in a text; `None` if we do not know its form."""
    try:
        return _SOURCES.validate_json(text)
    except ValidationError:
        return None


def packed(fetch: SourceFetch) -> bytes:
    """Return a fetch without its source, as short as possible."""
    bare = _FETCHES.dump_python(replace(fetch, source=_NOTHING), mode="json")
    short = zlib.compress(json.dumps(_whole(bare)).encode(), 6)
    if len(short) <= _MOST_PACKED_BYTES:
        return short
    return packed(SourceFetch(_NOTHING, SourceOutcome.TOO_LARGE, _TOO_LONG))


def fetch_of(stored: bytes, source: Source) -> SourceFetch:
    """Return the fetch of `source`; a failed one if we do not know its form."""
    try:
        unpacked = zlib.decompressobj().decompress(stored, _MOST_BYTES)
        fetch = _FETCHES.validate_json(unpacked)
    except (zlib.error, ValidationError):
        return SourceFetch(source, SourceOutcome.UNREACHABLE, _OTHER_FORM)
    return replace(fetch, source=source)


def _plain(value: object) -> object:
    if isinstance(value, UrlStatus | SourceForm):
        return value.value
    return value.isoformat() if isinstance(value, date) else value


def _whole(value: Any) -> Any:
    """Return a value without lone surrogates, which other programs reject."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    return value
