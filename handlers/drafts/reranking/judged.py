"""Lets the verification model judge which chunks speak to a query.

The query is put to it as if it were a claim, with the chunk for a source. Most queries
are no sentences, so nothing bears them out in full; what counts is that the model does
not say "of something else": the score is 1 - P(not supported). It reads query and chunk
together, which is slower than comparing vectors by far, so another reranker goes before
and only its best are judged.
"""

from collections.abc import Sequence

from handlers.drafts.roles import Reranker
from handlers.model import Chunk
from handlers.ports import Verifier
from handlers.updates.entailing import judged

_MOST_JUDGED = 40  # chunks; each takes some 20 ms of one core for every passage of it


class VerifierReranker:
    """Our verification model, as a reranker of what another found."""

    name = "verifier"

    def __init__(
        self, verifier: Verifier, first: Reranker, *, most_judged: int = _MOST_JUDGED
    ) -> None:
        """Let `verifier` judge the best `most_judged` chunks of `first`."""
        self._verifier = verifier
        self._first = first
        self._most_judged = most_judged

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return P(the chunk speaks to the query), 0 to 1, of those that were judged.

        The others follow in the order of the first reranker, all below 0.
        """
        before = await self._first.scores(query, chunks)
        order = sorted(range(len(chunks)), key=lambda at: -before[at])
        scores = [0.0] * len(chunks)
        for place, at in enumerate(order):
            if place < self._most_judged:
                scores[at] = await self._judged(query, chunks[at])
            else:
                scores[at] = -(place + 1) / (len(chunks) + 1)
        return scores

    async def _judged(self, query: str, chunk: Chunk) -> float:
        likely = await judged(self._verifier, query, query, [chunk.text])
        return 1 - likely.not_supported
