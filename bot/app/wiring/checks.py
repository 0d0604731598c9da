"""The checker and the reviewer of pages, with all the tools the settings allow."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.wiring.language_model import PagesPay, open_language_model
from bot.app.wiring.sources import make_extractor, open_sources
from bot.records.spending import PaidModel
from bot.settings import Settings, VerifierChoice
from bot.settings.sources import SearchName
from handlers.ports import Tools, Verifier

if TYPE_CHECKING:
    from bot.daemon.check import Checker, Reviewer
    from bot.daemon.progress import Progress
    from bot.store import Store
    from handlers.citations.model_judge import Terms
    from handlers.ports import Search


@asynccontextmanager
async def open_checker(
    settings: Settings,
    sources_folder: Path | None,
    progress: "Progress",
    language_model: PaidModel | None = None,
    search_in: Path | None = None,
    *,
    store: "Store | None" = None,
    services: str | None = "",
) -> AsyncIterator["Checker"]:
    """Open a checker that reads sources from the web, or from `folder`.

    Better sources are searched for in `search_in`: an index, or a folder of documents.
    `services` are web searches that are used as well, named as in the setting
    `searches`: `None` stands for that setting and for OpenSearch, if set up; an empty
    value for none. Their results are always read from the web, even if sources come
    from a folder. With `store`, the web is read in turn with the processes that share
    it, and the store says who pays for a page.

    The claims also go to `language_model`, if given. It is shared by the whole run,
    which has one budget, however many pages it checks.
    """
    async with AsyncExitStack() as opened:
        extractor = await opened.enter_async_context(make_extractor(settings))
        tools = Tools(
            await opened.enter_async_context(
                open_sources(settings, sources_folder, extractor, store)
            ),
            open_verifier(settings),
            language_model,
        )
        if sources_folder is None:
            from bot.sources.reader import ArchivedSources

            tools = replace(tools, archive=ArchivedSources(tools.sources))
        if search_in is not None:
            from bot.app.wiring.searches import open_local
            from bot.sources.reader import CandidateSources

            search, copies = await open_local(
                settings, search_in, extractor, progress.reading
            )
            candidates = CandidateSources(tools.sources, copies)
            tools = replace(
                tools, searches=(*tools.searches, search), candidates=candidates
            )
        most_claims = None
        if services != "" and settings.better_claims_per_page:
            most_claims = settings.better_claims_per_page
            found = await opened.enter_async_context(_open_found(settings, services))
            tools = replace(tools, searches=(*tools.searches, *found))
            if found and sources_folder is not None and tools.candidates is None:
                web = open_sources(settings, None, extractor, store)
                tools = replace(tools, candidates=await opened.enter_async_context(web))
        checker = _checker(settings, tools, progress, most_claims)
        if store is not None and language_model is not None:
            checker = replace(checker, paid_for=PagesPay(language_model, store))
        yield checker


@asynccontextmanager
async def _open_found(
    settings: Settings, services: str | None
) -> AsyncIterator[tuple["Search", ...]]:
    """Build the search for other sources of a claim, within the quotas of the settings.

    Wikidata and articles in other languages say what is new about an article, not who
    supports a sentence, and they are searched for one wiki only.
    """
    from bot.app.wiring.searches import open_services

    of_articles = frozenset({SearchName.WIKIDATA, SearchName.SISTERS})
    async with open_services(settings, services, without=of_articles) as found:
        if services is not None or not settings.opensearch_address:
            yield found
            return
        from bot.app.wiring.searches import open_search
        from bot.search.index import SearchMethod

        async with open_search(settings, None, SearchMethod.MERGED) as cluster:
            yield (*found, cluster)


def _checker(
    settings: Settings,
    tools: Tools,
    progress: "Progress",
    most_claims: int | None,
) -> "Checker":
    from bot.daemon.check import Checker
    from bot.models.operating_points import shipped_points
    from bot.sources.reliability import load_reliability
    from handlers.citations.better_sources import Policy
    from handlers.citations.drift import DriftPolicy
    from handlers.citations.due_checks import Ageing
    from handlers.citations.flags import OperatingPoints
    from handlers.sources.reliability import ReliabilityLists

    return Checker(
        tools,
        progress,
        now=lambda: datetime.now(UTC),
        points=OperatingPoints(shipped_points(), settings.operating_points),
        terms=terms_of(settings),
        better=Policy(
            margin=settings.better_margin,
            claims_per_page=most_claims,
            per_claim=settings.candidates_per_claim,
            per_page=settings.candidates_per_page,
            lists=load_reliability() if tools.searches else ReliabilityLists(()),
        ),
        drift=DriftPolicy(settings.drift_days, settings.better_margin),
        ageing=Ageing(settings.recheck_days, settings.recheck_unread_days),
    )


def terms_of(settings: Settings) -> "Terms":
    """Return how the language model is asked, and how much its answer counts."""
    from bot.models.operating_points import shipped_trust
    from handlers.citations.model_judge import Terms

    return Terms(
        max_input_tokens=settings.language_model_input_tokens,
        trust=shipped_trust(),
        input_price=settings.language_model_input_price,
        output_price=settings.language_model_output_price,
    )


@asynccontextmanager
async def open_reviewer(
    settings: Settings, folder: Path | None, *, reads_web: bool
) -> AsyncIterator["Reviewer"]:
    """Build the reviewer of pages.

    Args:
        settings: name the language model, if one is set up.
        folder: of sources to compare the text with, in place of the web.
        reads_web: whether sources are read from the web if there is no folder.
    """
    from bot.daemon.check import Reviewer

    async with AsyncExitStack() as opened:
        model = await opened.enter_async_context(open_language_model(settings))
        sources = None
        if folder is not None or reads_web:
            extractor = await opened.enter_async_context(make_extractor(settings))
            sources = await opened.enter_async_context(
                open_sources(settings, folder, extractor)
            )
        yield Reviewer(sources, model)


def open_verifier(settings: Settings) -> Verifier:
    """Build the engine that judges claims, in runs and in evaluations alike."""
    if settings.verifier is VerifierChoice.LEXICAL:
        from bot.models.lexical import LexicalVerifier

        return LexicalVerifier()
    from bot.models.neural import NeuralVerifier

    return NeuralVerifier()
