"""Joins rerankers by the ranks that each gives (reciprocal rank fusion). Pure.

    score(chunk) = sum over rerankers of 1 / (60 + rank)

(Cormack, Clarke and Büttcher 2009.) Scores of different rerankers have no common scale,
ranks have. Chunks that a reranker cannot tell apart share the best rank among them, so
that their order in the documents does not count as an opinion.
"""

from bisect import bisect_left
from collections.abc import Sequence

from handlers.drafts.roles import Reranker
from handlers.model import Chunk

_DAMPED = 60  # how little the first places are preferred


class MergedReranker:
    """What several rerankers together take for the best."""

    name = "merged"

    def __init__(self, rerankers: Sequence[Reranker]) -> None:
        """Join `rerankers`, at least one; each counts as much as any other."""
        if not rerankers:
            raise ValueError("nothing to join")
        self._rerankers = tuple(rerankers)

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return the sum of the reciprocal ranks of each chunk, above 0."""
        totals = [0.0] * len(chunks)
        for reranker in self._rerankers:
            for at, rank in enumerate(_ranks(await reranker.scores(query, chunks))):
                totals[at] += 1 / (_DAMPED + rank)
        return totals


def _ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each score from 1 on; equal ones share theirs."""
    falling = sorted(-score for score in scores)
    return [1 + bisect_left(falling, -score) for score in scores]
