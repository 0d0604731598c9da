"""From events to examples, conversations and figures."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.app.wiring.drafts import make_cast
from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.drafts.judge import VerifierJudge
from bot.research.evaluation.events import Event, FoundPage
from bot.research.training.writers.drafts import (
    DraftExample,
    Stronger,
    Wanted,
    compare,
    conversation,
    from_lines,
    learnt_from,
    prepare,
    remote,
)
from bot.sources.reliability import load_reliability
from handlers.drafts.model import ARTICLE
from handlers.model import DraftMethod, ModelFailure
from handlers.ports import ModelOutOfReachError, ModelUnusableError, PermanentError
from tests.bot.research.model import Model
from tests.fakes import Silent
from tests.handlers.drafts.by_model.scene import headed
from tests.handlers.drafts.puppets import BagEncoder

TITLE = "2024 Exampleton flood"
RIVER = (
    "The River Exam burst its banks in Exampleton on 3 October 2024 after two days of"
    " rain. The flood reached the roofs of 300 houses in Mill Street. Some 1,200 people"
    " were taken to schools and sports halls by the fire brigade."
)
RELIEF = (
    "The government of Peter Hall set aside 40 million euros for people in Exampleton"
    " who lost homes in the flood. The mayor, Clara Stone, said that the dyke had been"
    " inspected in spring. A concert for the victims of the flood raised 90,000 euros."
)
HELD = (
    "On 3 October 2024, the River Exam burst its banks in Exampleton.",
    "Rain for two days led to the flood.",
    "The fire brigade took some 1,200 people to schools.",
    "Roofs of 300 houses were reached by the flood.",
    "The mayor, Clara Stone, said the dyke was inspected in spring.",
    "Peter Hall's government set 40 million euros aside for people who lost homes.",
)
WRONG = "Scientists abroad invented cheaper medicine against malaria."
BEYOND = "The flood killed 12 people."


def event(title: str = TITLE, id_: str = "1") -> Event:
    found = tuple(
        FoundPage(f"https://news{at}.example/{id_}", f"News {at}", text)
        for at, text in enumerate((RIVER, RELIEF))
    )
    return Event(id_, title, f"{RIVER} {RELIEF}", (), (), found)


def article(*texts: str) -> dict[str, Any]:
    return {"sections": [headed("", *((one, [1, 2]) for one in texts))]}


async def prepared(
    folder: Path, model: Model, events: Sequence[Event] = (), **wanted: Any
) -> dict[str, Any]:
    cast = make_cast(DraftMethod.RR, "bm25", BagEncoder(), LexicalVerifier())
    stronger = Stronger(model, cast, load_reliability())
    some = events or (event(),)
    return await prepare(some, stronger, Wanted(**wanted), folder, Silent())


def collected(folder: Path) -> list[DraftExample]:
    files = [folder / f"{name}.jsonl" for name in ("train", "test")]
    return [one for file in files for one in from_lines(file)]


async def test_supported_sentences_become_an_example_in_the_form_of_the_question(
    tmp_path: Path,
) -> None:
    model = Model(article(*HELD, WRONG, BEYOND))
    counts = await prepared(tmp_path, model)

    assert (counts["events"], counts["examples"]) == (1, 1)
    assert counts["sentences"]["written"] == len(HELD) + 2
    assert (counts["calls"], counts["cost"]) == (1, "0.01")
    [example] = collected(tmp_path)
    sentences = [
        one
        for section in example.answer.sections
        for paragraph in section.paragraphs
        for one in paragraph.sentences
    ]
    assert {one.text for one in sentences} <= set(HELD)
    assert len(sentences) == example.kept >= 5
    texts = [one.text for one in example.chunks]
    for one in sentences:  # only what supports it is cited
        assert len(one.cites) == 1
        word = "River" if "River" in one.text else one.text.split()[-1].strip(".")
        assert word.casefold() in texts[one.cites[0] - 1].casefold()
    system, user, answer = conversation(example)
    assert system["content"].startswith(ARTICLE.strip())
    shown = {one.text for one in model.asked[0].content}
    assert all(one in user["content"] for one in shown)
    assert json.loads(answer["content"]) == example.answer.model_dump()
    assert "terms of whoever runs that model" in (tmp_path / "README.txt").read_text()


async def test_what_was_paid_for_is_not_asked_again(tmp_path: Path) -> None:
    model = Model(article(*HELD))
    first = await prepared(tmp_path, model)
    assert await prepared(tmp_path, model) == first
    assert len(model.asked) == 1
    await prepared(tmp_path, model, words=500)  # another question
    assert len(model.asked) == 2


@pytest.mark.parametrize(
    "away",
    [
        ModelFailure.OUT_OF_BUDGET,
        ModelOutOfReachError("gone", retry_in_s=1),
    ],
)
async def test_a_stopped_run_continues_from_what_is_there(
    tmp_path: Path, away: object
) -> None:
    await prepared(tmp_path, Model(article(*HELD)))
    events = (event(), event("2024 Exampleton fire", "2"))
    counts = await prepared(tmp_path, Model(away), events)
    assert (counts["events"], counts["examples"]) == (1, 1)
    assert "run it again" in counts["stopped"]
    again = Model(article(*HELD))
    counts = await prepared(tmp_path, again, events)
    assert "stopped" not in counts
    assert len(again.asked) == 1


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (article(WRONG, BEYOND), "too little"),
        (article(*HELD[:2]), "too little"),
        (article(*RIVER.split(". "), *RELIEF.split(". ")), "too little"),
        (ModelFailure.REFUSED, "refused"),
        (ModelFailure.OUT_OF_BUDGET, "no answer"),
        (ModelUnusableError("no credit"), "no credit"),
    ],
)
async def test_a_set_without_an_example_is_reported_with_the_reason(
    tmp_path: Path, answer: object, why: str
) -> None:
    with pytest.raises(PermanentError, match=why):
        await prepared(tmp_path, Model(answer))
    assert not (tmp_path / "train.jsonl").exists()


async def test_examples_can_be_read_again_whatever_signs_their_pages_hold(
    tmp_path: Path,
) -> None:
    odd = f"{RIVER} The fire brigade came.\u2028It\u0085stayed\x1c a week."
    long = f"{RELIEF} {'x' * 30_000}"
    found = tuple(
        FoundPage(f"https://news{at}.example/odd", f"News\u2029{at}", text)
        for at, text in enumerate((odd, long))
    )
    one = Event("9", TITLE, RIVER, (), (), found)

    await prepared(tmp_path, Model(article(*HELD)), (one,))

    [example] = collected(tmp_path)
    assert any("\u2028" in each.text for each in example.chunks)
    assert example.title == TITLE


async def test_an_event_without_documents_costs_nothing(tmp_path: Path) -> None:
    bare = Event("3", "Nothing", "", (), ())
    model = Model(article(*HELD))
    counts = await prepared(tmp_path, model, (bare, event()))
    assert counts["left_out"] == {"its documents cannot be used": 1}
    assert len(model.asked) == 1


async def test_writers_are_measured_by_what_they_say(tmp_path: Path) -> None:
    await prepared(tmp_path, Model(article(*HELD)))
    examples = collected(tmp_path)
    figures = await compare(
        examples,
        [
            learnt_from(),
            remote(Model(article(*HELD[:1], BEYOND))),
            remote(Model(ModelFailure.UNREADABLE)),
            remote(Model({"sections": [headed("", (HELD[0], [9]))]})),
        ],
        VerifierJudge(LexicalVerifier()),
        {TITLE: f"{RIVER} {RELIEF}"},
        Silent(),
    )
    best, worse_row, mute, wrong = figures["rows"]
    assert best["citation_recall"] == best["citation_precision"] == 100.0
    assert worse_row["citation_recall"] == 50.0
    assert best["meteor"] > worse_row["meteor"] > mute["meteor"] == 0
    assert (mute["in_form"], mute["length_words"]) == (0, 0)
    assert (wrong["in_form"], wrong["citation_precision"]) == (1, 0)
    assert figures["citation_judge"].startswith("lexical")

    judge = VerifierJudge(LexicalVerifier())
    figures = await compare(examples, [learnt_from()], judge, {}, Silent())
    assert figures["with_reference"] == 0
    assert figures["rows"][0]["meteor"] is None  # without articles
