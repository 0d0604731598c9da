"""The index of a folder that somebody wants searched without having made one.

It has words alone, which takes seconds where vectors take minutes, and is kept, so
that only what is new is read the next time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bot.search.index.folder import FolderCollection
from bot.search.index.records import FILE
from bot.search.index.updating import Updater
from bot.sources.extraction import TextExtractor


@dataclass(frozen=True, slots=True)
class PassingIndexes:
    """Makes such indexes in the folder `kept_in`, one for each folder of documents.

    Args:
        max_bytes: size up to which a document is read.
        reading: is told the address of each document that is read.
    """

    kept_in: Path
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
            path, max_bytes=self.max_bytes, leave_out=self.kept_in
        )
        index = self.kept_in / sha256(documents.name.encode()).hexdigest()[:16]
        await Updater(index, self.extractor, None, _Shown(self.reading)).update(
            documents
        )
        return index


@dataclass(frozen=True, slots=True)
class _Shown:
    """Shows what is read; the count on the screen stays that of the claims."""

    show: Callable[[str], None]

    def started(self, _: int, /) -> None:
        """Show nothing: the folder is no part of the page."""

    def reading(self, place: str, /) -> None:
        """Show the document."""
        self.show(place)

    def advance(self) -> None:
        """Show nothing."""
