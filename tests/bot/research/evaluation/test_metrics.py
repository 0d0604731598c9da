"""Every metric beside a case worked out by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bot.research.evaluation import metrics
from bot.research.evaluation.metrics import (
    UndefinedMetricError,
    interval95,
    token_change,
)

_TRUTH = np.array([True, False, True, False])
_SCORES = np.array([0.9, 0.8, 0.7, 0.1])


@pytest.mark.parametrize(
    ("of", "truth", "given", "expected"),
    [
        # pairs: 0.9>0.8 yes, 0.9>0.1 yes, 0.7>0.8 no, 0.7>0.1 yes; a tie is half
        (metrics.auroc, _TRUTH, _SCORES, 3 / 4),
        (metrics.auroc, _TRUTH[:2], np.array([0.5, 0.5]), 0.5),
        # first hit at rank 1 (1/1), second at rank 3 (2/3), each half of the recall
        (metrics.average_precision, _TRUTH, _SCORES, 0.5 * 1 + 0.5 * 2 / 3),
        # threshold 0.7: precision 2/3, recall 1
        (metrics.best_f1, _TRUTH, _SCORES, 0.8),
        (metrics.accuracy, np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2]), 0.75),
        # found: 2 of 3, 1 of 1, 0 of 1
        (
            metrics.balanced_accuracy,
            np.array([0, 0, 0, 1, 2]),
            np.array([0, 0, 1, 1, 0]),
            (2 / 3 + 1 + 0) / 3,
        ),
        # bin 6 holds half the rows: 0.5 against 0.65; the last one too: 1 against 0.95
        (
            metrics.calibration_error,
            np.array([True, False, True, True]),
            np.array([0.62, 0.68, 1.0, 0.9]),
            0.5 * 0.15 + 0.5 * 0.05,
        ),
        (metrics.calibration_error, _TRUTH, _TRUTH.astype(float), 0),
        # 2 hits, 3 marked by annotators, 3 by us
        (
            metrics.f1,
            np.array([True, True, False, False, True]),
            np.array([True, False, True, False, True]),
            2 * 2 / 6,
        ),
    ],
)
def test_each_metric_is_that_of_its_formula(
    of: Callable[..., float], truth: Any, given: Any, expected: float
) -> None:
    assert of(truth, given) == pytest.approx(expected)


@pytest.mark.parametrize(
    "measure", [metrics.auroc, metrics.average_precision, metrics.best_f1]
)
def test_ranking_metrics_are_undefined_for_a_single_class(
    measure: metrics.OfScores,
) -> None:
    with pytest.raises(UndefinedMetricError, match="same label"):
        measure(np.array([True, True]), np.array([0.1, 0.2]))


def test_what_has_no_value_has_no_interval_and_a_constant_its_own() -> None:
    def undefined(_: object) -> float:
        raise UndefinedMetricError("never")

    with pytest.raises(UndefinedMetricError, match="no row"):
        metrics.calibration_error(np.array([], dtype=bool), np.array([]))
    assert interval95(undefined, ["a"], resamples=5) is None
    assert interval95(lambda _: 0.4, ["a", "b"], resamples=20) == (0.4, 0.4)


def test_the_interval_draws_whole_groups() -> None:
    groups = ["a", "a", "b"]
    drawn = []

    interval95(lambda at: drawn.append(sorted(at)) or 0.0, groups, resamples=50)

    assert {tuple(rows) for rows in drawn} <= {(0, 1, 2), (0, 0, 1, 1), (2, 2)}


def test_the_interval_holds_the_middle_95_percent_and_repeats_itself() -> None:
    values = np.arange(100) / 100
    groups = [str(n) for n in range(100)]

    def mean(at: npt.NDArray[np.int64]) -> float:
        return float(values[at].mean())

    found = interval95(mean, groups, resamples=300)

    assert found == interval95(mean, groups, resamples=300)
    # the mean 0.495 and, on either side, 1.96 standard errors of 0.0289
    assert found == pytest.approx((0.438, 0.552), abs=0.015)


def test_two_scorers_are_measured_on_the_same_draws() -> None:
    rows = np.arange(100)
    better = (rows % 2 == 0).astype(float)
    groups = [str(n) for n in rows]

    # one is worth 0.1 more on every row, however the rows differ
    sure = interval95(
        lambda at: float((better[at] + 0.1).mean() - better[at].mean()),
        groups,
        resamples=100,
    )
    open_ = interval95(
        lambda at: float((2 * better[at] - 1).mean()), groups, resamples=200
    )

    assert sure == pytest.approx((0.1, 0.1))
    assert open_ is not None
    assert open_[0] < 0 < open_[1]


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("It has 3 towers.", "It has 3 towers.", 0),
        ("It has 3 towers.", "It has 4 towers.", 1),
        ("It has 3 towers.", "It has 3 red towers and a bell.", 4),
        ("It has 3 towers.", "It has towers.", 1),
    ],
)
def test_token_change_counts_words_that_went_or_came(
    before: str, after: str, count: int
) -> None:
    assert token_change(before, after) == count
