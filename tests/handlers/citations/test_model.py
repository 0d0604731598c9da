"""The judges: by features and by a model, and how far its word is trusted."""

from math import exp

import numpy as np
import pytest

from handlers.citations.model_judge import Trust
from handlers.citations.verification import (
    Head,
    LexicalModel,
    judge,
    page_share,
    shows_difference,
)
from handlers.model import Probabilities, Verdict
from handlers.text.words import Rarity

_OTHER_NUMBER = {
    "sentence recall": 0.8,
    "sentence recall of words": 0.8,
    "sentence fits cell": 0.0,
    "number differs in sentence": 1.0,
    "number differs everywhere": 1.0,
    "date differs in sentence": 0.0,
    "date differs everywhere": 0.0,
}
_NO_DIFFERENCE = dict.fromkeys(_OTHER_NUMBER, 0.0)
_RARITY = Rarity(documents=100, floor=10, frequencies={"common": 100})


def _head(supported: float, biases: tuple[float, float, float, float]) -> Head:
    return Head(
        features=("recall",),
        means=np.array([0.5]),
        scales=np.array([0.25]),
        weights=np.array([[supported], [0.0], [0.0], [0.0]]),
        biases=np.array(biases),
    )


def _model(short: Head, page: Head) -> LexicalModel:
    return LexicalModel("1", _RARITY, short, page, changeover_words=150)


def test_a_head_is_a_multinomial_regression_on_standardised_features() -> None:
    head = _head(2.0, (0.0, 0.0, 0.0, 0.0))

    likely = head.probabilities({"recall": 0.75})

    # (0.75 - 0.5) / 0.25 = 1 standard deviation, times the weight 2
    assert likely[0] == pytest.approx(exp(2) / (exp(2) + 3))
    assert likely[1:] == pytest.approx([1 / (exp(2) + 3)] * 3)


def test_a_class_never_seen_in_training_is_impossible() -> None:
    head = _head(1.0, (0.0, 0.0, 0.0, -np.inf))

    assert head.probabilities({"recall": 0.5}) == pytest.approx(
        [1 / 3, 1 / 3, 1 / 3, 0]
    )


@pytest.mark.parametrize(
    ("words", "share"), [(1, 0.0), (20, 0.0), (150, 0.5), (1000, 1.0), (0, 0.0)]
)
def test_the_page_head_takes_over_with_length(words: int, share: float) -> None:
    head = _head(0.0, (0.0,) * 4)

    assert page_share(_model(head, head), words) == pytest.approx(share, abs=0.01)


def test_half_way_both_heads_count_alike_and_probabilities_sum_to_one() -> None:
    sure = _head(0.0, (50.0, 0.0, 0.0, 0.0))
    unsure = _head(0.0, (0.0, 0.0, 0.0, -np.inf))

    likely = judge(_model(sure, unsure), _NO_DIFFERENCE | {"recall": 0.5}, 150)

    assert likely.supported == pytest.approx(0.5 + 0.5 / 3)
    total = (
        likely.supported
        + likely.partially_supported
        + likely.not_supported
        + likely.contradicted
    )
    assert total == pytest.approx(1)


def test_in_a_page_a_difference_that_is_shown_makes_contradicted_likely() -> None:
    page = _head(0.0, (-50.0, -50.0, 0.0, -np.inf))

    measured = _OTHER_NUMBER | {"recall": 0.5}
    likely = judge(_model(page, page), measured, 100_000)

    assert likely.not_supported == pytest.approx(0.2)
    assert likely.contradicted == pytest.approx(0.8)


def test_without_a_difference_to_show_contradicted_stays_unlikely() -> None:
    refuted = _head(0.0, (0.0, -50.0, 0.0, 2.0))

    measured = _NO_DIFFERENCE | {"recall": 0.5}
    likely = judge(_model(refuted, refuted), measured, 20)

    assert likely.supported == pytest.approx(1 / (2 + exp(2)))
    assert likely.contradicted == pytest.approx(0.1 * (1 - likely.supported))


@pytest.mark.parametrize(
    ("measured", "shown"),
    [
        pytest.param({}, True, id="another number in an aligned sentence"),
        pytest.param({"sentence recall": 0.4}, False, id="sentence on something else"),
        pytest.param({"sentence recall": 0.4, "sentence recall of words": 1.0}, True, id="the same words"),
        pytest.param({"sentence recall": 0.0, "sentence fits cell": 0.7}, True, id="sentence on what the cell is about"),
        pytest.param({"number differs everywhere": 0.0}, False, id="its own number stands elsewhere"),
        pytest.param({"number differs in sentence": 0.0}, False, id="no other number"),
        pytest.param(
            {"number differs in sentence": 0.0, "date differs in sentence": 1.0, "date differs everywhere": 1.0},
            True,
            id="another date",
        ),
        pytest.param(
            {
                "sentence recall": 0.6,
                "number differs in sentence": 0.0,
                "date differs in sentence": 1.0,
                "date differs everywhere": 1.0,
            },
            False,
            id="another date, less aligned",
        ),
    ],
)  # fmt: skip
def test_a_difference_is_shown_by_an_aligned_sentence(
    measured: dict[str, float], shown: bool
) -> None:
    assert shows_difference(_OTHER_NUMBER | measured) is shown


def test_rare_words_weigh_more_than_common_ones() -> None:
    assert _RARITY("unheard") == 1
    assert 0 < _RARITY("common") < 0.4


_FLAGGED = Probabilities(0.15, 0.2, 0.62, 0.03)


def test_nothing_counted_is_four_answers_in_five() -> None:
    likely = Trust(verifier_weight=0.0).weighed(_FLAGGED, Verdict.SUPPORTED)

    assert likely.supported == pytest.approx(0.8)


def test_what_was_counted_decides_how_much_a_verdict_is_worth() -> None:
    doubted = Trust({Verdict.SUPPORTED: {Verdict.PARTIALLY_SUPPORTED: 20}})
    assumed = Trust().weighed(_FLAGGED, Verdict.PARTIALLY_SUPPORTED)

    counted = doubted.weighed(_FLAGGED, Verdict.PARTIALLY_SUPPORTED)

    assert counted.supported > 2 * assumed.supported


def test_the_verifier_counts_by_its_weight() -> None:
    shares = [
        Trust(verifier_weight=weight).weighed(_FLAGGED, Verdict.SUPPORTED).supported
        for weight in (0.0, 0.5, 1.0)
    ]

    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("verdict", Verdict)
def test_probabilities_stay_probabilities(verdict: Verdict) -> None:
    likely = Trust().weighed(Probabilities(1.0, 0.0, 0.0, 0.0), verdict)

    assert sum(map(likely.of, Verdict)) == pytest.approx(1.0)
