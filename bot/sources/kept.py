"""Sources that were read before: nothing is fetched, and nothing is asked of the web.

What lies in the cache is used whatever its age, archived copies and the archive's own
answers included; what does not is told as not read.
"""

import asyncio
from dataclasses import dataclass

from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from bot.sources.answers import Failure, Fetched
from bot.sources.cache import SourceCache
from bot.sources.extraction import TextExtractor
from bot.sources.reader import WebSources
from bot.sources.settings import ReaderSettings
from handlers.model import SourceOutcome

_NOT_KEPT = Failure(SourceOutcome.NOT_IN_FOLDER, "it is not among the sources read")


def kept_sources(
    cache: SourceCache,
    settings: ReaderSettings,
    extractor: TextExtractor,
    wall: AddressWall,
) -> WebSources:
    """Give a reader that looks into `cache` alone; it need not be entered."""
    return WebSources(settings, extractor, wall=wall, fetcher=_Kept(cache, wall))


@dataclass(frozen=True, slots=True)
class _Kept:
    """Gets addresses out of the cache."""

    cache: SourceCache
    wall: AddressWall

    async def fetch(self, address: str) -> Fetched | Failure:
        try:
            url = self.wall.check_url(address)
        except ForbiddenAddressError as error:
            return Failure(SourceOutcome.FORBIDDEN_ADDRESS, error.reason)
        kept = await asyncio.to_thread(self.cache.get, url.text)
        return kept.answer if kept else _NOT_KEPT

    async def fetch_service(self, address: str) -> Fetched | Failure:
        return await self.fetch(address)

    async def close(self) -> None:
        pass
