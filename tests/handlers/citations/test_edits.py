"""What an edit is judged by: the same evidence for both sides, and no form."""

import numpy as np
import pytest

from bot.models.lexical import shipped_lexical
from handlers.citations.corpus import Corpus, read_corpus
from handlers.citations.edits import (
    EDIT_WORDS,
    EditModel,
    edit_texts,
    has_only_other_form,
    held,
    judge_edit,
)
from handlers.citations.network_input import PairAnswer, PairText, Reading
from handlers.citations.passages import cut
from handlers.model import EditJudgement, Engine, SourceText
from handlers.text.analysis import analyse
from tests import builders

_PAGE = (
    "The council opened the new bridge in May 1874. It was designed by Anna Keller"
    " and cost 40,000 crowns. "
) + " ".join(f"In {year} the toll was raised again." for year in range(1880, 1930))
_WIDTH = 3
_EVEN = PairAnswer(0.5, 0.25, 0.25)
_WEIGHTS = np.array([0.0] * 3 + [1.0] * _WIDTH)
# Falls below the states before.
_FALLS = EditModel("0", np.concatenate((_WEIGHTS, -_WEIGHTS)), -3.0)


def _corpus() -> Corpus:
    passages = cut(SourceText(_PAGE), "url:https://example.org/bridge")
    return read_corpus(passages, analyse)


def _judged(before: str, after: str, read: list[PairText]) -> EditJudgement:
    """Judge an edit with a network that moves its states by what a claim says."""

    def reader(pair: PairText) -> Reading:
        read.append(pair)
        words = pair.claim.split()
        height = 2.0 if "Keller" in pair.claim else 0.0
        states = np.full((len(words), _WIDTH), height, dtype=np.float32)
        return Reading(_EVEN, tuple(map(len, words)), states)

    return judge_edit(
        "Bridge",
        builders.claim(before, context="Of the old one."),
        builders.claim(after, context="Of the new one."),
        _corpus(),
        edits=_FALLS,
        reader=reader,
        model=shipped_lexical().model,
        engine=Engine("lexical", "0"),
        analyse=analyse,
        network=None,
    )


def test_the_step_from_right_to_wrong_moves_and_the_step_back_does_not() -> None:
    right, wrong = "Anna Keller designed it.", "The council designed it."

    assert _judged(right, wrong, []).moved > 0.9
    assert _judged(wrong, right, []).moved < 0.1


def test_both_sides_are_read_beside_the_same_evidence_in_the_new_context() -> None:
    read: list[PairText] = []

    _judged("Anna Keller designed it.", "The toll was raised in 1890.", read)

    one, other = read
    assert one.evidence == other.evidence
    assert "Anna Keller" in one.evidence
    assert "1890" in one.evidence
    assert one.about == other.about
    assert "Of the new one." in one.about


def test_both_sides_are_judged_alone_too() -> None:
    found = _judged("It was opened in 1874.", "It was opened in 1921.", [])

    assert found.before.probabilities.supported > found.after.probabilities.supported


def test_the_evidence_of_two_sides_is_no_longer_than_that_of_one() -> None:
    texts = edit_texts(
        "Bridge",
        builders.claim("The toll was raised in 1881, 1885 and 1890."),
        builders.claim("The council opened the bridge that Anna Keller designed."),
        _corpus(),
        rarity=shipped_lexical().model.rarity,
        analyse=analyse,
    )

    assert len(texts[0].evidence.split()) <= EDIT_WORDS * 1.2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It cost 12,400 crowns.", "It cost 12400 crowns."),
        ("It cost 1,200 crowns.", "It cost twelve hundred crowns."),
        ("It opened on 15 April 2023.", "It opened on April 15, 2023."),
        ("It killed at least 40 people.", "It killed at least forty people."),
        ("It is 100,000 sq ft large.", "It is 9,300 square metres large."),
    ],
)
def test_a_value_in_another_form_moves_nothing_and_is_not_read(
    before: str, after: str
) -> None:
    read: list[PairText] = []

    found = _judged(before, after, read)

    assert found.moved == 0
    assert not read


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It cost 1,200 crowns.", "It cost 1,300 crowns."),
        ("It cost 1,200 crowns.", "It cost at least 1,200 crowns."),
        ("It is more than 26 inches long.", "It is more than 26 feet long."),
        ("It covers 629,000 square kilometres.", "It covers 629,000 square miles."),
        ("It opened in May 1874.", "It opened in 1874."),
        ("They won 3–1.", "They won 1–3."),
        ("It was acquired by the city in 1874.", "It acquired the city in 1874."),
        ("The 3 cities have 4 bridges.", "The 4 cities have 3 bridges."),
    ],
)
def test_another_value_is_not_another_form(before: str, after: str) -> None:
    assert not has_only_other_form(before, after, analyse)
    assert not has_only_other_form(after, before, analyse)


def test_the_words_that_changed_are_held_and_not_their_number() -> None:
    def reading(pieces: tuple[int, ...]) -> Reading:
        rows = np.array([[float(one)] for one in pieces], dtype=np.float32)
        return Reading(_EVEN, pieces, rows)

    before, after = held(reading((1, 2, 3)), reading((1, 8, 8, 3)))
    whole, added = held(reading((1, 2, 3)), reading((1, 2, 7, 3)))

    assert (before[-1], after[-1]) == (2, 8)
    assert (whole[-1], added[-1]) == (2, 7)
    assert before[:3] == pytest.approx(after[:3])
