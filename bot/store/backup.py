"""Takes a copy of all tables while they are in use, and puts one into empty tables.

All of a copy is of one moment: the databases keep that for a transaction that reads.
Rows come and go one after the other, so that no size of a database is too much.

A copy is older than the wiki. What waited to be posted then may stand there by now, and
so each such post comes back as one that was tried: the wiki is asked for it first. Who
was signed in then may have signed out since, and signs in again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, select, update

from bot.records.posts import PostState
from bot.store import backup_form
from bot.store.backup_form import Begun, Ended, Header
from bot.store.migrating import begin_filling, end_filling
from bot.store.outbox_tables import posts
from bot.store.reader_tables import reader_sessions, sign_ins
from bot.store.schema import VERSION, metadata
from bot.store.standing_tables import versions
from bot.store.transactions import Transactions
from handlers.ports import PermanentError

_ROWS_AT_ONCE = 500
_BYTES_AT_ONCE = 4_000_000  # of text; a server takes packets of 16 MB and more


def save(
    database: Transactions, write: Callable[[str], object], now: datetime
) -> Mapping[str, int]:
    """Write a copy, line by line; return how many rows of each table it has."""

    def copy(connection: Connection) -> Mapping[str, int]:
        write(Header(VERSION, now.isoformat(timespec="seconds")).line())
        counts: dict[str, int] = {}
        for table in metadata.sorted_tables:
            counts[table.name] = _save_table(connection, table, write)
        write(backup_form.end_line(counts))
        return counts

    return database.read_at_one_moment(copy)


def _save_table(
    connection: Connection, table: Table, write: Callable[[str], object]
) -> int:
    names = [column.name for column in table.columns]
    write(backup_form.table_line(table.name, names))
    rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(
        select(table).order_by(*table.primary_key.columns)
    )
    count = 0
    for row in rows:
        write(backup_form.row_line(row))
        count += 1
    return count


def look_through(lines: Iterator[str]) -> Header:
    """Read a copy to its end without keeping any of it.

    Raises:
        PermanentError: it is damaged, incomplete, or of newer tables than ours.
    """
    header = backup_form.header_of(next(lines, ""))
    if header.version > VERSION:
        raise PermanentError(
            f"the backup has tables of version {header.version}, and this program knows"
            f" {VERSION}; restore it with the version of Sidenote that made it"
        )
    counted: dict[str, int] = {}
    for table, rows in _groups(backup_form.parts_of(lines), counted):
        for row in rows:
            _values(table, row)
    return header


def restore(database: Transactions, lines: Iterator[str]) -> Mapping[str, int]:
    """Put a copy that was looked through into the tables.

    Until all of it is there nobody can begin to work on them, also if this is killed.

    Raises:
        PermanentError: they are not empty, or the lines are not those of before.
    """
    backup_form.header_of(next(lines, ""))
    database.read(_require_empty)
    database.write(begin_filling)
    counted: dict[str, int] = {}
    for table, rows in _groups(backup_form.parts_of(lines), counted):
        values = [_values(table, row) for row in rows]
        database.write(partial(_insert, table[0], values))
    database.write(_make_doubtful)
    database.write(end_filling)
    return counted


def _insert(table: Table, values: list[dict[str, Any]], connection: Connection) -> None:
    connection.execute(insert(table), values)


def _require_empty(connection: Connection) -> None:
    for table in metadata.sorted_tables:
        if table is versions:  # each new database has rows there
            continue
        if connection.scalar(select(func.count()).select_from(table)):
            raise PermanentError(
                f"the database is not empty (there are rows in {table.name}); a backup is"
                " only restored into an empty one, so that nothing is lost or mixed"
            )


def _make_doubtful(connection: Connection) -> None:
    """Take for certain only what cannot have changed since."""
    values = {
        "state": PostState.TRIED.name,
        "first_tried_at": func.coalesce(posts.c.first_tried_at, posts.c.asked_at),
    }
    waits = posts.c.state == PostState.WAITING.name
    connection.execute(update(posts).where(waits).values(**values))
    for table in (reader_sessions, sign_ins):
        connection.execute(delete(table))


_Columns = tuple[Table, tuple[str, ...]]


def _groups(
    parts: Iterable[Begun | Ended | list[Any]], counted: dict[str, int]
) -> Iterator[tuple[_Columns, list[list[Any]]]]:
    """Give the rows some hundred at a time, with what they are rows of.

    Raises:
        PermanentError: a table or a count is not what it should be.
    """
    now: _Columns | None = None
    rows: list[list[Any]] = []
    size = 0
    for part in parts:
        if isinstance(part, list) and now is not None:
            rows.append(part)
            size += sum(len(value) for value in part if isinstance(value, str))
            counted[now[0].name] += 1
            if len(rows) < _ROWS_AT_ONCE and size < _BYTES_AT_ONCE:
                continue
        if rows and now is not None:
            yield now, rows
            rows, size = [], 0
        if isinstance(part, Begun):
            now = _columns(part)
            counted[part.table] = 0
        elif isinstance(part, Ended) and dict(part.rows) != counted:
            raise PermanentError("rows of the backup are missing; take another one")


def _columns(begun: Begun) -> _Columns:
    table = metadata.tables.get(begun.table)
    known = set() if table is None else {column.name for column in table.columns}
    if table is None or not known.issuperset(begun.columns):
        raise PermanentError(
            f"the backup has a table {begun.table[:40]!r} that this program does not know"
        )
    return table, begun.columns


def _values(columns: _Columns, row: list[Any]) -> dict[str, Any]:
    table, names = columns
    try:
        return {
            name: backup_form.value_of(table.columns[name], told)
            for name, told in zip(names, row, strict=True)
        }
    except ValueError as error:
        raise PermanentError(
            f"a row of {table.name} in the backup is damaged; take another backup"
        ) from error
