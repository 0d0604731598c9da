"""What is searched: web services in the order of the settings, and indexes.

Besides the services there are Wikidata, articles in other languages and feeds;
documents are in an index on disk or in OpenSearch.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.wiring.sources import make_extractor, open_sources, open_wall
from bot.app.wiring.store import make_folder
from bot.app.wiring.wiki import user_agent
from bot.settings import Settings
from bot.settings.sources import SearchName, order_of
from bot.sources.extraction import Extractor
from bot.sources.reader import CandidateSources
from bot.sources.reliability import load_reliability
from handlers.ports import PermanentError, Search, SourceReader

if TYPE_CHECKING:
    from bot.search.index import SearchMethod
    from bot.search.index.collections import CanUpdate, Progress
    from bot.search.opensearch import Cluster
    from bot.search.services.client import SearchClient
    from bot.search.services.results import ResultFilter
    from bot.search.services.service import Allowance, Dialect
    from bot.store import Store
    from bot.wiki.api import WikiApi
    from bot.wiki.history import WikiHistory

_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w", re.ASCII)
_MISSING: Mapping[SearchName, str] = {
    SearchName.SEARXNG: "SIDENOTE_SEARCH_ADDRESSES to searxng= and its address",
    SearchName.BRAVE: "SIDENOTE_BRAVE_KEY",
    SearchName.SERPER: "SIDENOTE_SERPER_KEY",
    SearchName.GOOGLE: "SIDENOTE_GOOGLE_KEY and SIDENOTE_GOOGLE_ENGINE",
    SearchName.FEEDS: "SIDENOTE_SEARCH_FEEDS",
    SearchName.SISTERS: "SIDENOTE_SISTER_LANGUAGES",
}


class NotSetUpError(PermanentError):
    """A search lacks what it needs; `missing` names the settings."""

    def __init__(self, name: SearchName) -> None:
        self.missing = _MISSING.get(name, "what it needs")
        super().__init__(f"{name.value} cannot be searched yet; set {self.missing}")


@dataclass(frozen=True, slots=True)
class Workshop:
    """What every service is built with."""

    settings: Settings
    client: "SearchClient"
    result_filter: "ResultFilter"
    wiki: str  # the articles' wiki, as `bot.wiki.address` takes it


Maker = Callable[[Workshop], Search | None]
"""Makes a service, or `None` where what it needs is not set."""


@asynccontextmanager
async def open_services(
    settings: Settings,
    order: str | None = None,
    *,
    wiki: str | None = None,
    without: frozenset[SearchName] = frozenset(),
) -> AsyncIterator[tuple[Search, ...]]:
    """Open the searches, each with those that take over when it fails.

    Args:
        settings: with keys and addresses.
        order: replaces the one in the settings; what it names must be set up.
        wiki: of the articles; by default the one in the settings.
        without: services to leave out, whatever the order says.

    Raises:
        NotSetUpError: `order` names a service that is not set up.
        PermanentError: `order` names something unknown.
    """
    from bot.search.services.client import SearchClient
    from bot.search.services.service import AlternateSearches

    wanted = settings.search_order if order is None else _read(order)
    make_folder(settings.data_dir)
    async with SearchClient(
        user_agent(settings), timeout_s=settings.search_timeout_s
    ) as client:
        articles = wiki or settings.wiki
        result_filter = _result_filter(settings, articles)
        workshop = Workshop(settings, client, result_filter, articles)
        searches: list[Search] = []
        for group in wanted:
            names = [name for name in group if name not in without]
            services = [_made(name, workshop, must=order is not None) for name in names]
            ready = [search for search in services if search is not None]
            if ready:
                searches.append(
                    ready[0] if len(ready) == 1 else AlternateSearches(ready)
                )
        yield tuple(searches)


def _read(order: str) -> tuple[tuple[SearchName, ...], ...]:
    try:
        return order_of(order)
    except ValueError as error:
        raise PermanentError(
            f"--search {order}: {error}, or an existing folder"
        ) from None


def _made(name: SearchName, workshop: Workshop, *, must: bool) -> Search | None:
    maker = _MAKERS.get(name)
    search = maker(workshop) if maker else None
    if search is None and must:
        raise NotSetUpError(name)
    return search


def _result_filter(settings: Settings, wiki: str) -> "ResultFilter":
    from bot.search.services.results import ResultFilter

    return ResultFilter(
        open_wall(settings),
        load_reliability(),
        wiki.rpartition("://")[2].partition("/")[0],
    )


def _service(
    name: SearchName, workshop: Workshop, dialect: "Dialect", allowance: "Allowance"
) -> Search:
    from bot.search.services.service import Meter, ServiceSearch

    meter = Meter(workshop.settings.data_dir / "searches", name.value, allowance)
    return ServiceSearch(
        dialect,
        workshop.client,
        meter,
        workshop.result_filter,
        lambda: datetime.now(UTC).date(),
    )


def _gdelt(workshop: Workshop) -> Search | None:
    from bot.search.services.engines import Gdelt

    dialect = Gdelt(workshop.settings.search_address(SearchName.GDELT))
    return _paced(SearchName.GDELT, workshop, dialect)


def _searxng(workshop: Workshop) -> Search | None:
    from bot.search.services.engines import SearxNg

    address = workshop.settings.search_address(SearchName.SEARXNG)
    if not address:
        return None
    return _paced(SearchName.SEARXNG, workshop, SearxNg(address))


def _brave(workshop: Workshop) -> Search | None:
    from bot.search.services.engines import Brave

    address, key = _place(SearchName.BRAVE, workshop.settings)
    if not key:
        return None
    return _paced(SearchName.BRAVE, workshop, Brave(address, key))


def _serper(workshop: Workshop) -> Search | None:
    from bot.search.services.engines import Serper

    address, key = _place(SearchName.SERPER, workshop.settings)
    return _paced(SearchName.SERPER, workshop, Serper(address, key)) if key else None


def _google(workshop: Workshop) -> Search | None:
    from bot.search.services.engines import Google

    address, key = _place(SearchName.GOOGLE, workshop.settings)
    engine = workshop.settings.google_engine
    if not key or not engine:
        return None
    return _paced(SearchName.GOOGLE, workshop, Google(address, key, engine))


def _crossref(workshop: Workshop) -> Search | None:
    from bot.search.services.scholarly import Crossref

    mail = _MAIL.search(workshop.settings.contact)
    address = workshop.settings.search_address(SearchName.CROSSREF)
    dialect = Crossref(address, mail[0] if mail else "")
    return _paced(SearchName.CROSSREF, workshop, dialect)


def _openalex(workshop: Workshop) -> Search | None:
    from bot.search.services.scholarly import WITHOUT_KEY, OpenAlex
    from bot.search.services.service import Allowance

    address, key = _place(SearchName.OPENALEX, workshop.settings)
    dialect = OpenAlex(address, key)
    per_day = workshop.settings.search_quota(SearchName.OPENALEX)
    if not key:
        per_day = min(per_day or WITHOUT_KEY, WITHOUT_KEY)
    allowance = Allowance(dialect.name, per_day=per_day)
    return _service(SearchName.OPENALEX, workshop, dialect, allowance)


def _wikidata(workshop: Workshop) -> Search | None:
    from bot.search.services.wikimedia import WikidataSearch

    settings = workshop.settings
    articles = _api(settings, workshop.wiki)
    items = _api(settings, settings.search_address(SearchName.WIKIDATA))
    return WikidataSearch(articles, items, workshop.result_filter)


def _sisters(workshop: Workshop) -> Search | None:
    from bot.search.services.wikimedia import SisterSearch

    settings = workshop.settings
    if not settings.sister_languages:
        return None
    return SisterSearch(
        _api(settings, workshop.wiki),
        lambda address: open_history(settings, address),
        settings.sister_languages,
        workshop.result_filter,
        lambda: datetime.now(UTC),
    )


def _feeds(workshop: Workshop) -> Search | None:
    from bot.search.services.feeds import FeedCache, FeedSearch

    settings = workshop.settings
    if not settings.search_feeds:
        return None
    folder = settings.data_dir / "searches" / "feeds"
    cache = FeedCache(folder, workshop.client, lambda: datetime.now(UTC))
    return FeedSearch(settings.search_feeds, cache, workshop.result_filter)


def _paced(name: SearchName, workshop: Workshop, dialect: "Dialect") -> Search:
    from bot.search.services.service import Allowance

    per_day = workshop.settings.search_quota(name)
    allowance = Allowance(dialect.name, dialect.pause_s, per_day)
    return _service(name, workshop, dialect, allowance)


def _place(name: SearchName, settings: Settings) -> tuple[str, str]:
    return settings.search_address(name), settings.search_key(name)


_MAKERS: Mapping[SearchName, Maker] = {
    SearchName.GDELT: _gdelt,
    SearchName.SEARXNG: _searxng,
    SearchName.BRAVE: _brave,
    SearchName.SERPER: _serper,
    SearchName.GOOGLE: _google,
    SearchName.CROSSREF: _crossref,
    SearchName.OPENALEX: _openalex,
    SearchName.WIKIDATA: _wikidata,
    SearchName.SISTERS: _sisters,
    SearchName.FEEDS: _feeds,
}


def open_history(settings: Settings, wiki: str) -> "WikiHistory":
    """Build what reads the revisions of a wiki's pages."""
    from bot.wiki.address import parse_address
    from bot.wiki.history import WikiHistory

    return WikiHistory(
        parse_address(wiki),
        user_agent=user_agent(settings),
        timeout_s=max(settings.wiki_timeout_s, settings.search_timeout_s),
    )


def _api(settings: Settings, wiki: str) -> "WikiApi":
    from bot.wiki.address import parse_address
    from bot.wiki.api import WikiApi

    return WikiApi(
        parse_address(wiki),
        user_agent=user_agent(settings),
        timeout_s=settings.wiki_timeout_s,
    )


@asynccontextmanager
async def open_updater(
    settings: Settings,
    folder: Path | None,
    progress: "Progress",
    *,
    vectors: bool = True,
) -> AsyncIterator["CanUpdate"]:
    """Open what updates the index in `folder`, or in OpenSearch."""
    from bot.models.encoder import Encoder
    from bot.search.index import Updater

    async with make_extractor(settings) as extractor:
        encoder = Encoder() if vectors else None
        if folder is not None:
            yield Updater(folder, extractor, encoder, progress)
            return
        from bot.search.opensearch import OpenSearchUpdater

        with open_opensearch(settings) as cluster:
            yield OpenSearchUpdater(cluster, extractor, encoder, progress)


@asynccontextmanager
async def open_search(
    settings: Settings, folder: Path | None, method: "SearchMethod"
) -> AsyncIterator[Search]:
    """Open a search of the index in `folder`, or in OpenSearch."""
    from bot.models.encoder import Encoder
    from bot.search.index import IndexSearch

    if folder is not None:
        yield IndexSearch(folder, Encoder(), method)
        return
    from bot.search.opensearch import OpenSearchSearch

    with open_opensearch(settings) as cluster:
        yield OpenSearchSearch(cluster, Encoder(), method)


@asynccontextmanager
async def open_reach(
    settings: Settings,
    extractor: Extractor,
    sources_folder: Path | None,
    *,
    folders: tuple[Path, ...] = (),
    services: str | None = None,
    wiki: str | None = None,
    store: "Store | None" = None,
) -> AsyncIterator[tuple[SourceReader, tuple[Search, ...]]]:
    """Open a reader of sources, and what is searched for them.

    Args:
        settings: of the program.
        extractor: turns sources into text.
        sources_folder: to read in place of the web.
        folders: to search, before the services: indexes, or folders of documents.
        services: web searches, in the order of the setting `searches`; `None` stands for
            that setting, an empty value for none.
        wiki: of the article, if not the one in the settings.
        store: if the web is read in turn with the processes that share it.
    """
    async with AsyncExitStack() as opened:
        sources = await opened.enter_async_context(
            open_sources(settings, sources_folder, extractor, store)
        )
        searches: tuple[Search, ...] = ()
        if services != "":
            searches = await opened.enter_async_context(
                open_services(settings, services, wiki=wiki)
            )
        for folder in folders:
            search, copies = await open_local(settings, folder, extractor)
            searches = (search, *searches)
            sources = CandidateSources(sources, copies)
        yield sources, searches


async def open_local(
    settings: Settings,
    path: Path,
    extractor: Extractor,
    reading: Callable[[str], None] = lambda _place: None,
) -> tuple[Search, SourceReader]:
    """Build a search of a local index or a folder, and what reads its documents.

    `reading` is called with each document of a folder that is indexed first.
    """
    from bot.models.encoder import Encoder
    from bot.search.index import IndexedSources, IndexSearch
    from bot.search.index.update import PassingIndexes

    folder = settings.data_dir / "search"
    make_folder(settings.data_dir)
    make_folder(folder)
    indexes = PassingIndexes(folder, extractor, settings.source_max_bytes, reading)
    index = await indexes.of(path)
    return IndexSearch(index, Encoder()), IndexedSources(index)


@contextmanager
def open_opensearch(
    settings: Settings, timeout_s: float = Settings.opensearch_timeout_s
) -> Iterator["Cluster"]:
    """Open the OpenSearch in the settings."""
    from bot.search.opensearch import Cluster

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
        timeout_s=timeout_s,
    )
    try:
        yield cluster
    finally:
        cluster.close()
