"""What reads sources: the web, its cache, a folder, or another process."""

import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import random
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.app.wiring.store import make_folder
from bot.app.wiring.wiki import user_agent
from bot.records.heartbeat import LastSeen
from bot.settings import Settings, SourcesRead
from bot.sources.extraction import Extractor
from bot.sources.folder import SourceFolder
from bot.wiki.address import parse_address
from handlers.ports import PermanentError, SourceReader

if TYPE_CHECKING:
    from bot.sources.address_wall import AddressWall
    from bot.sources.cache import SourceCache
    from bot.sources.reader import WebSources
    from bot.sources.remote import SourcesElsewhere
    from bot.sources.settings import ReaderSettings
    from bot.store import Store


_EMAIL = re.compile(r"[^\s<>()@;,]+@[\w-]+(?:\.[\w-]+)+")


def make_extractor(settings: Settings) -> Extractor:
    """Build what turns sources into text; a context manager."""
    return Extractor(
        timeout_s=settings.extraction_timeout_s,
        max_memory_bytes=settings.extraction_max_bytes,
    )


@asynccontextmanager
async def open_sources(
    settings: Settings,
    folder: Path | None,
    extractor: Extractor,
    store: "Store | None" = None,
) -> AsyncIterator[SourceReader]:
    """Open a reader of sources on the web, or of those in `folder`.

    With `store`, hosts are requested in turn with all processes that share it, and
    others of these may read the sources, as set in `sources_read`.

    Raises:
        PermanentError: other processes should read the sources, and there is no
            `store`.
    """
    if folder is not None:
        yield SourceFolder(folder, extractor, max_bytes=settings.source_max_bytes)
        return
    if settings.sources_read is SourcesRead.ELSEWHERE:
        async with _elsewhere(settings, store) as sources:
            yield sources
        return
    async with open_web(settings, extractor, store) as web:
        yield web


def _elsewhere(settings: Settings, store: "Store | None") -> "SourcesElsewhere":
    from bot.daemon.status.situation import READ
    from bot.sources.remote import SourcesElsewhere, WaitingRules

    if store is None:
        raise PermanentError(
            "the setting sources_read says that other processes read sources, but this"
            " command cannot wait for them; set SIDENOTE_SOURCES_READ=here for it, if"
            " this machine may read the web"
        )

    def now() -> datetime:
        return datetime.now(UTC)

    last_seen = LastSeen(monotonic)

    def is_read() -> bool:
        running = store.processes.known()
        return last_seen.any_runs((one for one in running if one.role == READ), now())

    return SourcesElsewhere(
        store.fetches,
        is_read,
        _reader_settings(settings),
        WaitingRules(most_s=settings.source_wait_s),
        now=now,
        draw=random,
    )


def open_cache(settings: Settings) -> "SourceCache":
    """Return the cache of the sources read from the web so far."""
    from bot.sources.cache import SourceCache

    folder = _cache_folder(settings)
    if not folder.is_dir():
        raise PermanentError(
            f"no source has been read from the web yet (there is no {folder}); check a"
            " page"
            " first, or index a folder"
        )
    limits = _reader_settings(settings).cache
    return SourceCache(folder, limits, now=lambda: datetime.now(UTC))


def open_cached(settings: Settings, extractor: Extractor) -> SourceReader:
    """Build a reader of the cache that ignores the age of sources and fetches nothing."""
    from bot.sources.cache import SourceCache
    from bot.sources.reader import cached_sources

    read_with = _reader_settings(settings)
    ageless = replace(
        read_with.cache, max_age_s=float("inf"), negative_age_s=float("inf")
    )
    cache = SourceCache(_cache_folder(settings), ageless, now=lambda: datetime.now(UTC))
    return cached_sources(cache, read_with, extractor, open_wall(settings))


def open_wall(settings: Settings) -> "AddressWall":
    """Build the wall that cited addresses must pass before they are requested.

    It also blocks the names of this program, so that no citation can make it call
    itself. A wiki that shares its name with the program can be read.
    """
    from bot.sources.address_wall import AddressWall

    wikis = {parse_address(each).host for each in (settings.wiki, *settings.wikis)}
    own = {urlsplit(settings.panel_address).hostname or "", *settings.serve_names}
    return AddressWall(
        allowed=settings.exempt_addresses,
        hosts=frozenset(own - wikis),
        networks=settings.closed_networks,
    )


def open_web(
    settings: Settings, extractor: Extractor, store: "Store | None" = None
) -> "WebSources":
    """Build a reader of the web, a context manager; see `open_sources`."""
    from bot.sources.reader import WebSources

    make_folder(settings.data_dir)
    return WebSources(
        _reader_settings(settings),
        extractor,
        wall=open_wall(settings),
        cache_folder=_cache_folder(settings),
        slots=store.hosts if store else None,
    )


def _reader_settings(settings: Settings) -> "ReaderSettings":
    from bot.sources.settings import (
        CacheLimits,
        FetchLimits,
        Politeness,
        ReaderSettings,
        Services,
    )

    email = _EMAIL.search(settings.contact)
    services = Services(
        wayback_available=settings.archive_service,
        unpaywall=settings.unpaywall_service.rstrip("/"),
        unpaywall_email=email[0] if email else "",
        europe_pmc=settings.europe_pmc_service.rstrip("/"),
        core="https://api.core.ac.uk/v3",
        core_key=settings.core_key.get_secret_value(),
        arxiv_papers="https://export.arxiv.org/pdf/",
    )
    archive = urlsplit(settings.archive_service).netloc
    return ReaderSettings(
        user_agent=user_agent(settings),
        seen_from=socket.gethostname(),
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
