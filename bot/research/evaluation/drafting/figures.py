"""The figures of one setup, each with its interval over events."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.research.evaluation.drafting.marking import NEEDS_A_MODEL
from bot.research.evaluation.drafting.results import Marks, Outcome, Reference, Scored
from bot.research.evaluation.report import Findings

UNIT = "0 to 100; marks 0 to 5; shares 0 to 1; length in words"
MARKS = (
    "fluency",
    "organisation",
    "outline",
    "focus",
    "coverage",
    "information",
)
_Of = Callable[[Scored], float | None]
_FIGURES: tuple[tuple[str, _Of], ...] = (
    ("meteor", lambda one: one.overlap.meteor),
    ("rouge_l", lambda one: one.overlap.rouge_l),
    ("bleu", lambda one: one.overlap.bleu),
    ("citation_recall", lambda one: one.citing.recall),
    ("citation_precision", lambda one: one.citing.precision),
    ("citation_rate", lambda one: one.citing.rate),
    ("length_words", lambda one: float(one.words)),
    ("meteor_without_synonyms", lambda one: one.overlap.meteor_without_synonyms),
    ("meteor_15_weights", lambda one: one.overlap.meteor_15_weights),
    ("rouge_l_nlg_eval", lambda one: one.overlap.rouge_l_nlg_eval),
    ("quoted_share", lambda one: one.quoted),
    ("copied_share", lambda one: one.copied),
    ("unmarked_share", lambda one: one.unmarked),
    ("sentences", lambda one: float(one.sentences)),
)
_NO_PROGRAM = "needs the file of METEOR 1.5 (--meteor-jar)"
_ITS_OWN = re.compile(r"“[^”]*”|\d+")  # titles and counts
_MOST_REASONS = 8
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class OfEvent:
    """What an event gave with one setup."""

    event: str
    outcome: Outcome


def figures_of(rows: Sequence[OfEvent]) -> dict[str, Any]:
    """Return all figures of one setup; those without a text are counted, not scored.

    `with_unscored_as_0` has METEOR and ROUGE-L of all events, so that leaving hard
    ones out gains nothing.
    """
    found = [(row.event, row.outcome.scored) for row in rows]
    scored = [(event, one) for event, one in found if one is not None]
    groups = [event for event, _ in scored]
    findings = Findings()
    for name, of in _FIGURES:
        findings.add_mean(name, groups, [of(one) for _, one in scored])
    _add_meteor_15(findings, groups, [one for _, one in scored])
    add_marks(findings, groups, [one.marks for _, one in scored])
    findings.add_mean("worded_share", groups, [one.worded for _, one in scored])
    took = [row.outcome.took_s for row in rows if row.outcome.scored]
    findings.add_mean("seconds", groups, took)
    return {
        "events": len(scored),
        "unscored": len(rows) - len(scored),
        "worded_by_model": sum(one.worded > 0 for _, one in scored),
        "unit": UNIT,
        **findings.to_dict(),
        **_second(groups, [one for _, one in scored]),
        "with_unscored_as_0": _of_all(rows),
        "reasons": _reasons(rows),
    }


def figures_of_references(rows: Sequence[tuple[str, Reference]]) -> dict[str, Any]:
    """Return length and marks of the articles themselves."""
    groups = [event for event, _ in rows]
    findings = Findings()
    lengths = [float(one.words) for _, one in rows]
    findings.add_mean("length_words", groups, lengths)
    add_marks(findings, groups, [one.marks for _, one in rows])
    return {"events": len(rows), **findings.to_dict()}


def add_marks(
    findings: Findings, groups: Sequence[str], marks: Sequence[Marks]
) -> None:
    """Add a model's marks, or why there are none."""
    for name in MARKS:
        values = [_mark(one, name) for one in marks]
        if any(one is not None for one in values):
            findings.add_mean(name, groups, values)
        else:
            why = next((one.why for one in marks if one.why), NEEDS_A_MODEL)
            findings.omit(name, why[:_LONGEST_REASON])


def _mark(marks: Marks, name: str) -> float | None:
    value: int | None = getattr(marks, name)
    return None if value is None else float(value)


def _add_meteor_15(
    findings: Findings, groups: Sequence[str], scored: Sequence[Scored]
) -> None:
    values = [one.overlap.meteor_15 for one in scored]
    if all(one is None for one in values):
        findings.omit("meteor_15", _NO_PROGRAM)
    else:
        findings.add_mean("meteor_15", groups, values)


def _second(groups: Sequence[str], scored: Sequence[Scored]) -> dict[str, Any]:
    found = [one.second for one in scored if one.second is not None]
    if not found or len(found) < len(scored):
        return {}
    findings = Findings()
    findings.add_mean("citation_recall", groups, [one.recall for one in found])
    findings.add_mean("citation_precision", groups, [one.precision for one in found])
    findings.add_mean("citation_rate", groups, [one.rate for one in found])
    return {"second_judge": findings.to_dict()}


def _of_all(rows: Sequence[OfEvent]) -> dict[str, Any]:
    findings = Findings()
    groups = [row.event for row in rows]
    scored = [row.outcome.scored for row in rows]
    for name, of in _FIGURES[:2]:
        findings.add_mean(name, groups, [of(one) if one else 0.0 for one in scored])
    return {"events": len(rows), **findings.to_dict()}


def _reasons(rows: Sequence[OfEvent]) -> dict[str, int]:
    """Return why events have no text, and of how many that is so."""
    counted = Counter(_kind(row.outcome.failed) for row in rows if row.outcome.failed)
    return dict(counted.most_common(_MOST_REASONS))


def _kind(reason: str) -> str:
    """Return a reason without what is different for each event."""
    return _ITS_OWN.sub("…", reason.partition(" (")[0])[:_LONGEST_REASON]
