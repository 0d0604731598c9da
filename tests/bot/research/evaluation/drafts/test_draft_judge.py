"""Formulas 4 to 6 and the marks, with judges that say what they are told."""

from collections.abc import Sequence

import pytest

from bot.research.evaluation.drafts.judge import (
    NEEDS_A_MODEL,
    CitedText,
    Citing,
    Marks,
    ModelJudge,
    Part,
    Sentence,
    citing,
    marks_of,
)
from handlers.model import ModelFailure
from tests.bot.research.model import Model

# 4, 6 and 10 words: one of two chunks supports it, none is cited, the only one does.
TEXT = CitedText(
    (
        Part("", (Sentence("The bridge was closed.", ("yes", "no")),)),
        Part(
            "Aftermath",
            (
                Sentence("Nobody knows who had closed it.", ()),
                Sentence("It was opened again a year later by the mayor.", ("yes",)),
            ),
        ),
    )
)


class ByWord:
    """Believes chunks that say yes."""

    name = "by word"

    async def supports(
        self, title: str, heading: str, sentence: str, chunks: Sequence[str]
    ) -> Sequence[bool]:
        assert title == "Bridge"
        assert heading in {"", "Aftermath"}
        assert sentence
        return [one == "yes" for one in chunks]


async def test_recall_precision_and_rate_are_the_papers_formulas() -> None:
    found = await citing("Bridge", TEXT, ByWord())

    assert found.recall == pytest.approx(100 * 2 / 3)
    assert found.precision == pytest.approx(100 * (1 / 2 + 0 + 1) / 3)
    assert found.rate == pytest.approx(100 * (4 + 10) / 20)
    assert await citing("Bridge", CitedText(()), ByWord()) == Citing(0, 0, 0)


async def test_a_model_judges_all_chunks_of_a_sentence_or_the_embedded_judge() -> None:
    chunks = ["yes", "no"]
    model = Model({"passages": [2, 7]}, ModelFailure.REFUSED)
    judge = ModelJudge(model, ByWord())

    assert await judge.supports("Bridge", "", "It fell.", chunks) == [False, True]
    assert model.parts()["passage 2"] == "no"
    assert (judge.evaluator.unanswered, judge.evaluator.use.calls) == (0, 1)
    assert await judge.supports("Bridge", "", "It fell.", chunks) == [True, False]
    assert judge.evaluator.unanswered == 1


async def test_a_model_marks_text_and_outline_or_there_is_a_reason() -> None:
    names = ("fluency", "organisation", "focus", "coverage", "information")
    model = Model(dict.fromkeys(names, 4), {"outline": 2})

    async def marks(model: Model | None) -> Marks:
        return await marks_of(model, "Bridge", TEXT.plain, TEXT.headings)

    assert await marks(model) == Marks(4, 4, 2, 4, 4, 4)
    assert await marks(None) == Marks(why=NEEDS_A_MODEL)
    refused = Marks(why="it refused to answer: no answer")
    assert await marks(Model(ModelFailure.REFUSED)) == refused


def test_a_text_is_compared_with_its_headings_on_lines_of_their_own() -> None:
    assert TEXT.plain.split("\n") == [
        "The bridge was closed.",
        "",
        "Aftermath",
        "Nobody knows who had closed it. It was opened again a year later by the mayor.",
    ]
