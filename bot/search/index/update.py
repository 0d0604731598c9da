"""Brings an index up to date with a collection: what is new, changed or gone.

Documents are added in batches. Each is first written to vectors and words and then
named in the catalogue, so a kill at any moment costs at most one batch, and the next
update continues from there.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bot.models.encoder import DIMENSIONS, Encoder
from bot.search.index import vectors
from bot.search.index.catalogue import FILE, DamagedError, Entry, Known
from bot.search.index.collections import (
    Collection,
    FolderCollection,
    Item,
    Progress,
    Update,
    text_of,
)
from bot.search.index.storage import (
    NO_VECTORS,
    Files,
    locked,
    open_to_write,
    rebuild,
    unwritable,
)
from bot.sources.extraction import Extraction, TextExtractor
from handlers.citations.passages import cut
from handlers.sources.addresses import normal_key

_BATCH_PASSAGES = 1_000
_BATCH_DOCUMENTS = 100
_PASSAGES_IN_A_ROW = 8  # encoded before other tasks get a turn
_WORTH_PACKING = 1_000  # rows of vectors that are no longer named


@dataclass(frozen=True, slots=True)
class _Ready:
    """A document that was read and waits to be written."""

    entry: Entry
    texts: tuple[str, ...]
    encoded: npt.NDArray[np.float32]


class Updater:
    """Updates one index. Encoding takes most of the time, about 15 ms per passage.

    Args:
        folder: of the index; made if missing.
        extractor: turns documents into text.
        encoder: `None` for an index of words alone.
        progress: is called for every document.
    """

    def __init__(
        self,
        folder: Path,
        extractor: TextExtractor,
        encoder: Encoder | None,
        progress: Progress,
    ) -> None:
        self._folder = folder
        self._extractor = extractor
        self._encoder = encoder
        self._progress = progress
        self._encoder_name = encoder.name if encoder else NO_VECTORS

    async def update(self, collection: Collection) -> Update:
        """Make the index hold exactly what the collection has.

        What was done before a cancellation stays done.

        Raises:
            PermanentError: the collection or the index's place cannot be used.
            TemporaryError: another process is updating the index.
        """
        items = {normal_key(item.address): item for item in collection.items()}
        with locked(self._folder):
            try:
                files, why = open_to_write(self._folder, self._encoder_name)
                try:
                    return await self._run(
                        files, collection, items, Update(rebuild_reason=why)
                    )
                except DamagedError as error:
                    files.catalogue.close()
                    files = rebuild(self._folder, self._encoder_name)
                    found = Update(rebuild_reason=str(error))
                    return await self._run(files, collection, items, found)
                finally:
                    files.catalogue.close()
            except OSError as error:
                raise unwritable(self._folder, error) from error

    async def _run(
        self,
        files: Files,
        collection: Collection,
        items: Mapping[str, Item],
        found: Update,
    ) -> Update:
        self._progress.started(len(items))
        _sweep(files)
        batch = _Batch(files, found)
        known = files.catalogue.known(collection.name)
        gone = [one.id for key, one in known.items() if key not in items]
        batch.drop(gone)
        found.removed = len(gone)
        try:
            for key, item in items.items():
                await self._take(item, known.get(key), collection, batch)
                self._progress.advance()
        except asyncio.CancelledError:
            batch.write()
            raise
        batch.write()
        _sweep(files)
        _pack(files)
        return found

    async def _take(
        self, item: Item, old: Known | None, collection: Collection, batch: "_Batch"
    ) -> None:
        if old and (old.mark, old.metadata) == (item.mark, item.metadata):
            batch.found.unchanged += 1
            return
        self._progress.reading(item.address)
        try:
            body = await asyncio.to_thread(item.read)
        except OSError as error:
            why = f"cannot be read ({error.strerror or error})"
            batch.refuse(item, why, old)
            return
        digest = sha256(body).hexdigest()
        if old and (old.sha256, old.metadata) == (digest, item.metadata):
            batch.keep(old, item.mark)
            return
        extraction = await text_of(item, body, self._extractor, collection.max_bytes)
        batch.add(await self._ready(item, collection, digest, extraction), old)

    async def _ready(
        self, item: Item, collection: Collection, digest: str, extraction: Extraction
    ) -> _Ready:
        document = extraction.document
        passages = cut(document, item.address) if document else ()
        texts = tuple(passage.text for passage in passages)
        entry = Entry(
            id=0,
            collection=collection.name,
            kind=collection.kind.value,
            address=item.address,
            mark=item.mark,
            metadata=item.metadata,
            sha256=digest,
            captured=item.captured,
            extraction=extraction,
            passages=tuple(passage.span for passage in passages),
        )
        return _Ready(entry, texts, await self._encode(texts))

    async def _encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        blocks = [np.zeros((0, DIMENSIONS), dtype=np.float32)]
        if self._encoder is None:
            return blocks[0]
        for first in range(0, len(texts), _PASSAGES_IN_A_ROW):
            block = texts[first : first + _PASSAGES_IN_A_ROW]
            blocks.append(self._encoder.encode_all(block))
            await asyncio.sleep(0)  # so that Ctrl-C works inside a long document
        return np.concatenate(blocks)


class _Batch:
    """Documents on their way into the index."""

    def __init__(self, files: Files, found: Update) -> None:
        self.found = found
        self._files = files
        self._ready: list[_Ready] = []
        self._replaced: list[int] = []
        self._marks: dict[int, str] = {}

    def drop(self, documents: Sequence[int]) -> None:
        """Remove documents from the index."""
        self._replaced.extend(documents)

    def keep(self, old: Known, mark: str) -> None:
        """Note that a document was touched but not changed."""
        self._marks[old.id] = mark
        self.found.unchanged += 1

    def refuse(self, item: Item, why: str, old: Known | None) -> None:
        """Note that a document cannot be read for now."""
        self.found.unreadable.append((item.address, why))
        self._replaced.extend([old.id] if old else [])

    def add(self, ready: _Ready, old: Known | None) -> None:
        """Add a document, replacing what was known of it."""
        extraction = ready.entry.extraction
        if extraction.document is None:
            why = f"{extraction.outcome.value}: {extraction.detail}"
            self.found.unreadable.append((ready.entry.address, why))
        elif old:
            self.found.updated += 1
        else:
            self.found.added += 1
        self._replaced.extend([old.id] if old else [])
        self._ready.append(ready)
        waiting = sum(len(one.texts) for one in self._ready)
        if waiting >= _BATCH_PASSAGES or len(self._ready) >= _BATCH_DOCUMENTS:
            self.write()

    def write(self) -> None:
        """Make permanent what was collected so far."""
        catalogue = self._files.catalogue
        if self._marks:
            catalogue.update_marks(self._marks)
        if self._ready or self._replaced:
            numbers = catalogue.reserve(len(self._ready))
            entries = [
                replace(ready.entry, id=number)
                for ready, number in zip(self._ready, numbers, strict=True)
            ]
            self._write_content(numbers)
            catalogue.replace(entries, self._replaced)
        self._ready, self._replaced, self._marks = [], [], {}

    def _write_content(self, numbers: Sequence[int]) -> None:
        if not self._ready:
            return
        if self._files.has_vectors:
            encoded = np.concatenate([ready.encoded for ready in self._ready])
            rows = self._files.catalogue.rows()
            vectors.append(self._files.vectors, rows, encoded)
        with self._files.words.write() as words:
            for number, ready in zip(numbers, self._ready, strict=True):
                words.add(number, ready.texts)
            words.commit()


def _sweep(files: Files) -> None:
    """Remove from the words what the catalogue no longer names."""
    left = files.catalogue.leftovers()
    if left:
        with files.words.write() as words:
            words.remove(left)
            words.commit()
        files.catalogue.swept(left)


def _pack(files: Files) -> None:
    """Rewrite the vectors once most of them belong to removed documents."""
    if not files.has_vectors:
        return
    live = files.catalogue.passages()[:, 0]
    dead = files.catalogue.rows() - len(live)
    old = files.vectors
    if dead < max(_WORTH_PACKING, len(live)) or not old.exists():
        return
    number = int(old.stem.rpartition("-")[2]) + 1
    new = old.with_name(f"vectors-{number}{old.suffix}")
    vectors.copy(old, live, new)
    files.catalogue.move_vectors(new.name, live)
    old.unlink()


@dataclass(frozen=True, slots=True)
class PassingIndexes:
    """Makes indexes in passing, in `folder`: one for each folder of documents.

    Each is of a folder that somebody wants to search without having indexed it.
    It has only words, which takes seconds while vectors take minutes, and it stays, so
    that only new documents are read the next time.

    Args:
        max_bytes: size up to which a document is read.
        reading: is called with the address of each document that is read.
    """

    folder: Path
    extractor: TextExtractor
    max_bytes: int
    reading: Callable[[str], None]

    async def of(self, path: Path) -> Path:
        """Return the index to search: `path` if it is one, else one of its documents.

        Raises:
            PermanentError: the documents or the index cannot be used.
            TemporaryError: another process is updating the index.
        """
        if (path / FILE).is_file():
            return path
        documents = FolderCollection(
            path, max_bytes=self.max_bytes, leave_out=self.folder
        )
        index = self.folder / sha256(documents.name.encode()).hexdigest()[:16]
        await Updater(index, self.extractor, None, _Shown(self.reading)).update(
            documents
        )
        return index


@dataclass(frozen=True, slots=True)
class _Shown:
    """Shows what is read; the count on the screen remains that of the claims."""

    show: Callable[[str], None]

    def started(self, _: int, /) -> None:
        """Show nothing: the folder is not part of the page."""

    def reading(self, place: str, /) -> None:
        """Show the document."""
        self.show(place)

    def advance(self) -> None:
        """Show nothing."""
