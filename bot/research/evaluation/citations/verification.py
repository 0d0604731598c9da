"""Claim beside evidence, as labelled data sets have it: `sidenote evaluate verification`.

Sets differ in what they call a claim, in length and in label space, so each is
reported by itself, never pooled.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bot.research.evaluation import judging, metrics
from bot.research.evaluation.datasets import DataSet, Row, read_rows
from bot.research.evaluation.judging import (
    VERDICTS,
    Answers,
    Contest,
    Judged,
    add_compared,
    add_url_depth,
    answer_all,
    curves_of,
)
from bot.research.evaluation.metrics import over, share
from bot.research.evaluation.report import (
    EvaluationReport,
    Findings,
    Progress,
    engine_of,
)
from handlers.model import Verdict
from handlers.ports import PermanentError, Verifier


def with_others_evidence(data: DataSet) -> DataSet:
    """Return the rows of `data`, each with the evidence of another of its set.

    Claims written to be true, to be wrong and to be absent may differ in length and
    style. A judge that tells them apart beside a page that speaks of something else has
    learned that, not to read. What its score on a set is worth is how far it rises above
    this one.

    Every row's evidence is used once, and the same rows always get the same. No row
    gets evidence of its own page or pair, nor of its own article if every row can be
    spared that. The title, section and header stay with the claim.

    Raises:
        PermanentError: most rows of a set have the same page.
    """
    names = dict.fromkeys(row.set for row in data.rows)
    swapped = {
        at: row
        for name in names
        for at, row in _swapped(
            [(at, row) for at, row in enumerate(data.rows) if row.set == name]
        )
    }
    return replace(data, rows=tuple(swapped[at] for at in range(len(data.rows))))


def _swapped(rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    # Rows of a page stand together, and pairs within it, so that both sides of a pair
    # mostly get the same other page.
    ordered = sorted(
        rows, key=lambda one: (one[1].group, one[1].evidence, one[1].pair, one[1].id)
    )
    shift = _shift([row for _, row in ordered])
    for place, (at, row) in enumerate(ordered):
        _, other = ordered[(place + shift) % len(ordered)]
        yield (
            at,
            replace(
                row,
                evidence=other.evidence,
                page_title=other.page_title,
                address=other.address,
                supporting=(),
            ),
        )


def _shift(rows: Sequence[Row]) -> int:
    """Return by how many places the evidence moves on so that all rows are apart."""
    for are_apart in (_of_other_articles, _of_other_pages):
        for shift in range(1, len(rows)):
            moved = (*rows[shift:], *rows[:shift])
            if all(map(are_apart, rows, moved)):
                return shift
    raise PermanentError(
        f"the rows of the set {rows[0].set!r} cannot be judged with another row's"
        " evidence: most of them have the same page"
    )


def _of_other_articles(one: Row, other: Row) -> bool:
    return one.group != other.group and _of_other_pages(one, other)


def _of_other_pages(one: Row, other: Row) -> bool:
    is_pair = bool(one.pair) and one.pair == other.pair
    return one.evidence != other.evidence and not is_pair


_THREE = 3
_REFUTED = VERDICTS.index(Verdict.CONTRADICTED)
WORST = 0.1
_OF_SCORES = {
    "auroc": metrics.auroc,
    "average_precision": metrics.average_precision,
    "best_f1": metrics.best_f1,
    "calibration_error": metrics.calibration_error,
    "precision_at_worst_10_percent": metrics.precision_at_worst(WORST),
}
_OF_CALLS = {
    "accuracy_supported_vs_rest": metrics.accuracy,
    "balanced_accuracy": metrics.balanced_accuracy,
}


def evaluate(
    data: Path,
    verifier: Verifier,
    progress: Progress,
    contest: Contest | None = None,
    *,
    swap_evidence: bool = False,
) -> EvaluationReport:
    """Measure `verifier` on the rows of `data`, set by set.

    All figures are of "supported" against the rest; accuracies are of the verdicts
    given, `accuracy_three_way` compares the likeliest of the set's three verdicts,
    `precision_at_worst_10_percent` is the share not fully supported among the tenth
    of rows least likely to be supported. `balanced_accuracy_all_classes` and the
    figures of `refuted` rows are of the verdicts given, too.

    Args:
        data: the file of rows.
        verifier: the engine.
        progress: counts the rows.
        contest: what is measured beside the engine.
        swap_evidence: judge each row with the evidence of another; what its
            words alone give away. The engine never saw a row so, which makes folds
            needless.

    Raises:
        PermanentError: the file is missing, has no usable row, or its evidence cannot
            be swapped.
    """
    rows = read_rows(data)
    contest = contest or Contest()
    if swap_evidence:
        rows, contest = (
            with_others_evidence(rows),
            Contest(contest.baseline, cascade=contest.cascade),
        )
    answers = answer_all(rows, verifier, contest, progress)
    names = sorted({one.row.set for one in answers.engine})
    return EvaluationReport(
        "verification",
        rows,
        engine_of(verifier, rows, answers.out_of_fold),
        _metrics(rows, answers),
        tuple(
            curves_of(name, answers.of_set(name), verifier.engine.name)
            for name in names
        ),
        about_data={"evidence": "of another row"} if swap_evidence else {},
        rows=tuple(answers.heard.rows()) if answers.heard else (),
    )


def _metrics(data: DataSet, answers: Answers) -> Mapping[str, Any]:
    unscored = Counter(one.set for one in data.unscored)
    names = sorted({*(one.row.set for one in answers.engine), *unscored})
    return {
        "sets": {
            name or "unknown": _of_set(answers.of_set(name), unscored[name])
            for name in names
        },
        **({"model": answers.heard.figures()} if answers.heard else {}),
    }


def _of_set(answers: Answers, unscored: int) -> dict[str, Any]:
    findings = Findings()
    judged = answers.engine
    groups = [one.row.group for one in judged]
    truth, called = judging.is_supported(judged), judging.called_supported(judged)
    scores = judging.scores(judged)
    for name, of_scores in _OF_SCORES.items():
        findings.add_measured(name, groups, over(of_scores, truth, scores))
    for name, of_calls in _OF_CALLS.items():
        findings.add_measured(name, groups, over(of_calls, truth, called))
    _add_three_way(findings, groups, judged)
    _add_all_classes(findings, groups, judged)
    add_contradicted(
        findings, groups, judged, names=("precision_refuted", "recall_refuted")
    )
    add_baselines(findings, answers, groups)
    return {
        "rows": len(judged) + unscored,
        "unscored": unscored,
        **findings.to_dict(),
    }


def add_baselines(findings: Findings, answers: Answers, groups: Sequence[str]) -> None:
    """Add what the lexical verifier and a look at the address make of the rows."""
    for name in ("auroc", "average_precision"):
        add_compared(findings, answers, groups, name, _OF_SCORES[name])
    for name in ("auroc", "precision_at_worst_10_percent"):
        add_url_depth(findings, answers, groups, name, _OF_SCORES[name])


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
    findings.add_measured(
        "accuracy_three_way",
        groups,
        over(metrics.accuracy, truth, likeliest),
    )


def _add_all_classes(
    findings: Findings, groups: Sequence[str], judged: Sequence[Judged]
) -> None:
    """Add the mean of the shares found of each verdict that the labels know.

    Where they know no contradiction, one that is called counts as not supported.
    """
    truth, called = judging.truth_classes(judged), judging.called_classes(judged)
    if _REFUTED not in truth:
        called = np.minimum(called, VERDICTS.index(Verdict.NOT_SUPPORTED))
    findings.add_measured(
        "balanced_accuracy_all_classes",
        groups,
        over(metrics.balanced_accuracy, truth, called),
    )


def add_contradicted(
    findings: Findings,
    groups: Sequence[str],
    judged: Sequence[Judged],
    *,
    names: tuple[str, str],
) -> None:
    """Add precision and recall, under these names, of the verdict "contradicted"."""
    truth = judging.truth_classes(judged) == _REFUTED
    called = judging.called_classes(judged) == _REFUTED
    precision, recall = names
    findings.add_measured(precision, groups, over(share, truth, called))
    findings.add_measured(recall, groups, over(share, called, truth))
