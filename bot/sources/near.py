"""Reads the archived copy of a cited page nearest to a day, never today's page."""

from dataclasses import dataclass, replace
from datetime import date

from handlers.model import Source, SourceReading, UrlStatus
from handlers.ports import SourceReader


@dataclass(frozen=True, slots=True)
class ArchivedSources:
    """An `ArchiveReader` on a reader of the web, whose answers it shares.

    The reader leaves the live page out where a citation says that it is another
    page today, and asks the archive for the access date; so that is what it is told.
    """

    sources: SourceReader

    async def read_near(self, source: Source, day: date) -> SourceReading:
        """Return the citation's own archived copy, else the one nearest to `day`."""
        told = replace(source, access_date=day, url_status=UrlStatus.DEVIATED)
        return replace(await self.sources.read(told), source=source)
