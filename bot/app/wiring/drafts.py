"""Drafts, with all the tools the settings allow: what writes them, and from which documents."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.wiring.checks import open_verifier
from bot.app.wiring.searches import open_reach
from bot.app.wiring.sources import make_extractor
from bot.daemon.drafter import Drafter, RunIn, in_this_loop
from bot.search.index.collections import DocumentsFolder
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from bot.surfaces.dossier_page import headings_in
from handlers.drafts.chunks import (
    Reranker,
    at_random,
    by_bm25,
    by_encoder,
    by_tfidf,
    halves,
    merged,
    pieces,
)
from handlers.drafts.dossier import Cast
from handlers.drafts.gather import GatheringPolicy, Reach
from handlers.drafts.model import SIZES, ModelAuthor
from handlers.drafts.roles import EMBEDDED_RULES, Rules
from handlers.model import DraftMethod
from handlers.ports import (
    LanguageModel,
    PermanentError,
    TextEncoder,
    Verifier,
)
from handlers.updates.entailment import CachedVerifier
from handlers.updates.questions import Sizes

if TYPE_CHECKING:
    from bot.store import Store

RERANKERS = (
    "tfidf",
    "bm25",
    "encoder",
    "encoder-sentences",
    "merged",
    "random",
)
# Old names of these two, taken from models that do not ship.
RENAMED_RERANKERS = {"dpr": "encoder", "gtr": "encoder-sentences"}
DEFAULT_RERANKER = "merged"
_BYTES_PER_TOKEN = 4  # roughly, in English


@asynccontextmanager
async def open_drafter(
    settings: Settings,
    model: LanguageModel | None = None,
    *,
    method: DraftMethod = DraftMethod.PRR,
    reranker: str = DEFAULT_RERANKER,
    documents: Path | None = None,
    folders: tuple[Path, ...] = (),
    services: str | None = None,
    wiki: str | None = None,
    words: int | None = None,
    may_word: bool = False,
    store: "Store | None" = None,
    run_in: RunIn = in_this_loop,
) -> AsyncIterator[Drafter]:
    """Open what makes drafts.

    Args:
        settings: of the program.
        model: plans and writes where it may; for TUNED, the tuned one. It outlives the
            run.
        method: how a draft is written.
        reranker: one of `RERANKERS`.
        documents: a folder of documents to use in place of a search.
        folders: to search; see `open_reach`.
        services: to search; see `open_reach`.
        wiki: the draft is for, if not the one in the settings.
        words: the length; by default that of the settings.
        may_word: whether a language model plans and writes, also if not TUNED.
        store: if the web is read in turn with the processes that share it.
        run_in: runs long computations elsewhere.

    Raises:
        PermanentError: a folder, a search or the reranker does not exist.
    """
    from bot.models.encoder import RememberingEncoder

    cast = make_cast(
        method,
        reranker,
        RememberingEncoder(),
        CachedVerifier(open_verifier(settings)),
        model if may_word or method is DraftMethod.TUNED else None,
        sizes=question_sizes(settings),
        most_chunks=settings.draft_chunks,
    )
    most = settings.draft_documents
    rules = Rules(
        chunks=max(EMBEDDED_RULES.chunks, settings.draft_chunks),
        words=words or settings.draft_words,
        sections=settings.draft_sections,
    )
    async with make_extractor(settings) as extractor:
        given = None
        if documents is not None:
            folders, services = (), ""
            given = DocumentsFolder(
                documents, extractor, max_bytes=settings.source_max_bytes
            )
        async with open_reach(
            settings,
            extractor,
            documents,
            folders=folders,
            services=services,
            wiki=wiki,
            store=store,
        ) as (sources, searches):
            host = (wiki or settings.wiki).rpartition("://")[2].partition("/")[0]
            policy = GatheringPolicy(most)
            reach = Reach(host, searches, sources, load_reliability(), policy)
            yield Drafter(cast, reach, given, rules, run_in)


def make_cast(
    method: DraftMethod,
    reranker: str,
    encoder: TextEncoder,
    verifier: Verifier,
    model: LanguageModel | None = None,
    *,
    sizes: Sizes = SIZES,
    most_chunks: int | None = None,
) -> Cast:
    """Build what writes a draft; without a model, the embedded parts do.

    `sizes` are those of the questions to the model and of its answers. The model is
    shown at most `most_chunks` of the chunks that the embedded writer would read in its
    place.

    Raises:
        PermanentError: there is no such reranker.
    """
    ranker = reranker_named(reranker, encoder)
    cast = Cast(method, ranker, verifier, encoder, headings_in)
    if model is None:
        return cast
    author = ModelAuthor(model, sizes, verifier=verifier, most_chunks=most_chunks)
    return replace(cast, planner=author.plan, writer=author.write, engine=model.engine)


def question_sizes(settings: Settings) -> Sizes:
    """Return how long the questions to a model, and its answers, may be."""
    return Sizes(
        input_bytes=_BYTES_PER_TOKEN * settings.language_model_input_tokens,
        # A quarter of the answer is left for reasoning.
        output_tokens=settings.language_model_output_tokens * 3 // 4,
    )


def renamed(old: str) -> str:
    """Return the message for a reranker asked for by its old name."""
    new = RENAMED_RERANKERS[old]
    return f"the reranker {old!r} is called {new!r}: it is the stock encoder"


def reranker_named(name: str, encoder: TextEncoder) -> Reranker:
    """Build a reranker.

    Args:
        name: one of `RERANKERS`, in any case.
        encoder: for "encoder" and "encoder-sentences", and so also for "merged".

    Raises:
        PermanentError: there is no reranker of that name.
    """
    whole, by_sentence = by_encoder(encoder, halves), by_encoder(encoder, pieces)
    scores = {
        "tfidf": by_tfidf,
        "bm25": by_bm25,
        "encoder": whole,
        "encoder-sentences": by_sentence,
        "merged": merged([by_tfidf, by_bm25, whole, by_sentence]),
        "random": at_random,
    }
    key = name.strip().casefold()
    if key in scores:
        return Reranker(key, scores[key])
    if key in RENAMED_RERANKERS:
        raise PermanentError(renamed(key))
    raise PermanentError(
        f"there is no reranker {name!r}; choose one of {', '.join(RERANKERS)}"
    )
