"""Reads sources from an index, for what a search there found."""

import asyncio
from pathlib import Path
from threading import Lock

from bot.search.index.catalogue import Catalogue
from bot.search.index.place import open_to_read, unusable
from bot.search.index.records import Entry
from bot.search.index.vectors import DamagedError
from handlers.citations.addresses import address_of, keys_of
from handlers.model import Origin, Source, SourceOutcome, SourceReading


class IndexedSources:
    """A `SourceReader` over the documents of one index, as they were when indexed.

    Raises:
        PermanentError: there is no index, or it cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._catalogue: Catalogue | None = None
        self._turn = Lock()

    async def read(self, source: Source) -> SourceReading:
        """Return the text of `source`, or that the index has none."""
        keys = keys_of(source)
        if not keys:
            return SourceReading(
                source, SourceOutcome.OFFLINE, "the citation gives no address"
            )
        entry = await asyncio.to_thread(self._entry, keys)
        if entry is None:
            return SourceReading(
                source,
                SourceOutcome.NOT_IN_FOLDER,
                f"the index {self._folder.name} holds no copy of {address_of(source)}",
            )
        return SourceReading(
            source,
            entry.extraction.outcome,
            entry.extraction.detail,
            origin=Origin.DISK,
            url=entry.address,
            read_at=entry.captured,
            content_sha256=entry.sha256,
            document=entry.extraction.document,
        )

    def _entry(self, keys: tuple[str, ...]) -> Entry | None:
        with self._turn:
            self._catalogue = self._catalogue or open_to_read(self._folder).catalogue
            try:
                found = (self._catalogue.entry_of(key) for key in keys)
                return next((entry for entry in found if entry), None)
            except DamagedError as error:
                raise unusable(self._folder, error) from error
