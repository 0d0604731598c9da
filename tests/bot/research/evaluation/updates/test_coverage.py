"""Which facts are covered, by whom, and where; by the verifier and by a language model."""

import json

import pytest

from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.evaluator import Evaluator
from bot.research.evaluation.updates.coverage import (
    Answer,
    Edit,
    EmbeddedJudge,
    ModelFacts,
    ModelJudge,
    Offer,
    answers_of,
    best,
    score,
)
from bot.research.evaluation.updates.human_edits import RuleFacts
from handlers.model import Engine
from tests.bot.models.language_model.tools import model
from tests.bot.research.engine import Sure, WordEncoder
from tests.bot.research.evaluation.updates.harbour import BUILT, SANK, TELLS_OF_TOWER
from tests.rig.language_model import fails, says, serving

_SENTENCE = "The roof was replaced in 2024 and the hall was closed for three weeks."
_EDIT = Edit(("History",), (_SENTENCE,))


async def test_a_model_takes_sentences_apart() -> None:
    parts = ["The roof was replaced in 2024.", "  The hall was\n closed. ", ""]
    async with (
        serving(says(json.dumps({"facts": parts}))) as server,
        model(server) as chat,
    ):
        finder = ModelFacts(Evaluator(chat), RuleFacts())

        facts = await finder.facts(_SENTENCE)

    assert facts == ("The roof was replaced in 2024.", "The hall was closed.")
    assert finder.name.startswith("by language model m")
    assert server.asked[0].parts["sentence"] == _SENTENCE
    assert finder.evaluator.use.calls == 1


async def test_a_model_judges_and_its_word_is_all_or_nothing() -> None:
    scripts = [says('{"follows":true}'), says('{"follows":false}')]
    async with serving(*scripts) as server, model(server) as chat:
        judge = ModelJudge(Evaluator(chat), EmbeddedJudge(LexicalVerifier()))

        scores = [
            await judge.entailed("Hall", _EDIT, _SENTENCE, text)
            for text in ("One text.", "Another text.")
        ]

    assert scores == [1.0, 0.0]
    assert server.asked[0].parts["text"] == "One text."


async def test_where_the_model_gives_no_answer_the_embedded_engine_does() -> None:
    async with (
        serving(fails("401 Unauthorized")) as server,
        model(server) as model_port,
    ):
        evaluator = Evaluator(model_port)
        finder = ModelFacts(evaluator, RuleFacts())
        embedded = EmbeddedJudge(LexicalVerifier())
        judge = ModelJudge(evaluator, embedded)

        facts = await finder.facts(_SENTENCE)
        score = await judge.entailed("Hall", _EDIT, _SENTENCE, _SENTENCE)

    assert facts == await RuleFacts().facts(_SENTENCE)
    assert score == await embedded.entailed("Hall", _EDIT, _SENTENCE, _SENTENCE)
    assert evaluator.unanswered == 2


class _Says:
    """A judge to whom the same words are the same fact."""

    engine = Engine("words", "1")

    async def entailed(self, title: str, edit: Edit, fact: str, text: str) -> float:
        assert title == "Harbour"
        assert fact in edit.facts
        return 0.9 if fact in text else 0.1


async def test_hard_coverage_asks_for_the_section_and_soft_does_not() -> None:
    edit = Edit(("Shipping",), (BUILT, SANK))
    offers = [Offer(1, BUILT, ("The Tower",)), Offer(2, SANK, ("Shipping",))]

    [answers] = await answers_of(
        "Harbour", [edit], offers, judge=_Says(), encoder=WordEncoder()
    )

    assert score(answers) == 1.0
    assert score(answers, same_section=True) == 0.5
    assert score(answers, without={2}) == 0.5
    assert best(answers[0]) == Answer(1, 0.9, is_same_section=False)


def test_of_equal_suggestions_that_in_the_right_section_counts() -> None:
    answers = (Answer(1, 0.8, is_same_section=False), Answer(2, 0.8, is_same_section=True))  # fmt: skip

    found = best(answers)

    assert found is not None
    assert found.number == 2
    assert score(()) == 0.0


@pytest.mark.parametrize(
    ("text", "likely", "expected"),
    [
        (TELLS_OF_TOWER, 0.3, 0.6),  # most of the words: half of it is enough
        (TELLS_OF_TOWER.replace("1874", "1875"), 0.9, 0.0),  # another number
        ("A tower was put up in March 1874 in Svaneke by Berg.", 0.6, 0.6),
        ("The islands saw much building in 1874.", 0.9, 0.0),
    ],
)
async def test_the_judge_asks_for_words_and_numbers_before_the_verifier(
    text: str, likely: float, expected: float
) -> None:
    judge = EmbeddedJudge(Sure(likely))

    score = await judge.entailed("Harbour 1", Edit((), (BUILT,)), BUILT, text)

    assert score == pytest.approx(expected)
