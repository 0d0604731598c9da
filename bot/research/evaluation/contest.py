"""An engine beside what it has to beat: the lexical verifier and a look at the address.

Answers to rows that an engine was fitted on come from folds, for both engines, so
that nothing is compared with its own memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bot.research.evaluation import judging
from bot.research.evaluation.cascade import Cascade, Heard
from bot.research.evaluation.curves import Curves
from bot.research.evaluation.datasets import DataSet
from bot.research.evaluation.judging import RESAMPLES, Judged, judge_all
from bot.research.evaluation.metrics import (
    Measure,
    OfScores,
    Scores,
    Truth,
    paired_interval95,
)
from bot.research.evaluation.out_of_fold import FindsFolds, no_folds, unseen
from bot.research.evaluation.progress import Progress
from bot.research.evaluation.report import Findings
from handlers.citations.url_depth import url_depth
from handlers.ports import Verifier

_NO_ADDRESS = "not every row carries the address of its source"


@dataclass(frozen=True, slots=True)
class Contest:
    """What an engine is measured against.

    `baseline` is the lexical verifier; `None` where that is the engine itself. With a
    `cascade`, a language model is asked about the engine's answers.
    """

    baseline: Verifier | None = None
    cascade: Cascade | None = None
    folds: FindsFolds = field(default=no_folds)


@dataclass(frozen=True, slots=True)
class Answers:
    """The same rows judged by the engine and by the baseline, row by row."""

    engine: tuple[Judged, ...]
    baseline: tuple[Judged, ...]  # empty without a baseline
    out_of_fold: int  # how many of the engine's answers come from folds
    heard: Heard | None = None  # what a language model had to do with them all

    def of_set(self, name: str) -> "Answers":
        """Return the answers to the rows of one set."""
        chosen = [one.row.set == name for one in self.engine]
        return Answers(
            _those(self.engine, chosen),
            _those(self.baseline, chosen),
            self.out_of_fold,
        )


def _those(judged: Sequence[Judged], chosen: Sequence[bool]) -> tuple[Judged, ...]:
    return tuple(one for one, is_in in zip(judged, chosen, strict=False) if is_in)


def answer_all(
    data: DataSet, verifier: Verifier, contest: Contest, progress: Progress
) -> Answers:
    """Judge all rows of `data`, with both engines where there are two."""
    judged, folded = _answered(data, verifier, contest, progress)
    heard = contest.cascade.heard(judged) if contest.cascade else None
    other: list[Judged] = []
    if contest.baseline is not None:
        other, _ = _answered(data, contest.baseline, contest, progress)
    judged = heard.judged if heard else judged
    return Answers(tuple(judged), tuple(other), folded, heard)


def _answered(
    data: DataSet, verifier: Verifier, contest: Contest, progress: Progress
) -> tuple[list[Judged], int]:
    progress.started(len(data.rows))
    judged = judge_all(data.rows, verifier, progress)
    folds = contest.folds(verifier)
    answers = folds.answers(data, progress) if folds else {}
    return unseen(judged, answers), len(answers)


# --- comparing ----------------------------------------------------------------


def add_compared(
    findings: Findings, answers: Answers, groups: Sequence[str], name: str, of: OfScores
) -> None:
    """Add `<name>_minus_lexical`, measured on the same draws."""
    key = f"{name}_minus_lexical"
    if not answers.baseline:
        findings.omit(key, "the engine is the lexical verifier itself")
        return
    truth = judging.is_supported(answers.engine)
    scores = judging.scores(answers.engine), judging.scores(answers.baseline)
    _add_difference(findings, key, groups, of, truth=truth, scores=scores)


def _add_difference(
    findings: Findings,
    key: str,
    groups: Sequence[str],
    of: OfScores,
    *,
    truth: Truth,
    scores: tuple[Scores, Scores],
) -> None:
    ours, theirs = (_measure(of, truth, one) for one in scores)
    everything = np.arange(len(truth))
    findings.add(
        key,
        lambda: ours(everything) - theirs(everything),
        lambda: paired_interval95(ours, theirs, groups, resamples=RESAMPLES),
    )


def add_url_depth(
    findings: Findings, answers: Answers, groups: Sequence[str], name: str, of: OfScores
) -> None:
    """Add `url_depth_<name>`: the baseline of SIDE's paper on the same rows."""
    key = f"url_depth_{name}"
    depths = depths_of(answers.engine)
    if depths is None:
        findings.omit(key, _NO_ADDRESS)
        return
    measure = _measure(of, judging.is_supported(answers.engine), depths)
    judging.add_measured(findings, key, groups, measure)


def add_against_url_depth(
    findings: Findings, answers: Answers, groups: Sequence[str], name: str, of: OfScores
) -> None:
    """Add `<name>_minus_url_depth`, measured on the same draws."""
    key = f"{name}_minus_url_depth"
    depths = depths_of(answers.engine)
    if depths is None:
        findings.omit(key, _NO_ADDRESS)
        return
    truth = judging.is_supported(answers.engine)
    scores = judging.scores(answers.engine), depths
    _add_difference(findings, key, groups, of, truth=truth, scores=scores)


def depths_of(judged: Sequence[Judged]) -> Scores | None:
    """Return each row's URL depth as a score; `None` where a row has no address."""
    depths = [url_depth(one.row.address) for one in judged]
    known = [one for one in depths if one is not None]
    return np.array(known, dtype=np.float64) if len(known) == len(depths) else None


def _measure(of: OfScores, truth: Truth, scores: Scores) -> Measure:
    return lambda at: of(truth[at], scores[at])


# --- curves -------------------------------------------------------------------


def curves_of(name: str, answers: Answers, engine: str) -> Curves:
    """Return the curves of the rows of `answers`."""
    likely = judging.scores(answers.engine)
    scores = [(engine, 1 - likely)]
    if answers.baseline:
        scores.append(("lexical", 1 - judging.scores(answers.baseline)))
    depths = depths_of(answers.engine)
    if depths is not None:
        scores.append(("URL depth", -depths))
    return Curves(name, ~judging.is_supported(answers.engine), tuple(scores), likely)
