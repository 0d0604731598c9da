"""Fits the model that judges edits: a logistic regression on both sides of a pair.

A bad edit is shown both ways: the step back mends, and must not be noted. So neither
the number of changed words nor their kind tells anything, since both steps have them;
what differs is which side the evidence bears out. Harmless edits are shown both ways
too. A quarter of the pairs is read without the words before the claim. Some are shown again
beside the evidence of another article: what no source bore out cannot move away from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from bot.models.edits import EditFile
from bot.models.lexical import shipped_lexical
from bot.research.evaluation.datasets import Label, Row, case, read_rows
from bot.research.evaluation.report import Progress
from handlers.citations.corpus import read_corpus
from handlers.citations.edits import (
    EditModel,
    edit_texts,
    has_only_other_form,
    held,
)
from handlers.citations.network_input import PairReader, PairText, sentence
from handlers.text.analysis import analyse

VERSION = "2"
_SEED = 20261128
_BAD = ("judged_claims/edits_train.jsonl.gz", "judged_claims/pairs_train.jsonl.gz")
_HARMLESS = "judged_claims/edits_neutral_train.jsonl.gz"
_STRENGTH = 0.001  # scikit-learn's C
_MOST_STEPS = 800
_LEAST_SCALE = 1e-3
# The weight of a step; that of a bad one is 1. Harmless pairs are few here, and most of
# what a watch sees.
_BACK, _OF_HARMLESS, _ELSEWHERE = 0.5, 3.0, 1.0
_WITHOUT_CONTEXT, _ALSO_ELSEWHERE = 0.25, 0.1  # shares of pairs
_HARM = 1 / 20  # of the edits to cited sentences, as we assume
_REMEMBERED_TEXTS = 20_000

_Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Step:
    """What is held of a claim before and after an edit, and how it counts."""

    before: _Numbers
    after: _Numbers
    moved: bool
    weight: float


def train(data: Path, reader: PairReader, progress: Progress) -> EditFile:
    """Fit the model on the pairs in the folder `data`, read by `reader`.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    bad = [pair for file in _BAD for pair in pairs_in(read_rows(data / file).rows)]
    harmless = list(pairs_in(read_rows(data / _HARMLESS).rows))
    progress.started(len(bad) + len(harmless))
    draws = Random(_SEED)  # noqa: S311 - draws of pairs and contexts, no secret
    make = Texts(draws)
    steps: list[Step] = []
    group, evidence, elsewhere = "", "", ""
    for pairs, is_bad in ((bad, True), (harmless, False)):
        for pair in pairs:
            if pair[0].group != group:
                group, elsewhere = pair[0].group, evidence
            texts = make(*pair)
            if texts:
                steps += steps_of(texts, reader, _weights(is_bad=is_bad))
                evidence = texts[0].evidence
            if texts and elsewhere and draws.random() < _ALSO_ELSEWHERE:
                before, after = (replace(one, evidence=elsewhere) for one in texts)
                steps += steps_of((before, after), reader, (None, _ELSEWHERE))
            progress.advance()
    settings = {
        "seed": _SEED,
        "strength": _STRENGTH,
        "weights": {
            "back": _BACK,
            "harmless": _OF_HARMLESS,
            "elsewhere": _ELSEWHERE,
        },
        "harm": _HARM,
        "pairs": {"bad": len(bad), "harmless": len(harmless)},
    }
    return EditFile(fit(steps), settings, {})


def pairs_in(rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """Yield the rows of each whole pair: right and wrong, or before and after."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.pair, []).append(row)
    for sides in found.values():
        if len(sides) == 2:  # noqa: PLR2004 - both
            one, other = sides
            yield (one, other) if one.label is Label.SUPPORTED else (other, one)


class Texts:
    """Makes what the network reads of a pair, some without the words before the claim."""

    def __init__(
        self, draws: Random, without_context: float = _WITHOUT_CONTEXT
    ) -> None:
        """Take the share of pairs that are read without the words before the claim."""
        self._draws = draws
        self._without_context = without_context
        self._rarity = shipped_lexical().model.rarity
        self._read = lru_cache(_REMEMBERED_TEXTS)(analyse)

    def __call__(self, before: Row, after: Row) -> tuple[PairText, PairText] | None:
        """Return both texts; `None` of a pair that is never read."""
        mine, theirs = case(before), case(after)
        if has_only_other_form(
            sentence(mine.claim), sentence(theirs.claim), self._read
        ):
            return None
        is_without = self._draws.random() < self._without_context
        context = "" if is_without else after.context
        return edit_texts(
            after.title,
            replace(mine.claim, context=context),
            replace(theirs.claim, context=context),
            read_corpus(theirs.passages, self._read),
            rarity=self._rarity,
            analyse=self._read,
        )


def _weights(*, is_bad: bool) -> tuple[float | None, float]:
    return (1.0, _BACK) if is_bad else (None, _OF_HARMLESS)


def steps_of(
    texts: tuple[PairText, PairText],
    reader: PairReader,
    weights: tuple[float | None, float],
) -> tuple[Step, Step]:
    """Return an edit and the edit back.

    Args:
        texts: of both sides.
        reader: reads them.
        weights: of the edit if it moves the claim away, and of one that does not.
    """
    before, after = map(reader, texts)
    of_bad, otherwise = weights
    moved = of_bad is not None
    return (
        Step(*held(before, after), moved, otherwise if of_bad is None else of_bad),
        Step(*held(after, before), False, otherwise),
    )


def fit(steps: Sequence[Step]) -> EditModel:
    """Fit the model on steps of edits.

    Its probability is that of a feed in which one edit in twenty does harm.
    """
    held_of = np.array([np.concatenate((one.before, one.after)) for one in steps])
    means, scales = held_of.mean(axis=0), held_of.std(axis=0) + _LEAST_SCALE
    found = LogisticRegression(C=_STRENGTH, max_iter=_MOST_STEPS).fit(
        (held_of - means) / scales,
        [one.moved for one in steps],
        sample_weight=[one.weight for one in steps],
    )
    weights = found.coef_[0] / scales
    bias = float(found.intercept_[0] - weights @ means)
    return EditModel(VERSION, weights, round(bias + _towards_life(steps), 4))


def _towards_life(steps: Sequence[Step]) -> float:
    """Return what to add to the log odds, as fewer edits do harm than among `steps`."""
    harm = sum(one.weight for one in steps if one.moved)
    none = sum(one.weight for one in steps if not one.moved)
    return log(_HARM / (1 - _HARM)) - log(harm / none)
