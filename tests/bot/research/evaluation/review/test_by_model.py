"""A language model that judges and extracts: its word counts where it can be used."""

import asyncio
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.research.evaluation.review.judge import Asked, EmbeddedJudge, ModelJudge, Word
from bot.research.evaluation.review.markdown import (
    ByModel,
    Step,
    prepared,
    read_markdown,
)
from handlers.model import (
    Engine,
    ModelUse,
    Origin,
    Setback,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Verdict,
)
from handlers.ports import (
    ModelAnswer,
    ModelReply,
    ModelRequest,
    ModelSilence,
    PermanentError,
    T,
)
from tests.fakes import FakeSources, FakeVerifier

COST = ModelUse(calls=1, cost=Decimal("0.01"))
TITLE = "Marstal Bridge"


class Says:
    """Fulfils `LanguageModel` with prepared answers, checked against the form."""

    engine = Engine("model", "1")

    def __init__(self, *answers: Mapping[str, Any] | Setback) -> None:
        self._answers = list(answers)
        self.asked: list[ModelRequest[Any]] = []

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        await asyncio.sleep(0)
        self.asked.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Setback):
            return ModelSilence(answer, "as told", COST)
        try:
            return ModelAnswer(request.answer.model_validate(answer), COST)
        except ValidationError:
            return ModelSilence(Setback.UNREADABLE, "not in the form", COST)


def verdicts(*pair: tuple[int, str]) -> dict[str, Any]:
    return {
        "verdicts": [{"number": n, "verdict": word, "because": "x"} for n, word in pair]
    }


def embedded(*supported: str) -> EmbeddedJudge:
    return EmbeddedJudge(FakeVerifier(dict.fromkeys(supported, Verdict.SUPPORTED)))


def judge(
    model: Says, statements: Sequence[str], otherwise: EmbeddedJudge
) -> tuple[list[Word], tuple[ModelUse, int]]:
    asking = ModelJudge(model, otherwise)
    answer = asyncio.run(
        asking.by_pages(TITLE, [Asked(one) for one in statements], ["the old page"])
    )
    return [one.word for one in answer], asking.taken()


def test_a_model_judges_all_statements_of_a_page_at_once() -> None:
    model = Says(verdicts((2, "conflict"), (1, "support")))

    words, taken = judge(model, ["one", "two"], embedded())

    assert words == [Word.SUPPORT, Word.CONFLICT]
    assert taken == (COST, 0)
    [request] = model.asked
    assert [one.text for one in request.content] == [
        TITLE,
        "1: one\n2: two",
        "the old page",
    ]


def test_what_it_leaves_out_or_invents_is_left_to_the_embedded_judge() -> None:
    model = Says(
        verdicts((1, "conflict"), (1, "support"), (0, "support"), (9, "support"))
    )

    words, taken = judge(model, ["one", "the old page"], embedded("the old page"))

    assert words == [Word.CONFLICT, Word.SUPPORT]
    assert taken == (COST, 1)


@pytest.mark.parametrize(
    "answer", [Setback.REFUSED, {"verdicts": [{"number": 1, "verdict": "yes"}]}]
)
def test_a_silence_is_no_failure(answer: Mapping[str, Any] | Setback) -> None:
    words, taken = judge(Says(answer), ["old page"], embedded("old page"))

    assert (words, taken) == ([Word.SUPPORT], (COST, 1))


def test_without_money_it_is_not_asked_again() -> None:
    model = Says(Setback.OUT_OF_BUDGET)
    asking = ModelJudge(model, embedded("one", "two"))

    for text in ("one", "two"):
        asyncio.run(asking.by_statements(TITLE, Asked(text), ["stated"]))

    assert (len(model.asked), asking.taken()) == (1, (COST, 2))


def test_a_model_extracts_facts_with_the_citations_of_their_sentence() -> None:
    article = read_markdown(
        "# Marstal Bridge\n\nIt was opened in 1931.[1] It has seven arches.\n\n"
        "## References\n[1] https://one.example/a\n"
    )
    facts = [
        {"sentence": 1, "fact": "Marstal Bridge was opened in 1931."},
        {"sentence": 7, "fact": "Nothing of the kind was said."},
        {"sentence": 2, "fact": "Marstal Bridge has seven arches."},
    ]
    extractor = ByModel(Says({"facts": facts}))

    found = asyncio.run(extractor.statements(article))

    assert [(one.text, one.refs, one.urls) for one in found] == [
        ("Marstal Bridge was opened in 1931.", ("1",), ("https://one.example/a",)),
        ("Marstal Bridge has seven arches.", (), ()),
    ]
    assert (extractor.use, extractor.unanswered) == (COST, 0)


def test_sentences_stand_in_for_a_model_that_is_silent() -> None:
    extractor = ByModel(Says(Setback.CUT_OFF))

    found = asyncio.run(extractor.statements(read_markdown("It has seven arches.")))

    assert [one.text for one in found] == ["It has seven arches."]
    assert extractor.unanswered == 1


def test_pages_are_fetched_once_and_failures_are_kept_with_their_reason(
    tmp_path: Path,
) -> None:
    markdown = tmp_path / "Marstal_Bridge.md"
    markdown.write_text(
        "It was opened in 1931.[1] It has seven arches.[2]\n\n## References\n"
        "[1] https://one.example/a\n[2] https://two.example/b\n"
    )
    one, two = (
        Source(SourceForm.URL, raw=url, url=url)
        for url in ("https://one.example/a", "https://two.example/b")
    )
    sources = FakeSources(
        [
            SourceFetch(one, SourceOutcome.READ, "", Origin.LIVE, document=SourceText("Opened.", "One")),
            SourceFetch(two, SourceOutcome.GONE, "the server answered 404"),
        ]
    )  # fmt: skip
    rules = ByModel(Says(Setback.REFUSED))

    done = asyncio.run(
        prepared(markdown, tmp_path / "x.json", tuple(Step), rules, sources)
    )

    assert (done.citing, done.fetched) == (2, 1)
    assert done.article.pages["1"].content == "Opened."
    assert done.article.pages["2"].error == "gone: the server answered 404"
    with pytest.raises(PermanentError, match="extract statements before"):
        asyncio.run(
            prepared(markdown, tmp_path / "no.json", [Step.FETCH], rules, sources)
        )
