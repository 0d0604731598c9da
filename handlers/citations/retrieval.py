"""Finds the passages that are worth comparing with a claim, by BM25.

The query is the claim, and at less weight the article's title and the claim's
section: SIDE found that BM25 needs the title to make up for "he" and "the band"
(appendix on sparse retrieval). Pure.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from handlers.citations.cues.reading import Reading
from handlers.model import Passage

_K1, _B = 1.5, 0.75  # how fast repetition saturates; how much length counts
_CLAIM_WEIGHT = 3  # times that each word of the claim counts in the query


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage with its BM25 score, comparable only within one ranking."""

    passage: Passage
    score: float


def rank(
    claim: Reading,
    context: Reading,
    passages: Sequence[Passage],
    readings: Sequence[Reading],
) -> tuple[RankedPassage, ...]:
    """Return all passages, best first; equal scores keep their order.

    Args:
        claim: the words to be borne out.
        context: title and section, which count less.
        passages: of all sources that were read.
        readings: of the passages, in the same order.
    """
    scores = bm25(
        _terms(claim) * _CLAIM_WEIGHT + _terms(context),
        [_terms(reading) for reading in readings],
    )
    order = np.argsort(-scores, kind="stable")
    return tuple(RankedPassage(passages[at], float(scores[at])) for at in order)


def _terms(reading: Reading) -> list[str]:
    return [word.stem for word in reading.content]


def bm25(
    query: Sequence[str], corpus: Sequence[Sequence[str]]
) -> npt.NDArray[np.float32]:
    """Return the BM25 score of each text of `corpus`; a term said twice counts twice.

    It is Lucene's form, to the last bit as the library bm25s computes it; but of a
    corpus that is asked once, only the terms of the query are counted.

    Args:
        query: the terms looked for.
        corpus: of each text the terms that it has; rarity is counted over it.
    """
    scores = np.zeros(len(corpus), dtype=np.float32)
    asked = frozenset(query)
    counted = [Counter(filter(asked.__contains__, terms)) for terms in corpus]
    if not any(counted):
        return scores
    lengths = np.array([len(terms) for terms in corpus])
    damping = _K1 * ((1 - _B) + _B * lengths / lengths.mean())
    columns = {
        term: _column(np.array([each[term] for each in counted]), damping)
        for term in set().union(*counted)
    }
    for term in query:
        if term in columns:
            scores += columns[term]
    return scores


def _column(
    counts: npt.NDArray[np.int64], damping: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Return what one term adds to the score of each text, from how often it stands."""
    many, holding = len(counts), int(np.count_nonzero(counts))
    rarity = np.float32(log(1 + (many - holding + 0.5) / (holding + 0.5)))
    return (rarity * (counts / (damping + counts))).astype(np.float32)
