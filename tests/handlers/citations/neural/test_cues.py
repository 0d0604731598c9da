from dataclasses import replace

import pytest

from handlers.citations.claimed import Claimed, prepare
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import read
from handlers.citations.neural.answer import (
    PairAnswer,
    PieceSupport,
    log_odds,
    of_word,
    sigmoid,
)
from handlers.citations.neural.cues import cues
from handlers.model import Span
from tests.builders import claim

_TEXT = "Bell met Clara Stone in York in 1990."


def _claimed(title: str = "Anna Bell") -> Claimed:
    return prepare(
        claim(_TEXT), title, Rarity(documents=1, floor=1, frequencies={}), read
    )


def _answer(**unsure: float) -> PairAnswer:
    """Support every word but those named, which get the value given."""
    pieces = []
    for word in read(_TEXT).words:
        likely = unsure.get(word.text, 0.9)
        pieces.append(PieceSupport(Span(word.start, word.end), likely))
    return PairAnswer(0.7, 0.1, 0.2, tuple(pieces))


def test_the_weakest_number_and_the_weakest_name_are_told_apart() -> None:
    told = cues(_claimed(), _answer(**{"1990": 0.2, "Clara": 0.3}))
    assert told["network weakest number"] == pytest.approx(log_odds(0.2))
    assert told["network weakest name"] == pytest.approx(log_odds(0.3))
    assert told["network weakest word"] == pytest.approx(log_odds(0.2))
    assert told["network second weakest word"] == pytest.approx(log_odds(0.3))


def test_the_subject_of_the_article_needs_no_proof() -> None:
    told = cues(_claimed("Anna Bell"), _answer(Bell=0.01))
    assert told["network weakest word"] == pytest.approx(log_odds(0.9))


def test_words_left_over_are_counted_among_those_that_say_something() -> None:
    told = cues(_claimed("Nobody"), _answer(York=0.1))
    assert told["network words left over"] == pytest.approx(1 / 6)


def test_a_claim_of_which_the_network_saw_nothing_still_has_all_cues() -> None:
    whole = cues(_claimed(), _answer())
    nothing = cues(_claimed(), replace(_answer(), pieces=()))
    assert nothing.keys() == whole.keys()


def test_the_least_sure_piece_decides_over_its_word() -> None:
    pieces = (PieceSupport(Span(0, 3), 0.9), PieceSupport(Span(3, 6), 0.2))
    assert of_word(pieces, 0, 6) == 0.2
    assert of_word(pieces, 0, 3) == 0.9
    assert of_word(pieces, 6, 9) is None


@pytest.mark.parametrize("value", [-800.0, -1.0, 0.0, 1.0, 800.0])
def test_odds_and_probabilities_go_over_into_each_other(value: float) -> None:
    assert 0 <= sigmoid(value) <= 1
    assert abs(log_odds(sigmoid(value))) <= 9.3
    assert sigmoid(log_odds(sigmoid(value))) == pytest.approx(sigmoid(value), abs=2e-4)
