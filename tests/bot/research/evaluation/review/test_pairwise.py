"""What counts as winning a criterion, whatever a model answers."""

from collections.abc import Callable

import pytest

from bot.research.evaluation.review.pairwise import PairwiseJudge, Winner, blinded
from handlers.model import Category, Criterion, Engine, ModelUse, Setback
from handlers.ports import (
    ModelAnswer,
    ModelOutOfReachError,
    ModelReply,
    ModelRequest,
    ModelSilence,
    T,
)
from handlers.updates.questions import Sizes

GENERATED = "The bridge is iconic.\nIt opened in 1937."
REFERENCE = "The bridge opened on 27 May 1937.\nIt carries six lanes."
CRITERIA = tuple(
    Criterion(name, Category.NEUTRAL, "tone", f"What {name} asks for.", "WP:NPOV")
    for name in ("n_1", "n_5")
)
Say = Callable[[str, str], object]


class Puppet:
    """Answers as the test says, given what it was shown as A and as B."""

    engine = Engine("language model", "puppet")

    def __init__(self, say: Say) -> None:
        self._say = say
        self.asked: list[tuple[str, str, str]] = []

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        parts = {one.label: one.text for one in request.content}
        a, b = parts["article A"], parts["article B"]
        self.asked.append((request.instructions, a, b))
        answer = self._say(a, b)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ModelSilence):
            return answer
        value = request.answer.model_validate({"criteria": answer})
        return ModelAnswer(value, ModelUse(1, 0, 10, 5))


def word(criterion: str, better: str) -> dict[str, str]:
    return {"criterion": criterion, "better": better, "why": "it says so"}


def prefers(text: str) -> Say:
    return lambda a, _: [
        word(one.id, "A" if a.startswith(text[:20]) else "B") for one in CRITERIA
    ]


async def compared(
    say: Say, *, allows_ties: bool = False
) -> list[tuple[Winner | None, float | None]]:
    judge = PairwiseJudge(Puppet(say), allows_ties=allows_ties)
    found = await judge.compare("Bridge", GENERATED, REFERENCE, CRITERIA)
    return [(one.winner, one.score) for one in found.verdicts]


async def test_who_is_preferred_in_both_orders_wins() -> None:
    assert await compared(prefers(GENERATED)) == [(Winner.GENERATED, 1.0)] * 2
    assert await compared(prefers(REFERENCE)) == [(Winner.REFERENCE, 0.0)] * 2


async def test_a_model_that_always_prefers_the_first_decides_nothing() -> None:
    found = await compared(lambda *_: [word(one.id, "A") for one in CRITERIA])

    assert found == [(Winner.TIE, 0.5)] * 2


async def test_every_question_is_asked_in_both_orders_with_all_criteria() -> None:
    puppet = Puppet(prefers(GENERATED))
    await PairwiseJudge(puppet).compare("Bridge", GENERATED, REFERENCE, CRITERIA)

    [(rules, *first), (_, *second)] = puppet.asked
    assert first == [GENERATED, REFERENCE] == second[::-1]
    assert all(f"{one.id}: {one.text}" in rules for one in CRITERIA)


async def test_ties_are_heard_only_where_they_are_allowed() -> None:
    def tie(*_: str) -> object:
        return [word(one.id, "tie") for one in CRITERIA]

    assert await compared(tie, allows_ties=True) == [(Winner.TIE, 0.5)] * 2
    with pytest.raises(ValueError, match="better"):  # the form has no such word
        await compared(tie, allows_ties=False)


async def test_unknown_criteria_count_for_nothing_and_the_first_word_on_one_counts() -> (
    None
):
    def say(a: str, _: str) -> object:
        own = "A" if a == GENERATED else "B"
        other = "B" if own == "A" else "A"
        return [word("n_99", other), word(" N_1 ", own), word("n_1", other)]

    assert await compared(say) == [(Winner.GENERATED, 1.0), (None, None)]


async def test_one_silent_order_leaves_a_tie_and_says_why() -> None:
    def say(a: str, _: str) -> object:
        if a == GENERATED:
            return [word("n_1", "A")]
        return ModelSilence(Setback.REFUSED, "it would not", ModelUse(1, 0, 5, 0))

    judge = PairwiseJudge(Puppet(say))
    found = await judge.compare("Bridge", GENERATED, REFERENCE, CRITERIA)

    assert (found.verdicts[0].winner, found.verdicts[0].score) == (Winner.TIE, 1.0)
    assert found.verdicts[0].holds_in_both_orders is None
    assert found.setbacks == ((Setback.REFUSED, "it would not"),)


async def test_a_model_out_of_reach_is_reported_and_raises_nothing() -> None:
    gone = ModelOutOfReachError("no connection", retry_in_s=5.0)
    judge = PairwiseJudge(Puppet(lambda *_: gone))
    found = await judge.compare("Bridge", GENERATED, REFERENCE, CRITERIA)

    assert [one.score for one in found.verdicts] == [None, None]
    assert [why for why, _ in found.setbacks] == [Setback.OUT_OF_REACH] * 2


async def test_a_long_article_is_cut_at_a_line_and_that_is_reported() -> None:
    puppet = Puppet(prefers(GENERATED))
    judge = PairwiseJudge(puppet, sizes=Sizes(2 * 60, 100))
    found = await judge.compare("Bridge", f"{GENERATED}\n{'ø' * 90}", "x", CRITERIA)

    assert found.is_cut
    assert puppet.asked[0][1] == GENERATED


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
    puppet = Puppet(prefers(GENERATED))
    await PairwiseJudge(puppet).compare("Bridge", GENERATED, given, CRITERIA)
    assert puppet.asked[0][2] == puppet.asked[1][1] == shown
