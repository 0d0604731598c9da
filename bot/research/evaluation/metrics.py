"""Every metric that is reported, under one name, with its formula; uses scikit-learn.

All take one entry per row: `truth`, whether the claim is supported (or its class),
and `scores`, the probability of "supported" (or `predicted`, the class). A metric
that is undefined for the given rows raises `UndefinedMetricError` with the reason.
"""

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn import metrics as sklearn_metrics

Truth: TypeAlias = npt.NDArray[np.bool_]
Scores: TypeAlias = npt.NDArray[np.float64]
Classes: TypeAlias = npt.NDArray[np.int64]
OfScores: TypeAlias = Callable[[Truth, Scores], float]
# A metric of the rows with the given indices.
Measure: TypeAlias = Callable[[npt.NDArray[np.int64]], float]
CALIBRATION_BINS = 10
_PERCENT_OUTSIDE = 2.5  # on each side of a 95 % interval


class UndefinedMetricError(Exception):
    """The metric has no value for these rows; the message says why."""


def auroc(truth: Truth, scores: Scores) -> float:
    """Return the chance that a supported claim outscores another (ties half)."""
    _need_both(truth)
    return float(sklearn_metrics.roc_auc_score(truth, scores))


def average_precision(truth: Truth, scores: Scores) -> float:
    """Return the sum of precision times gain in recall over all thresholds."""
    _need_both(truth)
    return float(sklearn_metrics.average_precision_score(truth, scores))


def best_f1(truth: Truth, scores: Scores) -> float:
    """Return F1 at the threshold that is best on these very rows (optimistic)."""
    _need_both(truth)
    precision, recall, _ = sklearn_metrics.precision_recall_curve(truth, scores)
    both = precision + recall
    f1 = np.divide(
        2 * precision * recall, both, out=np.zeros_like(both), where=both > 0
    )
    return float(f1.max())


def accuracy(truth: Truth | Classes, predicted: Truth | Classes) -> float:
    """Return the share of rows whose class is right."""
    _need_rows(truth)
    return float(np.mean(truth == predicted))


def balanced_accuracy(truth: Truth | Classes, predicted: Truth | Classes) -> float:
    """Return the mean recall of the classes that occur."""
    _need_both(truth)
    shares = [np.mean(predicted[truth == one] == one) for one in np.unique(truth)]
    return float(np.mean(shares))


def share(of: Truth, among: Truth) -> float:
    """Return the share of the rows `among` that are `of`: precision, recall and so on."""
    if not among.any():
        raise UndefinedMetricError("no row to take a share of")
    return float(of[among].mean())


def calibration_error(truth: Truth, scores: Scores) -> float:
    """Return the expected calibration error over ten bins of equal width.

    The mean distance between the share that is supported and the mean score in
    each bin, weighted by its rows (Naeini et al., AAAI 2015). 1.0 falls in the
    last bin.
    """
    _need_rows(truth)
    bins = bins_of(scores)
    distances = [
        abs(float(truth[bins == one].mean() - scores[bins == one].mean()))
        * float(np.mean(bins == one))
        for one in np.unique(bins)
    ]
    return sum(distances)


def bins_of(scores: Scores) -> Classes:
    """Return which of ten bins of equal width each score falls into."""
    bins: Classes = (scores * CALIBRATION_BINS).astype(np.int64)
    return np.minimum(bins, CALIBRATION_BINS - 1)


def f1(truth: Truth, called: Truth) -> float:
    """Return the harmonic mean of precision and recall of what is called true."""
    total = int(truth.sum() + called.sum())
    if not total:
        raise UndefinedMetricError("nothing is, or is called, what is looked for")
    return 2 * int((truth & called).sum()) / total


def precision_at_worst(share: float) -> OfScores:
    """Return the metric: how many of the `share` of rows with the lowest scores fail.

    This is the share of claims truly not supported, in full, among those with the
    lowest scores. Rows tied at the cut-off count in proportion to the places left.
    """

    def measured(truth: Truth, scores: Scores) -> float:
        _need_rows(truth)
        wanted = max(1, round(len(scores) * share))
        border = np.sort(scores)[wanted - 1]
        below, tied = scores < border, scores == border
        failing = (~truth)[below].sum() + (~truth)[tied].mean() * (wanted - below.sum())
        return float(failing) / wanted

    return measured


def over(of: Callable[..., float], *values: npt.NDArray[Any]) -> Measure:
    """Return the metric `of` on these values, for the rows with the given indices."""
    return lambda at: of(*(one[at] for one in values))


_WORD = re.compile(r"\d[\d.,]*\d|\w+|[^\w\s]")


def token_change(before: str, after: str) -> int:
    """Return the number of words added or removed between two texts (WiNELL §5.1).

    A word that became another counts once, as in a word-level edit distance whose
    alignment uses the longest common blocks.
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(j - i, m - k) for tag, i, j, k, m in found if tag != "equal")


def interval95(
    measure: Measure,
    groups: Sequence[str],
    *,
    resamples: int,
) -> tuple[float, float] | None:
    """Return the 95 % bootstrap percentile interval of a metric.

    Whole groups (articles) are drawn with replacement, because rows of one group are
    not independent. Draws in which the metric is undefined are left out; the result is
    `None` if none is left.
    """
    rows: dict[str, list[int]] = {}
    for at, group in enumerate(groups):
        rows.setdefault(group, []).append(at)
    members = [np.array(one, dtype=np.int64) for one in rows.values()]
    draws = np.random.default_rng(0)  # the same draws each time
    values = []
    for _ in range(resamples):
        chosen = draws.integers(0, len(members), len(members))
        try:
            values.append(measure(np.concatenate([members[one] for one in chosen])))
        except UndefinedMetricError:
            continue
    if not values:
        return None
    low, high = np.percentile(values, [_PERCENT_OUTSIDE, 100 - _PERCENT_OUTSIDE])
    return float(low), float(high)


def _need_rows(truth: Truth | Classes) -> None:
    if not len(truth):
        raise UndefinedMetricError("no row")


def _need_both(truth: Truth | Classes) -> None:
    _need_rows(truth)
    if len(np.unique(truth)) == 1:
        raise UndefinedMetricError("all rows have the same label")
