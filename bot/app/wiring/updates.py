"""Update discovery, with all the tools the settings allow: roles, searches, readers."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.wiring.checks import open_verifier
from bot.app.wiring.searches import open_services
from bot.app.wiring.sources import make_extractor, open_sources
from bot.app.wiring.store import make_folder
from bot.daemon.updates import Discoverer
from bot.settings import Settings
from bot.sources.extraction import Extractor
from bot.sources.reader import CandidateSources
from bot.sources.reliability import load_reliability
from handlers.citations.templates import tags_of, tags_of_language
from handlers.ports import LanguageModel, Search, SourceReader
from handlers.updates.discovery import by_model, embedded
from handlers.updates.editor import EmbeddedEditor, ModelEditor
from handlers.updates.entailment import CachedVerifier
from handlers.updates.roles import Budget, CriteriaCache, Roles, Tools

if TYPE_CHECKING:
    from bot.store import Store


@dataclass(frozen=True, slots=True)
class DiscoveryOptions:
    """What a run searches with, besides the settings.

    `sources_folder` is a folder to read in place of the web. `folders` are indexes, or
    folders of documents, to search. `services` are web searches, in the order of the
    setting `searches`: `None` stands for that setting, an empty value for none. `wiki`
    is the article's, if not the one in the settings. With `words_edits` a language
    model may word the proposed edit; `cache` keeps what it says about an article's
    sections. With `store`, the web is read in turn with the processes that share it.
    """

    sources_folder: Path | None = None
    folders: tuple[Path, ...] = ()
    services: str | None = None
    wiki: str | None = None
    words_edits: bool = False
    cache: CriteriaCache | None = None
    store: "Store | None" = None


@asynccontextmanager
async def open_discoverer(
    settings: Settings,
    options: DiscoveryOptions,
    language_model: LanguageModel | None = None,
) -> AsyncIterator[Discoverer]:
    """Open what looks for newer facts.

    `language_model` plays the roles, if given; it outlives the run.
    """
    async with AsyncExitStack() as opened:
        extractor = await opened.enter_async_context(make_extractor(settings))
        sources: SourceReader = await opened.enter_async_context(
            open_sources(settings, options.sources_folder, extractor, options.store)
        )
        searches: tuple[Search, ...] = ()
        if options.services != "":
            searches = await opened.enter_async_context(
                open_services(settings, options.services, wiki=options.wiki)
            )
        for folder in options.folders:
            search, copies = await open_local(settings, folder, extractor)
            searches = (search, *searches)
            sources = CandidateSources(sources, copies)
        yield _discoverer(settings, options, language_model, searches, sources)


def _discoverer(
    settings: Settings,
    options: DiscoveryOptions,
    language_model: LanguageModel | None,
    searches: tuple[Search, ...],
    sources: SourceReader,
) -> Discoverer:
    from bot.models.encoder import RememberingEncoder

    tools = Tools(
        searches,
        sources,
        CachedVerifier(open_verifier(settings)),
        RememberingEncoder(),
        load_reliability(),
    )
    return Discoverer(
        roles=_roles(settings, tools, language_model, options),
        tools=tools,
        now=lambda: datetime.now(UTC),
        budget=Budget(
            steps=settings.updates_steps, time_s=float(settings.updates_time_s)
        ),
    )


def _roles(
    settings: Settings,
    tools: Tools,
    model: LanguageModel | None,
    options: DiscoveryOptions,
) -> Roles:
    elsewhere = settings.gadget_tag_language
    wordless = EmbeddedEditor(lambda wiki: tags_of(wiki) or tags_of_language(elsewhere))
    if model is None:
        return embedded(tools.verifier, tools.encoder, tools.lists, editor=wordless)
    editor = (
        ModelEditor(model, tools.verifier, wordless)
        if options.words_edits
        else wordless
    )
    return by_model(
        model,
        tools.verifier,
        tools.encoder,
        tools.lists,
        cache=options.cache,
        editor=editor,
    )


async def open_local(
    settings: Settings, path: Path, extractor: Extractor
) -> tuple[Search, SourceReader]:
    """Build a search of a local index or a folder, and what reads its documents."""
    from bot.models.encoder import Encoder
    from bot.search.index import IndexedSources, IndexSearch
    from bot.search.index.update import PassingIndexes

    kept_in = settings.data_dir / "search"
    make_folder(kept_in)
    indexes = PassingIndexes(
        kept_in, extractor, settings.source_max_bytes, lambda _place: None
    )
    index = await indexes.of(path)
    return IndexSearch(index, Encoder()), IndexedSources(index)
