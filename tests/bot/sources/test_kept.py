"""Sources that were read before: all of them are found, and nothing else is asked for."""

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.sources.address_wall import AddressWall
from bot.sources.cache import SourceCache
from bot.sources.extraction import Extractor
from bot.sources.http import Failure, Fetched
from bot.sources.reader import kept_sources
from bot.sources.settings import CacheLimits, ReaderSettings
from handlers.model import Origin, SourceFetch, SourceOutcome
from tests import builders

NOW = datetime(2026, 6, 1, tzinfo=UTC)
LIVE = "https://news.example/2024/story"
DEAD = "https://news.example/2019/gone"
COPY = f"https://web.archive.org/web/20190203040506/{DEAD}"
RAW = f"https://web.archive.org/web/20190203040506id_/{DEAD}"
TEXT = b"The clock on the customs quay was built in 1874 by Ada Penrose. " * 4


def fetched(url: str, at: datetime) -> Fetched:
    digest = hashlib.sha256(TEXT).hexdigest()
    return Fetched(url, 200, "text/plain; charset=utf-8", TEXT, digest, at)


async def read(folder: Path, url: str, archive: str | None = None) -> SourceFetch:
    ageless = CacheLimits(max_age_s=float("inf"), negative_age_s=float("inf"))
    cache = SourceCache(folder, ageless, lambda: NOW)
    async with Extractor() as extractor:
        reader = kept_sources(cache, ReaderSettings("a/1"), extractor, AddressWall())
        return await reader.read(builders.source(url=url, archive_url=archive))


async def test_what_was_read_is_found_whatever_its_age(tmp_path: Path) -> None:
    cache = SourceCache(tmp_path, CacheLimits(), lambda: NOW)
    cache.open()
    cache.put(LIVE, fetched(LIVE, NOW - timedelta(days=300)))
    gone = Failure(SourceOutcome.GONE, "the server answered 404", 404, DEAD)
    cache.put(DEAD, gone)
    cache.put(RAW, fetched(RAW, NOW))

    live = await read(tmp_path, LIVE)
    archived = await read(tmp_path, DEAD, COPY)
    alone = await read(tmp_path, "https://never.example/read", COPY)

    assert (live.outcome, live.origin) == (SourceOutcome.READ, Origin.LIVE)
    assert (archived.outcome, archived.origin) == (SourceOutcome.READ, Origin.ARCHIVE)
    assert (alone.outcome, alone.origin) == (SourceOutcome.READ, Origin.ARCHIVE)


async def test_what_was_not_read_is_reported_and_never_fetched(tmp_path: Path) -> None:
    cache = SourceCache(tmp_path, CacheLimits(), lambda: NOW)
    cache.open()

    missing = await read(tmp_path, LIVE)
    internal = await read(tmp_path, "http://169.254.169.254/latest/meta-data")

    assert missing.outcome is SourceOutcome.NOT_IN_FOLDER
    assert "not among the sources read" in missing.detail
    assert internal.outcome is SourceOutcome.FORBIDDEN_ADDRESS
