"""What the catalogue keeps of a document, and how it is written down.

A damaged file is told from one that cannot be read or written: the first is made
anew, the second is a matter for whoever runs the program.
"""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.search.index.vectors import DamagedError
from bot.sources.extraction import Extraction
from handlers.citations.addresses import normal_key
from handlers.model import Span

FILE = "catalogue.sqlite3"
_MAX_BYTES = 50_000_000  # of one document, uncompressed


@dataclass(frozen=True, slots=True)
class Known:
    """What the index holds of a document that may be here unchanged."""

    id: int
    mark: str
    told: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A document as it is kept; without passages where it could not be read."""

    id: int
    collection: str
    kind: str
    address: str
    mark: str
    told: str
    sha256: str
    captured: datetime
    extraction: Extraction
    passages: tuple[Span, ...] = ()


@contextmanager
def soundness() -> Iterator[None]:
    """Turn SQLite's errors into a `DamagedError` or an OSError."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "no such" in str(error) or "malformed" in str(error):
            raise DamagedError(f"{FILE}: {error}") from error
        raise OSError(None, f"{FILE}: {error}") from error
    except (sqlite3.Error, ValueError, LookupError, TypeError, zlib.error) as error:
        raise DamagedError(f"{FILE}: {error}") from error


def insert(db: sqlite3.Connection, entry: Entry) -> None:
    """Write a document down, without its passages."""
    db.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            entry.id,
            entry.collection,
            entry.kind,
            normal_key(entry.address),
            entry.address,
            entry.mark,
            entry.told,
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
        told=row["told"],
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
