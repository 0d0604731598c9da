"""What reviewers would do with suggestions: `sidenote evaluate reviews`.

WiNELL had editors say of each suggested edit whether they would accept it, accept it
with revisions or reject it, and which errors it has, and reports the shares of each
(its human evaluation: 68, 29 and 3 % of 100 edits) and of each kind of error, in all and
by what the reviewer would do (its Figure 9). The same here, of suggestions: `accept`,
`accept_with_changes`, `reject`; under `errors` the share of reviews that name each kind
of error, under `errors_by_outcome` the same of the reviews with each outcome. A review
may name several errors. Intervals are Wilson's, as wide as if each suggestion had been
reviewed once; agreement is of the outcomes (`bot.research.evaluation.agreement`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.records.accounts import ErrorKind, ReviewOutcome
from bot.research.evaluation.judged_shares import (
    add_agreement,
    add_share,
    by_thing,
    counts_of,
    engines_of,
)
from bot.research.evaluation.judgement_rows import ReviewRow, read_judged
from bot.research.evaluation.report import EvaluationReport, Findings


def evaluate(data: Path) -> EvaluationReport:
    """Report the reviews of one file.

    Raises:
        PermanentError: the file is missing, unreadable or without a usable row.
    """
    read = read_judged(data, ReviewRow)
    return EvaluationReport("reviews", read, engines_of(read), _metrics(read.rows))


def _metrics(rows: Sequence[ReviewRow]) -> dict[str, Any]:
    engines = sorted({row.engine.named for row in rows})
    found = _shares(rows) | {
        "errors": _errors(rows),
        "errors_by_outcome": {
            _name(outcome.value): _errors([r for r in rows if r.outcome is outcome])
            for outcome in ReviewOutcome
            if any(row.outcome is outcome for row in rows)
        },
    }
    if len(engines) > 1:
        found["by_engine"] = {
            name: _shares([row for row in rows if row.engine.named == name])
            for name in engines
        }
    return found


def _shares(rows: Sequence[ReviewRow]) -> dict[str, Any]:
    findings = Findings()
    for each in ReviewOutcome:
        hits = [row.outcome is each for row in rows]
        add_share(findings, _name(each.value), rows, hits)
    said = by_thing(rows, [row.outcome for row in rows])
    add_agreement(findings, said)
    several = sum(len(each) > 1 for each in said.values())
    return {**counts_of(rows), "judged_by_several": several, **findings.to_dict()}


def _errors(rows: Sequence[ReviewRow]) -> dict[str, Any]:
    findings = Findings()
    for each in ErrorKind:
        hits = [each in row.errors for row in rows]
        add_share(findings, each.name.lower(), rows, hits)
    faultless = [not row.errors for row in rows]
    add_share(findings, "none", rows, faultless)
    return {"judgements": len(rows), **findings.to_dict()}


def _name(words: str) -> str:
    return words.replace(" ", "_")
