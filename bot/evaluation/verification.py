"""Claim beside evidence, as labelled data sets have it: `sidenote evaluate verification`.

Sets differ in what they call a claim, in length and in label space, so each is
reported by itself, never pooled.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.evaluation import judging, metrics
from bot.evaluation.datasets import DataSet, read_rows
from bot.evaluation.judging import (
    VERDICTS,
    Judged,
    add_measured,
    judge_all,
)
from bot.evaluation.metrics import Measure, Scores, Truth
from bot.evaluation.progress import Progress
from bot.evaluation.report import EvaluationReport, Findings, engine_of
from handlers.ports import Verifier

_THREE = 3
_OF_SCORES = {
    "auroc": metrics.auroc,
    "average_precision": metrics.average_precision,
    "best_f1": metrics.best_f1,
    "calibration_error": metrics.calibration_error,
}


def evaluate(data: Path, verifier: Verifier, progress: Progress) -> EvaluationReport:
    """Measure `verifier` on the rows of `data`, set by set.

    All figures are of "supported" against the rest. Balanced accuracy is of the
    verdicts given; `accuracy_three_way` compares the likeliest of the set's
    three verdicts.

    Raises:
        PermanentError: the file is missing or has no usable row.
    """
    rows = read_rows(data)
    progress.started(len(rows.rows))
    judged = judge_all(rows.rows, verifier, progress)
    return EvaluationReport(
        "verification", rows, engine_of(verifier, rows), _metrics(rows, judged)
    )


def _metrics(data: DataSet, judged: Sequence[Judged]) -> Mapping[str, Any]:
    by_set: dict[str, list[Judged]] = {}
    for one in judged:
        by_set.setdefault(one.row.set, []).append(one)
    unscored = Counter(one.set for one in data.unscored)
    names = sorted({*by_set, *unscored})
    return {
        "sets": {
            name or "unknown": _of_set(by_set.get(name, []), unscored[name])
            for name in names
        }
    }


def _of_set(judged: Sequence[Judged], unscored: int) -> dict[str, Any]:
    findings = Findings()
    groups = [one.row.group for one in judged]
    truth, called = judging.is_supported(judged), judging.called_supported(judged)
    scores = judging.scores(judged)
    for name in _OF_SCORES:
        add_measured(findings, name, groups, _measure(name, truth, scores))
    add_measured(
        findings,
        "balanced_accuracy",
        groups,
        lambda at: metrics.balanced_accuracy(truth[at], called[at]),
    )
    _add_three_way(findings, groups, judged)
    return {
        "rows": len(judged) + unscored,
        "unscored": unscored,
        **findings.to_dict(),
    }


def _measure(name: str, truth: Truth, scores: Scores) -> Measure:
    of_scores = _OF_SCORES[name]
    return lambda at: of_scores(truth[at], scores[at])


def _add_three_way(
    findings: Findings, groups: Sequence[str], judged: Sequence[Judged]
) -> None:
    if len({one.row.label for one in judged}) != _THREE:
        return
    truth = judging.truth_classes(judged)
    among = [at for at in range(len(VERDICTS)) if at in truth]
    if len(among) != _THREE:
        findings.omit("accuracy_three_way", "two of the labels are the same verdict")
        return
    likeliest = judging.likeliest_classes(judged, among)
    add_measured(
        findings,
        "accuracy_three_way",
        groups,
        lambda at: metrics.accuracy(truth[at], likeliest[at]),
    )
