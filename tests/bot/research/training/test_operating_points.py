"""Thresholds are chosen for precision, on answers that no fit has seen."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from bot.research.evaluation.datasets import DataSet
from bot.research.evaluation.metrics import Scores, Truth
from bot.research.evaluation.report import Progress
from bot.research.training.operating_points import (
    BASE_RATE,
    EDITED_RATE,
    TARGET,
    Sample,
    choose,
    lowest,
    lowest_confirming,
)
from handlers.citations.flags import EnginePoints, OperatingPoints
from handlers.model import CheckKind, Engine, Probabilities, Verdict
from handlers.ports import PermanentError
from tests.bot.research.evaluation.rows import row, write
from tests.fakes import FAKE_ENGINE, FakeVerifier, Silent

KIND = CheckKind.NOT_FULLY_SUPPORTED
SAMPLE = (Sample(KIND, {"rows.jsonl": ("bridges",)}),)


def _rows(folder: Path) -> Path:
    meta = {"claim_title": "Lakeside bridge"}
    failing = [row(f"wrong {n}", "not_supported", meta=meta) for n in range(60)]
    fine = [row(f"right {n}", "supported", meta=meta) for n in range(60)]
    write(folder / "rows.jsonl", [*failing, *fine])
    return folder


def _verifier() -> FakeVerifier:
    wrong = {f"wrong {n}": Verdict.NOT_SUPPORTED for n in range(60)}
    right = {f"right {n}": Verdict.SUPPORTED for n in range(60)}
    return FakeVerifier({**wrong, **right})


class _Fitted(FakeVerifier):
    def fitted_on(self, sha256: str) -> Mapping[str, Any] | None:
        assert sha256
        return {}


class _Folds:
    """Says of every row that it fails, which is right for half of them."""

    engine: Engine = FAKE_ENGINE

    def answers(self, data: DataSet, progress: Progress) -> dict[int, Probabilities]:
        assert progress is not None
        return {at: Probabilities(0.1, 0, 0.9, 0) for at in range(len(data.rows))}


def _right_at_one_in_10(truth: Truth, called: Truth) -> float:
    wrong = (int((called & ~truth).sum()) + 0.5) / (int((~truth).sum()) + 1)
    right = called[truth].mean() / 10
    return float(right / (right + wrong * 9 / 10))


def test_the_lowest_threshold_that_is_precise_enough_is_taken() -> None:
    scores = np.linspace(0.5, 0.9999, 400)
    truth = scores >= 0.7

    found = lowest(truth, scores)

    assert found is not None
    assert found < 0.7  # a few others are let through for the sake of recall
    assert _right_at_one_in_10(truth, scores >= found) >= TARGET
    assert _right_at_one_in_10(truth, scores >= found - 0.002) < TARGET


@pytest.mark.parametrize(
    ("truth", "scores"),
    [
        pytest.param([True] * 3 + [False] * 3, [0.9] * 3 + [0.6] * 3, id="lucky rows"),
        pytest.param([True] * 100, np.linspace(0.1, 0.4, 100), id="below chance"),
        # Flagging all would look precise.
        pytest.param(np.arange(300) % 10 > 0, [0.8] * 300, id="nine in ten fail"),
    ],
)
def test_no_threshold_is_chosen_where_none_is_precise(truth: Any, scores: Any) -> None:
    assert lowest(np.array(truth), np.array(scores)) is None


def chosen(
    folder: Path,
    verifier: FakeVerifier | None = None,
    folds: "_Folds | None" = None,
    samples: Sequence[Sample] = SAMPLE,
    to_confirm: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> EnginePoints:
    return choose(
        _rows(folder),
        verifier or _verifier(),
        folds,
        Silent(),
        samples=samples,
        to_confirm=to_confirm,
    )


def test_the_points_of_an_engine_have_their_figures(tmp_path: Path) -> None:
    points = chosen(tmp_path)

    [point] = points.by_wiki["*"]
    assert points.engine == FAKE_ENGINE
    assert point.threshold == 1.0
    assert point.measured is not None
    assert (point.measured.precision, point.measured.recall) == (1.0, 1.0)
    assert point.measured.false_alarms == 0
    assert (point.measured.rows, point.measured.flagged) == (120, 60)


def _false_at(threshold: float, rate: float, *sets: tuple[Truth, Scores]) -> float:
    """Return what share of the confirmed claims is false, each set weighing the same."""
    right = np.mean([(scores >= threshold)[truth].mean() for truth, scores in sets])
    wrong = np.mean(
        [
            ((scores >= threshold)[~truth].sum() + 0.5) / ((~truth).sum() + 1)
            for truth, scores in sets
        ]
    )
    return float(wrong * rate / (wrong * rate + right * (1 - rate)))


@pytest.mark.parametrize("easier", [0.2, 0.58])
def test_a_claim_is_confirmed_where_false_ones_are_few(easier: float) -> None:
    scores = np.linspace(0, 1, 400, endpoint=False)
    easy, hard = (scores >= easier, scores), (scores >= 0.6, scores)

    found = lowest_confirming([easy, hard])

    def is_good(threshold: float) -> bool:
        of_each = (_false_at(threshold, BASE_RATE, one) for one in (easy, hard))
        together = _false_at(threshold, EDITED_RATE, easy, hard)
        return max(*of_each, together) <= 0.05

    assert found is not None
    assert is_good(found)
    assert not is_good(found - 0.005)
    assert lowest_confirming([(scores < 0.5, scores)]) is None


def test_the_threshold_of_confirmed_claims_has_its_shares_of_each_set(
    tmp_path: Path,
) -> None:
    points = chosen(tmp_path, to_confirm={"rows.jsonl": ("bridges",)})

    assert points.confirming is not None
    [shares] = points.confirming.measured
    assert (shares.set, shares.rows) == ("bridges", 120)
    assert (shares.supported, shares.others) == (1.0, 0.0)
    assert OperatingPoints((points,)).confirms_from(FAKE_ENGINE) > 0


def test_rows_that_an_engine_was_fitted_on_are_answered_by_folds(
    tmp_path: Path,
) -> None:
    fitted = _Fitted(_verifier()._verdicts)

    points = chosen(tmp_path, fitted, _Folds())

    [point] = points.by_wiki["*"]
    assert point.threshold is None  # in memory it was perfect, out of fold a coin
    with pytest.raises(PermanentError, match="has no folds"):
        chosen(tmp_path, fitted)
    with pytest.raises(PermanentError, match="no rows of tunnels"):
        chosen(tmp_path, samples=[Sample(KIND, {"rows.jsonl": ("tunnels",)})])
