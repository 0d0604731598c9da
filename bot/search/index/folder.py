"""The documents of a folder: those its `index.json` lists, else every file in it.

A file that nobody gave an address is found by its `file:` address; the index itself
can be read by it, so nothing has to be on the web.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from bot.search.index.items import CollectionKind, Item
from bot.sources.source_folder import (
    INDEX,
    Entry,
    OutsideError,
    contained,
    content,
    entries,
)
from handlers.ports import PermanentError


class FolderCollection:
    """All documents under `path`; hidden files and links that lead out are passed over.

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
                continue  # or it left while we looked

    def _listed(self, entry: Entry) -> Item:
        return Item(
            address=entry.url,
            mark=_mark(entry.file),
            read=partial(content, entry.file, self.max_bytes),
            captured=entry.captured,
            content_type=entry.content_type,
            title=entry.title,
            told=f"{entry.title}\n{entry.content_type}\n{entry.captured}",
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
