"""Which citation people prefer: `sidenote evaluate preferences`, as SIDE reports it.

Petroni et al. (2022) showed people the citation that stands in Wikipedia beside the one
that their system recommends, not telling which is which, and report

- the shares that take one, the other or neither (their Figure 4), and the one-sided and
  two-sided sign test between the two: `sign_test_p`, `sign_test_p_two_sided`;
- the share that prefers the recommended one among those who prefer one of the two (their
  "more than 60 %"): `recommended_of_decided`;
- majorities where several judged the same claim, by the score that the engine gives the
  present citation (their Figure 3a): `majority`, `by_present_probability`; beside it by
  how much the engine finds the recommended one better: `by_gap`;
- Fleiss' kappa (`bot.research.evaluation.agreement`).

"Either" is an answer here, which their page did not have; it stands beside the others
and takes no side. Where the first of two equals is taken more often, `first_of_decided`
lies above 0.5: then the order was not as blind as it should be. Intervals of shares are
Wilson's, as wide as if each claim had been judged once; those of agreement are drawn
claim by claim (bootstrap).
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from math import exp, fsum, lgamma, log
from pathlib import Path
from typing import Any

from bot.records.accounts import Preferred
from bot.research.evaluation.judged_shares import (
    add_agreement,
    add_plain_share,
    add_share,
    by_thing,
    counts_of,
    engines_of,
)
from bot.research.evaluation.judgement_rows import PreferenceRow, read_judged
from bot.research.evaluation.report import EvaluationReport, Findings

_BINS = 5
_DIGITS = 6  # of a difference; more would tell the ends of classes by rounding
_TIED = "tied"
_SIDES = (Preferred.PRESENT, Preferred.RECOMMENDED)


def evaluate(data: Path) -> EvaluationReport:
    """Report the preferences of one file.

    Raises:
        PermanentError: the file is missing, unreadable or without a usable row.
    """
    read = read_judged(data, PreferenceRow)
    return EvaluationReport("preferences", read, engines_of(read), _metrics(read.rows))


def _metrics(rows: Sequence[PreferenceRow]) -> dict[str, Any]:
    engines = sorted({row.engine.named for row in rows})
    found = _shares(rows) | {
        "majority": _majority(rows),
        "by_present_probability": _by_present(rows),
        "by_gap": _by_gap(rows),
    }
    if len(engines) > 1:
        found["by_engine"] = {
            name: _shares([row for row in rows if row.engine.named == name])
            for name in engines
        }
    return found


def _shares(rows: Sequence[PreferenceRow]) -> dict[str, Any]:
    findings = Findings()
    for each in Preferred:
        add_share(findings, each.value, rows, [row.preferred is each for row in rows])
    decided = [row for row in rows if row.preferred in _SIDES]
    recommended = [row.preferred is Preferred.RECOMMENDED for row in decided]
    add_share(findings, "recommended_of_decided", decided, recommended)
    ordered = [row for row in decided if row.shown_first]
    first = [row.preferred is row.shown_first for row in ordered]
    add_share(findings, "first_of_decided", ordered, first)
    said = by_thing(rows, [row.preferred for row in rows])
    add_agreement(findings, said)
    one_sided, two_sided = sign_test(sum(recommended), len(decided))
    return {
        **counts_of(rows),
        "decided": len(decided),
        "judged_by_several": sum(len(each) > 1 for each in said.values()),
        "sign_test_p": one_sided,
        "sign_test_p_two_sided": two_sided,
        **findings.to_dict(),
    }


def sign_test(hits: int, tries: int) -> tuple[float, float]:
    """Return how likely at least so many hits are by chance, and so uneven a split.

    Both are exact, of the binomial distribution with one half; of nothing they are 1.
    """
    above = _at_least(hits, tries)
    return round(above, 6), round(
        min(1.0, 2 * min(above, _at_least(tries - hits, tries))), 6
    )


def _at_least(hits: int, tries: int) -> float:
    chances = (
        lgamma(tries + 1) - lgamma(k + 1) - lgamma(tries - k + 1) - tries * log(2)
        for k in range(hits, tries + 1)
    )
    return min(1.0, fsum(map(exp, chances)))


def _majority(rows: Sequence[PreferenceRow]) -> dict[str, Any]:
    """Return what most people said of each claim; where as many said another, none."""
    said = by_thing(rows, [row.preferred for row in rows])
    most = Counter(_most_said(each) for each in said.values())
    findings = Findings()
    for each in Preferred:
        add_plain_share(findings, each.value, most[each], len(said))
    add_plain_share(findings, _TIED, most[_TIED], len(said))
    sides = {side: most[side] for side in _SIDES}
    recommended = sides[Preferred.RECOMMENDED]
    total = sum(sides.values())
    add_plain_share(findings, "recommended_of_decided", recommended, total)
    return {"things": len(said), **findings.to_dict()}


def _most_said(said: Sequence[Hashable]) -> Hashable:
    counted = Counter(said).most_common(2)
    is_tied = len(counted) > 1 and counted[0][1] == counted[1][1]
    return _TIED if is_tied else counted[0][0]


def _by_present(rows: Sequence[PreferenceRow]) -> Mapping[str, Any]:
    known = [row for row in rows if row.present_probability is not None]
    placed = [(row.present_probability or 0.0, row) for row in known]
    return _binned("present", placed) | {"without": len(rows) - len(known)}


def _by_gap(rows: Sequence[PreferenceRow]) -> Mapping[str, Any]:
    placed = [
        (round(row.recommended_probability - row.present_probability, _DIGITS), row)
        for row in rows
        if row.recommended_probability is not None
        and row.present_probability is not None
    ]
    below = [row for gap, row in placed if gap < 0]
    others = [(gap, row) for gap, row in placed if gap >= 0]
    found = _binned("gap", others) | {"without": len(rows) - len(placed)}
    return {"gap_below_0": _majority(below), **found} if below else found


def _binned(name: str, placed: Sequence[tuple[float, PreferenceRow]]) -> dict[str, Any]:
    """Return the majorities in classes of equal width from 0 to 1 that have rows."""
    found: dict[str, Any] = {}
    for at in range(_BINS):
        rows = [
            row for value, row in placed if min(int(value * _BINS), _BINS - 1) == at
        ]
        if rows:
            low, high = (round(100 * end / _BINS) for end in (at, at + 1))
            found[f"{name}_{low}_to_{high}_percent"] = _majority(rows)
    return found
