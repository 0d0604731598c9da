"""Copies all tables while they are in use, and restores a copy into empty tables.

A copy shows a single moment: the database guarantees that for a transaction that reads.
Rows are read and written as a stream, so a database of any size can be copied.

A copy is older than the wiki. Posts that were waiting then may have been made since, so
they are restored as tried: the wiki is asked about each first. Readers who were signed
in then may have signed out since, so they have to sign in again.

The format is one JSON value a line, so that it can still be read in fifty years.

The first line says what it is; each table follows, with its rows after it, and the last
line counts them all. Every value in a row is text, a number or null; times are in ISO
form, bytes in base64. Pure.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Date,
    DateTime,
    LargeBinary,
    MetaData,
    Table,
    delete,
    func,
    insert,
    select,
    update,
)

from bot.records.posts import PostState
from bot.store.database import Transactions
from bot.store.schema import (
    VERSION,
    Moment,
    metadata,
    posts,
    reader_sessions,
    sign_ins,
    supplied_texts,
    versions,
)
from bot.store.upgrade import (
    begin_filling,
    bring_up,
    end_filling,
    recreate,
    tables_of,
)
from handlers.ports import PermanentError

_ROWS_AT_ONCE = 500
_BYTES_AT_ONCE = 4_000_000  # of text; servers accept packets of at least 16 MB


_Columns = tuple[Table, tuple[str, ...]]

FORM = "sidenote backup 1"
_MOST_LINE = 64_000_000  # characters; a row holds at most 16 MiB of bytes


@dataclass(frozen=True, slots=True)
class Header:
    """What a backup says about itself: the version of its tables, and when it was made."""

    version: str
    made_at: str

    def line(self) -> str:
        """Return the first line of a backup."""
        return _line({"form": FORM, "version": self.version, "made_at": self.made_at})


@dataclass(frozen=True, slots=True)
class Begun:
    """The rows that follow are of this table, with these columns."""

    table: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """The end, with the number of rows in each table."""

    rows: Mapping[str, int]


def back_up(
    database: Transactions, write: Callable[[str], object], now: datetime
) -> Mapping[str, int]:
    """Write a copy, line by line; return how many rows of each table it has."""

    def copy(connection: Connection) -> Mapping[str, int]:
        write(Header(VERSION, now.isoformat(timespec="seconds")).line())
        counts: dict[str, int] = {}
        for table in metadata.sorted_tables:
            if table is supplied_texts:
                continue  # they are kept for an hour at most; a copy would live longer
            counts[table.name] = _save_table(connection, table, write)
        write(end_line(counts))
        return counts

    return database.read_at_one_moment(copy)


def _save_table(
    connection: Connection, table: Table, write: Callable[[str], object]
) -> int:
    names = [column.name for column in table.columns]
    write(table_line(table.name, names))
    rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(
        select(table).order_by(*table.primary_key.columns)
    )
    count = 0
    for row in rows:
        write(row_line(row))
        count += 1
    return count


def verify(lines: Iterator[str]) -> Header:
    """Read a whole copy to verify it; nothing is kept.

    Raises:
        PermanentError: it is damaged, incomplete, or has newer tables than ours.
    """
    header = header_of(next(lines, ""))
    if header.version > VERSION:
        raise PermanentError(
            f"the backup has tables of version {header.version}, and this program knows"
            f" {VERSION}; restore it with the version of Sidenote that made it"
        )
    counted: dict[str, int] = {}
    known = _tables(header)
    for table, rows in _groups(parts_of(lines), counted, known):
        for row in rows:
            _values(table, row)
    return header


def _tables(header: Header) -> MetaData:
    """Return the tables of a backup: ours, or those of an older version."""
    return metadata if header.version == VERSION else tables_of(header.version)


def restore(database: Transactions, lines: Iterator[str]) -> Mapping[str, int]:
    """Restore a verified copy into the tables.

    Nobody can use them until all of it is there, even if this is killed. A copy of an
    older version is restored into the tables of that version, which are then migrated.

    Raises:
        PermanentError: the tables are not empty, or the lines have changed since they
            were verified.
    """
    header = header_of(next(lines, ""))
    database.read(_require_empty)
    known, is_older = _tables(header), header.version < VERSION
    if is_older:
        recreate(database, header.version)
    database.write(begin_filling)
    counted: dict[str, int] = {}
    for table, rows in _groups(parts_of(lines), counted, known):
        values = [_values(table, row) for row in rows]
        database.write(partial(_insert, table[0], values))
    if is_older:
        bring_up(database)
    database.write(_make_doubtful)
    database.write(end_filling)
    return counted


def _insert(table: Table, values: list[dict[str, Any]], connection: Connection) -> None:
    connection.execute(insert(table), values)


def _require_empty(connection: Connection) -> None:
    for table in metadata.sorted_tables:
        if table is versions:  # a new database already has rows here
            continue
        if connection.scalar(select(func.count()).select_from(table)):
            raise PermanentError(
                f"the database is not empty (there are rows in {table.name}); a backup is"
                " only restored into an empty one, so that nothing is lost or mixed"
            )


def _make_doubtful(connection: Connection) -> None:
    """Mark everything as uncertain that may have changed since."""
    values = {
        "state": PostState.TRIED.name,
        "first_tried_at": func.coalesce(posts.c.first_tried_at, posts.c.asked_at),
    }
    waits = posts.c.state == PostState.WAITING.name
    connection.execute(update(posts).where(waits).values(**values))
    for table in (reader_sessions, sign_ins):
        connection.execute(delete(table))


def _groups(
    parts: Iterable[Begun | Ended | list[Any]],
    counted: dict[str, int],
    tables: MetaData,
) -> Iterator[tuple[_Columns, list[list[Any]]]]:
    """Yield the rows in batches of some hundred, each with its table and columns.

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
            now = _columns(part, tables)
            counted[part.table] = 0
        elif isinstance(part, Ended) and dict(part.rows) != counted:
            raise PermanentError("rows of the backup are missing; make another one")


def _columns(begun: Begun, tables: MetaData) -> _Columns:
    table = tables.tables.get(begun.table)
    known = set() if table is None else {column.name for column in table.columns}
    if table is None or not known.issuperset(begun.columns):
        raise PermanentError(
            f"the backup has a table {begun.table[:40]!r} that this program does not know"
        )
    return table, begun.columns


def _values(columns: _Columns, row: list[Any]) -> dict[str, Any]:
    table, names = columns
    known = {column.name: column for column in table.columns}
    try:
        # A column may have different names in the program and in the database.
        return {
            known[name].key: value_of(known[name], stored)
            for name, stored in zip(names, row, strict=True)
        }
    except ValueError as error:
        raise PermanentError(
            f"a row of {table.name} in the backup is damaged; make another backup"
        ) from error


def table_line(name: str, columns: Sequence[str]) -> str:
    """Return the line that begins a table."""
    return _line({"table": name, "columns": list(columns)})


def row_line(values: Sequence[Any]) -> str:
    """Return the line of a row."""
    return _line([_encoded(value) for value in values])


def end_line(rows: Mapping[str, int]) -> str:
    """Return the last line, which says that nothing is missing."""
    return _line({"end": dict(rows)})


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n"


def _encoded(value: Any) -> Any:
    match value:
        case datetime() | date():
            return value.isoformat()
        case bytes():
            return b64encode(value).decode("ascii")
    return value


def value_of(column: Column[Any], stored: Any) -> Any:
    """Return the value of a column from a value in a line.

    Raises:
        ValueError: it does not fit the column.
    """
    if stored is None or not isinstance(stored, str):
        return stored
    kind = column.type
    if isinstance(kind, Moment):
        return datetime.fromisoformat(stored)
    if isinstance(kind, DateTime):  # in tables of older versions
        return datetime.fromisoformat(stored).astimezone(UTC).replace(tzinfo=None)
    if isinstance(kind, Date):
        return date.fromisoformat(stored)
    if isinstance(kind, LargeBinary):
        return b64decode(stored, validate=True)
    return stored


def header_of(line: str) -> Header:
    """Read the first line.

    Raises:
        PermanentError: it is not one of our backups.
    """
    try:
        header = json.loads(line)
        if header["form"] != FORM:
            raise ValueError(header["form"])
        return Header(str(header["version"]), str(header["made_at"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise PermanentError(
            "this is not a backup made by `sidenote backup`; name another file"
        ) from error


def parts_of(lines: Iterator[str]) -> Iterator[Begun | Ended | list[Any]]:
    """Read the lines after the first.

    Raises:
        PermanentError: a line is damaged, or the last one is missing.
    """
    for number, line in enumerate(lines, start=2):
        try:
            part = _part(line)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise PermanentError(
                f"line {number} of the backup is damaged; make another backup"
            ) from error
        yield part
        if isinstance(part, Ended):
            return
    raise PermanentError("the backup ends early; make another one")


def _part(line: str) -> Begun | Ended | list[Any]:
    if len(line) > _MOST_LINE:
        raise ValueError("too long")
    part = json.loads(line)
    if isinstance(part, list):
        return part
    if "end" in part:
        return Ended({str(name): int(count) for name, count in part["end"].items()})
    return Begun(str(part["table"]), tuple(map(str, part["columns"])))
