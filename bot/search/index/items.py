"""What can be put into an index: documents of a folder, of the cache, of a test."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Protocol


class CollectionKind(Enum):
    """Where documents come from; shown beside what a search finds."""

    FOLDER = "folder"
    CACHE = "cache"


@dataclass(frozen=True, slots=True)
class Item:
    """A document that may be indexed, and how to read it.

    `mark` changes whenever its content may have changed (such as size and time), `told`
    when something else does that counts; where both are those of last time, it is not
    read again. `read` raises OSError where there is nothing to read, and returns at
    most one byte more than the collection's bound.
    """

    address: str  # by which it is found and read; unique within the collection
    mark: str
    read: Callable[[], bytes]
    captured: datetime
    content_type: str | None = None
    title: str | None = None  # written by a person; else the document's own counts
    told: str = ""


class Collection(Protocol):
    """A set of documents that is indexed as a whole: what left it leaves the index."""

    @property
    def kind(self) -> CollectionKind:
        """What sort of collection it is."""
        ...

    @property
    def name(self) -> str:
        """Tell it from other collections in the same index."""
        ...

    @property
    def max_bytes(self) -> int:
        """Size up to which a document is read."""
        ...

    def items(self) -> Iterable[Item]:
        """Return all documents.

        Raises:
            PermanentError: the collection cannot be listed.
        """
        ...


class Progress(Protocol):
    """Says how far a long run is."""

    def started(self, total: int, /) -> None:
        """Begin a count of `total` documents."""
        ...

    def reading(self, place: str, /) -> None:
        """Show what is being read."""
        ...

    def advance(self) -> None:
        """Count one document."""
        ...


@dataclass(slots=True)
class Update:
    """What an update did. `unreadable` are addresses, each with the reason."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    anew: str | None = None  # why the index was started afresh, if it was


class CanUpdate(Protocol):
    """Keeps an index, wherever it is."""

    async def update(self, collection: Collection) -> Update:
        """Make the index hold exactly what the collection has."""
        ...
