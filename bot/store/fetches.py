"""Sources: whose turn it is to ask a host, and who reads or supplies which text.

Processes on several machines ask the same hosts, and read sources for each other, so
the times are those of the database's clock. If that was set back, times in the future
count as now: a host is asked a little later than it could be, instead of being left out
for an hour.

A source that nobody waits for any more is not read, and is removed with the old
answers. Values from the table are checked like any other input: another version of the
program may have written them.

A person may supply the text of a source that could not be read, for an hour at most. It
is deleted in the transaction that saves what was found in it, or that it could not be
read.
"""

import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
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

from bot.records.accounts import SuppliedResult, SuppliedText
from bot.records.fetches import FetchRules, HostBusy, HostSlot, Request
from bot.records.tasks import Lease, TaskKind
from bot.store import sanitise
from bot.store.clock import Clock, DatabaseTime, database_now
from bot.store.database import (
    Repository,
    Transactions,
    change,
    find,
    insert_all,
    reads,
    rows_with,
    writes,
)
from bot.store.mapping import as_columns, as_value
from bot.store.schema import (
    ADDRESS_CHARS,
    KEY_CHARS,
    fetches,
    hosts,
    supplied_texts,
    tasks,
)
from bot.store.tasks import LEASED, WAITING, Policy, finish, nothing_to_do, queue
from handlers.model import Source, SourceFetch, SourceForm, SourceOutcome

_PROBLEM_CHARS = 1000
_RESULTS = TypeAdapter(tuple[SuppliedResult, ...])
_IS_SUPPLIED = tasks.c.kind == TaskKind.SUPPLIED.name

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
        row = find(connection, hosts, host=host, lock=True)
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
            change(connection, hosts, {"free_at": now}, host=host)
            return HostBusy(delay_s)
        longest = now + timedelta(seconds=_LONGEST_TURN_S)
        if row.until is not None and now < row.until <= longest:
            return HostBusy(_ASK_AGAIN_S)
        left_s = delay_s - (now - row.free_at).total_seconds()
        if left_s > 0:
            return HostBusy(left_s)
        change(connection, hosts, taken | {"token": row.token + 1}, host=host)
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
        row = find(connection, hosts, host=host, lock=True)
        if row is None:
            return
        now = self._now(connection)
        values: dict[str, Any] = {"changed_at": now}
        if throttle_s > 0:
            values |= {"throttled_until": now + timedelta(seconds=throttle_s)}
        if row.token == turn.token:
            values |= {"until": None, "free_at": now}
        change(connection, hosts, values, host=host)


class Fetches(Repository):
    """The requests to processes of the role `read`."""

    def __init__(
        self,
        transactions: Transactions,
        rules: FetchRules,
        database_time: DatabaseTime | None = None,
    ) -> None:
        super().__init__(transactions)
        self._database_time = database_time or DatabaseTime()
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
        at, until = (
            self._database_time.at(connection, one) for one in (now, wanted_until)
        )
        by_key = {request.key: request for request in requests}
        keys = sorted(by_key)
        for place in range(0, len(keys), _AT_ONCE):
            some = {key: by_key[key] for key in keys[place : place + _AT_ONCE]}
            _ask_some(connection, some, at, until, self._old(at))

    @reads
    def answers(
        self, connection: Connection, requests: Collection[Request]
    ) -> Mapping[str, SourceFetch]:
        """Return the answers so far, by the keys of the requests."""
        sources = {request.key: request.source for request in requests}
        columns = fetches.c
        query = select(columns.request, columns.answer)
        answered = query.where(columns.answer.is_not(None))
        rows = rows_with(connection, answered, columns.request, sources, _AT_ONCE)
        return {row.request: fetch_of(row.answer, sources[row.request]) for row in rows}

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
        at = self._database_time.at(connection, now)
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
        at = self._database_time.at(connection, now)
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
        by_database_time=True,
    )


def _request_of(connection: Connection, row: Row[Any], now: datetime) -> Request | None:
    """Return what to read; `None` if nobody waits for it, or nobody can read it."""
    requested = connection.execute(
        select(fetches.c.asked, fetches.c.wanted_until).filter_by(request=row.subject)
    ).one_or_none()
    source = None if requested is None else source_of(requested.asked)
    if requested is not None and source is not None and requested.wanted_until > now:
        return Request(source, row.subject, row.wiki)
    if requested is not None and source is None:
        failed = SourceFetch(_NOTHING, SourceOutcome.INCOMPLETE, _NO_FORM)
        _keep_answer(connection, row.subject, failed, now)
    nothing_to_do(connection, row, now)
    return None


def _is_free(now: datetime) -> ColumnElement[bool]:
    other = tasks.alias()
    in_work = (other.c.state == LEASED) & (other.c.leased_until > now)
    same = (other.c.kind == tasks.c.kind) & (other.c.wiki == tasks.c.wiki)
    is_busy = exists().where((hosts.c.host == tasks.c.wiki) & (hosts.c.until > now))
    return ~exists().where(same & in_work) & ~is_busy


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
    values = {"answer": packed(fetch), "changed_at": now}
    change(connection, fetches, values, request=request)


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
    unanswered = (some[key] for key in some.keys() - answered)
    ordered = sorted(unanswered, key=lambda one: (one.host, one.key))
    for host, group in groupby(ordered, key=lambda one: one.host):
        due = {one.key: now for one in group}
        queue(connection, TaskKind.FETCH, sanitise.text(host), due, now)
    later = case(
        (fetches.c.wanted_until < wanted_until, wanted_until),
        else_=fetches.c.wanted_until,
    )
    waits = fetches.c.wanted_until < now  # its wait begins now
    since = case((waits, now), else_=fetches.c.asked_at)
    renewed = update(fetches).where(of_some)
    connection.execute(renewed.values(asked_at=since, wanted_until=later))
    outdated = renewed.where(is_answered, fetches.c.request.not_in(answered))
    connection.execute(outdated.values(answer=None, asked_at=now))
    fresh = [
        {
            "request": key,
            "host": sanitise.text(some[key].host),
            "asked": source_text(some[key].source),
            "asked_at": now,
            "wanted_until": wanted_until,
            "changed_at": now,
        }
        for key in sorted(new)
    ]
    insert_all(connection, fetches, fresh)


def source_text(source: Source) -> str:
    """Return a request as text."""
    plain = _SOURCES.dump_python(source, mode="json")
    return json.dumps({"raw": ""} | {name: one for name, one in plain.items() if one})


def source_of(text: str) -> Source | None:
    """Return the request in a text; `None` if we do not know its form."""
    try:
        return _SOURCES.validate_json(text)
    except ValidationError:
        return None


def packed(fetch: SourceFetch) -> bytes:
    """Return a fetch without its source, as short as possible."""
    bare = _FETCHES.dump_python(replace(fetch, source=_NOTHING), mode="json")
    text = json.dumps(bare, ensure_ascii=False)
    # Other programs reject lone surrogates.
    short = zlib.compress(text.encode("utf-8", "replace"), 6)
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


class SuppliedTexts(Repository):
    """The texts that people supplied."""

    @writes
    def put(
        self,
        connection: Connection,
        supplied: SuppliedText,
        now: datetime,
        most_waiting_bytes: int,
    ) -> bool:
        """Queue a text to be read, and remove those that are too old.

        Its name is unique and cannot be guessed. Return whether it is kept: together,
        the reader's texts that have not been read yet are no longer than that.
        """
        source = sanitise.text(supplied.source_key, ADDRESS_CHARS)
        values = as_columns(supplied_texts, supplied, source_key=source)
        forget_supplied(connection, now)
        if _supplied_row(connection, supplied.name) is not None:
            return True  # a first try whose answer was lost
        body = supplied_texts.c.body
        waiting = select(func.coalesce(func.sum(func.length(body)), 0)).where(
            supplied_texts.c.reader == supplied.reader, body.is_not(None)
        )
        held = int(connection.scalar(waiting) or 0)
        if held + len(supplied.body or b"") > most_waiting_bytes:
            return False
        connection.execute(insert(supplied_texts).values(**values))
        queue(connection, TaskKind.SUPPLIED, supplied.wiki, {supplied.name: now}, now)
        return True

    @reads
    def get(
        self, connection: Connection, name: str, reader: str, now: datetime
    ) -> SuppliedText | None:
        """Return the result for a reader's own text, without the text itself."""
        row = _supplied_row(connection, name)
        if row is None or row.reader != reader or row.expires_at <= now:
            return None
        return _supplied(row)

    @writes
    def answer(
        self,
        connection: Connection,
        lease: Lease[SuppliedText],
        results: tuple[SuppliedResult, ...],
        now: datetime,
        problem: str | None = None,
    ) -> None:
        """Save what a text says, delete it, and end its task.

        Raises:
            LeaseLost: somebody else has it.
        """
        finish(connection, lease, now)
        _end_supplied(connection, lease.subject, now, results, problem)


def supplied_policy() -> Policy:
    """Return the policy for supplied texts: a person is waiting, so time is short."""
    return Policy(120.0, 2, _supplied_of, on_failure=_record_unreadable)


def _supplied_of(
    connection: Connection, row: Row[Any], now: datetime
) -> SuppliedText | None:
    stored = find(connection, supplied_texts, name=row.subject)
    if stored is not None and stored.body is not None and stored.expires_at > now:
        return _supplied(stored, stored.body)
    nothing_to_do(connection, row, now)
    return None


def _record_unreadable(
    connection: Connection,
    row: Row[Any],
    now: datetime,
    why: str | None,
    in_s: float | None,
) -> None:
    if in_s is None and why is not None:
        _end_supplied(connection, row.subject, now, (), why)


def _end_supplied(
    connection: Connection,
    name: str,
    now: datetime,
    results: tuple[SuppliedResult, ...],
    problem: str | None,
) -> None:
    message = json.dumps(_RESULTS.dump_python(results, mode="json"))
    values = {
        "body": None,
        "ended_at": now,
        "answer": sanitise.text(message),
        "problem": sanitise.text(problem, _PROBLEM_CHARS),
    }
    change(connection, supplied_texts, values, name=name)


def forget_supplied(connection: Connection, now: datetime) -> int:
    """Delete texts that are too old, read or not, and their tasks; return how many."""
    is_old = supplied_texts.c.expires_at <= now
    names = list(connection.scalars(select(supplied_texts.c.name).where(is_old)))
    if names:
        connection.execute(
            delete(tasks).where(_IS_SUPPLIED, tasks.c.subject.in_(names))
        )
        connection.execute(
            delete(supplied_texts).where(supplied_texts.c.name.in_(names))
        )
    return len(names)


def _supplied_row(connection: Connection, name: str) -> Row[Any] | None:
    columns = [one for one in supplied_texts.c if one.name != "body"]
    return connection.execute(select(*columns).filter_by(name=name)).one_or_none()


def _supplied(row: Row[Any], body: bytes | None = None) -> SuppliedText:
    results = _RESULTS.validate_json(row.answer or "[]")
    return as_value(SuppliedText, row, body=body, results=results)
