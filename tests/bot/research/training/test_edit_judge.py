"""The edit judge is fitted on both sides of pairs, and on steps there and back."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from bot.models.edits import EditFile, from_bytes, shipped_edits, to_bytes
from bot.models.neural import shipped_larger
from bot.research.evaluation.datasets import Label, Row, read_rows
from bot.research.training.edit_judge import Step, Texts, fit, pairs_in, steps_of
from handlers.citations.edits import EditModel
from handlers.citations.network_input import PairAnswer, PairText, Reading
from tests.shared_data import shared_data

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


def test_some_pairs_are_read_without_the_words_before_the_claim() -> None:
    make = Texts(Random(1))
    right, wrong = (replace(one, context="It is long.") for one in (_RIGHT, _WRONG))
    pairs = [make(right, wrong) for _ in range(40)]
    abouts = [(one.about, other.about) for one, other in filter(None, pairs)]

    assert all(one == other for one, other in abouts)
    assert {one for one, _ in abouts} == {"Bridge", "Bridge | It is long."}


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


@pytest.fixture(scope="module")
def model(steps: Sequence[Step]) -> EditModel:
    return fit(steps)


def _odds(model: EditModel, one: Step) -> float:
    return float(model.weights @ np.concatenate((one.before, one.after))) + model.bias


def test_it_finds_the_step_to_the_wrong_side_alone(
    model: EditModel, steps: Sequence[Step]
) -> None:
    bad = [_odds(model, one) for one in steps if one.moved]
    fine = [_odds(model, one) for one in steps if not one.moved]

    assert np.quantile(bad, 0.1) > np.quantile(fine, 0.9)


def test_its_probability_is_of_a_feed_in_which_few_edits_do_harm(
    steps: Sequence[Step],
) -> None:
    rare = fit([replace(one, weight=one.weight / 9**one.moved) for one in steps])
    even = fit(steps)

    # How many of them are shown to the fit does not matter.
    assert rare.bias == pytest.approx(even.bias, abs=0.6)
    assert even.bias < -2


def test_a_model_comes_back_from_its_file(model: EditModel) -> None:
    file = EditFile(model, {"seed": 1}, {"found": 0.5})

    again = from_bytes(to_bytes(file))

    assert to_bytes(again) == to_bytes(file)
    assert again.model.weights == pytest.approx(model.weights, rel=1e-5)


def test_a_file_of_another_format_is_refused(
    model: EditModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = to_bytes(EditFile(model, {}, {}))
    monkeypatch.setattr("bot.models.edits.FORMAT", 7)

    with pytest.raises(ValueError, match="is not 7"):
        from_bytes(content)


def test_the_shipped_model_takes_the_answers_and_states_of_both_sides() -> None:
    model = shipped_edits().model

    assert model.weights.shape == (2 * (3 + 768),)


@pytest.mark.shared_data
def test_the_engine_that_ships_holds_its_figures_on_edits() -> None:
    """Every eighth pair; where 2 in 100 harmless edits were noted on all of them."""
    model, figures = shipped_edits().model, shipped_edits().figures
    read, make = shipped_larger().read, Texts(Random(1), without_context=0)

    def moved(file: str, *, back: bool = False) -> list[float]:
        pairs = list(pairs_in(read_rows(shared_data(f"judged_claims/{file}")).rows))
        found = []
        for pair in pairs[::8]:
            texts = make(*pair)
            if texts is None:
                found.append(0.0)
                continue
            before, after = map(read, texts)
            sides = (after, before) if back else (before, after)
            found.append(model.moved(*sides))
        return found

    bad, harmless = moved("edits_dev.jsonl.gz"), moved("edits_neutral_dev.jsonl.gz")
    mended = moved("edits_dev.jsonl.gz", back=True)
    threshold = figures["at_2_percent"]["threshold"]

    paired = [one > other for one, other in zip(bad, mended, strict=True)]
    assert sum(paired) >= 0.84 * len(paired)
    assert sum(one > threshold for one in bad) >= 0.5 * len(bad)
    assert sum(one > threshold for one in harmless) <= 1
    assert sum(one > threshold for one in mended) <= 0.06 * len(mended)
