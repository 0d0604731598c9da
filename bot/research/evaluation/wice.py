"""Real Wikipedia claims beside the whole page they cite: `sidenote evaluate wice`.

The whole path is measured: passages cut from the full page, retrieval, verdict.
WiCE (Kamoi et al., EMNLP 2023) labels each claim supported, partially supported or
not supported and names the sentences of the page that bear it out; rows in its form
may mark a contradiction (`meta.contradicted`).
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bot.models.operating_points import shipped_points
from bot.research.evaluation import judging, metrics
from bot.research.evaluation.cases import Case
from bot.research.evaluation.contest import Answers, Contest, answer_all, curves_of
from bot.research.evaluation.datasets import Label, read_rows
from bot.research.evaluation.judging import VERDICTS, Judged, add_measured
from bot.research.evaluation.metrics import share
from bot.research.evaluation.progress import Progress
from bot.research.evaluation.report import EvaluationReport, Findings, engine_of
from bot.research.evaluation.verification import WORST, add_baselines, add_contradicted
from handlers.citations.comparison import nearest
from handlers.citations.flagging import OperatingPoints, flagged
from handlers.model import ClaimCheck, Passage, Span, Verdict
from handlers.ports import Verifier

_TOP = 5
_WIKI = "en.wikipedia.org"  # where the claims come from


def evaluate(
    data: Path, verifier: Verifier, progress: Progress, contest: Contest | None = None
) -> EvaluationReport:
    """Measure `verifier` on claims with whole pages.

    `flags` are those of the operating points that ship: `precision` is the share of
    the flagged claims that are not fully supported. `contradicted` is of the verdict.
    `quotes` are those shown for supported claims whose supporting sentences are named:
    `top_decides` is the share whose first quote shows one of these, `covers` the share
    whose quotes together show all of one set. A quote shows a sentence where at least
    half of the shorter one's characters are common to both.

    Raises:
        PermanentError: the file is missing or has no usable row.
    """
    rows = read_rows(data)
    answers = answer_all(rows, verifier, contest or Contest(), progress)
    return EvaluationReport(
        "wice",
        rows,
        engine_of(verifier, rows, answers.out_of_fold),
        _metrics(answers),
        (curves_of("wice", answers, verifier.engine.name),),
        rows=tuple(answers.heard.rows()) if answers.heard else (),
    )


def evidence_recall(case: Case, passages: Sequence[Passage]) -> float:
    """Return the share of gold supporting sentences that stand in `passages`.

    A sentence counts when the passages together hold all of it. Where the row has
    several sets of supporting sentences, each of them enough, the one that is
    found best counts.
    """
    held = [passage.span for passage in passages]
    return max(
        sum(_covered(case.sentences[at], held) for at in chosen) / len(chosen)
        for chosen in case.row.supporting
    )


def _covered(sentence: Span, held: Sequence[Span]) -> bool:
    reached = sentence.start
    for span in sorted(held, key=lambda one: one.start):
        if span.start <= reached + 1:
            reached = max(reached, span.end)
    return reached >= sentence.end


def _metrics(answers: Answers) -> Mapping[str, Any]:
    findings = Findings()
    judged = answers.engine
    groups = [one.row.group for one in judged]
    truth, called = judging.is_supported(judged), judging.called_supported(judged)
    scores = judging.scores(judged)
    measures = {
        "auroc": lambda at: metrics.auroc(truth[at], scores[at]),
        "average_precision": lambda at: metrics.average_precision(
            truth[at], scores[at]
        ),
        "accuracy_supported_vs_rest": lambda at: metrics.accuracy(
            truth[at], called[at]
        ),
        "balanced_accuracy_supported_vs_rest": lambda at: metrics.balanced_accuracy(
            truth[at], called[at]
        ),
        "calibration_error": lambda at: metrics.calibration_error(
            truth[at], scores[at]
        ),
        "precision_at_worst_10_percent": lambda at: metrics.precision_at_worst(WORST)(
            truth[at], scores[at]
        ),
    }
    for name, measure in measures.items():
        add_measured(findings, name, groups, measure)
    _add_three_way(findings, groups, judged)
    add_baselines(findings, answers, groups)
    _add_recall(findings, judged)
    return {
        "rows": len(judged),
        **findings.to_dict(),
        "flags": _flags(groups, judged),
        "contradicted": _contradicted(groups, judged),
        "quotes": _quotes(judged),
        **({"model": answers.heard.figures()} if answers.heard else {}),
    }


def _flags(groups: Sequence[str], judged: Sequence[Judged]) -> Mapping[str, Any]:
    findings = Findings()
    points = OperatingPoints(shipped_points())
    is_flagged = np.array([_is_flagged(one, points) for one in judged], dtype=np.bool_)
    supported = judging.is_supported(judged)
    add_measured(
        findings, "precision", groups, lambda at: share(~supported[at], is_flagged[at])
    )
    add_measured(
        findings,
        "share_of_supported_flagged",
        groups,
        lambda at: share(is_flagged[at], supported[at]),
    )
    return {"count": int(is_flagged.sum()), **findings.to_dict()}


def _is_flagged(judged: Judged, points: OperatingPoints) -> bool:
    given = judged.verification
    check = ClaimCheck(judged.case.claim, (), given.verdict, given)
    return flagged(check, points, _WIKI).flag is not None


def _contradicted(groups: Sequence[str], judged: Sequence[Judged]) -> Mapping[str, Any]:
    findings = Findings()
    add_contradicted(findings, groups, judged, names=("precision", "recall"))
    return findings.to_dict()


def _add_three_way(
    findings: Findings, groups: Sequence[str], judged: Sequence[Judged]
) -> None:
    """Add the balanced accuracy of WiCE's three labels, which know no contradiction."""
    worst = VERDICTS.index(Verdict.NOT_SUPPORTED)
    truth = np.minimum(judging.truth_classes(judged), worst)
    called = np.minimum(judging.called_classes(judged), worst)
    add_measured(
        findings,
        "balanced_accuracy_three_way",
        groups,
        lambda at: metrics.balanced_accuracy(truth[at], called[at]),
    )


def _quotes(judged: Sequence[Judged]) -> Mapping[str, Any]:
    findings = Findings()
    named = [
        one for one in judged if one.row.supporting and one.row.label is Label.SUPPORTED
    ]
    _add_share(findings, "top_decides", named, _top_decides)
    _add_share(findings, "covers", named, _covers)
    return {"rows": len(named), **findings.to_dict()}


def _add_share(
    findings: Findings,
    name: str,
    named: Sequence[Judged],
    holds: Callable[[Judged], bool],
) -> None:
    if not named:
        findings.omit(name, "no supported claim names its supporting sentences")
        return
    held = np.array([holds(one) for one in named], dtype=np.float64)
    groups = [one.row.group for one in named]
    add_measured(findings, name, groups, lambda at: float(held[at].mean()))


def _top_decides(judged: Judged) -> bool:
    quotes = [one.span for one in judged.verification.evidence[:1]]
    named = {at for chosen in judged.row.supporting for at in chosen}
    return any(_shows(quotes, judged.case.sentences[at]) for at in named)


def _covers(judged: Judged) -> bool:
    quotes = [one.span for one in judged.verification.evidence]
    return any(
        all(_shows(quotes, judged.case.sentences[at]) for at in chosen)
        for chosen in judged.row.supporting
    )


def _shows(quotes: Sequence[Span], sentence: Span) -> bool:
    """Tell whether a quote and `sentence` share half of the shorter one's characters."""
    return any(
        2 * (min(quote.end, sentence.end) - max(quote.start, sentence.start))
        >= min(quote.end - quote.start, sentence.end - sentence.start)
        for quote in quotes
    )


def _add_recall(findings: Findings, judged: Sequence[Judged]) -> None:
    annotated = [one for one in judged if one.row.supporting]
    if not annotated:
        findings.omit("evidence_recall_at_5", "no row names its supporting sentences")
        return
    recalls = np.array([_recall_at_5(one) for one in annotated])
    add_measured(
        findings,
        "evidence_recall_at_5",
        [one.row.group for one in annotated],
        lambda at: float(recalls[at].mean()),
    )


def _recall_at_5(judged: Judged) -> float:
    found = nearest(judged.row.title, judged.case.claim, judged.case.passages)
    return evidence_recall(judged.case, [one.passage for one in found[:_TOP]])
