"""The rerankers of drafts by the names that the command line has."""

from collections.abc import Callable

from handlers.drafts.rerank import (
    Bm25Reranker,
    DprReranker,
    GtrReranker,
    MergedReranker,
    RandomReranker,
    TfidfReranker,
    VerifierReranker,
)
from handlers.drafts.roles import Reranker
from handlers.ports import PermanentError, TextEncoder, Verifier

RERANKERS = ("tfidf", "bm25", "dpr", "gtr", "merged", "verifier", "random")
DEFAULT_RERANKER = "merged"


def reranker_named(
    name: str, encoder: TextEncoder, verifier: Verifier, *, seed: int = 0
) -> Reranker:
    """Return a reranker.

    Args:
        name: one of `RERANKERS`; small letters or capitals.
        encoder: of "dpr" and "gtr", which "merged" and "verifier" build on.
        verifier: of "verifier"; a `Remembering` one saves time.
        seed: of "random".

    Raises:
        PermanentError: there is none of that name.
    """

    def merged() -> Reranker:
        return MergedReranker(
            [
                TfidfReranker(),
                Bm25Reranker(),
                DprReranker(encoder),
                GtrReranker(encoder),
            ]
        )

    makers: dict[str, Callable[[], Reranker]] = {
        "tfidf": TfidfReranker,
        "bm25": Bm25Reranker,
        "dpr": lambda: DprReranker(encoder),
        "gtr": lambda: GtrReranker(encoder),
        "merged": merged,
        "verifier": lambda: VerifierReranker(verifier, merged()),
        "random": lambda: RandomReranker(seed),
    }
    make = makers.get(name.strip().casefold())
    if make is None:
        raise PermanentError(
            f"there is no reranker {name!r}; choose one of {', '.join(RERANKERS)}"
        )
    return make()
