"""Reads what a search found: as any source, else the copy that was searched.

Today's page comes first, since that is what would be cited; a document that is not
on the web, or not reachable, is read where the search found it.
"""

from dataclasses import dataclass

from handlers.model import Source, SourceReading
from handlers.ports import PermanentError, SourceReader


@dataclass(frozen=True, slots=True)
class CandidateSources:
    """A `SourceReader` that asks `copies` for what `sources` cannot read."""

    sources: SourceReader
    copies: SourceReader

    async def read(self, source: Source) -> SourceReading:
        """Return the text of `source`, or why the first reader has none."""
        reading = await self.sources.read(source)
        if reading.document is not None:
            return reading
        try:
            copy = await self.copies.read(source)
        except PermanentError:  # a damaged index costs its documents, not the run
            return reading
        return reading if copy.document is None else copy
