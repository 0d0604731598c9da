"""Documents in chunks of about 256 words, ordered by how well they answer a query.

A chunk ends at the end of a sentence, so that a quote is always whole within one chunk;
the paper cuts between any two words (WikiGenBench §5.1). Two of the rerankers compare
words, two compare meaning, one merges others by rank, and one is the paper's random
baseline. The rarity of a word is counted over the chunks being ranked.

Those that compare meaning replace the paper's DPR and GTR, which do not ship: both use
the stock encoder, all-MiniLM-L6-v2. "encoder" reads a whole chunk, in halves that the
encoder can hold; "encoder-sentences" takes the best sentence. Ranks are merged rather
than scores, which have no common scale: the sum of 1 / (60 + rank) (Cormack, Clarke and
Büttcher 2009). Pure except for the encoder, which is awaited.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from handlers.citations.corpus import bm25
from handlers.documents.prose import sentences
from handlers.model import Chunk, DraftDocument, Span
from handlers.page.sentences import split
from handlers.ports import TextEncoder
from handlers.text.words import words

WORDS_PER_CHUNK = 256
_MOST_CHARS = 400_000  # of a document that are read; about 65,000 words


def chunks_of(
    document: DraftDocument, words: int = WORDS_PER_CHUNK
) -> tuple[Chunk, ...]:
    """Return the chunks of one document in order; empty for a text without words.

    Together they hold every sentence of its first 400,000 characters. None has more
    than `words` words (separated by white space); a longer sentence is cut between
    words.
    """
    text = document.text[:_MOST_CHARS]
    cut = [part for one in sentences(text) for part in _parts(text, one.span, words)]
    return tuple(
        Chunk(document.number, number, span.of(text), span)
        for number, span in enumerate(_whole_chunks(text, cut, words))
    )


def _parts(text: str, span: Span, limit: int) -> Iterator[Span]:
    """Yield a sentence, in parts if it has more words than `limit`."""
    words = span.of(text).split()
    if len(words) <= limit:
        if words:
            yield span
        return
    at = span.start
    for first in range(0, len(words), limit):
        members = words[first : first + limit]
        start = at = text.index(members[0], at)
        for word in members:
            at = text.index(word, at) + len(word)
        yield Span(start, at)


def _whole_chunks(text: str, parts: Sequence[Span], limit: int) -> Iterator[Span]:
    """Join parts while the text from first to last has at most `limit` words."""
    joined, size = None, 0
    for one in parts:
        more = len(text[joined.end if joined else one.start : one.end].split())
        if joined and size + more <= limit:
            joined, size = Span(joined.start, one.end), size + more
            continue
        if joined:
            yield joined
        joined, size = one, len(one.of(text).split())
    if joined:
        yield joined


Scores: TypeAlias = Callable[[str, Sequence[Chunk]], Awaitable[list[float]]]


@dataclass(frozen=True, slots=True)
class Reranker:
    """Orders chunks by how well they answer a query (WikiGenBench §5.1).

    `name` is its name on the command line. `scores` gives a score for each chunk,
    comparable within a call; higher is better.
    """

    name: str
    scores: Scores


_REMEMBERED = 4_096  # texts; each section of a draft ranks the same chunks


@lru_cache(maxsize=_REMEMBERED)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(word.stem for word in words(text) if word.is_content)


async def by_tfidf(query: str, chunks: Sequence[Chunk]) -> list[float]:
    """Return the cosine of each chunk with the query, 0 to 1.

    The vectors are 1 + ln(tf), times ln((1 + n) / (1 + df)) + 1.
    """
    counted = [Counter(_terms(chunk.text)) for chunk in chunks]
    holding = Counter(term for one in counted for term in one)
    weights = {
        term: math.log((1 + len(chunks)) / (1 + many)) + 1
        for term, many in holding.items()
    }
    wanted = _weighed(Counter(_terms(query)), weights)
    return [_cosine(wanted, _weighed(one, weights)) for one in counted]


def _weighed(counted: Counter[str], weights: Mapping[str, float]) -> dict[str, float]:
    return {
        term: (1 + math.log(many)) * weights[term]
        for term, many in counted.items()
        if term in weights
    }


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    lengths = math.hypot(*one.values()) * math.hypot(*other.values())
    if not lengths:
        return 0.0
    return sum(weight * other.get(term, 0.0) for term, weight in one.items()) / lengths


async def by_bm25(query: str, chunks: Sequence[Chunk]) -> list[float]:
    """Return scores of 0 or more, by the code that finds the passages for a claim."""
    if not chunks:
        return []
    scores = bm25(_terms(query), [_terms(chunk.text) for chunk in chunks])
    return [float(score) for score in scores]


_HALF_WORDS = 130  # the encoder reads 256 word pieces, about 190 English words
_LONGEST_SENTENCE = 45  # words; tables, and pages whose full stops were lost
_MOST_SENTENCES = 40  # of one chunk
_SHORTEST_WORDS = 4


def by_encoder(encoder: TextEncoder, cut: Callable[[str], list[str]]) -> Scores:
    """Score a chunk by the cosine of the query and its best part, -1 to 1.

    A chunk of 256 words is longer than the encoder can read, so `cut` divides it: into
    `halves` or into `pieces`.
    """

    async def scores(query: str, chunks: Sequence[Chunk]) -> list[float]:
        parts = [cut(one.text) for one in chunks]
        distinct = list(dict.fromkeys(part for one in parts for part in one))
        if not distinct:
            return [-1.0] * len(parts)
        [cosines] = await encoder.likeness([query], distinct)
        known = dict(zip(distinct, cosines, strict=True))
        return [max((known[part] for part in one), default=-1.0) for one in parts]

    return scores


def halves(text: str) -> list[str]:
    """Return the halves of a text; a short text is whole."""
    words = text.split()
    half = len(words) if len(words) <= _HALF_WORDS else (len(words) + 1) // 2
    return [" ".join(part) for part in (words[:half], words[half:]) if part]


def pieces(text: str) -> list[str]:
    """Return the sentences of a text; text without full stops is cut into pieces."""
    found = [span.of(text).split() for span in split(text)]
    cut = [
        one[at : at + _LONGEST_SENTENCE]
        for one in found
        for at in range(0, len(one), _LONGEST_SENTENCE)
    ]
    telling = [one for one in cut if len(one) >= _SHORTEST_WORDS]
    return [" ".join(one) for one in (telling or cut)[:_MOST_SENTENCES]]


_DAMPED = 60  # the higher, the less the first places count


def merged(all_scores: Sequence[Scores]) -> Scores:
    """Merge by reciprocal rank fusion, with equal weight; equal scores share a rank."""

    async def scores(query: str, chunks: Sequence[Chunk]) -> list[float]:
        totals = [0.0] * len(chunks)
        for each in all_scores:
            found = await each(query, chunks)
            falling = sorted(-score for score in found)
            for at, score in enumerate(found):
                totals[at] += 1 / (_DAMPED + 1 + bisect_left(falling, -score))
        return totals

    return scores


async def at_random(query: str, chunks: Sequence[Chunk]) -> list[float]:
    """Return the paper's baseline: the same numbers for the same query and chunks."""
    draws = Random(f"0 {query}")  # noqa: S311 - an order, no secret
    return [draws.random() for _ in chunks]
