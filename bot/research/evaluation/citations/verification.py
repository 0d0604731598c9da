"""Claims and evidence of labelled data sets: `sidenote evaluate verification`.

Sets differ in what they call a claim, in length and in their labels, so each is
reported by itself, never pooled.

Real Wikipedia claims with the whole page they cite: `sidenote evaluate wice`.
The whole path is measured: passages cut from the full page, retrieval, verdict.
WiCE (Kamoi et al., EMNLP 2023) labels each claim supported, partially supported or
not supported and names the sentences of the page that support it; rows in its form
may mark a contradiction (`meta.contradicted`). It also marks the words of a claim that
lack support: `sidenote evaluate unsupported` compares ours with them, word by word,
and with the baseline that marks every word of every claim.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bot.models.operating_points import shipped_points
from bot.research.evaluation import metrics
from bot.research.evaluation.contest import (
    VERDICTS,
    Answers,
    Contest,
    Figures,
    Judged,
    answer_all,
    curves_of,
    judge_all,
)
from bot.research.evaluation.datasets import (
    WIKI,
    Case,
    DataSet,
    Label,
    Row,
    read_rows,
)
from bot.research.evaluation.metrics import Truth, over, share
from bot.research.evaluation.report import (
    EvaluationReport,
    Findings,
    Progress,
    engine_of,
)
from handlers.citations.comparison import nearest
from handlers.citations.flags import OperatingPoints, flagged
from handlers.model import ClaimCheck, Passage, Span, Verdict
from handlers.ports import PermanentError, Verifier


def with_others_evidence(data: DataSet) -> DataSet:
    """Return the rows of `data`, each with the evidence of another row of its set.

    Claims written to be true, to be wrong or to be absent from the page may differ in
    length and style. A judge that can tell them apart even with unrelated evidence has
    learned the style, not to read. So a score on a set is worth only as much as it
    exceeds the score measured here.

    Every row's evidence is used once, and the assignment is always the same. No row
    gets evidence of its own page or pair, nor of its own article if that can be avoided
    for every row. The title, section and header stay with the claim.
    """
    by_set: dict[str, list[int]] = {}
    for at, row in enumerate(data.rows):
        by_set.setdefault(row.set, []).append(at)
    swapped = list(data.rows)
    for places in by_set.values():
        # Rows of a page are adjacent, and within it those of a pair, so that both sides
        # of a pair mostly get the same other page.
        ordered = sorted(
            (data.rows[at] for at in places),
            key=lambda row: (row.group, row.evidence, row.pair, row.id),
        )
        others = dict(zip(map(id, ordered), _moved(ordered), strict=True))
        for at in places:
            row = data.rows[at]
            other = others[id(row)]
            swapped[at] = replace(
                row,
                evidence=other.evidence,
                page_title=other.page_title,
                address=other.address,
                supporting=(),
            )
    return replace(data, rows=tuple(swapped))


def _moved(rows: list[Row]) -> list[Row]:
    """Return the rows shifted so that each meets one of another article, or page."""

    def are_pages_apart(one: Row, other: Row) -> bool:
        is_pair = bool(one.pair) and one.pair == other.pair
        return one.evidence != other.evidence and not is_pair

    def are_articles_apart(one: Row, other: Row) -> bool:
        return one.group != other.group and are_pages_apart(one, other)

    for are_apart in (are_articles_apart, are_pages_apart):
        for shift in range(1, len(rows)):
            moved = [*rows[shift:], *rows[:shift]]
            if all(map(are_apart, rows, moved)):
                return moved
    raise PermanentError(
        f"the rows of the set {rows[0].set!r} cannot be judged with another row's"
        " evidence: most of them have the same page"
    )


_THREE = 3
_REFUTED = VERDICTS.index(Verdict.CONTRADICTED)
_NOT_SUPPORTED = VERDICTS.index(Verdict.NOT_SUPPORTED)
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
    `precision_at_worst_10_percent` is the share not fully supported among the 10 %
    of rows least likely to be supported. `balanced_accuracy_all_classes` and the
    figures of `refuted` rows are of the verdicts given, too.
    """
    rows = read_rows(data)
    contest = contest or Contest()
    if swap_evidence:
        rows, contest = (
            with_others_evidence(rows),
            Contest(contest.baseline, contest.cascade),
        )
    answers = answer_all(rows, verifier, contest, progress)
    names = sorted({one.row.set for one in answers.engine})
    unscored = Counter(one.set for one in rows.unscored)
    return EvaluationReport(
        "verification",
        rows,
        engine_of(verifier, rows, answers.out_of_fold),
        {
            "sets": {
                name or "unknown": _of_set(answers.of_set(name), unscored[name])
                for name in sorted({*names, *unscored})
            },
            **({"model": answers.consulted.figures()} if answers.consulted else {}),
        },
        tuple(
            curves
            for name in names
            for curves in curves_of(name, answers.of_set(name), verifier.engine.name)
        ),
        about_data={"evidence": "of another row"} if swap_evidence else {},
        rows=tuple(answers.consulted.rows()) if answers.consulted else (),
    )


def _of_set(answers: Answers, unscored: int) -> dict[str, Any]:
    figures = Figures(answers)
    for name, of_scores in _OF_SCORES.items():
        figures.add(name, of_scores, figures.truth, figures.scores)
    for name, of_calls in _OF_CALLS.items():
        figures.add(name, of_calls, figures.truth, figures.called)
    _add_three_way(figures)
    _add_all_classes(figures)
    _add_contradicted(figures, figures, names=("precision_refuted", "recall_refuted"))
    _add_baselines(figures)
    rows = len(answers.engine) + unscored
    return {"rows": rows, "unscored": unscored, **figures.to_dict()}


def _add_baselines(figures: Figures) -> None:
    for name in ("auroc", "average_precision"):
        figures.add_compared(name, _OF_SCORES[name])
    for name in ("auroc", "precision_at_worst_10_percent"):
        figures.add_url_depth(name, _OF_SCORES[name])


def _add_three_way(figures: Figures) -> None:
    if len({one.row.label for one in figures.judged}) != _THREE:
        return
    among = [at for at in range(len(VERDICTS)) if at in figures.classes]
    if len(among) != _THREE:
        figures.omit("accuracy_three_way", "two of the labels are the same verdict")
        return
    likeliest = figures.likeliest(among)
    figures.add("accuracy_three_way", metrics.accuracy, figures.classes, likeliest)


def _add_all_classes(figures: Figures) -> None:
    """Add the mean recall of the verdicts that the labels include.

    If they include no contradiction, a claim called contradicted counts as not
    supported.
    """
    called = figures.called_classes
    if _REFUTED not in figures.classes:
        called = np.minimum(called, _NOT_SUPPORTED)
    name = "balanced_accuracy_all_classes"
    figures.add(name, metrics.balanced_accuracy, figures.classes, called)


def _add_contradicted(
    figures: Figures, findings: Findings, *, names: tuple[str, str]
) -> None:
    truth, called = figures.classes == _REFUTED, figures.called_classes == _REFUTED
    precision, recall = names
    findings.add_measured(precision, figures.groups, over(share, truth, called))
    findings.add_measured(recall, figures.groups, over(share, called, truth))


_TOP = 5


def evaluate_wice(
    data: Path, verifier: Verifier, progress: Progress, contest: Contest | None = None
) -> EvaluationReport:
    """Measure `verifier` on claims with whole pages.

    `flags` are those of the operating points that ship: `precision` is the share of the
    flagged claims that are not fully supported. `contradicted` is about the verdict.
    `quotes` are those shown for supported claims whose supporting sentences are named:
    `top_decides` is the share whose first quote shows one of these, `covers` the share
    whose quotes together show all of one set. A quote shows a sentence where at least
    half of the shorter one's characters are common to both.
    """
    rows = read_rows(data)
    answers = answer_all(rows, verifier, contest or Contest(), progress)
    return EvaluationReport(
        "wice",
        rows,
        engine_of(verifier, rows, answers.out_of_fold),
        _of_wice(answers),
        curves_of("wice", answers, verifier.engine.name),
        rows=tuple(answers.consulted.rows()) if answers.consulted else (),
    )


def evidence_recall(case: Case, passages: Sequence[Passage]) -> float:
    """Return the share of gold supporting sentences that are in `passages`.

    A sentence counts when the passages together hold all of it. If the row has several
    sets of supporting sentences, each of them enough, the one found best counts.
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


def _of_wice(answers: Answers) -> Mapping[str, Any]:
    figures = Figures(answers)
    truth, scores = figures.truth, figures.scores
    for name, of, values in (
        ("auroc", metrics.auroc, scores),
        ("average_precision", metrics.average_precision, scores),
        ("accuracy_supported_vs_rest", metrics.accuracy, figures.called),
        ("balanced_accuracy_supported_vs_rest", metrics.balanced_accuracy, figures.called),
        ("calibration_error", metrics.calibration_error, scores),
        ("precision_at_worst_10_percent", metrics.precision_at_worst(WORST), scores),
    ):  # fmt: skip
        figures.add(name, of, truth, values)
    figures.add(
        "balanced_accuracy_three_way",  # none of WiCE's labels is a contradiction
        metrics.balanced_accuracy,
        np.minimum(figures.classes, _NOT_SUPPORTED),
        np.minimum(figures.called_classes, _NOT_SUPPORTED),
    )
    _add_baselines(figures)
    _add_recall(figures)
    contradicted = Findings()
    _add_contradicted(figures, contradicted, names=("precision", "recall"))
    return {
        "rows": len(figures.judged),
        **figures.to_dict(),
        "flags": _flags(figures),
        "contradicted": contradicted.to_dict(),
        "quotes": _quotes(figures.judged),
        **({"model": answers.consulted.figures()} if answers.consulted else {}),
    }


def _flags(figures: Figures) -> Mapping[str, Any]:
    findings = Findings()
    points = OperatingPoints(shipped_points())

    def is_flagged(one: Judged) -> bool:
        given = one.verification
        check = ClaimCheck(one.case.claim, (), given.verdict, given)
        return flagged(check, points, WIKI).flag is not None

    flags = np.array([is_flagged(one) for one in figures.judged], dtype=np.bool_)
    for name, of, among in (
        ("precision", ~figures.truth, flags),
        ("share_of_supported_flagged", flags, figures.truth),
    ):
        findings.add_measured(name, figures.groups, over(share, of, among))
    return {"count": int(flags.sum()), **findings.to_dict()}


def _quotes(judged: Sequence[Judged]) -> Mapping[str, Any]:
    findings = Findings()
    named = [
        one for one in judged if one.row.supporting and one.row.label is Label.SUPPORTED
    ]
    for name, holds in (("top_decides", _top_decides), ("covers", _covers)):
        if named:
            groups = [one.row.group for one in named]
            findings.add_mean(name, groups, map(holds, named))
        else:
            findings.omit(name, "no supported claim names its supporting sentences")
    return {"rows": len(named), **findings.to_dict()}


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
    """Return whether a quote and `sentence` share half of the shorter one's characters."""
    return any(
        2 * (min(quote.end, sentence.end) - max(quote.start, sentence.start))
        >= min(quote.end - quote.start, sentence.end - sentence.start)
        for quote in quotes
    )


def _add_recall(figures: Figures) -> None:
    annotated = [one for one in figures.judged if one.row.supporting]
    if not annotated:
        figures.omit("evidence_recall_at_5", "no row names its supporting sentences")
        return

    def recall(one: Judged) -> float:
        found = nearest(one.row.title, one.case.claim, one.case.passages)
        return evidence_recall(one.case, [each.passage for each in found[:_TOP]])

    groups = [one.row.group for one in annotated]
    figures.add_mean("evidence_recall_at_5", groups, map(recall, annotated))


def evaluate_words(
    data: Path, verifier: Verifier, progress: Progress
) -> EvaluationReport:
    """Measure how well the verifier marks words that lack support."""
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
    """Return F1 of the marked words, over the words of all claims together."""
    truth = [
        np.array([mark for _, mark in one.row.unsupported_words], dtype=np.bool_)
        for one in judged
    ]
    findings = Findings()
    for name, called in (
        ("token_f1", [_called(one) for one in judged]),
        ("token_f1_of_marking_all", [np.ones_like(one) for one in truth]),
    ):
        findings.add_measured(
            name,
            [one.row.group for one in judged],
            lambda at, called=called: metrics.f1(  # type: ignore[misc] # its default has a type
                np.concatenate([truth[one] for one in at]),
                np.concatenate([called[one] for one in at]),
            ),
        )
    return {"rows": len(judged), **findings.to_dict()}


def _called(judged: Judged) -> Truth:
    """Return which of the data's words our marks touch.

    The words are looked for in the claim, in order; a missing one has no span.
    """
    marks, claim = judged.verification.unsupported, judged.row.claim
    touched = []
    after = 0
    for word, _ in judged.row.unsupported_words:
        found = claim.find(word, after)
        start = after if found < 0 else found
        after = start if found < 0 else found + len(word)
        touched.append(any(one.start < after and start < one.end for one in marks))
    return np.array(touched, dtype=np.bool_)
