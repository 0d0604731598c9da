"""Writes and reads tables as Parquet files, which pandas, DuckDB and Spark read.

Columns are described in the project's own words and typed; a description travels in
the file with its column. A file is there whole or not at all.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

from handlers.ports import PermanentError

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ImportError as error:  # an extra, and this module is imported only for it
    raise PermanentError(
        "Parquet files need the extra `sweep`: pip install 'sidenote[sweep]'"
    ) from error

Row: TypeAlias = Mapping[str, Any]


class Kind(Enum):
    """What a column holds."""

    TEXT = "text"
    WORD = "one of few texts"  # stored once each
    TEXTS = "list of texts"
    COUNT = "whole number"
    NUMBER = "number"
    MOMENT = "time (UTC)"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name, what it holds and what it means."""

    name: str
    kind: Kind
    meaning: str
    may_lack: bool = False


_TYPES = {
    Kind.TEXT: pa.string(),
    Kind.WORD: pa.dictionary(pa.int32(), pa.string()),
    Kind.TEXTS: pa.list_(pa.string()),
    Kind.COUNT: pa.int64(),
    Kind.NUMBER: pa.float32(),
    Kind.MOMENT: pa.timestamp("s", "UTC"),
}
_ROWS_AT_ONCE = 5_000


class TableWriter:
    """Takes rows and writes them in groups, so that few are held at a time."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._writer = writer
        self._schema = schema
        self._rows: list[Row] = []

    def add(self, rows: Sequence[Row]) -> None:
        """Write rows, all or none of them.

        Raises:
            ValueError: a row does not fit the columns.
        """
        try:
            pa.Table.from_pylist(list(rows), schema=self._schema)
        except (pa.ArrowException, TypeError, OverflowError) as error:
            raise ValueError(str(error)) from error
        self._rows += rows
        if len(self._rows) >= _ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what was taken so far."""
        if self._rows:
            self._writer.write_table(
                pa.Table.from_pylist(self._rows, schema=self._schema)
            )
            self._rows = []


@contextmanager
def writing(path: Path, columns: Sequence[Column]) -> Iterator[TableWriter]:
    """Write a table to `path`, which takes its name only when the block ends well."""
    schema = schema_of(columns)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with pq.ParquetWriter(unfinished, schema, compression="zstd") as writer:
            table = TableWriter(writer, schema)
            yield table
            table.flush()
        _settle(unfinished)
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _settle(path: Path) -> None:
    """See to it that the content is on the disk before the name is."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def schema_of(columns: Sequence[Column]) -> pa.Schema:
    """Return the types of `columns`, each with its meaning beside it."""
    return pa.schema(
        pa.field(
            column.name,
            _TYPES[column.kind],
            nullable=column.may_lack,
            metadata={"meaning": column.meaning},
        )
        for column in columns
    )


def rows_of(path: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield the rows of a file, some at a time in memory."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=columns):
            yield from batch.to_pylist()


def best_of(
    path: Path, by: str, most: int, *, highest: bool
) -> list[tuple[float, int]]:
    """Return the `most` first values of a column in order, each with its row's number."""
    values = pq.read_table(path, columns=[by]).column(0)
    order = "descending" if highest else "ascending"
    places = pc.sort_indices(values, sort_keys=[("", order)])[:most].to_pylist()
    found = ((values[place].as_py(), place) for place in places)
    return [(value, place) for value, place in found if value is not None]


def picked(path: Path, places: Sequence[int]) -> list[Row]:
    """Return the rows of those numbers, in their order."""
    found: list[Row] = pq.read_table(path).take(pa.array(places)).to_pylist()
    return found


class Gathering:
    """Sums columns of many files by the value of one, in little memory."""

    def __init__(self, by: str, sums: Sequence[str]) -> None:
        self._by = by
        self._sums = tuple(sums)
        self._parts: list[pa.Table] = []
        self._rows = 0

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows of one file, each with the key and numbers; `None` is no key."""
        names = (self._by, *self._sums)
        given = [row for row in rows if row[self._by] is not None]
        if given:
            types = [pa.string(), *(pa.float64() for _ in self._sums)]
            schema = pa.schema(list(zip(names, types, strict=True)))
            self._parts.append(pa.Table.from_pylist(given, schema=schema))
            self._rows += len(given)
        if self._rows > _MOST_GATHERED:
            self._parts = [self._summed()]
            self._rows = 0

    def rows(self) -> list[Row]:
        """Return one row for each key, with its sums."""
        if not self._parts:
            return []
        found: list[Row] = self._summed().to_pylist()
        return found

    def _summed(self) -> pa.Table:
        table = pa.concat_tables(self._parts).group_by(self._by)
        summed = table.aggregate([(name, "sum") for name in self._sums])
        names = [name.removesuffix("_sum") for name in summed.column_names]
        return summed.rename_columns(names).select([self._by, *self._sums])


_MOST_GATHERED = 500_000  # rows held before they are summed
