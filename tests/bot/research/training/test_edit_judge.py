"""The edit judge is fitted on both sides of pairs, and on steps there and back."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from bot.models.edits import EditFile, from_json, shipped_edits, to_json
from bot.research.evaluation.datasets import Label, Row
from bot.research.training.edit_judge import Step, Texts, fit, pairs_in, steps_of
from handlers.citations.network_input import PairAnswer, PairText, Reading

_PAGE = ("The bridge was opened in 1874.", "It was designed by Anna Keller.")


def _row(claim: str, label: Label, pair: str = "a") -> Row:
    return Row(
        id=f"{pair}-{claim}", set="edits", claim=claim, evidence=_PAGE, label=label,
        group="Bridge", openly_licensed=True, title="Bridge", pair=pair,
    )  # fmt: skip


_RIGHT = _row("Anna Keller designed it.", Label.SUPPORTED)
_WRONG = _row("Anna Keller opened it.", Label.REFUTED)


def _read(pair: PairText) -> Reading:
    """Hold of each word whether the page has it."""
    words = pair.claim.rstrip(".").split()
    states = np.array([[float(word in pair.evidence)] for word in words])
    right = 0.9 if "designed" in pair.claim else 0.1
    answer = PairAnswer(right, 0.9 - right, 0.1)
    return Reading(answer, tuple(map(hash, words)), states.astype(np.float32))


def test_the_right_side_of_a_pair_comes_first_and_half_a_pair_is_none() -> None:
    before, after = (
        _row("It was opened.", Label.SUPPORTED, "b"),
        _row("It was opened in 1874.", Label.SUPPORTED, "b"),
    )
    alone = _row("It is long.", Label.REFUTED, "c")

    found = list(pairs_in([_WRONG, _RIGHT, before, after, alone]))

    assert found == [(_RIGHT, _WRONG), (before, after)]


def test_a_pair_is_shown_there_and_back() -> None:
    texts = Texts(Random(1))(_RIGHT, _WRONG)

    assert texts
    there, back = steps_of(texts, _read, (1.0, 0.5))
    harmless = steps_of(texts, _read, (None, 3.0))

    assert [(one.moved, one.weight) for one in (there, back)] == [
        (True, 1.0),
        (False, 0.5),
    ]
    assert [(one.moved, one.weight) for one in harmless] == [(False, 3.0)] * 2
    assert np.array_equal(there.before, back.after)


def test_a_value_in_another_form_is_not_shown() -> None:
    before = _row("It cost 12,400 crowns.", Label.SUPPORTED)
    after = _row("It cost 12400 crowns.", Label.SUPPORTED)

    assert Texts(Random(1))(before, after) is None


def test_some_pairs_are_read_after_a_claim_of_their_own_which_both_sides_share() -> (
    None
):
    make = Texts(Random(1))
    pairs = [make(_RIGHT, _WRONG) for _ in range(40)]
    abouts = [(one.about, other.about) for one, other in filter(None, pairs)]

    assert all(one == other for one, other in abouts)
    assert {one for one, _ in abouts} == {
        "Bridge",
        f"Bridge | {_RIGHT.claim}",
        f"Bridge | {_WRONG.claim}",
    }


@pytest.fixture(scope="module")
def steps() -> Sequence[Step]:
    draws = np.random.default_rng(7)
    found = []
    for at in range(200):
        right = np.array([2.0, -2.0, -2.0, *draws.normal(size=4)])
        other = right + draws.normal(scale=0.1, size=7)
        is_bad = at % 2 == 0
        if is_bad:
            other[[0, 3]] -= 3.0
        found += [
            Step(right, other, is_bad, 1.0),
            Step(other, right, False, 1.0),
        ]
    return found


def test_it_finds_the_step_to_the_wrong_side_alone(steps: Sequence[Step]) -> None:
    model = fit(steps)

    odds = [model.before @ one.before + model.after @ one.after for one in steps]

    bad = [one for one, step in zip(odds, steps, strict=True) if step.moved]
    fine = [one for one, step in zip(odds, steps, strict=True) if not step.moved]
    assert min(bad) > max(fine)


def test_a_model_comes_back_from_its_file(steps: Sequence[Step]) -> None:
    file = EditFile(fit(steps), {"seed": 1}, {"found": 0.5})

    again = from_json(to_json(file))

    assert to_json(again) == to_json(file)
    assert again.model.before == pytest.approx(file.model.before, rel=1e-3)


def test_a_file_of_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="format 7"):
        from_json('{"format": 7}')


def test_the_shipped_model_weighs_the_answer_and_the_states_of_the_network() -> None:
    model = shipped_edits().model

    assert model.before.shape == model.after.shape == (3 + 768,)
    assert model.after[0] < 0 < model.before[0]
