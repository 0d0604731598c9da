"""Floors are compared with what was measured; a change that is worse fails here."""

import json
from functools import cache
from pathlib import Path

import pytest

from bot.adapters.cross_encoder import CrossEncoderModel
from bot.adapters.neural_verifier import NeuralVerifier
from bot.evaluation.benchmarks import BENCHMARKS, Bench
from bot.evaluation.contest import Contest
from bot.evaluation.floors import Floor, compared, read_floors, shipped_floors
from bot.training.folds import folds_of
from handlers.ports import PermanentError
from tests.fakes import Silent
from tests.shared_data import shared_data


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
def test_the_engine_that_ships_holds_every_floor_on_whole_pages() -> None:
    """The others take minutes: `sidenote evaluate all` compares them all."""
    [benchmark] = [one for one in BENCHMARKS if one.name == "wice"]
    floors = [one for one in shipped_floors() if one.metric.startswith("wice.")]
    # The folds ask about the same pairs again.
    network = cache(CrossEncoderModel(threads=1))

    report = benchmark.measure(
        shared_data(benchmark.file),
        Bench(
            NeuralVerifier(network=network),
            Silent(),
            Contest(folds=folds_of),
            Path("nowhere"),
        ),
    )

    below = [
        f"{one.metric} is {value}, not {one.bound}"
        for one, value, holds in compared({"wice": report.metrics}, floors)
        if not holds
    ]
    assert floors
    assert not below
