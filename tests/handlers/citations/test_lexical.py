from math import exp

import numpy as np
import pytest

from handlers.citations.cues.rarity import Rarity
from handlers.citations.lexical import Head, LexicalModel, judge, page_share

_RARITY = Rarity(documents=100, floor=10, frequencies={"common": 100})


def _head(supported: float, biases: tuple[float, float, float, float]) -> Head:
    return Head(
        features=("recall",),
        means=np.array([0.5]),
        scales=np.array([0.25]),
        weights=np.array([[supported], [0.0], [0.0], [0.0]]),
        biases=np.array(biases),
        supported_from=0.4,
        partial_from=0.6,
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

    likely = judge(_model(sure, unsure), {"recall": 0.5}, 150).probabilities

    assert likely.supported == pytest.approx(0.5 + 0.5 / 3)
    total = (
        likely.supported
        + likely.partially_supported
        + likely.not_supported
        + likely.contradicted
    )
    assert total == pytest.approx(1)


def test_a_page_parts_its_unsupported_share_as_the_short_head_does() -> None:
    short = _head(0.0, (-50.0, -50.0, 0.0, np.log(3)))  # one to three contradicted
    page = _head(0.0, (-50.0, -50.0, 0.0, -np.inf))

    likely = judge(_model(short, page), {"recall": 0.5}, 100_000).probabilities

    assert likely.not_supported == pytest.approx(0.25)
    assert likely.contradicted == pytest.approx(0.75)


def test_rare_words_weigh_more_than_common_ones() -> None:
    assert _RARITY("unheard") == 1
    assert 0 < _RARITY("common") < 0.4
