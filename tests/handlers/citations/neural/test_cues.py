import pytest

from handlers.citations.lexical import REFUTED_CUE
from handlers.citations.neural.answer import PairAnswer, log_odds
from handlers.citations.neural.cues import SUPPORTED_CUE, UNMENTIONED_CUE, cues


def test_each_probability_becomes_a_feature() -> None:
    told = cues(PairAnswer(supported=0.7, refuted=0.1, unmentioned=0.2))

    assert told == {
        SUPPORTED_CUE: pytest.approx(log_odds(0.7)),
        REFUTED_CUE: pytest.approx(log_odds(0.1)),
        UNMENTIONED_CUE: pytest.approx(log_odds(0.2)),
    }


def test_log_odds_are_bounded_where_the_network_is_certain() -> None:
    assert log_odds(0.5) == 0
    assert log_odds(1.0) == pytest.approx(9.21, abs=0.01)
    assert log_odds(0.0) == pytest.approx(-9.21, abs=0.01)
