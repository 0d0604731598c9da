"""Documents that can be searched: in an index on disk, or in OpenSearch."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.wiring.sources import make_extractor, open_cache
from bot.settings import Settings
from handlers.ports import PermanentError, Search

if TYPE_CHECKING:
    from bot.search.index import Collection, SearchMethod
    from bot.search.index.collections import CanUpdate, Progress
    from bot.search.opensearch import Cluster


def folder_collection(
    settings: Settings, folder: Path, *, leave_out: Path
) -> "Collection":
    """Give the documents of a folder."""
    from bot.search.index import FolderCollection  # noqa: PLC0415 - slow to import

    return FolderCollection(
        folder, max_bytes=settings.source_max_bytes, leave_out=leave_out
    )


def cache_collection(settings: Settings) -> "Collection":
    """Give the sources that were read from the web so far."""
    from bot.search.index import CacheCollection  # noqa: PLC0415 - slow to import

    return CacheCollection(open_cache(settings), max_bytes=settings.source_max_bytes)


@asynccontextmanager
async def open_updater(
    settings: Settings,
    folder: Path | None,
    progress: "Progress",
    *,
    vectors: bool = True,
) -> AsyncIterator["CanUpdate"]:
    """Give what brings the index in `folder`, or in OpenSearch, up to date."""
    from bot.models.encoder import Encoder  # noqa: PLC0415 - only where it is used
    from bot.search.index import Updater  # noqa: PLC0415 - slow to import

    async with make_extractor(settings) as extractor:
        encoder = Encoder() if vectors else None
        if folder is not None:
            yield Updater(folder, extractor, encoder, progress)
            return
        from bot.search.opensearch import OpenSearchUpdater  # noqa: PLC0415 - only where it is used

        with open_opensearch(settings) as cluster:
            yield OpenSearchUpdater(cluster, extractor, encoder, progress)


@asynccontextmanager
async def open_search(
    settings: Settings, folder: Path | None, method: "SearchMethod"
) -> AsyncIterator[Search]:
    """Give a search of the index in `folder`, or of OpenSearch."""
    from bot.models.encoder import Encoder  # noqa: PLC0415 - only where it is used
    from bot.search.index import IndexSearch  # noqa: PLC0415 - slow to import

    if folder is not None:
        yield IndexSearch(folder, Encoder(), method)
        return
    from bot.search.opensearch import OpenSearchSearch  # noqa: PLC0415 - only where it is used

    with open_opensearch(settings) as cluster:
        yield OpenSearchSearch(cluster, Encoder(), method)


@contextmanager
def open_opensearch(settings: Settings) -> Iterator["Cluster"]:
    """Give the OpenSearch of the settings."""
    from bot.search.opensearch import Cluster  # noqa: PLC0415 - only where it is used

    if not settings.opensearch_address:
        raise PermanentError(
            "no OpenSearch is set; set SIDENOTE_OPENSEARCH_ADDRESS to its address, such"
            " as https://search.example.org:9200"
        )
    cluster = Cluster(
        settings.opensearch_address,
        index=settings.opensearch_index,
        user=settings.opensearch_user,
        password=settings.opensearch_password.get_secret_value(),
        timeout_s=settings.opensearch_timeout_s,
    )
    try:
        yield cluster
    finally:
        cluster.close()
