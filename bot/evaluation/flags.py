"""How far flags and verdicts can be trusted: claims beside what a reader says of them.

A claim is flagged for a *kind* of fault, and the kinds lie within each other: what is
flagged as contradicted is flagged as not supported and as not fully supported, too. For
each kind, `precision` is the share of the claims flagged so that fail so, `recall` the
share of the claims that fail so which are flagged, `false_alarms` the share of the
others which are. A claim that the program could not judge (`without_verdict`) is never
flagged.

Intervals of shares are Wilson's, and those of ranking are drawn claim by claim. Both
take claims as independent, for a few articles are too few to draw from, and are
therefore somewhat narrow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bot.evaluation import metrics
from bot.evaluation.judging import add_measured
from bot.evaluation.metrics import (
    Measure,
    OfScores,
    Scores,
    Truth,
    UndefinedMetricError,
    wilson95,
)
from bot.evaluation.report import Findings
from bot.evaluation.verification import WORST
from handlers.citations.flagging import OperatingPoint, is_due
from handlers.citations.url_depth import depth_of
from handlers.model import CITATION_CHECKS, ClaimCheck, Verdict

_KINDS = CITATION_CHECKS  # the most specific first
_OF_SCORES: dict[str, OfScores] = {
    "auroc": metrics.auroc,
    "average_precision": metrics.average_precision,
    "precision_at_worst_10_percent": metrics.precision_at_worst(WORST),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """What a reader says of a claim, beside our check of it, which was verified."""

    truth: Verdict
    check: ClaimCheck


def tables(
    judged: Sequence[Judged], points: Sequence[OperatingPoint]
) -> dict[str, Any]:
    """Return the figures per kind of flag, per verdict, and of ranking."""
    return {
        "claims": len(judged),
        "without_verdict": sum(one.check.verdict is None for one in judged),
        **_ranking(judged),
        "flags": {_key(one.kind.value): _of_point(judged, one) for one in points},
        "verdicts": {_key(one.value): _of_verdict(judged, one) for one in Verdict},
    }


def _of_point(judged: Sequence[Judged], point: OperatingPoint) -> dict[str, Any]:
    def is_flagged(one: Judged) -> bool:
        flag = one.check.flag
        return flag is not None and _KINDS.index(flag.kind) <= _KINDS.index(point.kind)

    def fails(one: Judged) -> bool:
        return is_due(one.truth, point.kind)

    promised = point.measured.precision if point.measured else None
    return {
        "threshold": point.threshold,
        "precision_where_it_was_chosen": promised,
        "flagged": sum(map(is_flagged, judged)),
        "failing": sum(map(fails, judged)),
        **_shares(judged, is_flagged, fails, false_alarms=True),
    }


def _of_verdict(judged: Sequence[Judged], verdict: Verdict) -> dict[str, Any]:
    def is_given(one: Judged) -> bool:
        return one.check.verdict is verdict

    def is_true(one: Judged) -> bool:
        return one.truth is verdict

    return {
        "given": sum(map(is_given, judged)),
        "true": sum(map(is_true, judged)),
        **_shares(judged, is_given, is_true, false_alarms=False),
    }


_Asks: TypeAlias = Callable[[Judged], bool]


def _shares(
    judged: Sequence[Judged], called: _Asks, due: _Asks, *, false_alarms: bool
) -> dict[str, Any]:
    findings = Findings()
    _add(findings, "precision", [due(one) for one in judged if called(one)])
    _add(findings, "recall", [called(one) for one in judged if due(one)])
    if false_alarms:
        _add(findings, "false_alarms", [called(one) for one in judged if not due(one)])
    return findings.to_dict()


def _add(findings: Findings, name: str, hits: Sequence[bool]) -> None:
    def share() -> float:
        if not hits:
            raise UndefinedMetricError("no claim to take a share of")
        return sum(hits) / len(hits)

    findings.add(name, share, lambda: wilson95(sum(hits), len(hits)))


def _ranking(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return how well the probabilities, and URL depth, put failing claims first."""
    findings = Findings()
    truth = np.array([one.truth is Verdict.SUPPORTED for one in judged], dtype=np.bool_)
    claims = [str(at) for at in range(len(judged))]
    scores = np.array([_supported(one.check) for one in judged], dtype=np.float64)
    known = [depth_of(one.check.claim) for one in judged]
    depths = np.array([one for one in known if one is not None], dtype=np.float64)
    for name, of in _OF_SCORES.items():
        add_measured(findings, name, claims, _measure(of, truth, scores))
        if len(depths) < len(known):
            findings.omit(f"url_depth_{name}", "not every claim cites an address")
        else:
            depth = _measure(of, truth, depths)
            add_measured(findings, f"url_depth_{name}", claims, depth)
    return findings.to_dict()


def _supported(check: ClaimCheck) -> float:
    return check.verification.probabilities.supported if check.verification else 0.0


def _measure(of: OfScores, truth: Truth, scores: Scores) -> Measure:
    return lambda at: of(truth[at], scores[at])


def _key(name: str) -> str:
    return name.replace(" ", "_")
