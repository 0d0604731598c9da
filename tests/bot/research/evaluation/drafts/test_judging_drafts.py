"""Formulas 4 to 6 and the marks, with judges that say what they are told."""

from collections.abc import Sequence

import pytest

from bot.research.evaluation.drafts.judge import (
    NEEDS_A_MODEL,
    Citing,
    Marks,
    ModelJudge,
    Part,
    Said,
    Written,
    citing,
    marks_of,
)
from handlers.model import ModelUse, Setback
from handlers.ports import ModelReply, ModelRequest, ModelSilence
from tests.handlers.drafts.by_model.scene import Puppet

# 4, 6 and 10 words: one of two chunks bears it out, none is cited, the only one does.
TEXT = Written(
    (
        Part("", (Said("The bridge was closed.", ("yes", "no")),)),
        Part(
            "Aftermath",
            (
                Said("Nobody knows who had closed it.", ()),
                Said("It was opened again a year later by the mayor.", ("yes",)),
            ),
        ),
    )
)
NONE = Marks(why=NEEDS_A_MODEL)


class ByWord:
    """Believes chunks that say yes."""

    name = "by word"

    async def bear_out(
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
    assert await citing("Bridge", Written(()), ByWord()) == Citing(0, 0, 0)


async def test_a_model_judges_all_chunks_of_a_sentence_at_once() -> None:
    model = Puppet({"passages": [2, 7]})
    judge = ModelJudge(model, ByWord())

    assert await judge.bear_out("Bridge", "", "It fell.", ["yes", "no"]) == [
        False,
        True,
    ]
    assert model.part("passage 2") == "no"
    assert (judge.silent, judge.use.calls) == (0, 1)


async def test_where_the_model_is_silent_the_embedded_judge_answers() -> None:
    judge = ModelJudge(Puppet(silence), ByWord())

    assert await judge.bear_out("Bridge", "", "It fell.", ["yes", "no"]) == [
        True,
        False,
    ]
    assert judge.silent == 1


async def test_a_model_marks_text_and_outline() -> None:
    def marks(request: ModelRequest) -> ModelReply:  # type: ignore[type-arg]
        is_text = "fluency" in request.answer.model_fields
        names = ("fluency", "organisation", "focus", "coverage", "information")
        answer_form = dict.fromkeys(names, 4) if is_text else {"outline": 2}
        return answer(request, answer_form)

    found = await marks_of(Puppet(marks), "Bridge", TEXT.plain, TEXT.headings)

    assert found == Marks(4, 4, 2, 4, 4, 4)


async def test_without_a_model_or_its_answer_there_are_no_marks_but_a_reason() -> None:
    assert await marks_of(None, "Bridge", TEXT.plain, TEXT.headings) == NONE
    silent = await marks_of(Puppet(silence), "Bridge", TEXT.plain, TEXT.headings)
    assert silent == Marks(why="it refused to answer: no")


def test_a_text_is_compared_with_its_headings_on_lines_of_their_own() -> None:
    assert TEXT.plain.split("\n") == [
        "The bridge was closed.",
        "",
        "Aftermath",
        "Nobody knows who had closed it. It was opened again a year later by the mayor.",
    ]


def silence(_request: object) -> ModelSilence:
    return ModelSilence(Setback.REFUSED, "no", ModelUse(calls=1))


def answer(request: ModelRequest, answer_form: object) -> ModelReply:  # type: ignore[type-arg]
    from handlers.ports import ModelAnswer  # noqa: PLC0415

    return ModelAnswer(request.answer.model_validate(answer_form), ModelUse(calls=1))
