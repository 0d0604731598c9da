"""Chooses the probability from which a claim is flagged, for one engine.

The threshold of a kind is the lowest that is precise enough, so that as much as
possible is flagged at that precision. If there is none, nothing is flagged for this
kind, and its probability only decides what should be checked first. It is chosen on
answers to rows the engine was not fitted on (see `bot.research.evaluation.contest`). A
precision measured on the rows that chose the threshold would be too high; so the choice
is repeated in folds by article, and the reported precision and recall are those of the
rows left out.

The probability from which a claim is confirmed is chosen likewise, for the set in which
false claims are hardest to tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GroupKFold

from bot.models.lexical import fold_of
from bot.research.evaluation.contest import Judged, OutOfFold, judge_all, out_of_fold
from bot.research.evaluation.datasets import UNNAMED, DataSet, read_rows
from bot.research.evaluation.metrics import (
    Scores,
    Truth,
    interval95,
    share,
)
from bot.research.evaluation.report import KnowsItsData, Progress
from handlers.citations.flags import (
    ANY_WIKI,
    LEAST_THRESHOLD,
    ConfirmedShares,
    ConfirmingPoint,
    EnginePoints,
    Measured,
    OperatingPoint,
    fails,
    is_due,
    precision_at,
)
from handlers.model import CheckKind, Verdict
from handlers.ports import PermanentError, Verifier

# Perhaps one in ten citations of an article fails, and people are asked to check what
# is flagged, so most of it must be worth their time. They are shown certainty in whole
# tens, and this becomes 80 of 100.
TARGET = 0.75
BASE_RATE = 0.1
CHOSEN = (
    f"the lowest threshold at which {TARGET:.0%} of the flags are right where"
    f" {BASE_RATE:.0%} of the citations fail, by the share of the failing rows that it"
    " flags and that of the others, half a row added to the latter; recall, precision"
    " and false alarms are of rows left out of the choice (10 folds by article);"
    " answers to rows that the engine was fitted on are out of fold; without a"
    " threshold none is that precise, and the figures are of the most precise one"
)
# Of the claims that are confirmed, on every set. Half of the pairs are claims with one
# value or name changed, where the engine is wrong most often.
CONFIRMED_RIGHT = 0.95
# Where a watch looks, more is wrong than in articles as they stand.
EDITED_RATE = 0.25
CONFIRMED = (
    f"the lowest threshold at which {CONFIRMED_RIGHT:.0%} of the confirmed claims are"
    f" supported where {BASE_RATE:.0%} of the claims are not, on each of the sets, and"
    f" on all together, each weighing the same, where {EDITED_RATE:.0%} are not; half a"
    " row added to those confirmed wrongly; shares are of rows left out of the choice"
    " (10 folds by article); answers to rows that the engine was fitted on are out of"
    " fold"
)
_STEPS_CONFIRMED = 200
_FOLDS = 10
_RESAMPLES = 1000
_DIGITS = 4  # of a threshold; more would only differ between machines
_LANGUAGES = frozenset({"en"})  # of all data sets


@dataclass(frozen=True, slots=True)
class Sample:
    """The rows that a kind of check is measured on: file, and which of its sets."""

    kind: CheckKind
    files: Mapping[str, tuple[str, ...]]


# In use, the claim is a sentence of Wikipedia, with the whole page it cites. Few such
# claims are contradicted by the page; VitaminC's evidence is short, but its
# contradictions come from real revisions of Wikipedia.
_PAGES = {
    "real_citations/dev.jsonl.gz": (UNNAMED,),
    "judged_claims/dev.jsonl.gz": ("judged_natural",),
    "wice/claim_full_dev.jsonl.gz": ("wice",),
}
SAMPLES = (
    Sample(CheckKind.CONTRADICTED, {"verification/dev.jsonl.gz": ("vitaminc_real",)}),
    Sample(CheckKind.NOT_SUPPORTED, _PAGES),
    Sample(CheckKind.NOT_FULLY_SUPPORTED, _PAGES),
)

TO_CONFIRM = {
    "real_citations/dev.jsonl.gz": (UNNAMED,),
    "judged_claims/dev.jsonl.gz": ("judged_natural",),
    "verification/dev.jsonl.gz": ("vitaminc_real",),
    "judged_claims/pairs_dev.jsonl.gz": ("pairs_values", "pairs_cells", "pairs_parts"),
    "judged_claims/edits_dev.jsonl.gz": ("edits",),
}


def choose(
    data: Path,
    verifier: Verifier,
    folds: OutOfFold | None,
    progress: Progress,
    *,
    samples: Sequence[Sample] = SAMPLES,
    to_confirm: Mapping[str, tuple[str, ...]] = TO_CONFIRM,
) -> EnginePoints:
    """Choose the points of `verifier` from the data sets in the folder `data`."""
    names = dict.fromkeys((*(n for one in samples for n in one.files), *to_confirm))
    read = {name: read_rows(data / name) for name in names}
    judged = {
        name: _judged(
            found,
            _sets(samples, name) | set(to_confirm.get(name, ())),
            verifier,
            folds,
            progress,
        )
        for name, found in read.items()
    }
    points = tuple(
        _point(one, read, [row for name in one.files for row in judged[name]])
        for one in samples
    )
    confirming = _confirming(
        {
            (file, name): [one for one in judged[file] if one.row.set == name]
            for file, sets in to_confirm.items()
            for name in sets
        }
    )
    return EnginePoints(
        verifier.engine, _LANGUAGES, {ANY_WIKI: points}, CHOSEN, confirming
    )


def _sets(samples: Sequence[Sample], file: str) -> frozenset[str]:
    return frozenset(name for one in samples for name in one.files.get(file, ()))


def _judged(
    data: DataSet,
    sets: frozenset[str],
    verifier: Verifier,
    folds: OutOfFold | None,
    progress: Progress,
) -> list[Judged]:
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
    return out_of_fold(judged, answers)


def _point(
    sample: Sample, read: Mapping[str, DataSet], judged: Sequence[Judged]
) -> OperatingPoint:
    wanted = {name for sets in sample.files.values() for name in sets}
    rows = [one for one in judged if one.row.set in wanted]
    truth = np.array([is_due(one.row.label.verdict, sample.kind) for one in rows])
    scores = _scores(rows, sample.kind)
    groups = [one.row.group for one in rows]
    threshold = lowest(truth, scores)
    if threshold is None:
        called = scores >= most_precise(truth, scores)
    else:
        called = _left_out(truth, scores, groups)
    files = {name: read[name] for name in sample.files}
    return OperatingPoint(
        sample.kind, threshold, _measured(sample, files, truth, called, groups)
    )


def _scores(judged: Sequence[Judged], kind: CheckKind) -> Scores:
    """Return the probabilities used for flags: never for a verdict of another kind."""
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
        (
            one
            for one in _thresholds(scores)
            if _precision(truth, scores >= one) >= TARGET
        ),
        None,
    )


def most_precise(truth: Truth, scores: Scores) -> float:
    """Return the threshold at which most flags are right."""
    return max(_thresholds(scores), key=lambda one: _precision(truth, scores >= one))


def _thresholds(scores: Scores) -> list[float]:
    """Return all possible thresholds, ascending; there is always one."""
    reached = np.unique(np.floor(scores * 10**_DIGITS) / 10**_DIGITS)
    return [float(one) for one in reached if one >= LEAST_THRESHOLD] or [1.0]


def _precision(truth: Truth, called: Truth) -> float:
    """Return what share of flags is right at the base rate."""
    failing, others = int(truth.sum()), int((~truth).sum())
    if not failing or not others:
        return 0.0
    recall = int((called & truth).sum()) / failing
    return precision_at(BASE_RATE, recall, int((called & ~truth).sum()), others)


def _left_out(truth: Truth, scores: Scores, groups: Sequence[str]) -> Truth:
    """Return what is flagged by thresholds chosen without the row's own article."""
    called = np.zeros(len(truth), dtype=np.bool_)
    folds = GroupKFold(min(_FOLDS, len(set(groups))), shuffle=True, random_state=0)
    for seen, left_out in folds.split(scores, truth, groups):
        threshold = lowest(truth[seen], scores[seen])
        if threshold is not None:
            called[left_out] = scores[left_out] >= threshold
    return called


# The rows of one set: which are supported, the probabilities of this where it is the
# verdict, and their articles.
_Set: TypeAlias = tuple[Truth, Scores, Sequence[str]]


def _confirming(
    judged: Mapping[tuple[str, str], Sequence[Judged]],
) -> ConfirmingPoint | None:
    """Return the threshold of "supported"; `None` if none is right often enough."""
    sets: dict[tuple[str, str], _Set] = {
        key: (
            np.array([one.row.label.verdict is Verdict.SUPPORTED for one in rows]),
            np.array(
                [
                    one.verification.probabilities.supported
                    if one.verification.verdict is Verdict.SUPPORTED
                    else 0.0
                    for one in rows
                ]
            ),
            [one.row.title or one.row.group for one in rows],
        )
        for key, rows in judged.items()
    }
    threshold = lowest_confirming(
        [(truth, scores) for truth, scores, _ in sets.values()]
    )
    if threshold is None:
        return None
    called = _left_out_of_all(sets)
    return ConfirmingPoint(
        threshold,
        CONFIRMED,
        tuple(_shares(key, sets[key][0], called[key], sets[key][2]) for key in sets),
    )


def lowest_confirming(sets: Sequence[tuple[Truth, Scores]]) -> float | None:
    """Return the lowest threshold that confirms well; `None` if none does.

    It does on each set at the base rate, and on all together at the rate of edits.
    """
    steps = (step / _STEPS_CONFIRMED for step in range(1, _STEPS_CONFIRMED))
    mixed = [
        (truth, scores) for truth, scores in sets if truth.any() and not truth.all()
    ]
    return next((one for one in steps if _confirms_well(mixed, one)), None)


def _confirms_well(sets: Sequence[tuple[Truth, Scores]], threshold: float) -> bool:
    if not sets:
        return True
    shares = [_confirmed_of(truth, scores >= threshold) for truth, scores in sets]
    right, wrong = np.mean(shares, axis=0)
    return _right(right, wrong, EDITED_RATE) >= CONFIRMED_RIGHT and all(
        _right(*one, BASE_RATE) >= CONFIRMED_RIGHT for one in shares
    )


def _confirmed_of(truth: Truth, called: Truth) -> tuple[float, float]:
    """Return which share of the supported claims is confirmed, and of the others."""
    others = len(truth) - truth.sum()
    return float(called[truth].mean()), float(
        (called[~truth].sum() + 0.5) / (others + 1)
    )


def _right(right: float, wrong: float, rate: float) -> float:
    """Return what share of confirmed claims is supported where `rate` are not."""
    confirmed_rightly = right * (1 - rate)
    return confirmed_rightly / (confirmed_rightly + wrong * rate)


def _left_out_of_all(
    sets: Mapping[tuple[str, str], _Set],
) -> dict[tuple[str, str], Truth]:
    """Return what is confirmed by thresholds chosen without the row's own article."""
    folds = {
        key: np.array([fold_of(one, _FOLDS) for one in groups])
        for key, (_, _, groups) in sets.items()
    }
    called = {
        key: np.zeros(len(truth), dtype=np.bool_) for key, (truth, _, _) in sets.items()
    }
    for fold in range(_FOLDS):
        threshold = lowest_confirming(
            [
                (truth[folds[key] != fold], scores[folds[key] != fold])
                for key, (truth, scores, _) in sets.items()
            ]
        )
        if threshold is not None:
            for key, (_, scores, _) in sets.items():
                called[key] |= (folds[key] == fold) & (scores >= threshold)
    return called


def _shares(
    key: tuple[str, str], truth: Truth, called: Truth, groups: Sequence[str]
) -> ConfirmedShares:
    file, name = key

    def supported(at: npt.NDArray[np.int64]) -> float:
        return share(called[at], truth[at])

    def others(at: npt.NDArray[np.int64]) -> float:
        return share(called[at], ~truth[at])

    return ConfirmedShares(
        file=file,
        set=Path(file).parent.name if name == UNNAMED else name,
        rows=len(truth),
        supported=_rounded(_or_zero(called, truth)),
        supported_ci95=_ends(interval95(supported, groups, resamples=_RESAMPLES)),
        others=_rounded(_or_zero(called, ~truth)),
        others_ci95=_ends(interval95(others, groups, resamples=_RESAMPLES)),
    )


def _rounded(value: float) -> float:
    return round(value, _DIGITS)


def _ends(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return interval and (_rounded(interval[0]), _rounded(interval[1]))


def _measured(
    sample: Sample,
    files: Mapping[str, DataSet],
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
        files={name: data.sha256 for name, data in files.items()},
        sets=tuple(
            Path(file).parent.name if name == UNNAMED else name
            for file, sets in sample.files.items()
            for name in sets
        ),
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
