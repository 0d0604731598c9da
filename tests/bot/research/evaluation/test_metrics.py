"""Every metric beside a case worked out by hand."""

import numpy as np
import pytest

from bot.research.evaluation import metrics
from bot.research.evaluation.metrics import (
    UndefinedMetricError,
    interval95,
    token_change,
)

_TRUTH = np.array([True, False, True, False])
_SCORES = np.array([0.9, 0.8, 0.7, 0.1])


def test_auroc_is_the_share_of_pairs_in_the_right_order() -> None:
    # pairs: 0.9>0.8 yes, 0.9>0.1 yes, 0.7>0.8 no, 0.7>0.1 yes
    assert metrics.auroc(_TRUTH, _SCORES) == pytest.approx(3 / 4)


def test_auroc_counts_a_tie_as_half() -> None:
    assert metrics.auroc(np.array([True, False]), np.array([0.5, 0.5])) == 0.5


def test_average_precision_sums_precision_at_each_gain_in_recall() -> None:
    # first hit at rank 1 (1/1), second at rank 3 (2/3), each half of the recall
    expected = 0.5 * 1 + 0.5 * 2 / 3

    assert metrics.average_precision(_TRUTH, _SCORES) == pytest.approx(expected)


def test_best_f1_is_that_of_the_best_threshold() -> None:
    # threshold 0.7: precision 2/3, recall 1
    assert metrics.best_f1(_TRUTH, _SCORES) == pytest.approx(0.8)


def test_accuracy_is_the_share_that_is_right() -> None:
    assert metrics.accuracy(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])) == 0.75


def test_balanced_accuracy_gives_each_class_the_same_say() -> None:
    truth = np.array([0, 0, 0, 1, 2])
    called = np.array([0, 0, 1, 1, 0])

    # found: 2 of 3, 1 of 1, 0 of 1
    assert metrics.balanced_accuracy(truth, called) == pytest.approx(
        (2 / 3 + 1 + 0) / 3
    )


def test_calibration_error_weighs_the_gap_in_each_bin_by_its_rows() -> None:
    truth = np.array([True, False, True, True])
    scores = np.array([0.62, 0.68, 1.0, 0.9])

    # bin 6 holds half the rows: 0.5 against 0.65; the last one too: 1 against 0.95
    expected = 0.5 * 0.15 + 0.5 * 0.05

    assert metrics.calibration_error(truth, scores) == pytest.approx(expected)


def test_perfect_calibration_has_no_error() -> None:
    assert metrics.calibration_error(_TRUTH, _TRUTH.astype(float)) == 0


def test_token_f1_pools_the_words_of_all_claims() -> None:
    truth = [np.array([True, True, False]), np.array([False, True])]
    marked = [np.array([True, False, True]), np.array([False, True])]

    # 2 hits, 3 marked by annotators, 3 by us
    assert metrics.token_f1(truth, marked) == pytest.approx(2 * 2 / 6)


@pytest.mark.parametrize(
    "measure", [metrics.auroc, metrics.average_precision, metrics.best_f1]
)
def test_ranking_metrics_are_undefined_for_a_single_class(
    measure: metrics.OfScores,
) -> None:
    with pytest.raises(UndefinedMetricError, match="same label"):
        measure(np.array([True, True]), np.array([0.1, 0.2]))


def test_no_rows_have_no_calibration() -> None:
    with pytest.raises(UndefinedMetricError, match="no row"):
        metrics.calibration_error(np.array([], dtype=bool), np.array([]))


def test_the_interval_of_a_constant_is_that_constant() -> None:
    assert interval95(lambda _: 0.4, ["a", "b"], resamples=20) == (0.4, 0.4)


def test_the_interval_draws_whole_groups() -> None:
    groups = ["a", "a", "b"]
    drawn = []

    interval95(lambda at: drawn.append(sorted(at)) or 0.0, groups, resamples=50)

    assert {tuple(rows) for rows in drawn} <= {(0, 1, 2), (0, 0, 1, 1), (2, 2)}


def test_the_interval_holds_the_middle_95_percent_and_repeats_itself() -> None:
    values = np.arange(100) / 100
    groups = [str(n) for n in range(100)]

    found = interval95(lambda at: float(values[at].mean()), groups, resamples=300)

    assert found == interval95(
        lambda at: float(values[at].mean()), groups, resamples=300
    )
    assert found is not None
    # the mean 0.495 and, on either side, 1.96 standard errors of 0.0289
    assert found == pytest.approx((0.438, 0.552), abs=0.015)


def test_draws_without_a_value_are_left_out() -> None:
    def undefined(_: object) -> float:
        raise UndefinedMetricError("never")

    assert interval95(undefined, ["a"], resamples=5) is None


def test_a_pair_is_measured_on_the_same_draws() -> None:
    # one scorer is worth 0.1 more on every row, however the rows differ
    values = np.arange(100) / 100
    groups = [str(n // 2) for n in range(100)]

    found = interval95(
        lambda at: float(values[at].mean()) + 0.1 - float(values[at].mean()),
        groups,
        resamples=100,
    )

    assert found == pytest.approx((0.1, 0.1))


def test_a_pair_of_which_one_is_sometimes_better_spans_zero() -> None:
    rows = np.arange(100)
    better = (rows % 2 == 0).astype(float)

    found = interval95(
        lambda at: float(better[at].mean()) - float(1 - better[at].mean()),
        [str(n) for n in rows],
        resamples=200,
    )

    assert found is not None
    assert found[0] < 0 < found[1]


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
