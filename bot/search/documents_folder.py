"""Reads all documents of a folder: those its `index.json` lists, else every file.

Where `bot.sources.source_folder` answers for one address, this hands over whatever
there is. A file that nobody gave an address is known by its name.
"""

import asyncio
import hashlib
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

from bot.search.index.folder import FolderCollection
from bot.search.index.items import Item
from bot.sources.extraction import TextExtractor
from handlers.citations.addresses import untracked
from handlers.model import (
    Origin,
    Source,
    SourceForm,
    SourceOutcome,
    SourceReading,
    SourceText,
)
from handlers.ports import PermanentError


class DocumentsFolder:
    """All documents of one folder.

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

    async def readings(self, most: int) -> tuple[tuple[SourceReading, ...], bool]:
        """Return what came of reading the first `most` files, and whether more follow.

        Raises:
            PermanentError: the folder is empty, or its index is faulty.
        """
        items = list(islice(self._documents.items(), most + 1))
        if not items:
            raise PermanentError(
                f"{self._path} holds no documents; put texts, HTML pages or PDFs into it"
            )
        read = [await self._read(one) for one in items[:most]]
        return tuple(read), len(items) > most

    async def _read(self, item: Item) -> SourceReading:
        source = Source(SourceForm.URL, item.address, url=untracked(item.address))
        try:
            body = await asyncio.to_thread(item.read)
        except OSError as error:
            why = f"the file cannot be read ({error.strerror})"
            return SourceReading(source, SourceOutcome.UNREACHABLE, why)
        if len(body) > self._max_bytes:
            why = f"the file has more than {self._max_bytes:,} bytes"
            return SourceReading(source, SourceOutcome.TOO_LARGE, why)
        extraction = await self._extractor.extract(
            body, content_type=item.content_type, url=item.address
        )
        return SourceReading(
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
    """Give a document the title a person wrote, else its own, else its file's name."""
    if document is None:
        return None
    is_file = item.address.startswith("file:")
    name = unquote(item.address.rpartition("/")[2]) if is_file else None
    title = item.title or document.title or document.imprint.title or name
    return replace(document, title=title)
