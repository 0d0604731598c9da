"""The tables that a sweep writes, as Parquet files for pandas, DuckDB and Spark.

Columns are typed and described in the project's own words; the file has the description
of each column. A file exists in full or not at all.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

Row: TypeAlias = Mapping[str, Any]


class Kind(Enum):
    TEXT = "text"
    WORD = "one of few texts"  # each stored once
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
    """Takes rows and writes them in groups, so that only a few are in memory."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._writer = writer
        self._schema = schema
        self._tables: list[pa.Table] = []
        self._rows = 0

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows, all or none of them."""
        try:
            table = pa.Table.from_pylist(list(rows), schema=self._schema)
            table.validate(full=True)
        except (pa.ArrowException, TypeError, OverflowError) as error:
            raise ValueError(str(error)) from error
        self._tables.append(table)
        self._rows += len(rows)
        if self._rows >= _ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write the rows added so far."""
        if self._rows:
            whole = pa.concat_tables(self._tables).unify_dictionaries()
            self._writer.write_table(whole.combine_chunks())
        self._tables, self._rows = [], 0


@contextmanager
def writing(path: Path, columns: Sequence[Column]) -> Iterator[TableWriter]:
    """Write a table, which gets the name `path` only if the block succeeds."""
    schema = schema_of(columns)
    # Not named by process id: containers that share a disk may have the same ones.
    unfinished = path.with_name(f".{path.name}.{uuid4().hex}.part")
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
    """Make sure that the content is on the disk before the file gets its name."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def schema_of(columns: Sequence[Column]) -> pa.Schema:
    return pa.schema(
        pa.field(
            column.name,
            _TYPES[column.kind],
            nullable=column.may_lack,
            metadata={"meaning": column.meaning},
        )
        for column in columns
    )


def best_of(
    path: Path, by: str, most: int, *, highest: bool, lacking: str | None = None
) -> list[tuple[float, int]]:
    """Return the `most` first values of a column in order, each with its row's number.

    With `lacking`, only from rows in which that column is null.
    """
    table = pq.read_table(path, columns=[by, lacking] if lacking else [by])
    table = table.append_column("place", pa.array(range(len(table)), pa.int64()))
    table = table.filter(pc.is_valid(table[by]))
    if lacking:
        table = table.filter(pc.is_null(table[lacking]))
    order = "descending" if highest else "ascending"
    keys = [(by, order), ("place", "ascending")]
    first = table.take(pc.sort_indices(table, sort_keys=keys)[:most])
    return list(zip(first[by].to_pylist(), first["place"].to_pylist(), strict=True))


def picked(path: Path, places: Sequence[int]) -> list[Row]:
    """Return the rows with these numbers, in the same order."""
    found: list[Row] = pq.read_table(path).take(pa.array(places)).to_pylist()
    return found


def sums_by_host(tables: Iterable[Path], no_sign: str) -> list[Row]:
    """Return one row for each host in all tables of claims, using little memory.

    `expected_failing` is the sum of the probabilities; the other columns are counts.
    """
    parts, rows = list[pa.Table](), 0
    for path in tables:
        found = pq.read_table(path, columns=["host", "fails", "flag", "sign"])
        found = found.filter(pc.is_valid(found["host"]))
        of_each = {
            "claims": pa.array([1.0] * len(found), pa.float64()),
            "scored": pc.cast(pc.is_valid(found["fails"]), pa.float64()),
            "expected_failing": pc.fill_null(
                pc.cast(found["fails"], pa.float64()), 0.0
            ),
            "flagged": pc.cast(pc.is_valid(found["flag"]), pa.float64()),
            "at_sight": pc.cast(
                pc.not_equal(_plain(found["sign"]), no_sign), pa.float64()
            ),
        }
        parts.append(_summed(pa.table({"host": _plain(found["host"]), **of_each})))
        rows += len(parts[-1])
        if rows > _MOST_GATHERED:
            parts, rows = [_summed(pa.concat_tables(parts))], 0
    hosts: list[Row] = _summed(pa.concat_tables(parts)).to_pylist() if parts else []
    return hosts


def _summed(table: pa.Table) -> pa.Table:
    names = [name for name in table.column_names if name != "host"]
    sums = table.group_by("host").aggregate([(name, "sum") for name in names])
    return pa.table(
        {"host": sums["host"], **{name: sums[f"{name}_sum"] for name in names}}
    )


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(values, pa.string())


_MOST_GATHERED = 500_000  # rows held before they are summed up
_PLACE = (
    Column("wiki", Kind.WORD, "host of the wiki, such as en.wikipedia.org"),
    Column("title", Kind.TEXT, "title of the page"),
    Column("page_id", Kind.COUNT, "number of the page on its wiki", may_lack=True),
    Column("revision_id", Kind.COUNT, "revision that was read", may_lack=True),
    Column("revised_at", Kind.MOMENT, "when it was saved", may_lack=True),
)
CLAIMS = (
    *_PLACE,
    Column("number", Kind.COUNT, "of the claim on its page, from 0"),
    Column("start", Kind.COUNT, "characters of wikitext before the claim"),
    Column("kind", Kind.WORD, "sentence, clause, list item, table cell …"),
    Column("section", Kind.TEXTS, "headings above the claim, from the top down"),
    Column("claim", Kind.TEXT, "the words that the citations support, as plain text"),
    Column("sentence", Kind.TEXT, "the whole sentence, if the claim is part of one", may_lack=True),
    Column("citations", Kind.COUNT, "markers that support the claim"),
    Column("tags", Kind.TEXTS, "cleanup tags at the claim"),
    Column("address", Kind.TEXT, "of the source quoted, else of the first one", may_lack=True),
    Column("host", Kind.TEXT, "of that address, archived pages by their own", may_lack=True),
    Column("url_depth", Kind.COUNT, "elements of the path of the most specific address", may_lack=True),
    Column("sign", Kind.WORD, "what counts against the citation without reading the source"),
    Column("sight_order", Kind.COUNT, "order by sign and URL depth, the least first; no probability"),
    Column("verdict", Kind.WORD, "of the engine, where a source was readable", may_lack=True),
    Column("fails", Kind.NUMBER, "probability that the sources do not fully support the claim", may_lack=True),
    Column("contradicted", Kind.NUMBER, "probability that they contradict it", may_lack=True),
    Column("flag", Kind.WORD, "what it is flagged for, at the engine's operating points", may_lack=True),
    Column("quote", Kind.TEXT, "the best passage of the source, word for word", may_lack=True),
    Column("outcome", Kind.WORD, "outcome of the first source that was not read", may_lack=True),
    Column("detail", Kind.TEXT, "more about that", may_lack=True),
    Column("engine", Kind.WORD, "name and version of what judged", may_lack=True),
    Column("link", Kind.TEXT, "to the claim in that revision of the article", may_lack=True),
)  # fmt: skip
PAGES = (
    *_PLACE,
    Column("standing", Kind.WORD, "swept or failed; pages that were skipped are only counted"),
    Column("reason", Kind.WORD, "why it failed", may_lack=True),
    Column("detail", Kind.TEXT, "more about that", may_lack=True),
    Column("characters", Kind.COUNT, "of wikitext", may_lack=True),
    Column("claims", Kind.COUNT, "with at least one citation"),
    Column("citations", Kind.COUNT, "markers at these claims"),
    Column("scored", Kind.COUNT, "claims with a verdict"),
    Column("flagged", Kind.COUNT, "claims that are flagged"),
    Column("sources", Kind.COUNT, "distinct sources that are cited"),
    Column("sources_missing", Kind.COUNT, "of these, missing or unreadable"),
)  # fmt: skip
HOSTS = (
    Column("host", Kind.TEXT, "as in the table of claims"),
    Column("claims", Kind.COUNT, "that cite it first, or are quoted from it"),
    Column("scored", Kind.COUNT, "of these, with a verdict"),
    Column("expected_failing", Kind.NUMBER, "sum of the probabilities to fail"),
    Column("flagged", Kind.COUNT, "of these, flagged"),
    Column(
        "at_sight",
        Kind.COUNT,
        "of these, with something that counts against them without reading the source",
    ),
)
TABLES = (("claims/*.parquet", CLAIMS), ("pages/*.parquet", PAGES), ("hosts.parquet", HOSTS))  # fmt: skip


def described() -> str:
    """Return a page of text about all tables, for anyone who finds the folder."""
    lines = [
        "# Tables of this sweep",
        "",
        "Parquet. With pandas: `pandas.read_parquet('claims')`; with DuckDB:",
        "`select * from 'claims/*.parquet' order by fails desc limit 20`.",
    ]
    for name, columns in TABLES:
        lines += ["", f"## {name}", "", *_table(columns)]
    return "\n".join(lines) + "\n"


def _table(columns: Sequence[Column]) -> Iterator[str]:
    yield "| column | holds | may be null | meaning |"
    yield "|---|---|---|---|"
    for column in columns:
        lack = "yes" if column.may_lack else "no"
        yield f"| {column.name} | {column.kind.value} | {lack} | {column.meaning} |"
