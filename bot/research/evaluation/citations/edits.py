"""Whether an edit moved a claim away from its source: `sidenote evaluate edits`.

The data are pairs: a right claim beside the same claim after one small edit that makes
it wrong, and claims before and after a harmless edit. Each pair is judged as the worker
judges an edit, both sides beside the same passages.

- `paired_accuracy`: in how many pairs the right side gets the higher probability of
  "supported" (ties half); `edit_accuracy`: in how many the step from right to wrong gets
  the higher probability that the edit moved the words away than the step back;
- `found_at_N_percent_of_harmless`: the share of bad edits that are found at the
  threshold at which N in 100 harmless ones are noted, too;
- at the shipped threshold: `found` of the bad ones and `noted` of the harmless ones,
  and the share of notes that would be right if 1 edit in 20, or in 5, did harm
  (half a note is added to the wrong ones, as in `handlers.citations.flags`).

With another row's evidence (`--swap-evidence`) all of this must be at chance: what is
left is style. What a language model says of the same pairs: `edit_questions`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bot.research.evaluation.citations.verification import with_others_evidence
from bot.research.evaluation.datasets import (
    Data,
    DataSet,
    Label,
    Row,
    Unscored,
    case,
    read_rows,
)
from bot.research.evaluation.report import (
    EvaluationReport,
    Findings,
    Progress,
    named,
)
from handlers.citations.flags import precision_at
from handlers.model import EditJudgement
from handlers.ports import EditJudge, PermanentError, Verifier

PERCENTS = (1, 2, 5)
_HARM = {"1_in_20": 1 / 20, "1_in_5": 1 / 5}
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim before and after an edit; a bad one goes from right to wrong."""

    kind: str
    group: str
    before: Row
    after: Row
    is_bad: bool


@dataclass(frozen=True, slots=True)
class Pairs:
    """The whole pairs of two files, and what is reported of the files."""

    all: tuple[Pair, ...]
    data: Data
    about: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair with the judgement of the edit, and for a bad one that of its revert."""

    pair: Pair
    there: EditJudgement
    back: EditJudgement | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the edit of a pair is noted, and whether its sides are ordered rightly.

    `order` is 1 if the side before comes out above the side after, half if neither does.
    """

    pair: Pair
    is_noted: bool
    order: float


def evaluate(
    bad: Path,
    harmless: Path,
    verifier: Verifier,
    progress: Progress,
    *,
    swap_evidence: bool = False,
) -> EvaluationReport:
    """Measure how `verifier` judges the edits of two files."""
    if not isinstance(verifier, EditJudge):
        raise PermanentError(
            f"{verifier.engine.name} judges no edits; set SIDENOTE_VERIFIER=minilm"
        )
    pairs = read_pairs(bad, harmless, swap_evidence=swap_evidence)
    judged = asyncio.run(_judged(pairs.all, verifier, progress))
    return EvaluationReport(
        "edits",
        pairs.data,
        named(verifier.engine, swapped_evidence=swap_evidence),
        figures(judged, verifier.noted_from),
        about_data=pairs.about,
    )


def read_pairs(bad: Path, harmless: Path, *, swap_evidence: bool) -> Pairs:
    sets = [read_rows(path) for path in (bad, harmless)]
    if swap_evidence:
        sets = [with_others_evidence(one) for one in sets]
    pairs, lost = pairs_of(*sets)
    data = Data(
        ", ".join(one.file for one in sets),
        sets[0].sha256,
        sum(one.row_count for one in sets),
        lost,
    )
    return Pairs(pairs, data, {"harmless_sha256": sets[1].sha256})


def pairs_of(
    bad: DataSet, harmless: DataSet
) -> tuple[tuple[Pair, ...], tuple[Unscored, ...]]:
    """Return all pairs of two files, and the rows that are in none."""
    found: list[Pair] = []
    lost = [*bad.unscored, *harmless.unscored]
    for data, is_bad in ((bad, True), (harmless, False)):
        for name, rows in _by_pair(data.rows).items():
            pair = _pair(rows, is_bad=is_bad)
            if pair is None:
                lost += (
                    Unscored(0, row.set, f"pair {name!r} is not whole") for row in rows
                )
            else:
                found.append(pair)
    if not any(one.is_bad for one in found) or all(one.is_bad for one in found):
        raise PermanentError(
            f"{bad.file} and {harmless.file} have no whole pairs; give --data pairs of a"
            " right and a wrong claim, --harmless pairs of two right ones (`meta.pair`,"
            " and `meta.side`: before or after)"
        )
    return tuple(found), tuple(lost)


def _by_pair(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.pair or row.id, []).append(row)
    return found


def _pair(rows: Sequence[Row], *, is_bad: bool) -> Pair | None:
    if is_bad:
        before = [row for row in rows if row.label is Label.SUPPORTED]
        after = [row for row in rows if row.label is not Label.SUPPORTED]
    else:
        before = [row for row in rows if row.side == "before"]
        after = [row for row in rows if row.side == "after"]
    if len(before) != 1 or len(after) != 1:
        return None
    [one], [other] = before, after
    return Pair(one.kind or one.set, one.group, one, other, is_bad)


async def _judged(
    pairs: Sequence[Pair], judge: EditJudge, progress: Progress
) -> list[JudgedPair]:
    room = asyncio.Semaphore(_AT_ONCE)

    async def judged(pair: Pair) -> JudgedPair:
        async with room:
            there = await _judge(judge, pair.before, pair.after)
            back = await _judge(judge, pair.after, pair.before) if pair.is_bad else None
        progress.advance()
        return JudgedPair(pair, there, back)

    progress.started(len(pairs))
    return list(await asyncio.gather(*map(judged, pairs)))


async def _judge(judge: EditJudge, before: Row, after: Row) -> EditJudgement:
    passages = case(after).passages
    return await judge.judge_edit(
        after.title, case(before).claim, case(after).claim, passages
    )


def figures(judged: Sequence[JudgedPair], noted_from: float) -> dict[str, Any]:
    """Return the figures of all pairs, and by kind of edit."""
    bad = [one for one in judged if one.pair.is_bad]
    good = [one for one in judged if not one.pair.is_bad]
    groups = [one.pair.group for one in bad]
    moved, harmless = _moved(bad), _moved(good)
    findings = Findings()
    findings.add_mean("edit_accuracy", groups, map(_is_directed, bad))
    for percent in PERCENTS:
        least = threshold_at(harmless, percent / 100)
        findings.add_mean(
            f"found_at_{percent}_percent_of_harmless",
            groups,
            [float(one > least) for one in moved],
        )
    decisions = [
        Decision(one.pair, one.there.moved >= noted_from, _order(one)) for one in judged
    ]
    return {"threshold": noted_from, **decided(decisions, findings)}


def decided(decisions: Sequence[Decision], findings: Findings) -> dict[str, Any]:
    """Return `findings` with those of the decisions, of all pairs and by kind."""
    bad = [one for one in decisions if one.pair.is_bad]
    good = [one for one in decisions if not one.pair.is_bad]
    found, noted = (sum(one.is_noted for one in each) for each in (bad, good))
    findings.add_mean(
        "paired_accuracy",
        [one.pair.group for one in bad],
        [one.order for one in bad],
        "no pair was decided",
    )
    findings.add_share("found", found, len(bad))
    findings.add_share("noted_of_harmless", noted, len(good))
    return {
        "pairs": len(bad),
        "harmless": len(good),
        **findings.to_dict(),
        "precision": {
            name: round(precision_at(rate, found / len(bad), noted, len(good)), 4)
            if bad and good
            else None
            for name, rate in _HARM.items()
        },
        "kinds": {
            kind: _of_kind([one for one in decisions if one.pair.kind == kind])
            for kind in sorted({one.pair.kind for one in decisions})
        },
    }


def threshold_at(harmless: npt.NDArray[np.float64], share: float) -> float:
    """Return the value that at most this share of harmless edits exceed."""
    ranked = np.sort(harmless)[::-1]
    return float(ranked[int(share * len(ranked))])


def _moved(judged: Sequence[JudgedPair]) -> npt.NDArray[np.float64]:
    return np.array([one.there.moved for one in judged], dtype=np.float64)


def _order(one: JudgedPair) -> float:
    before = one.there.before.probabilities.supported
    after = one.there.after.probabilities.supported
    return 0.5 if before == after else float(before > after)


def _is_directed(one: JudgedPair) -> float | None:
    if one.back is None:
        return None
    there, back = one.there.moved, one.back.moved
    return 0.5 if there == back else float(there > back)


def _of_kind(decisions: Sequence[Decision]) -> dict[str, Any]:
    noted = sum(one.is_noted for one in decisions)
    if not decisions[0].pair.is_bad:
        return {"pairs": len(decisions), "noted": noted}
    ordered = sum(one.order for one in decisions) / len(decisions)
    return {
        "pairs": len(decisions),
        "found": noted,
        "paired_accuracy": round(ordered, 4),
    }
