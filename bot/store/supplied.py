"""Texts that people supply for sources that could not be read, for an hour at most.

A text is deleted in the transaction that saves what was found in it, or that it could
not be read.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, delete, insert, select, update

from bot.records.accounts import SuppliedResult, SuppliedText
from bot.records.tasks import Lease, TaskKind
from bot.store import sanitise
from bot.store.database import Repository, reads, writes
from bot.store.schema import (
    ADDRESS_CHARS,
    HASH_CHARS,
    NOBODY,
    supplied_texts,
    tasks,
)
from bot.store.tasks import IDLE, Policy, finish, put_each, set_task

_PROBLEM_CHARS = 1000
_RESULTS = TypeAdapter(tuple[SuppliedResult, ...])
_IS_SUPPLIED = tasks.c.kind == TaskKind.SUPPLIED.name


class SuppliedTexts(Repository):
    """The texts that people supplied."""

    @writes
    def put(
        self, connection: Connection, supplied: SuppliedText, now: datetime
    ) -> None:
        """Queue a text to be read, and remove those that are too old.

        Its name is unique and cannot be guessed.
        """
        kept = replace(
            supplied,
            name=sanitise.key(supplied.name, "name of a text", HASH_CHARS),
            reader=sanitise.key(supplied.reader, "reader", HASH_CHARS),
            wiki=sanitise.key(supplied.wiki, "wiki"),
            title=sanitise.key(supplied.title, "title"),
            source_key=sanitise.text(supplied.source_key, ADDRESS_CHARS),
        )
        forget_supplied(connection, now)
        if _row(connection, kept.name) is not None:
            return  # a first try whose answer was lost
        connection.execute(insert(supplied_texts).values(**_columns(kept)))
        fresh = {"asked_at": now, "due_at": now, "changed_at": now, "tenant": NOBODY}
        put_each(
            connection,
            TaskKind.SUPPLIED,
            kept.wiki,
            {kept.name: kept},
            fresh=lambda _: fresh,
            renewed=lambda _one, _row: None,
        )

    @reads
    def get(
        self, connection: Connection, name: str, reader: str, now: datetime
    ) -> SuppliedText | None:
        """Return the result for a reader's own text, without the text itself."""
        row = _row(connection, name)
        if row is None or row.reader != reader or row.expires_at <= now:
            return None
        return _text(row)

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
        _end(connection, lease.subject, now, results, problem)


def supplied_policy() -> Policy:
    """Return the policy for supplied texts: a person is waiting, so time is short."""
    return Policy(120.0, 2, _text_of, on_failure=_tell)


def _text_of(
    connection: Connection, row: Row[Any], now: datetime
) -> SuppliedText | None:
    stored = _row(connection, row.subject, with_body=True)
    if stored is not None and stored.body is not None and stored.expires_at > now:
        return _text(stored, stored.body)
    values = {"state": IDLE, "leased_until": None, "changed_at": now}
    set_task(connection, row.id, values)
    return None


def _tell(
    connection: Connection,
    row: Row[Any],
    now: datetime,
    why: str | None,
    in_s: float | None,
) -> None:
    if in_s is None and why is not None:
        _end(connection, row.subject, now, (), why)


def _end(
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
    mine = supplied_texts.c.name == name
    connection.execute(update(supplied_texts).where(mine).values(**values))


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


def _row(
    connection: Connection, name: str, *, with_body: bool = False
) -> Row[Any] | None:
    columns = [one for one in supplied_texts.c if with_body or one.name != "body"]
    chosen = select(*columns).where(supplied_texts.c.name == name)
    return connection.execute(chosen).one_or_none()


def _columns(supplied: SuppliedText) -> Mapping[str, Any]:
    named = (
        *("name", "reader", "wiki", "title", "source_key"),
        *("supplied_at", "expires_at", "body"),
    )
    return {each: getattr(supplied, each) for each in named}


def _text(row: Row[Any], body: bytes | None = None) -> SuppliedText:
    return SuppliedText(
        name=row.name,
        reader=row.reader,
        wiki=row.wiki,
        title=row.title,
        source_key=row.source_key,
        supplied_at=row.supplied_at,
        expires_at=row.expires_at,
        body=body,
        ended_at=row.ended_at,
        results=_RESULTS.validate_python(json.loads(row.answer or "[]")),
        problem=row.problem,
    )
