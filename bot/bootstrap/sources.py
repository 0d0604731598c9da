"""What reads sources: from the web, from its cache, or from a folder."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.adapters.extraction import Extractor
from bot.adapters.source_folder import SourceFolder
from bot.bootstrap.folders import make_folder
from bot.bootstrap.wiki import user_agent
from bot.settings import Settings
from handlers.ports import PermanentError, SourceReader

if TYPE_CHECKING:
    from bot.adapters.sources.cache import SourceCache
    from bot.adapters.sources.reader import WebSources
    from bot.adapters.sources.settings import ReaderSettings


def make_extractor(settings: Settings) -> Extractor:
    """Give what turns sources into text; it wants to be entered."""
    return Extractor(
        timeout_s=settings.extraction_timeout_s,
        max_memory_bytes=settings.extraction_max_bytes,
    )


@asynccontextmanager
async def open_sources(
    settings: Settings, folder: Path | None, extractor: Extractor
) -> AsyncIterator[SourceReader]:
    """Give a reader of sources on the web, or of those in `folder`."""
    if folder is not None:
        yield SourceFolder(folder, extractor, max_bytes=settings.source_max_bytes)
        return
    async with _web(settings, extractor) as sources:
        yield sources


def open_cache(settings: Settings) -> "SourceCache":
    """Give the cache of the sources that were read from the web so far."""
    from bot.adapters.sources.cache import SourceCache  # noqa: PLC0415 - only where it is read

    folder = _cache_folder(settings)
    if not folder.is_dir():
        raise PermanentError(
            f"no source was read from the web yet (there is no {folder}); check a page"
            " first, or index a folder"
        )
    limits = _reader_settings(settings).cache
    return SourceCache(folder, limits, now=lambda: datetime.now(UTC))


def open_kept(settings: Settings, extractor: Extractor) -> SourceReader:
    """Give a reader of what lies in the cache, whatever its age; nothing is fetched."""
    from bot.adapters.sources.address_wall import WEB_PORTS, AddressWall  # noqa: PLC0415 - only where it is read
    from bot.adapters.sources.cache import SourceCache  # noqa: PLC0415 - see above
    from bot.adapters.sources.kept import kept_sources  # noqa: PLC0415 - see above

    read_with = _reader_settings(settings)
    ageless = replace(
        read_with.cache, max_age_s=float("inf"), negative_age_s=float("inf")
    )
    cache = SourceCache(_cache_folder(settings), ageless, now=lambda: datetime.now(UTC))
    wall = AddressWall(allowed=settings.exempt_addresses, ports=WEB_PORTS)
    return kept_sources(cache, read_with, extractor, wall)


def _web(settings: Settings, extractor: Extractor) -> "WebSources":
    from bot.adapters.sources.address_wall import WEB_PORTS, AddressWall  # noqa: PLC0415 - only where the web is read
    from bot.adapters.sources.reader import WebSources  # noqa: PLC0415 - only where the web is read

    make_folder(settings.data_dir)
    return WebSources(
        _reader_settings(settings),
        extractor,
        wall=AddressWall(allowed=settings.exempt_addresses, ports=WEB_PORTS),
        cache_folder=_cache_folder(settings),
    )


def _reader_settings(settings: Settings) -> "ReaderSettings":
    from bot.adapters.sources.settings import (  # noqa: PLC0415 - only where the web is read
        CacheLimits,
        FetchLimits,
        Politeness,
        ReaderSettings,
        Services,
    )

    services = Services(wayback_available=settings.archive_service)
    archive = urlsplit(settings.archive_service).netloc
    return ReaderSettings(
        user_agent=user_agent(settings),
        limits=FetchLimits(
            total_s=settings.source_timeout_s,
            max_body_bytes=settings.source_max_bytes,
            max_decoded_bytes=settings.source_max_bytes,
            max_redirects=settings.source_redirects,
        ),
        politeness=Politeness(
            host_delay_s=settings.host_delay_s, parallel_hosts=settings.hosts_at_once
        ),
        cache=CacheLimits(
            max_age_s=settings.cache_max_age_h * 3600,
            negative_age_s=min(
                settings.cache_max_age_h * 3600, CacheLimits().negative_age_s
            ),
            max_bytes=settings.cache_max_bytes,
        ),
        services=replace(services, wayback_hosts=services.wayback_hosts | {archive}),
    )


def _cache_folder(settings: Settings) -> Path:
    return settings.data_dir / "sources"
