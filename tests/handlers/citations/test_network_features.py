import pytest

from handlers.citations.network_input import PairAnswer, log_odds, network_features


def test_each_probability_becomes_a_feature_of_its_network() -> None:
    answer = PairAnswer(0.7, 0.1, 0.2, larger=PairAnswer(0.4, 0.5, 0.1))

    features = network_features(answer)

    assert features == {
        "network supported": pytest.approx(log_odds(0.7)),
        "network refuted": pytest.approx(log_odds(0.1)),
        "network unmentioned": pytest.approx(log_odds(0.2)),
        "larger network supported": pytest.approx(log_odds(0.4)),
        "larger network refuted": pytest.approx(log_odds(0.5)),
        "larger network unmentioned": pytest.approx(log_odds(0.1)),
    }


def test_log_odds_are_bounded_where_the_network_is_certain() -> None:
    assert log_odds(0.5) == 0
    assert log_odds(1.0) == pytest.approx(9.21, abs=0.01)
    assert log_odds(0.0) == pytest.approx(-9.21, abs=0.01)
