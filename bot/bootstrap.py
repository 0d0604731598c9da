"""The only place that names real tools: settings in, a ready checker out.

What a command does not need is not imported, so that it starts quickly.
"""

import logging
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog

from bot import __version__
from bot.adapters.candidate_sources import CandidateSources
from bot.adapters.extraction import Extractor
from bot.adapters.lexical_verifier import LexicalVerifier
from bot.adapters.operating_points import shipped_points
from bot.adapters.reliability import load_reliability
from bot.adapters.source_folder import SourceFolder
from bot.adapters.sources.near import ArchivedSources
from bot.check import Checker, Progress
from bot.settings import LogFormat, Settings
from handlers.citations.better.policy import Policy
from handlers.citations.better.reliability import ReliabilityLists
from handlers.citations.doubt import Doubt
from handlers.citations.drift import DriftPolicy
from handlers.citations.flagging import OperatingPoints
from handlers.ports import (
    LanguageModel,
    PermanentError,
    Search,
    SourceReader,
    Tools,
    Verifier,
)

if TYPE_CHECKING:
    from bot.adapters.index import Collection, SearchMethod
    from bot.adapters.index.items import CanUpdate
    from bot.adapters.index.items import Progress as IndexProgress
    from bot.adapters.opensearch import Cluster
    from bot.adapters.sources.reader import WebSources
    from bot.adapters.sources.settings import ReaderSettings
    from bot.adapters.wiki_reader import WikiReader
    from bot.store import Store


def configure_logging(settings: Settings) -> None:
    """Log to stderr: readable in a terminal, one JSON object a line elsewhere."""
    readable = settings.log_format is LogFormat.READABLE or (
        settings.log_format is LogFormat.AUTO and sys.stderr.isatty()
    )
    level = logging.getLevelNamesMapping()[settings.log_level.value.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer()
            if readable
            else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # logs every index it builds


@asynccontextmanager
async def open_checker(
    settings: Settings,
    sources_folder: Path | None,
    progress: Progress,
    language_model: LanguageModel | None = None,
    search_in: Path | None = None,
) -> AsyncIterator[Checker]:
    """Give a checker that reads sources from the web, or from a folder if named.

    Better sources are looked for in `search_in`: an index, or a folder of documents.

    Its doubtful claims go to `language_model`, which outlives it: one run has one
    budget, however many pages it checks.
    """
    async with AsyncExitStack() as opened:
        extractor = await opened.enter_async_context(
            Extractor(
                timeout_s=settings.extraction_timeout_s,
                max_memory_bytes=settings.extraction_max_bytes,
            )
        )
        tools = Tools(
            await opened.enter_async_context(
                _sources(settings, sources_folder, extractor)
            ),
            open_verifier(settings),
            language_model,
        )
        if sources_folder is None:
            tools = replace(tools, archive=ArchivedSources(tools.sources))
        if search_in is not None:
            tools = await _searching(settings, tools, search_in, extractor, progress)
        yield Checker(
            tools,
            progress,
            now=lambda: datetime.now(UTC),
            points=OperatingPoints(shipped_points(), settings.operating_points),
            doubt=Doubt(
                low=settings.doubt_from,
                high=settings.doubt_to,
                max_input_tokens=settings.language_model_input_tokens,
                max_output_tokens=settings.language_model_output_tokens,
            ),
            better=Policy(
                margin=settings.better_margin,
                per_claim=settings.candidates_per_claim,
                per_page=settings.candidates_per_page,
                lists=load_reliability() if search_in else ReliabilityLists(()),
            ),
            drift=DriftPolicy(settings.drift_days, settings.better_margin),
        )


@asynccontextmanager
async def open_language_model(
    settings: Settings,
) -> AsyncIterator[LanguageModel | None]:
    """Give the language model of the settings for one run, or `None` without one."""
    if not settings.language_model_address:
        yield None
        return
    from bot.adapters.language_model import (  # noqa: PLC0415 - only where it is used
        Budget,
        ChatModel,
        ModelSettings,
        Patience,
        Prices,
    )

    _make_folder(settings.data_dir)
    chosen = ModelSettings(
        address=settings.language_model_address,
        name=settings.language_model_name,
        key=settings.language_model_key.get_secret_value(),
        user_agent=user_agent(settings),
        budget=Budget(settings.language_model_budget, settings.language_model_calls),
        prices=Prices(
            settings.language_model_input_price, settings.language_model_output_price
        ),
        patience=Patience(timeout_s=settings.language_model_timeout_s),
        json=settings.language_model_json,
        at_once=settings.language_model_at_once,
        cache_folder=settings.data_dir / "language-model",
        cache_max_bytes=settings.language_model_cache_max_bytes,
    )
    async with ChatModel(chosen) as model:
        yield model


def open_verifier(_: Settings) -> Verifier:
    """Give the engine that judges, in runs and in evaluations alike."""
    return LexicalVerifier()


def index_folder(settings: Settings) -> Path:
    """Say where the local index is unless a command names another place."""
    return settings.data_dir / "index"


def folder_collection(
    settings: Settings, folder: Path, *, leave_out: Path
) -> "Collection":
    """Give the documents of a folder."""
    from bot.adapters.index import FolderCollection  # noqa: PLC0415 - slow to import

    return FolderCollection(
        folder, max_bytes=settings.source_max_bytes, leave_out=leave_out
    )


def cache_collection(settings: Settings) -> "Collection":
    """Give the sources that were read from the web so far."""
    from bot.adapters.index import CacheCollection  # noqa: PLC0415 - slow to import
    from bot.adapters.sources.cache import SourceCache  # noqa: PLC0415 - only where it is read

    folder = settings.data_dir / "sources"
    if not folder.is_dir():
        raise PermanentError(
            f"no source was read from the web yet (there is no {folder}); check a page"
            " first, or index a folder"
        )
    limits = _reader_settings(settings).cache
    cache = SourceCache(folder, limits, now=lambda: datetime.now(UTC))
    return CacheCollection(cache, max_bytes=settings.source_max_bytes)


@asynccontextmanager
async def open_updater(
    settings: Settings,
    folder: Path | None,
    progress: "IndexProgress",
    *,
    vectors: bool = True,
) -> AsyncIterator["CanUpdate"]:
    """Give what brings the index in `folder`, or in OpenSearch, up to date."""
    from bot.adapters.encoder import Encoder  # noqa: PLC0415 - only where it is used
    from bot.adapters.index import Updater  # noqa: PLC0415 - slow to import

    async with Extractor(
        timeout_s=settings.extraction_timeout_s,
        max_memory_bytes=settings.extraction_max_bytes,
    ) as extractor:
        encoder = Encoder() if vectors else None
        if folder is not None:
            yield Updater(folder, extractor, encoder, progress)
            return
        from bot.adapters.opensearch import OpenSearchUpdater  # noqa: PLC0415 - only where it is used

        with open_opensearch(settings) as cluster:
            yield OpenSearchUpdater(cluster, extractor, encoder, progress)


@asynccontextmanager
async def open_search(
    settings: Settings, folder: Path | None, method: "SearchMethod"
) -> AsyncIterator[Search]:
    """Give a search of the index in `folder`, or of OpenSearch."""
    from bot.adapters.encoder import Encoder  # noqa: PLC0415 - only where it is used
    from bot.adapters.index import IndexSearch  # noqa: PLC0415 - slow to import

    if folder is not None:
        yield IndexSearch(folder, Encoder(), method)
        return
    from bot.adapters.opensearch import OpenSearchSearch  # noqa: PLC0415 - only where it is used

    with open_opensearch(settings) as cluster:
        yield OpenSearchSearch(cluster, Encoder(), method)


@contextmanager
def open_opensearch(settings: Settings) -> Iterator["Cluster"]:
    """Give the OpenSearch of the settings."""
    from bot.adapters.opensearch import Cluster  # noqa: PLC0415 - only where it is used

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


def open_wiki(settings: Settings, wiki: str) -> "WikiReader":
    """Give a reader of one wiki's pages."""
    from bot.adapters.wiki_reader import WikiReader  # noqa: PLC0415 - slow to import

    return WikiReader(
        wiki, user_agent=user_agent(settings), timeout_s=settings.wiki_timeout_s
    )


@contextmanager
def open_store(settings: Settings) -> Iterator["Store"]:
    """Open the store, its folder made and its tables brought up to date."""
    from bot.store import open_store as open_at  # noqa: PLC0415 - slow to import

    if not settings.database:
        _make_folder(settings.data_dir)
    with open_at(settings.database_url) as store:
        yield store


def user_agent(settings: Settings) -> str:
    """Say who asks, as Wikimedia's User-Agent policy wants it."""
    contact = settings.contact or "no contact given"
    return f"Sidenote/{__version__} ({contact})"


@asynccontextmanager
async def _sources(
    settings: Settings, folder: Path | None, extractor: Extractor
) -> AsyncIterator[SourceReader]:
    if folder is not None:
        yield SourceFolder(folder, extractor, max_bytes=settings.source_max_bytes)
        return
    async with _web(settings, extractor) as sources:
        yield sources


async def _searching(
    settings: Settings,
    tools: Tools,
    path: Path,
    extractor: Extractor,
    progress: Progress,
) -> Tools:
    """Add a search of a local index, whose documents can be read from there."""
    from bot.adapters.encoder import Encoder  # noqa: PLC0415 - only where it is used
    from bot.adapters.index import IndexedSources, IndexSearch  # noqa: PLC0415 - only where it is used
    from bot.adapters.index.passing import PassingIndexes  # noqa: PLC0415 - only where it is used

    kept_in = settings.data_dir / "search"
    _make_folder(kept_in)
    index = await PassingIndexes(
        kept_in, extractor, settings.source_max_bytes, progress.reading
    ).of(path)
    return replace(
        tools,
        searches=(*tools.searches, IndexSearch(index, Encoder())),
        candidates=CandidateSources(tools.sources, IndexedSources(index)),
    )


def _web(settings: Settings, extractor: Extractor) -> "WebSources":
    from bot.adapters.sources.address_wall import WEB_PORTS, AddressWall  # noqa: PLC0415 - only where the web is read
    from bot.adapters.sources.reader import WebSources  # noqa: PLC0415 - only where the web is read

    _make_folder(settings.data_dir)
    return WebSources(
        _reader_settings(settings),
        extractor,
        wall=AddressWall(allowed=settings.exempt_addresses, ports=WEB_PORTS),
        cache_folder=settings.data_dir / "sources",
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


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PermanentError(
            f"the folder {folder} cannot be made ({error.strerror}); set"
            " SIDENOTE_DATA_DIR to one that you can write to"
        ) from error
