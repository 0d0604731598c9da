"""Finds the passages that are worth comparing with a claim, by BM25.

The query is the claim, and at less weight the article's title and the claim's
section: SIDE found that BM25 needs the title to make up for "he" and "the band"
(appendix on sparse retrieval). Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import bm25s
import numpy as np
import numpy.typing as npt

from handlers.citations.cues.reading import Reading
from handlers.model import Passage

_CLAIM_WEIGHT = 3  # times that each word of the claim counts in the query
_OTHER = "\0"  # no term of a text


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

    The library weighs each term of a corpus. What is not asked for counts for the length
    of a text alone, so all that is one and the same term to it: no score is changed by
    that, and a corpus that is asked once is weighed in a fraction of the time.

    Args:
        query: the terms looked for.
        corpus: of each text the terms that it has; rarity is counted over it.
    """
    asked = frozenset(query)
    texts = [[term if term in asked else _OTHER for term in terms] for terms in corpus]
    held = set().union(*texts)
    known = [term for term in query if term in held]
    if not known:
        return np.zeros(len(corpus), dtype=np.float32)
    index = bm25s.BM25()
    index.index(texts, show_progress=False)
    scores: npt.NDArray[np.float32] = index.get_scores(known)
    return scores
