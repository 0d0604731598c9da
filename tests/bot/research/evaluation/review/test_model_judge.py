"""A language model that judges and extracts; where it cannot, the program does."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.research.evaluation.review.judge import (
    EmbeddedJudge,
    ModelJudge,
    Question,
    Stance,
)
from bot.research.evaluation.review.markdown import (
    ByModel,
    Step,
    prepared,
    read_markdown,
)
from handlers.model import (
    ModelFailure,
    ModelUse,
    Origin,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Verdict,
)
from handlers.ports import PermanentError
from tests.bot.research.model import USE, Model
from tests.fakes import FakeSources, FakeVerifier

TITLE = "Marstal Bridge"


def verdicts(*pair: tuple[int, str]) -> dict[str, Any]:
    return {
        "verdicts": [{"number": n, "verdict": word, "because": "x"} for n, word in pair]
    }


def embedded(*supported: str) -> EmbeddedJudge:
    return EmbeddedJudge(FakeVerifier(dict.fromkeys(supported, Verdict.SUPPORTED)))


def judge(
    model: Model, statements: Sequence[str], otherwise: EmbeddedJudge
) -> tuple[list[Stance], tuple[ModelUse, int]]:
    evaluator = ModelJudge(model, otherwise)
    answer = asyncio.run(
        evaluator.by_pages(
            TITLE, [Question(one) for one in statements], ["the old page"]
        )
    )
    return [one.stance for one in answer], evaluator.taken()


def test_a_model_judges_all_statements_of_a_page_at_once() -> None:
    model = Model(verdicts((2, "conflict"), (1, "support")))

    stances, taken = judge(model, ["one", "two"], embedded())

    assert stances == [Stance.SUPPORT, Stance.CONFLICT]
    assert taken == (USE, 0)
    assert list(model.parts().values()) == [TITLE, "1: one\n2: two", "the old page"]


@pytest.mark.parametrize(
    ("answer", "first"),
    [
        (
            verdicts((1, "conflict"), (1, "support"), (0, "support"), (9, "support")),
            [Stance.CONFLICT],
        ),
        (ModelFailure.REFUSED, []),
        ({"verdicts": [{"number": 1, "verdict": "yes"}]}, []),
    ],
)
def test_what_it_leaves_out_or_invents_is_left_to_the_embedded_judge(
    answer: object, first: list[Stance]
) -> None:
    statements = [*("one" for _ in first), "the old page"]

    stances, taken = judge(Model(answer), statements, embedded("the old page"))

    assert stances == [*first, Stance.SUPPORT]
    assert taken == (USE, 1)


def test_without_money_it_is_not_asked_again() -> None:
    model = Model(ModelFailure.OUT_OF_BUDGET)
    evaluator = ModelJudge(model, embedded("one", "two"))

    for text in ("one", "two"):
        asyncio.run(evaluator.by_statements(TITLE, Question(text), ["stated"]))

    assert (len(model.asked), evaluator.taken()) == (1, (USE, 2))


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
    extractor = ByModel(Model({"facts": facts}))

    found = asyncio.run(extractor.statements(article))

    assert [(one.text, one.refs, one.urls) for one in found] == [
        ("Marstal Bridge was opened in 1931.", ("1",), ("https://one.example/a",)),
        ("Marstal Bridge has seven arches.", (), ()),
    ]
    assert (extractor.evaluator.use, extractor.evaluator.unanswered) == (USE, 0)


def test_without_an_answer_the_sentences_are_the_facts() -> None:
    extractor = ByModel(Model(ModelFailure.CUT_OFF))

    found = asyncio.run(extractor.statements(read_markdown("It has seven arches.")))

    assert [one.text for one in found] == ["It has seven arches."]
    assert extractor.evaluator.unanswered == 1


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
    rules = ByModel(Model(ModelFailure.REFUSED))

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
