from dataclasses import replace
from random import Random

import pytest

from bot.models.lexical import shipped_lexical
from bot.research.evaluation.datasets import Label, Row
from bot.research.training.verifier.examples import (
    REFUTED,
    SUPPORTED,
    UNMENTIONED,
    Contrasts,
)
from handlers.text.analysis import analyse

_PAGE = (
    "The Harlow ferry sank on 4 May 1921 with 212 people aboard.",
    "Rescuers from three villages saved 187 of them.",
    "An inquiry opened in Harlow in 1922.",
    "It blamed the master, who had ignored a warning.",
)
_RIGHT = Row(
    id="1-mended",
    set="pairs_values",
    claim="The ferry sank with 212 people aboard.",
    evidence=_PAGE,
    label=Label.SUPPORTED,
    group="Harlow ferry",
    openly_licensed=True,
    title="Harlow ferry",
    supporting=((0,),),
    pair="1",
)
_WRONG = replace(
    _RIGHT,
    id="1",
    claim="The ferry sank with 187 people aboard.",
    label=Label.REFUTED,
    supporting=(),
    marked=("187",),
)


@pytest.fixture
def contrasts() -> Contrasts:
    return Contrasts(shipped_lexical().model.rarity, analyse, Random(1))


def test_a_wrong_claim_and_the_corrected_one_are_in_one_unit(
    contrasts: Contrasts,
) -> None:
    unit, other = contrasts.mended([_WRONG, replace(_WRONG, pair="2"), _RIGHT])

    assert [one.target for one in unit] == [REFUTED, SUPPORTED]
    assert len(other) == 1
    wrong = unit[0]
    marked = [
        wrong.text.claim[mark.start : mark.end]
        for mark in wrong.marks
        if not mark.supported
    ]
    assert marked == ["187"]


def test_a_true_claim_is_shown_without_what_decides_or_beside_another_page(
    contrasts: Contrasts,
) -> None:
    rows = [replace(_RIGHT, id=str(at), set="judged_prose") for at in range(9)]
    rows[7:] = [
        replace(_WRONG, id=str(at), set="judged_prose", evidence=("A clock of 1780.",))
        for at in (7, 8)
    ]

    units = list(contrasts.beside_other_pages(rows))

    assert len(units) == 7
    without = 0
    for unit in units:
        assert [one.target for one in unit] == [SUPPORTED, UNMENTIONED]
        without += "212" not in unit[1].text.evidence
    assert without >= 5


def test_a_value_that_is_made_wrong_is_nowhere_else_changed(
    contrasts: Contrasts,
) -> None:
    [unit] = contrasts.mended([_RIGHT])

    [(right, wrong)] = contrasts.other_values([unit])

    assert wrong.target == REFUTED
    assert "212" not in wrong.text.claim
    [mark] = [mark for mark in wrong.marks if not mark.supported]
    before, after = wrong.text.claim[: mark.start], wrong.text.claim[mark.end :]
    assert (before, after) == tuple(right.text.claim.split("212"))


def test_claims_without_a_value_give_no_wrong_one(contrasts: Contrasts) -> None:
    unit = next(iter(contrasts.mended([replace(_RIGHT, claim="The ferry sank.")])))

    assert not list(contrasts.other_values([unit]))
