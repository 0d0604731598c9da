"""What counts as winning a criterion, whatever a model answers."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.research.evaluation.review.pairwise import PairwiseJudge, Winner, blinded
from handlers.model import Category, Criterion, ModelFailure
from handlers.ports import ModelOutOfReachError, ModelRequest
from handlers.updates.questions import Sizes
from tests.bot.research.model import Model

GENERATED = "The bridge is iconic.\nIt opened in 1937."
REFERENCE = "The bridge opened on 27 May 1937.\nIt carries six lanes."
CRITERIA = tuple(
    Criterion(name, Category.NEUTRAL, "tone", f"What {name} asks for.", "WP:NPOV")
    for name in ("n_1", "n_5")
)
Say = Callable[[str, str], object]


def saying(say: Say) -> Model:
    """A model that is given what is shown as A and as B."""

    def answer(request: ModelRequest[Any]) -> object:
        parts = {one.label: one.text for one in request.content}
        said = say(parts["article A"], parts["article B"])
        return {"criteria": said} if isinstance(said, list) else said

    return Model(answer)


def articles(model: Model, at: int = 0) -> list[str]:
    return list(model.parts(at).values())[1:]


def word(criterion: str, better: str) -> dict[str, str]:
    return {"criterion": criterion, "better": better, "why": "it says so"}


def prefers(text: str) -> Say:
    return lambda a, _: [
        word(one.id, "A" if a.startswith(text[:20]) else "B") for one in CRITERIA
    ]


async def compared(
    say: Say, *, allows_ties: bool = False
) -> list[tuple[Winner | None, float | None]]:
    judge = PairwiseJudge(saying(say), allows_ties=allows_ties)
    found = await judge.compare("Bridge", GENERATED, REFERENCE, CRITERIA)
    return [(one.winner, one.score) for one in found.verdicts]


async def test_the_preferred_in_both_orders_wins_and_the_first_as_such_does_not() -> (
    None
):
    assert await compared(prefers(GENERATED)) == [(Winner.GENERATED, 1.0)] * 2
    assert await compared(prefers(REFERENCE)) == [(Winner.REFERENCE, 0.0)] * 2
    first = await compared(lambda *_: [word(one.id, "A") for one in CRITERIA])
    assert first == [(Winner.TIE, 0.5)] * 2


async def test_every_question_is_asked_in_both_orders_with_all_criteria() -> None:
    model = saying(prefers(GENERATED))
    await PairwiseJudge(model).compare("Bridge", GENERATED, REFERENCE, CRITERIA)

    assert articles(model) == [GENERATED, REFERENCE] == articles(model, 1)[::-1]
    rules = model.asked[0].instructions
    assert all(f"{one.id}: {one.text}" in rules for one in CRITERIA)


async def test_ties_count_only_where_they_are_allowed() -> None:
    def tie(*_: str) -> object:
        return [word(one.id, "tie") for one in CRITERIA]

    assert await compared(tie, allows_ties=True) == [(Winner.TIE, 0.5)] * 2
    assert await compared(tie) == [(None, None)] * 2  # the form has no such word


async def test_unknown_criteria_count_for_nothing_and_the_first_word_on_one_counts() -> (
    None
):
    def say(a: str, _: str) -> object:
        own = "A" if a == GENERATED else "B"
        other = "B" if own == "A" else "A"
        return [word("n_99", other), word(" N_1 ", own), word("n_1", other)]

    assert await compared(say) == [(Winner.GENERATED, 1.0), (None, None)]


async def test_an_order_without_an_answer_leaves_a_tie_and_is_reported() -> None:
    def say(a: str, _: str) -> object:
        return [word("n_1", "A")] if a == GENERATED else ModelFailure.REFUSED

    judge = PairwiseJudge(saying(say))
    found = await judge.compare("Bridge", GENERATED, REFERENCE, CRITERIA)
    gone = ModelOutOfReachError("no connection", retry_in_s=5.0)
    away = await PairwiseJudge(Model(gone)).compare(
        "Bridge", GENERATED, REFERENCE, CRITERIA
    )

    assert (found.verdicts[0].winner, found.verdicts[0].score) == (Winner.TIE, 1.0)
    assert found.verdicts[0].holds_in_both_orders is None
    assert found.failures == ((ModelFailure.REFUSED, "no answer"),)
    assert [one.score for one in away.verdicts] == [None, None]
    assert [why for why, _ in away.failures] == [ModelFailure.OUT_OF_REACH] * 2


async def test_a_long_article_is_cut_at_a_line_and_that_is_reported() -> None:
    model = saying(prefers(GENERATED))
    judge = PairwiseJudge(model, sizes=Sizes(2 * 60, 100))
    found = await judge.compare("Bridge", f"{GENERATED}\n{'ø' * 90}", "x", CRITERIA)

    assert found.is_cut
    assert articles(model)[0] == GENERATED


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("It opened in 1937.[1][note 2] It stands.", "It opened in 1937. It stands."),
        ("It opened in 1937.[^3]", "It opened in 1937."),
        ("It opened.<ref name=a>A book.</ref><ref name=a />", "It opened."),
        ("It opened ([1](https://a.example/b)).", "It opened."),
        ("It [opened](https://a.example/b) then.", "It opened then."),
        ("| Year | Event |\n|---|---|\n|  |  |", "| Year | Event |"),
        ("It opened.\n\n## References\n1. A book.\n\n## Use\nCars.", None),
    ],
)
async def test_neither_text_shows_who_made_it(given: str, shown: str | None) -> None:
    shown = "It opened.\n\n## Use\nCars." if shown is None else shown
    assert blinded(given) == shown
    model = saying(prefers(GENERATED))
    await PairwiseJudge(model).compare("Bridge", GENERATED, given, CRITERIA)
    assert articles(model)[1] == articles(model, 1)[0] == shown
