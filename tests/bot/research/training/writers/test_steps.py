"""An edit made in steps gives the same paragraph again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.training.writers.edit_records import applied, steps_of
from handlers.updates.editor import Step, Steps

_OLD = (
    "Clara Stone was the mayor of York. She was born in York in 1950. She died in 1990."
)


@pytest.mark.parametrize(
    ("new", "does"),
    [
        (_OLD.replace("1950", "1951"), ["replace"]),
        (_OLD.replace("the mayor", "the first mayor"), ["insert"]),
        (_OLD.replace("in York in", "in"), ["delete"]),
        (_OLD.replace("1950.", "1950. She had two brothers."), ["insert"]),
        (_OLD + " She was buried in York.", ["insert"]),
        (_OLD.replace("Clara", "Lady Clara"), ["replace"]),
        (_OLD.replace("died in 1990", "died in Leeds in 1991"), ["replace"]),
    ],
)
def test_one_new_or_changed_sentence_takes_few_steps(new: str, does: list[str]) -> None:
    steps = steps_of(_OLD, new)

    assert steps is not None
    assert [one.do for one in steps.steps] == does
    assert all(_OLD.count(one.words) == 1 for one in steps.steps)
    assert applied(_OLD, steps) == new


@pytest.mark.parametrize(
    "new",
    [
        _OLD,
        "She is somebody. " + _OLD,
        _OLD.replace("1950", "1951").replace("1990", "1991"),
        _OLD + " One more. And another.",
        "Quite another text.",
    ],
)
def test_other_edits_have_no_steps(new: str) -> None:
    assert steps_of(_OLD, new) is None


@pytest.mark.parametrize(
    "step",
    [
        Step(do="insert", words="York", new="x"),
        Step(do="insert", words="nowhere", new="x"),
        Step(do="delete", words="", new=""),
        Step(do="erase", words="Clara", new=""),
    ],
)
def test_steps_that_cannot_be_done_make_nothing(step: Step) -> None:
    assert applied(_OLD, Steps(steps=[step])) is None


_WORDS = st.lists(
    st.sampled_from(["one", "two", "three", "four", "five", "6", "seven"]), max_size=9
)


@settings(max_examples=200, deadline=None)
@given(_WORDS, _WORDS)
def test_steps_always_lead_to_the_new_words(old: list[str], new: list[str]) -> None:
    before = f"The first stays. The town {' '.join(old)} ends. The last stays."
    after = f"The first stays. The town {' '.join(new)} ends. The last stays."
    steps = steps_of(before, after)
    if steps is not None:
        assert applied(before, steps) == " ".join(after.split())
