"""Rerankers that go by words: TF-IDF and BM25, over the chunks of one draft. Pure.

Words are compared by their stems, and stop words are left out. How rare a word is, is
counted over the chunks that are ranked: there is no other corpus at hand.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from handlers.citations.cues.words import words
from handlers.citations.retrieval import bm25
from handlers.model import Chunk

_REMEMBERED = 4_096  # texts; a draft asks for each section about the same chunks


class TfidfReranker:
    """The cosine of TF-IDF vectors: 1 + ln(tf), times ln((1 + n) / (1 + df)) + 1."""

    name = "tfidf"

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return the cosine of each chunk with the query, 0 to 1."""
        counted = [Counter(_terms(chunk.text)) for chunk in chunks]
        holding = Counter(term for one in counted for term in one)
        weights = {
            term: math.log((1 + len(chunks)) / (1 + many)) + 1
            for term, many in holding.items()
        }
        asked = _weighed(Counter(_terms(query)), weights)
        return [_cosine(asked, _weighed(one, weights)) for one in counted]


class Bm25Reranker:
    """BM25, by the code that finds the passages for a claim."""

    name = "bm25"

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return the BM25 score of each chunk, from 0 up without a bound."""
        if not chunks:
            return []
        scores = bm25(_terms(query), [_terms(chunk.text) for chunk in chunks])
        return [float(score) for score in scores]


@lru_cache(maxsize=_REMEMBERED)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(word.stem for word in words(text) if word.is_content)


def _weighed(counted: Counter[str], weights: Mapping[str, float]) -> dict[str, float]:
    return {
        term: (1 + math.log(many)) * weights[term]
        for term, many in counted.items()
        if term in weights
    }


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    lengths = _length(one) * _length(other)
    if not lengths:
        return 0.0
    return sum(weight * other.get(term, 0.0) for term, weight in one.items()) / lengths


def _length(vector: Mapping[str, float]) -> float:
    return math.sqrt(sum(weight * weight for weight in vector.values()))
