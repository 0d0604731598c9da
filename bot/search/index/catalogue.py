"""What is in an index: an SQLite file that governs its words and its vectors.

What is in words and vectors counts only if the catalogue names it. A document's number
is used once and never again; numbers are recorded here *before* they are written to
words, so that the next update can remove what a killed one left. A damaged file is
distinguished from one that cannot be read or written: the first is rebuilt, the second
is for the operator to fix.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from bot.sources.extraction import Extraction
from handlers.model import Span
from handlers.sources.addresses import normal_key

FILE = "catalogue.sqlite3"
_MAX_BYTES = 50_000_000  # of one document, uncompressed
_BEGUN = f"begun-{FILE}"
_LOCK_WAIT_S = 10.0
_SCHEMA = """
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY, collection TEXT NOT NULL, kind TEXT NOT NULL,
        key TEXT NOT NULL, address TEXT NOT NULL, mark TEXT NOT NULL,
        told TEXT NOT NULL, sha256 TEXT NOT NULL, captured REAL NOT NULL,
        outcome TEXT NOT NULL, extraction BLOB NOT NULL,
        UNIQUE (collection, key)
    );
    CREATE INDEX by_key ON documents (key);
    CREATE TABLE passages (
        document INTEGER NOT NULL, number INTEGER NOT NULL,
        row INTEGER NOT NULL UNIQUE, start INTEGER NOT NULL, stop INTEGER NOT NULL,
        PRIMARY KEY (document, number)
    ) WITHOUT ROWID;
    CREATE TABLE leftovers (document INTEGER PRIMARY KEY);
"""


class DamagedError(Exception):
    """A file of the index is not what the catalogue says it is."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the index has of a document that may be unchanged."""

    id: int
    mark: str
    metadata: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A document as stored; without passages if it could not be read."""

    id: int
    collection: str
    kind: str
    address: str
    mark: str
    metadata: str
    sha256: str
    captured: datetime
    extraction: Extraction
    passages: tuple[Span, ...] = ()


_PRIMARY = 0xFF  # the part of a result code that names its kind
# A table or column that is not there is an error of the statement.
_DAMAGED = frozenset(
    {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
)


@contextmanager
def soundness() -> Iterator[None]:
    """Turn SQLite's errors into a `DamagedError` or an OSError."""
    try:
        yield
    except sqlite3.OperationalError as error:
        # Words that are no UTF-8 are found by Python, which gives no code.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        if code & _PRIMARY in _DAMAGED:
            raise DamagedError(f"{FILE}: {error}") from error
        raise OSError(None, f"{FILE}: {error}") from error
    except (sqlite3.Error, ValueError, LookupError, TypeError, zlib.error) as error:
        raise DamagedError(f"{FILE}: {error}") from error


def insert(db: sqlite3.Connection, entry: Entry) -> None:
    """Store a document, without its passages."""
    db.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            entry.id,
            entry.collection,
            entry.kind,
            normal_key(entry.address),
            entry.address,
            entry.mark,
            entry.metadata,
            entry.sha256,
            entry.captured.timestamp(),
            entry.extraction.outcome.name,
            zlib.compress(entry.extraction.to_json()),
        ),
    )


def entry_from(row: sqlite3.Row, passages: tuple[Span, ...]) -> Entry:
    """Read what `insert` wrote."""
    return Entry(
        id=int(row["id"]),
        collection=row["collection"],
        kind=row["kind"],
        address=row["address"],
        mark=row["mark"],
        metadata=row["told"],
        sha256=row["sha256"],
        captured=datetime.fromtimestamp(row["captured"], UTC),
        extraction=Extraction.from_json(_inflate(row["extraction"])),
        passages=passages,
    )


def _inflate(packed: bytes) -> bytes:
    inflater = zlib.decompressobj()
    content = inflater.decompress(packed, _MAX_BYTES)
    if not inflater.eof:
        raise ValueError("a document is longer than any that was put in")
    return content


class Catalogue:
    """One open catalogue. Every method is a separate transaction.

    Raises:
        DamagedError: from any method, if the file is not a sound catalogue.
        OSError: it cannot be written; the disk is full, or the place read-only.
    """

    def __init__(self, folder: Path, *, write: bool, name: str = FILE) -> None:
        # A reader may find an unfinished transaction of a killed writer, and undoing it
        # needs write access; if the file is read-only, SQLite opens it so itself.
        mode = "rwc" if write else "rw"
        uri = f"{(folder / name).resolve().as_uri()}?mode={mode}"
        with soundness():
            self._db = sqlite3.connect(
                uri,
                uri=True,
                timeout=_LOCK_WAIT_S,
                isolation_level=None,
                check_same_thread=False,
            )
            self._db.row_factory = sqlite3.Row
            if not write:
                self._db.execute("PRAGMA query_only = ON")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # --- about the index ------------------------------------------------------

    @classmethod
    def begin(cls, folder: Path, about: Mapping[str, str]) -> Self:
        """Make an empty catalogue; if killed meanwhile, there is none."""
        for left in folder.glob(f"{_BEGUN}*"):
            left.unlink()
        begun = cls(folder, write=True, name=_BEGUN)
        try:
            begun._create(about)
        finally:
            begun.close()
        (folder / _BEGUN).replace(folder / FILE)
        return cls(folder, write=True)

    def _create(self, about: Mapping[str, str]) -> None:
        """Create the tables, and record what the index is."""
        with self._change() as db:
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            db.executemany("INSERT INTO about VALUES (?, ?)", about.items())

    def about(self) -> dict[str, str]:
        """Return what was recorded; empty for a file without tables."""
        with soundness():
            tables = self._db.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'about'"
            ).fetchone()
            if tables is None:
                return {}
            return {str(n): str(v) for n, v in self._db.execute("SELECT * FROM about")}

    def check(self) -> None:
        """Read the whole file, and find out whether it is sound."""
        with soundness():
            [found] = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise DamagedError(f"{FILE}: {found}")

    # --- for updating ---------------------------------------------------------

    def known(self, collection: str) -> dict[str, Known]:
        """Return the documents of a collection by their normal key."""
        with soundness():
            rows = self._db.execute(
                "SELECT key, id, mark, told, sha256 FROM documents WHERE collection = ?",
                (collection,),
            )
            return {
                str(row["key"]): Known(
                    row["id"], row["mark"], row["told"], row["sha256"]
                )
                for row in rows
            }

    def reserve(self, count: int) -> list[int]:
        """Return numbers for new documents, and record that words may hold them."""
        with self._change() as db:
            first = int(_value(db, "next_document"))
            _set(db, "next_document", first + count)
            numbers = list(range(first, first + count))
            db.executemany(
                "INSERT INTO leftovers VALUES (?)", [(number,) for number in numbers]
            )
        return numbers

    def replace(self, entries: Sequence[Entry], removed: Iterable[int]) -> None:
        """Add new documents and remove old ones, all at once.

        The passages of `entries`, in order, own the rows of the vectors that follow
        those in use.
        """
        with self._change() as db:
            self._forget(db, removed)
            row = int(_value(db, "next_row"))
            for entry in entries:
                insert(db, entry)
                spans = list(enumerate(entry.passages))
                db.executemany(
                    "INSERT INTO passages VALUES (?, ?, ?, ?, ?)",
                    [(entry.id, n, row + n, at.start, at.end) for n, at in spans],
                )
                row += len(spans)
                db.execute("DELETE FROM leftovers WHERE document = ?", (entry.id,))
            _set(db, "next_row", row)

    def update_marks(self, marks: Mapping[int, str]) -> None:
        """Record new marks of documents whose content is unchanged."""
        with self._change() as db:
            db.executemany(
                "UPDATE documents SET mark = ? WHERE id = ?",
                [(mark, number) for number, mark in marks.items()],
            )

    def leftovers(self) -> list[int]:
        """Return removed documents that words may still hold."""
        with soundness():
            return [int(row[0]) for row in self._db.execute("SELECT * FROM leftovers")]

    def swept(self, documents: Iterable[int]) -> None:
        """Record that words no longer hold these."""
        with self._change() as db:
            db.executemany(
                "DELETE FROM leftovers WHERE document = ?",
                [(number,) for number in documents],
            )

    def rows(self) -> int:
        """Return how many rows of the vectors are or were in use."""
        with soundness():
            return int(_value(self._db, "next_row"))

    def vectors(self) -> str:
        """Return the name of the file of vectors."""
        with soundness():
            return _value(self._db, "vectors")

    def move_vectors(self, name: str, rows: npt.NDArray[np.int64]) -> None:
        """Count row `rows[n]` as row `n` from now on, in the file `name`."""
        with self._change() as db:
            # The numbers must not collide while they change.
            db.executemany(
                "UPDATE passages SET row = ? WHERE row = ?",
                [(-new - 1, int(old)) for new, old in enumerate(rows)],
            )
            db.execute("UPDATE passages SET row = -row - 1")
            _set(db, "vectors", name)
            _set(db, "next_row", len(rows))

    # --- for searching --------------------------------------------------------

    def counts(self) -> tuple[int, int]:
        """Return the numbers of documents that were read and of their passages."""
        with soundness():
            [documents] = self._db.execute(
                "SELECT COUNT(*) FROM documents WHERE outcome = 'READ'"
            ).fetchone()
            [passages] = self._db.execute("SELECT COUNT(*) FROM passages").fetchone()
            return int(documents), int(passages)

    def kinds(self) -> set[str]:
        """Return the kinds of collections that have documents in the index."""
        with soundness():
            found = self._db.execute("SELECT DISTINCT kind FROM documents")
            return {str(row[0]) for row in found}

    def passages(self) -> npt.NDArray[np.int64]:
        """Return row, document and number of every passage, by row."""
        with soundness():
            rows = self._db.execute(
                "SELECT row, document, number FROM passages ORDER BY row"
            ).fetchall()
        return np.array([tuple(row) for row in rows], dtype=np.int64).reshape(-1, 3)

    def documents(self) -> dict[int, str]:
        """Return the normal key of every document, by its number."""
        with soundness():
            rows = self._db.execute("SELECT id, key FROM documents")
            return {int(row["id"]): str(row["key"]) for row in rows}

    def entry(self, document: int) -> Entry | None:
        """Return a document with its text and passages."""
        return self._entry("id = ?", document)

    def entry_of(self, key: str) -> Entry | None:
        """Return the newest readable document with a normal key, else any."""
        return self._entry(
            "key = ? ORDER BY outcome <> 'READ', captured DESC LIMIT 1", key
        )

    def _entry(self, which: str, value: int | str) -> Entry | None:
        with soundness():
            row = self._db.execute(
                f"SELECT * FROM documents WHERE {which}",  # noqa: S608 - our own two phrases
                (value,),
            ).fetchone()
            if row is None:
                return None
            spans = self._db.execute(
                "SELECT start, stop FROM passages WHERE document = ? ORDER BY number",
                (row["id"],),
            )
            return entry_from(row, tuple(Span(at["start"], at["stop"]) for at in spans))

    # --- inside ---------------------------------------------------------------

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with soundness(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db

    @staticmethod
    def _forget(db: sqlite3.Connection, documents: Iterable[int]) -> None:
        for number in documents:
            db.execute("DELETE FROM documents WHERE id = ?", (number,))
            db.execute("DELETE FROM passages WHERE document = ?", (number,))
            db.execute("INSERT OR IGNORE INTO leftovers VALUES (?)", (number,))


def _value(db: sqlite3.Connection, name: str) -> str:
    row = db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise KeyError(name)
    return str(row[0])


def _set(db: sqlite3.Connection, name: str, value: object) -> None:
    db.execute("UPDATE about SET value = ? WHERE name = ?", (str(value), name))
