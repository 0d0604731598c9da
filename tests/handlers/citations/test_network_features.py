import pytest

from handlers.citations.network_input import (
    FEW_WORDS,
    MOST_WORDS,
    PairAnswer,
    PairText,
    ask_network,
    evidence_words,
    log_odds,
    network_features,
)

_ANSWER = PairAnswer(supported=0.7, refuted=0.1, unmentioned=0.2)


def test_each_probability_becomes_a_feature() -> None:
    told = network_features(_ANSWER, FEW_WORDS)

    assert told == {
        "network supported, 40 words": pytest.approx(log_odds(0.7)),
        "network refuted, 40 words": pytest.approx(log_odds(0.1)),
        "network unmentioned, 40 words": pytest.approx(log_odds(0.2)),
    }


def test_the_same_evidence_is_read_once() -> None:
    read: list[PairText] = []

    def network(pair: PairText) -> PairAnswer:
        read.append(pair)
        return PairAnswer(0.7, 0.1, 0.2)

    short, long = PairText("a", "", "b"), PairText("a", "", "b c")
    same = ask_network(network, lambda _: short, (FEW_WORDS, MOST_WORDS))
    other = ask_network(
        network, {FEW_WORDS: short, MOST_WORDS: long}.__getitem__, (MOST_WORDS,)
    )

    assert read == [short, long]
    assert len(same) == 2 * len(other)


def test_only_what_the_heads_weigh_is_asked() -> None:
    long, short = network_features(_ANSWER), network_features(_ANSWER, FEW_WORDS)
    assert evidence_words(long) == (MOST_WORDS,)
    assert evidence_words([*long, *short]) == (FEW_WORDS, MOST_WORDS)
    assert evidence_words(["page recall"]) == ()


def test_log_odds_are_bounded_where_the_network_is_certain() -> None:
    assert log_odds(0.5) == 0
    assert log_odds(1.0) == pytest.approx(9.21, abs=0.01)
    assert log_odds(0.0) == pytest.approx(-9.21, abs=0.01)
