"""Real Wikipedia claims beside the whole page they cite: `sidenote evaluate wice`.

The whole path is measured: passages cut from the full page, retrieval, verdict.
WiCE (Kamoi et al., EMNLP 2023) labels each claim supported, partially supported or
not supported and names the sentences of the page that bear it out; rows in its form
may mark a contradiction (`meta.contradicted`). It also marks the words of a claim that
lack support: `sidenote evaluate unsupported` compares ours with them, word by word,
beside the baseline that marks every word of every claim.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bot.models.operating_points import shipped_points
from bot.research.evaluation import judging, metrics
from bot.research.evaluation.citations.verification import (
    WORST,
    add_baselines,
    add_contradicted,
)
from bot.research.evaluation.datasets import Case, Label, Row, read_rows
from bot.research.evaluation.judging import (
    VERDICTS,
    Answers,
    Contest,
    Judged,
    answer_all,
    curves_of,
    judge_all,
)
from bot.research.evaluation.metrics import Measure, Truth, over, share
from bot.research.evaluation.report import (
    EvaluationReport,
    Findings,
    Progress,
    engine_of,
)
from handlers.citations.comparison import nearest
from handlers.citations.flagging import OperatingPoints, flagged
from handlers.model import ClaimCheck, Passage, Span, Verdict
from handlers.ports import PermanentError, Verifier

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
        "auroc": over(metrics.auroc, truth, scores),
        "average_precision": over(metrics.average_precision, truth, scores),
        "accuracy_supported_vs_rest": over(metrics.accuracy, truth, called),
        "balanced_accuracy_supported_vs_rest": over(
            metrics.balanced_accuracy, truth, called
        ),
        "calibration_error": over(metrics.calibration_error, truth, scores),
        "precision_at_worst_10_percent": over(
            metrics.precision_at_worst(WORST), truth, scores
        ),
    }
    for name, measure in measures.items():
        findings.add_measured(name, groups, measure)
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
    findings.add_measured("precision", groups, over(share, ~supported, is_flagged))
    findings.add_measured(
        "share_of_supported_flagged",
        groups,
        over(share, is_flagged, supported),
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
    findings.add_measured(
        "balanced_accuracy_three_way",
        groups,
        over(metrics.balanced_accuracy, truth, called),
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
    findings.add_measured(name, groups, lambda at: float(held[at].mean()))


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
    findings.add_measured(
        "evidence_recall_at_5",
        [one.row.group for one in annotated],
        lambda at: float(recalls[at].mean()),
    )


def _recall_at_5(judged: Judged) -> float:
    found = nearest(judged.row.title, judged.case.claim, judged.case.passages)
    return evidence_recall(judged.case, [one.passage for one in found[:_TOP]])


def evaluate_words(
    data: Path, verifier: Verifier, progress: Progress
) -> EvaluationReport:
    """Measure how well the verifier marks what lacks support.

    Raises:
        PermanentError: the file is missing, or no row has marked words.
    """
    rows = read_rows(data)
    marked = [row for row in rows.rows if row.unsupported_words]
    if not marked:
        raise PermanentError(
            f"{data} marks no words; pass rows with claim_tokens and"
            " non_supported_spans."
        )
    progress.started(len(marked))
    judged = judge_all(marked, verifier, progress)
    return EvaluationReport(
        "unsupported words", rows, engine_of(verifier, rows), _of_words(judged)
    )


def _of_words(judged: Sequence[Judged]) -> Mapping[str, Any]:
    truth = [_marks(one.row) for one in judged]
    called = [_called(one) for one in judged]
    findings = Findings()
    groups = [one.row.group for one in judged]
    everything = [np.ones_like(one) for one in truth]
    findings.add_measured("token_f1", groups, _f1(truth, called))
    findings.add_measured("token_f1_of_marking_all", groups, _f1(truth, everything))
    return {"rows": len(judged), **findings.to_dict()}


def _f1(truth: Sequence[Truth], called: Sequence[Truth]) -> Measure:
    return lambda at: metrics.token_f1(
        [truth[one] for one in at], [called[one] for one in at]
    )


def _marks(row: Row) -> Truth:
    return np.array([mark for _, mark in row.unsupported_words], dtype=np.bool_)


def _called(judged: Judged) -> Truth:
    """Return which of the data's words our marks touch."""
    marks = judged.verification.unsupported
    return np.array(
        [
            any(mark.start < place.end and place.start < mark.end for mark in marks)
            for place in _places(judged.row)
        ],
        dtype=np.bool_,
    )


def _places(row: Row) -> list[Span]:
    """Find the data's words in the claim, in order; a missing one has no extent."""
    places = []
    after = 0
    for word, _ in row.unsupported_words:
        start = row.claim.find(word, after)
        after = after if start < 0 else start + len(word)
        places.append(Span(start, after) if start >= 0 else Span(after, after))
    return places
