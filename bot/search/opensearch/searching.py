"""Finds documents in OpenSearch, with the same query and the same fusion as locally."""

import asyncio
from collections.abc import Sequence
from typing import Any

from bot.models.encoder import Encoder
from bot.search.index.searching import SearchMethod
from bot.search.opensearch.answers import Hit
from bot.search.opensearch.cluster import Cluster
from handlers.model import Found, Query
from handlers.searching.expansion import parts, wording
from handlers.searching.fusion import merge

_FEWEST = 100  # documents that each half puts forward at least
_FIELDS = ["document", "key", "kind", "address", "title", "text"]


class OpenSearchSearch:
    """Fulfils `handlers.ports.Search` over a cluster.

    An index that was made without vectors is searched by words, whatever the method.
    """

    name = "OpenSearch"

    def __init__(
        self,
        cluster: Cluster,
        encoder: Encoder,
        method: SearchMethod = SearchMethod.MERGED,
    ) -> None:
        self._cluster = cluster
        self._encoder = encoder
        self._method = method

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        """Return at most `limit` documents, each once, best first.

        Raises:
            TemporaryError: the cluster is out of reach or too busy.
            PermanentError: it refuses us, or has no index of ours.
        """
        return await asyncio.to_thread(self._search, query, limit)

    def _search(self, query: Query, limit: int) -> list[Found]:
        size = max(limit, _FEWEST)
        method = self._method
        if method is not SearchMethod.SPARSE and not self._cluster.has_vectors():
            method = SearchMethod.SPARSE
        words = [] if method is SearchMethod.DENSE else self._by_words(query, size)
        meaning = [] if method is SearchMethod.SPARSE else self._by_meaning(query, size)
        best = {hit.source.key: hit for hit in (*reversed(meaning), *reversed(words))}
        scores = _scores(
            method,
            {hit.source.key: hit.score or 0.0 for hit in reversed(words)},
            {hit.source.key: _cosine(hit) for hit in reversed(meaning)},
        )
        ranked = sorted(scores, key=lambda key: (-scores[key], key))
        return [_found(best[key], scores[key]) for key in ranked[:limit]]

    def _by_words(self, query: Query, size: int) -> list[Hit]:
        wanted = [
            {"match": {"text": {"query": part.text, "boost": part.weight}}}
            for part in parts(query)
        ]
        return self._hits({"bool": {"should": wanted}}, size) if wanted else []

    def _by_meaning(self, query: Query, size: int) -> list[Hit]:
        text = wording(query)
        if not text:
            return []
        vector = [round(float(x), 5) for x in self._encoder.encode(text)]
        return self._hits({"knn": {"vector": {"vector": vector, "k": size}}}, size)

    def _hits(self, query: dict[str, Any], size: int) -> list[Hit]:
        return self._cluster.search(
            {
                "size": size,
                "query": query,
                "collapse": {"field": "key"},  # the best passage of each document
                "_source": _FIELDS,
            }
        )


def _scores(
    method: SearchMethod, words: dict[str, float], meaning: dict[str, float]
) -> dict[str, float]:
    if method is SearchMethod.SPARSE:
        return words
    return meaning if method is SearchMethod.DENSE else merge(words, meaning)


def _cosine(hit: Hit) -> float:
    """Undo the engine's way of making a cosine positive: (1 + cosine) / 2."""
    return 2 * (hit.score or 0.0) - 1


def _found(hit: Hit, score: float) -> Found:
    kept = hit.source
    return Found(kept.address, kept.title, kept.text, score, OpenSearchSearch.name)
