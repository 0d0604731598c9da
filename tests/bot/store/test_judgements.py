"""Judgements and answers come back as they were kept."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from bot.records.accounts import (
    ErrorKind,
    Judgement,
    JudgementKind,
    Preferred,
    ReviewOutcome,
    StoredAnswer,
)
from bot.store import Store
from handlers.ports import PermanentError
from tests import builders
from tests.bot.store.decided import ANNA, BEN
from tests.bot.store.runs import NOON, TITLE, WIKI, hour

_PREFERENCE = Judgement(
    kind=JudgementKind.PREFERENCE,
    wiki=WIKI,
    title=TITLE,
    identity="a" * 64,
    engine=builders.ENGINE,
    judged_at=NOON,
    preferred=Preferred.RECOMMENDED,
    shown_first=Preferred.PRESENT,
    present_probability=0.25,
    recommended_probability=0.75,
)
_REVIEW = Judgement(
    kind=JudgementKind.REVIEW,
    wiki=WIKI,
    title=TITLE,
    identity="b" * 64,
    engine=builders.ENGINE,
    judged_at=hour(1),
    outcome=ReviewOutcome.ACCEPT_WITH_CHANGES,
    errors=(ErrorKind.WORDING, ErrorKind.MISPLACED),
)


def test_a_judgement_comes_back_as_it_was_given(store: Store) -> None:
    store.judgements.add(ANNA, _PREFERENCE)
    store.judgements.add(BEN, _REVIEW)

    preference, review = JudgementKind.PREFERENCE, JudgementKind.REVIEW
    assert list(store.judgements.all(preference)) == [(ANNA, _PREFERENCE)]
    assert list(store.judgements.all(review)) == [(BEN, _REVIEW)]
    assert list(store.judgements.all(review, hour(2))) == []
    assert store.judgements.done(ANNA, preference) == {"a" * 64}
    assert store.judgements.done(ANNA, review) == frozenset()


def test_who_judges_something_again_has_changed_their_mind(store: Store) -> None:
    other = replace(_PREFERENCE, preferred=Preferred.NEITHER, judged_at=hour(2))
    store.judgements.add(ANNA, _PREFERENCE)
    store.judgements.add(BEN, _PREFERENCE)

    store.judgements.add(ANNA, other)

    stored = dict(store.judgements.all(JudgementKind.PREFERENCE))
    assert stored == {ANNA: other, BEN: _PREFERENCE}


def test_a_judgement_without_an_answer_is_a_fault_of_the_caller(store: Store) -> None:
    with pytest.raises(ValueError, match="either a preference or a review"):
        store.judgements.add(ANNA, replace(_REVIEW, outcome=None))


def test_the_first_answer_to_a_request_is_the_one_that_stands(store: Store) -> None:
    answers = [
        StoredAnswer("c" * 64, f"{number:064x}", 201, f'{{"id": {number}}}', NOON)
        for number in range(4)
    ]
    assert store.answers.get("c" * 64) is None

    with ThreadPoolExecutor(4) as threads:
        stand = list(threads.map(store.answers.keep, answers))

    assert len(set(stand)) == 1
    assert store.answers.get("c" * 64) == stand[0]


def test_an_answer_that_is_too_long_is_not_cut(store: Store) -> None:
    with pytest.raises(PermanentError, match="too long to be kept"):
        store.answers.keep(StoredAnswer("c" * 64, "d" * 64, 201, "x" * 100_001, NOON))
