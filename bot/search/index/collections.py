"""What can be indexed or read whole: documents of a folder, pages of the cache."""

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from bot.sources.cache import CachedPage, SourceCache
from bot.sources.extraction import Extraction, TextExtractor
from bot.sources.folder import INDEX, Entry, OutsideError, contained, content, entries
from handlers.model import (
    Origin,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
)
from handlers.ports import PermanentError
from handlers.sources.addresses import untracked


class CollectionKind(Enum):
    """Where documents come from; shown beside what a search finds."""

    FOLDER = "folder"
    CACHE = "cache"


@dataclass(frozen=True, slots=True)
class Item:
    """A document that may be indexed, and how to read it.

    `mark` (such as size and time) changes whenever its content may have changed, `metadata`
    when other relevant data change; if both are unchanged, it is not read again. `read`
    raises OSError if there is nothing to read, and returns at most one byte more than
    the collection's limit.
    """

    address: str  # by which it is found and read; unique within the collection
    mark: str
    read: Callable[[], bytes]
    captured: datetime
    content_type: str | None = None
    title: str | None = None  # written by a person; otherwise the document's own
    metadata: str = ""


class Collection(Protocol):
    """A set of documents indexed as a whole; what it loses, the index drops."""

    @property
    def kind(self) -> CollectionKind:
        """What sort of collection it is."""
        ...

    @property
    def name(self) -> str:
        """What distinguishes it from other collections in the same index."""
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


async def text_of(
    item: Item, body: bytes, extractor: TextExtractor, max_bytes: int
) -> Extraction:
    """Return the text of an item, under the title that a person gave it, if any.

    Args:
        item: what was read.
        body: its content.
        extractor: turns it into text.
        max_bytes: the limit of its collection.
    """
    if len(body) > max_bytes:
        why = f"it has more than {max_bytes:,} bytes"
        return Extraction(SourceOutcome.TOO_LARGE, why)
    found = await extractor.extract(
        body, content_type=item.content_type, url=item.address
    )
    if found.document is None or not item.title:
        return found
    return replace(found, document=replace(found.document, title=item.title))


class Progress(Protocol):
    """Shows the progress of a long run."""

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
    rebuild_reason: str | None = None  # why the index was rebuilt, if it was


class CanUpdate(Protocol):
    """Keeps an index, wherever it is."""

    async def update(self, collection: Collection) -> Update:
        """Make the index hold exactly what the collection has."""
        ...


class FolderCollection:
    """All documents under `path`; skips hidden files and links that lead out.

    Documents are those in its `index.json`, else every file in it. A file without a
    given address is found by its `file:` address; it can be read from the index by
    that, so nothing needs to be on the web.

    Args:
        path: the folder.
        max_bytes: size up to which a file is read.
        leave_out: a folder inside it that is not searched for documents.

    Raises:
        PermanentError: there is no such folder.
    """

    kind = CollectionKind.FOLDER

    def __init__(self, path: Path, *, max_bytes: int, leave_out: Path) -> None:
        if not path.is_dir():
            raise PermanentError(
                f"{path}: there is no such folder; name the folder of documents to index"
            )
        self._path = path.resolve()
        self.max_bytes = max_bytes
        self._leave_out = leave_out.resolve()

    @property
    def name(self) -> str:
        """The folder's whole path."""
        return str(self._path)

    def items(self) -> Iterator[Item]:
        """Yield the documents in the order of their paths.

        Raises:
            PermanentError: `index.json` is faulty; the message names entry and field.
        """
        if os.path.lexists(self._path / INDEX):
            for entry in entries(self._path):
                yield self._listed(entry)
            return
        for file in self._files():
            try:
                yield self._unlisted(file)
            except (OutsideError, OSError):
                continue  # or it was removed meanwhile

    def _listed(self, entry: Entry) -> Item:
        return Item(
            address=entry.url,
            mark=_mark(entry.file),
            read=partial(content, entry.file, self.max_bytes),
            captured=entry.captured,
            content_type=entry.content_type,
            title=entry.title,
            metadata=f"{entry.title}\n{entry.content_type}\n{entry.captured}",
        )

    def _unlisted(self, file: Path) -> Item:
        named = unquote(file.name)
        is_address = named.startswith(("http://", "https://"))
        found = contained(self._path, str(file))
        return Item(
            address=named if is_address else file.as_uri(),
            mark=_mark(found),
            read=partial(content, found, self.max_bytes),
            captured=datetime.fromtimestamp(max(0, found.stat().st_mtime), UTC),
        )

    def _files(self) -> Iterator[Path]:
        for folder, folders, names in os.walk(self._path):
            here = Path(folder)
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".") and here / name != self._leave_out
            )
            for name in sorted(names):
                if not name.startswith("."):
                    yield here / name


def _mark(file: Path) -> str:
    known = file.stat()
    return f"{known.st_size} {known.st_mtime_ns}"


# The pages in the cache of sources: what was read once can be found again.


class CacheCollection:
    """All pages of one cache. Their content is identified by its hash, unread.

    Args:
        cache: is only read.
        max_bytes: size up to which a page is read.
    """

    kind = CollectionKind.CACHE
    name = "cache"

    def __init__(self, cache: SourceCache, *, max_bytes: int) -> None:
        self._cache = cache
        self.max_bytes = max_bytes

    def items(self) -> Iterator[Item]:
        """Yield the pages, the address that was asked for with each."""
        for page in self._cache.pages():
            yield Item(
                address=page.url,
                mark=page.sha256,
                read=partial(self._body, page),
                captured=page.fetched_at,
                content_type=page.content_type,
                metadata=page.content_type or "",
            )

    def _body(self, page: CachedPage) -> bytes:
        body = self._cache.body(page)
        if body is None:
            raise FileNotFoundError(None, "it is no longer in the cache")
        return body


class DocumentsFolder:
    """All documents of one folder.

    Documents are those that its `index.json` lists, else every file.
    `bot.sources.folder` answers for one address; this returns everything. A file
    without a given address is known by its name.

    Raises:
        PermanentError: there is no such folder, or its index cannot be used.
    """

    def __init__(self, path: Path, extractor: TextExtractor, *, max_bytes: int) -> None:
        if not path.is_dir():
            raise PermanentError(f"{path}: there is no such folder of documents")
        nothing_ours = path / ".sidenote"
        self._documents = FolderCollection(
            path, max_bytes=max_bytes, leave_out=nothing_ours
        )
        self._path = path
        self._extractor = extractor
        self._max_bytes = max_bytes

    async def fetches(self, most: int) -> tuple[tuple[SourceFetch, ...], bool]:
        """Return the results for the first `most` files, and whether there are more.

        Raises:
            PermanentError: the folder is empty, or its index is faulty.
        """
        items = list(islice(self._documents.items(), most + 1))
        if not items:
            raise PermanentError(
                f"{self._path} has no documents; put texts, HTML pages or PDFs into it"
            )
        read = [await self._read(one) for one in items[:most]]
        return tuple(read), len(items) > most

    async def _read(self, item: Item) -> SourceFetch:
        source = Source(SourceForm.URL, item.address, url=untracked(item.address))
        try:
            body = await asyncio.to_thread(item.read)
        except OSError as error:
            why = f"the file cannot be read ({error.strerror})"
            return SourceFetch(source, SourceOutcome.UNREACHABLE, why)
        extraction = await text_of(item, body, self._extractor, self._max_bytes)
        return SourceFetch(
            source,
            extraction.outcome,
            extraction.detail,
            origin=Origin.DISK,
            url=source.url,
            read_at=item.captured,
            content_sha256=hashlib.sha256(body).hexdigest(),
            document=_titled(extraction.document, item),
        )


def _titled(document: SourceText | None, item: Item) -> SourceText | None:
    """Give a document without a title that of its imprint, else its file name."""
    if document is None or document.title:
        return document
    is_file = item.address.startswith("file:")
    name = unquote(item.address.rpartition("/")[2]) if is_file else None
    return replace(document, title=document.imprint.title or name)
