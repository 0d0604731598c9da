"""Floors are compared with what was measured; a change that is worse fails here."""

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest

from bot.models.neural import NeuralVerifier
from bot.research.evaluation.benchmarks import (
    BENCHMARKS,
    Floor,
    compared,
    read_floors,
    shipped_floors,
)
from bot.research.evaluation.citations import verification
from handlers.ports import PermanentError
from tests.fakes import Silent
from tests.shared_data import shared_data

# Half an interval of all rows below what was measured on this third of them.
_OF_A_THIRD = {
    "auroc": 0.77,
    "average_precision": 0.645,
    "accuracy_supported_vs_rest": 0.66,
    "precision_at_worst_10_percent": 0.9,
    "balanced_accuracy_three_way": 0.545,
    "evidence_recall_at_5": 0.95,
}


def floor(**changes: object) -> Floor:
    fields = {
        "metric": "wice.auroc",
        "at_least": 0.8,
        "measured": 0.82,
        "engine": "fake 1",
        "on": "2026-01-01",
        "reason": "a test",
    }
    return Floor.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("value", "holds"), [(0.9, True), (0.8, True), (0.79, False), (None, False)]
)
def test_a_metric_must_reach_its_floor(value: float | None, holds: bool) -> None:
    found = compared({"wice": {"auroc": value}}, [floor()])

    assert found == [(floor(), value, holds)]


def test_an_error_must_not_pass_its_ceiling() -> None:
    ceiling = floor(metric="wice.error", at_least=None, at_most=0.05)

    [(_, _, fine)] = compared({"wice": {"error": 0.04}}, [ceiling])
    [(_, _, worse)] = compared({"wice": {"error": 0.06}}, [ceiling])

    assert (fine, worse) == (True, False)


def test_what_was_not_measured_does_not_hold() -> None:
    assert compared({}, [floor()]) == [(floor(), None, False)]


@pytest.mark.parametrize(
    "change", [{"at_most": 0.9}, {"at_least": None}], ids=["two ends", "none"]
)
def test_a_floor_has_one_end(tmp_path: Path, change: dict[str, object]) -> None:
    content = {"floors": [floor().model_dump() | change]}
    file = tmp_path / "floors.json"
    file.write_text(json.dumps(content))

    with pytest.raises(PermanentError, match="either at_least or at_most"):
        read_floors(file)


def test_every_pinned_floor_is_of_a_benchmark_and_below_what_was_measured() -> None:
    names = {one.name for one in BENCHMARKS}

    floors = shipped_floors()

    assert len(floors) >= 10
    for one in floors:
        assert one.metric.partition(".")[0] in names
        assert one.holds(one.measured)


@pytest.mark.shared_data
def test_the_engine_that_ships_holds_its_figures_on_whole_pages(
    tmp_path: Path,
) -> None:
    """Every third row, in half a minute: `sidenote evaluate all` compares all floors."""
    third = tmp_path / "third.jsonl"
    with gzip.open(shared_data("wice/claim_full_dev.jsonl.gz"), "rt") as rows:
        third.write_text("".join(islice(rows, 0, None, 3)), "utf-8")

    report = verification.evaluate_wice(third, NeuralVerifier(), Silent())

    measured = {name: report.metrics[name] for name in _OF_A_THIRD}
    below = [
        f"{name} is {measured[name]}, not {bound}"
        for name, bound in _OF_A_THIRD.items()
        if measured[name] < bound
    ]
    assert not below
    assert report.metrics["calibration_error"] <= 0.085
