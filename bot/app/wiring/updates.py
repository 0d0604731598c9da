"""Update discovery, with all the tools the settings allow: roles, searches, readers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.wiring.checks import open_verifier
from bot.app.wiring.searches import open_reach
from bot.app.wiring.sources import make_extractor
from bot.daemon.discoverer import Discoverer
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from handlers.ports import LanguageModel
from handlers.sources.templates import tags_of, tags_of_language
from handlers.updates.discovery import by_model, embedded
from handlers.updates.editor import EmbeddedEditor, ModelEditor
from handlers.updates.entailment import CachedVerifier
from handlers.updates.roles import Budget, CriteriaCache, Tools

if TYPE_CHECKING:
    from bot.store import Store


@asynccontextmanager
async def open_discoverer(
    settings: Settings,
    model: LanguageModel | None = None,
    *,
    sources_folder: Path | None = None,
    folders: tuple[Path, ...] = (),
    services: str | None = None,
    wiki: str | None = None,
    words_edits: bool = False,
    cache: CriteriaCache | None = None,
    store: "Store | None" = None,
) -> AsyncIterator[Discoverer]:
    """Open what looks for newer facts.

    Args:
        settings: of the program.
        model: plays the roles, if given; it outlives the run.
        sources_folder: to read in place of the web.
        folders: to search as well; see `open_reach`.
        services: to search; see `open_reach`.
        wiki: of the article, if not the one in the settings.
        words_edits: whether the model may word the proposed edit.
        cache: keeps what the model says about an article's sections.
        store: if the web is read in turn with the processes that share it.
    """
    from bot.models.encoder import RememberingEncoder
    from bot.models.lexical import shipped_lexical

    async with (
        make_extractor(settings) as extractor,
        open_reach(
            settings,
            extractor,
            sources_folder,
            folders=folders,
            services=services,
            wiki=wiki,
            store=store,
        ) as (sources, searches),
    ):
        verifier, encoder = (
            CachedVerifier(open_verifier(settings)),
            RememberingEncoder(),
        )
        lists, elsewhere = load_reliability(), settings.gadget_tag_language
        wordless = EmbeddedEditor(
            lambda host: tags_of(host) or tags_of_language(elsewhere)
        )
        if model is None:
            rarity = shipped_lexical().model.rarity
            roles = embedded(verifier, encoder, lists, rarity, editor=wordless)
        else:
            editor = ModelEditor(model, verifier, wordless) if words_edits else wordless
            roles = by_model(
                model, verifier, encoder, lists, cache=cache, editor=editor
            )
        yield Discoverer(
            roles=roles,
            tools=Tools(searches, sources, verifier, encoder, lists),
            now=lambda: datetime.now(UTC),
            budget=Budget(
                steps=settings.updates_steps, time_s=float(settings.updates_time_s)
            ),
        )
