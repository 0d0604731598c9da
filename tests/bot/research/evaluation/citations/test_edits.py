"""Bad and harmless edits, told apart by a judge of edits and by a language model."""

from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.citations import edit_questions, edits
from bot.research.evaluation.citations.edit_questions import question_of
from bot.research.evaluation.contest import Cascade
from bot.research.evaluation.report import EvaluationReport
from handlers.citations.flags import OperatingPoints
from handlers.citations.model_judge import Terms
from handlers.model import ModelFailure
from handlers.ports import ModelRequest, PermanentError
from tests.bot.daemon.checks_world import Reader
from tests.bot.research.evaluation.edit_pairs import (
    HARMLESS,
    RIGHT_AND_WRONG,
    write_pairs,
)
from tests.bot.research.evaluation.rows import PAGE
from tests.bot.research.model import Model
from tests.fakes import Silent

_SAID = {claim for pair in HARMLESS.values() for claim in pair}
_SAID |= {right for right, _ in RIGHT_AND_WRONG.values()}
_QUOTES = PAGE[1:3]


def test_bad_edits_are_found_and_harmless_ones_counted(tmp_path: Path) -> None:
    judge = Reader(*_SAID - {"Anna Berg designed the bridge", HARMLESS["order"][1]})

    report = edits.evaluate(*write_pairs(tmp_path), judge, Silent())

    found = report.metrics
    assert (found["pairs"], found["harmless"]) == (3, 2)
    assert found["threshold"] == judge.noted_from
    assert found["found"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["noted_of_harmless"] == 0.5
    assert found["paired_accuracy"] == found["edit_accuracy"]
    assert found["paired_accuracy"] == pytest.approx(2.5 / 3, abs=1e-4)
    assert found["found_at_1_percent_of_harmless"] == 0
    assert found["precision"]["1_in_20"] < found["precision"]["1_in_5"]
    assert found["kinds"]["time"] == {"pairs": 1, "found": 1, "paired_accuracy": 1.0}
    assert found["kinds"]["order"] == {"pairs": 1, "noted": 1}


def test_who_judges_no_edits_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="judges no edits"):
        edits.evaluate(*write_pairs(tmp_path), LexicalVerifier(), Silent())


# --- a language model ---------------------------------------------------------


def _knows(request: ModelRequest[Any]) -> dict[str, Any]:
    """Answer rightly, whichever version comes first."""
    shown = {one.label: one.text for one in request.content}
    borne_out = [
        name
        for name in ("first", "second")
        if shown[f"{name} version"].partition("Claim: ")[2] in _SAID
    ]
    said = "both" if len(borne_out) == 2 else borne_out[0]
    return {"quotes": _QUOTES, "reason": "", "borne_out": said}


def _asked(folder: Path, model: Model, told: list[str]) -> EvaluationReport:
    @asynccontextmanager
    async def opened():  # type: ignore[no-untyped-def]  # as `open_language_model`
        yield model

    cascade = Cascade(opened, Terms(), OperatingPoints(()), told.append)
    return edit_questions.evaluate(*write_pairs(folder), cascade, Silent())


def test_a_model_that_reads_notes_the_bad_edits_alone(tmp_path: Path) -> None:
    told: list[str] = []
    model = Model(_knows)

    report = _asked(tmp_path, model, told)

    found = report.metrics
    assert (found["pairs"], found["harmless"]) == (3, 2)
    assert (found["found"], found["paired_accuracy"]) == (1.0, 1.0)
    assert found["noted_of_harmless"] == 0
    assert found["answers"] == {"bad": {"before": 3}, "harmless": {"both": 2}}
    assert (found["model"]["asked"], found["model"]["counted"]) == (5, 5)
    assert report.engine["version"] == "test"
    assert not report.unscored
    assert "asked about 5 claims" in told[0]


def test_nothing_tells_which_version_is_older(tmp_path: Path) -> None:
    pairs = edits.read_pairs(*write_pairs(tmp_path), swap_evidence=False)
    asked = [question_of(one, Terms()) for one in pairs.all]
    reverted = [
        question_of(replace(one, before=one.after, after=one.before), Terms())
        for one in pairs.all
    ]

    assert [one.content for one in asked] == [one.content for one in reverted]
    assert {one.is_before_first for one in asked} == {True, False}
    assert [one.is_before_first for one in asked] == [
        not one.is_before_first for one in reverted
    ]


def test_one_that_always_says_the_same_is_seen_in_the_orders(tmp_path: Path) -> None:
    first = {"quotes": _QUOTES, "reason": "", "borne_out": "first"}

    found = _asked(tmp_path, Model(first), []).metrics["orders"]

    assert found["before_first"]["paired_accuracy"] == 1
    assert found["after_first"]["paired_accuracy"] == 0


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"quotes": []}, ModelFailure.NO_QUOTE),
        ({"quotes": ["It opened on 12 May 1947."]}, ModelFailure.QUOTE_NOT_FOUND),
        ({"quotes": ["the northern arm"]}, ModelFailure.QUOTE_DOES_NOT_SUPPORT),
        ({"borne_out": "the last"}, ModelFailure.UNKNOWN_VERDICT),
        ({"borne_out": 1}, ModelFailure.UNREADABLE),
        (ModelFailure.OUT_OF_BUDGET, ModelFailure.OUT_OF_BUDGET),
    ],
    ids=lambda one: one.name if isinstance(one, ModelFailure) else "",
)
def test_what_does_not_count_is_not_scored(
    tmp_path: Path, answer: Any, why: ModelFailure
) -> None:
    usual = {"quotes": _QUOTES, "reason": "", "borne_out": "both"}
    said = answer if isinstance(answer, ModelFailure) else usual | answer

    report = _asked(tmp_path, Model(said, _knows), [])

    assert report.metrics["model"]["setbacks"] == {why.value: 1}
    assert report.metrics["pairs"] + report.metrics["harmless"] == 4
    assert [why.value in one.reason for one in report.unscored] == [True, True]
    [lost] = [one for one in report.rows if one["setback"]]
    assert lost["said"] is None


def test_nobody_can_quote_what_is_not_there(tmp_path: Path) -> None:
    neither = {"quotes": [], "reason": "", "borne_out": "neither"}

    found = _asked(tmp_path, Model(neither), []).metrics

    assert (found["found"], found["paired_accuracy"]) == (0, 0.5)
    assert found["noted_of_harmless"] == 0


def test_without_an_answer_there_are_no_figures(tmp_path: Path) -> None:
    report = _asked(tmp_path, Model(ModelFailure.OUT_OF_BUDGET), [])

    assert report.metrics["found"] is report.metrics["paired_accuracy"] is None
    assert report.metrics["precision"] == {"1_in_20": None, "1_in_5": None}
    assert report.metrics["model"]["stopped"] == ["no answer"]
    assert len(report.unscored) == 10
