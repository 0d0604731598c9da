"""Chooses from which probability a claim is flagged, for one engine.

The threshold of a kind is the lowest that is precise enough, so that as much as can
be is flagged at that precision. It is chosen on answers to rows the engine was not
fitted on (see `bot.evaluation.out_of_fold`). A precision measured on the rows that
chose the threshold flatters it; so the choice is made again in folds by article, and
the reported precision and recall are those of the rows left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GroupKFold

from bot.evaluation.datasets import DataSet, read_rows
from bot.evaluation.judging import Judged, judge_all
from bot.evaluation.metrics import (
    Scores,
    Truth,
    interval95,
    share,
    wilson95,
)
from bot.evaluation.out_of_fold import OutOfFold, unseen
from bot.evaluation.progress import Progress
from bot.evaluation.report import KnowsItsData
from handlers.citations.flagging import (
    ANY_WIKI,
    LEAST_THRESHOLD,
    EnginePoints,
    Measured,
    OperatingPoint,
    fails,
    is_due,
)
from handlers.model import CheckKind
from handlers.ports import PermanentError, Verifier

TARGET = 0.90
# And it must not be luck: few claims are flagged, so a share says little by itself.
LEAST_SURE = 0.85
# Two in three claims of WiCE are not fully supported; where fewer fail, the same
# threshold flags more of the others. No wiki is presumed worse than this.
MOST_FAILING = 0.5
CHOSEN = (
    f"the lowest threshold of which at least {TARGET:.0%} of the flagged rows fail,"
    f" rows weighed so that no more than {MOST_FAILING:.0%} of all fail, and the lower"
    f" end of the 95 % Wilson interval (unweighed) being at least {LEAST_SURE:.0%};"
    " precision, recall and false alarms are of rows left out of the choice (10 folds"
    " by article); answers to rows that the engine was fitted on are out of fold"
)
_FOLDS = 10
_RESAMPLES = 1000
_DIGITS = 4  # of a threshold; finer would only tell machines apart
_LANGUAGES = frozenset({"en"})  # of all data sets


@dataclass(frozen=True, slots=True)
class Sample:
    """The rows that a kind of check is measured on."""

    kind: CheckKind
    file: str
    sets: tuple[str, ...]


# What a run meets is a sentence of Wikipedia and the whole page it cites, as WiCE has
# it; but WiCE knows no contradiction. VitaminC's evidence is short, its contradictions
# come from real revisions of Wikipedia.
SAMPLES = (
    Sample(CheckKind.CONTRADICTED, "verification/dev.jsonl.gz", ("vitaminc_real",)),
    Sample(CheckKind.NOT_SUPPORTED, "wice/claim_full_dev.jsonl.gz", ("wice",)),
    Sample(CheckKind.NOT_FULLY_SUPPORTED, "wice/claim_full_dev.jsonl.gz", ("wice",)),
)


def choose(
    data: Path,
    verifier: Verifier,
    folds: OutOfFold | None,
    progress: Progress,
    samples: Sequence[Sample] = SAMPLES,
) -> EnginePoints:
    """Choose the points of `verifier` from the data sets in the folder `data`.

    Raises:
        PermanentError: a data set is missing or unusable, or the engine was fitted
            on it and cannot be fitted again without it.
    """
    judged = {
        file: _judged(
            read_rows(data / file), _sets(samples, file), verifier, folds, progress
        )
        for file in dict.fromkeys(one.file for one in samples)
    }
    points = tuple(_point(one, *judged[one.file]) for one in samples)
    return EnginePoints(verifier.engine, _LANGUAGES, {ANY_WIKI: points})


def _sets(samples: Sequence[Sample], file: str) -> frozenset[str]:
    return frozenset(name for one in samples if one.file == file for name in one.sets)


def _judged(
    data: DataSet,
    sets: frozenset[str],
    verifier: Verifier,
    folds: OutOfFold | None,
    progress: Progress,
) -> tuple[DataSet, list[Judged]]:
    seen = (
        isinstance(verifier, KnowsItsData)
        and verifier.fitted_on(data.sha256) is not None
    )
    if seen and folds is None:
        raise PermanentError(
            f"{verifier.engine.name} was fitted on {data.file} and has no folds; a"
            " threshold chosen on rows it knows would flatter it"
        )
    chosen = replace(data, rows=tuple(row for row in data.rows if row.set in sets))
    if not chosen.rows:
        raise PermanentError(f"{data.file} has no rows of {', '.join(sorted(sets))}")
    progress.started(len(chosen.rows))
    judged = judge_all(chosen.rows, verifier, progress)
    answers = folds.answers(chosen, progress) if folds and seen else {}
    return data, unseen(judged, answers)


def _point(sample: Sample, data: DataSet, judged: Sequence[Judged]) -> OperatingPoint:
    rows = [one for one in judged if one.row.set in sample.sets]
    truth = np.array([is_due(one.row.label.verdict, sample.kind) for one in rows])
    scores = _scores(rows, sample.kind)
    groups = [one.row.group for one in rows]
    threshold = lowest(truth, scores)
    if threshold is None:
        called = scores >= most_precise(truth, scores)
    else:
        called = _left_out(truth, scores, groups)
    return OperatingPoint(
        sample.kind, threshold, _measured(sample, data, truth, called, groups)
    )


def _scores(judged: Sequence[Judged], kind: CheckKind) -> Scores:
    """Return the probabilities as they flag: never for a verdict of another kind."""
    return np.array(
        [
            fails(one.verification.probabilities, kind)
            if is_due(one.verification.verdict, kind)
            else 0.0
            for one in judged
        ]
    )


def lowest(truth: Truth, scores: Scores) -> float | None:
    """Return the lowest threshold that is precise enough; `None` if none is."""
    return next(
        (one for one in _thresholds(scores) if _is_precise(truth, scores, one)), None
    )


def most_precise(truth: Truth, scores: Scores) -> float:
    """Return the threshold whose precision is surest to be high."""
    return max(_thresholds(scores), key=lambda one: _sure(truth[scores >= one]))


def _thresholds(scores: Scores) -> list[float]:
    """Return what could be a threshold, ascending; there is always one."""
    reached = np.unique(np.floor(scores * 10**_DIGITS) / 10**_DIGITS)
    return [float(one) for one in reached if one >= LEAST_THRESHOLD] or [1.0]


def _is_precise(truth: Truth, scores: Scores, threshold: float) -> bool:
    found = truth[scores >= threshold]
    if not found.any():
        return False
    failing, others = float(found.sum()), float((~found).sum())
    excess = max(1.0, _odds(float(truth.mean())) / _odds(MOST_FAILING))
    precision = failing / (failing + others * excess)
    return precision >= TARGET and _sure(found) >= LEAST_SURE


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else float("inf")


def _sure(found: Truth) -> float:
    return wilson95(int(found.sum()), len(found))[0] if len(found) else 0.0


def _left_out(truth: Truth, scores: Scores, groups: Sequence[str]) -> Truth:
    """Return what is flagged by thresholds chosen without the row's own article."""
    called = np.zeros(len(truth), dtype=np.bool_)
    folds = GroupKFold(min(_FOLDS, len(set(groups))), shuffle=True, random_state=0)
    for seen, left_out in folds.split(scores, truth, groups):
        threshold = lowest(truth[seen], scores[seen])
        if threshold is not None:
            called[left_out] = scores[left_out] >= threshold
    return called


def _measured(
    sample: Sample,
    data: DataSet,
    truth: Truth,
    called: Truth,
    groups: Sequence[str],
) -> Measured:
    def precision(at: npt.NDArray[np.int64]) -> float:
        return share(truth[at], called[at])

    def recall(at: npt.NDArray[np.int64]) -> float:
        return share(called[at], truth[at])

    everything = np.arange(len(truth))
    return Measured(
        file=data.file,
        sha256=data.sha256,
        sets=sample.sets,
        rows=len(truth),
        flagged=int(called.sum()),
        base_rate=float(truth.mean()),
        precision=_or_zero(truth, called),
        precision_ci95=interval95(precision, groups, resamples=_RESAMPLES),
        recall=recall(everything),
        recall_ci95=interval95(recall, groups, resamples=_RESAMPLES),
        false_alarms=_or_zero(called, ~truth),
    )


def _or_zero(of: Truth, among: Truth) -> float:
    return float(of[among].mean()) if among.any() else 0.0
