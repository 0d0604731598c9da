"""The shipped model on real data: figures may rise, never fall unnoticed."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.models.lexical import LexicalVerifier, shipped_lexical
from bot.research.evaluation import contest, metrics
from bot.research.evaluation.citations import verification
from bot.research.evaluation.contest import Judged, judge_all
from bot.research.evaluation.datasets import Row, read_rows
from tests.fakes import Silent
from tests.shared_data import shared_data

pytestmark = pytest.mark.shared_data

_WICE = "wice/claim_full_dev.jsonl.gz"


def test_the_model_file_names_the_data_it_was_fitted_on() -> None:
    seen = {one.sha256: one for one in shipped_lexical().fitted_on}

    data = read_rows(shared_data(_WICE))

    assert seen[data.sha256].rows == len(data.rows) == 349


def test_cross_validated_figures_on_whole_pages_reach_the_goal() -> None:
    data = read_rows(shared_data(_WICE))

    figures = LexicalVerifier().fitted_on(data.sha256)

    assert figures is not None
    assert figures["auroc"] >= 0.80
    assert figures["auroc_not_supported"] >= 0.83
    assert figures["average_precision"] >= 0.66
    assert figures["balanced_accuracy_three_way"] >= 0.57  # 50 features in place of 60
    assert figures["precision_not_supported"] >= 0.40
    assert figures["calibration_error"] <= 0.07


@pytest.fixture(scope="module")
def rows() -> tuple[Row, ...]:
    return read_rows(shared_data("verification/dev.jsonl.gz")).rows


@pytest.fixture(scope="module")
def vitaminc(rows: tuple[Row, ...]) -> Sequence[Judged]:
    rows_of_set = [row for row in rows if row.set == "vitaminc_real"]
    return judge_all(rows_of_set[:1200], LexicalVerifier(), Silent())


@pytest.mark.parametrize(
    ("name", "floor"),
    [("vitaminc_real", 0.75), ("fever_symmetric", 0.72), ("feverous_dev", 0.90)],
)
def test_short_evidence_not_seen_in_training_is_judged_well(
    rows: tuple[Row, ...], vitaminc: Sequence[Judged], name: str, floor: float
) -> None:
    judged = vitaminc[:600]
    if name != "vitaminc_real":
        rows_of_set = [row for row in rows if row.set == name][:400]
        judged = judge_all(rows_of_set, LexicalVerifier(), Silent())

    found = metrics.auroc(contest.is_supported(judged), contest.scores(judged))
    assert found >= floor


def test_a_supported_claim_is_rarely_called_contradicted(
    vitaminc: Sequence[Judged],
) -> None:
    called = [
        one.row.label.value
        for one in vitaminc
        if one.verification.verdict.value == "contradicted"
    ]
    assert len(called) >= 20
    assert called.count("refuted") / len(called) >= 0.85


def test_the_model_file_is_small_and_can_be_read_by_a_person() -> None:
    path = Path(__file__).parents[4] / "bot/models/files/lexical.json"

    content = json.loads(path.read_text("utf-8"))

    assert path.stat().st_size < 400_000
    assert "passage recall" in content["heads"]["page"]["features"]


def test_unsupported_words_are_marked_far_better_than_by_marking_all() -> None:
    data = shared_data("wice/partial_subclaims_tokens_dev.jsonl.gz")

    found = verification.evaluate_words(data, LexicalVerifier(), Silent()).metrics

    assert found["token_f1"] >= 0.54
    assert found["token_f1"] >= found["token_f1_of_marking_all"] + 0.1
