from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.training.verifier.corruption import appended, corrupt, details
from handlers.citations.cues.reading import read

_CLAIM = (
    "In May 1990 Clara Stone was elected mayor of York before Peter Hall, with 1,200"
    " votes more than her rival."
)
_EVIDENCE = (
    "Clara Stone won in York in May 1990 by 1,200 votes. In June 1987 Maria Lund had"
    " failed there by 340 votes, and Peter Hall came after her."
)


@settings(max_examples=300, deadline=None)
@given(st.integers(min_value=0, max_value=10_000))
def test_a_change_stands_where_its_mark_says(seed: int) -> None:
    changed = corrupt(read(_CLAIM), read(_EVIDENCE), Random(seed))
    assert changed is not None
    assert changed.claim != _CLAIM
    assert sum(changed.target) == pytest.approx(1)
    assert changed.target[0] == 0
    first, *places = changed.marks
    assert (first.start, first.end, first.supported) == (0, len(changed.claim), True)
    assert places
    for mark in places:
        assert not mark.supported
        assert 0 <= mark.start < mark.end <= len(changed.claim)
    # Outside the marked places the claim is as it was.
    left = changed.claim[: places[0].start]
    assert _CLAIM.startswith(left)
    assert _CLAIM.endswith(changed.claim[places[-1].end :])


def test_values_put_in_mostly_stand_in_the_evidence() -> None:
    kinds: dict[str, list[bool]] = {}
    for seed in range(400):
        changed = corrupt(read(_CLAIM), read(_EVIDENCE), Random(seed))
        assert changed is not None
        mark = changed.marks[1]
        put_in = changed.claim[mark.start : mark.end]
        kinds.setdefault(changed.kind, []).append(put_in in _EVIDENCE)
    assert all(kinds["name"])
    assert all(kinds["word"])
    assert sum(kinds["number"]) > len(kinds["number"]) / 4
    assert {"exchanged names", "month", "negation", "opposite"} <= kinds.keys()


def test_the_same_draws_make_the_same_change() -> None:
    one, other = (corrupt(read(_CLAIM), read(_EVIDENCE), Random(5)) for _ in range(2))
    assert one == other


def test_a_claim_without_anything_to_change_is_left_alone() -> None:
    assert corrupt(read("so it goes"), read("so it goes"), Random(1)) is None


def test_a_detail_goes_before_the_full_stop() -> None:
    text, (start, end) = appended("Bell met Stone.", "in York")
    assert text == "Bell met Stone in York."
    assert text[start:end] == "in York"


def test_details_are_phrases_with_a_name_or_a_number() -> None:
    found = details(read("Bell sang in Great Yarmouth with great joy in 1990."))
    assert found == ["in Great Yarmouth", "in 1990"]
