"""What is counted of the answers to plain cases.

`right` is the share of cases with the very verdict that a reader gives. A false claim is
one that is contradicted, not supported or supported in part alone; it is `confirmed`
where it is called supported. A false alarm is a supported claim that is called
contradicted or not supported. Where the cases come from several files, each is counted
by itself, too.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.report import ATTENTION, Standing
from bot.research.evaluation.judged_shares import add_plain_share
from bot.research.evaluation.plain.cases import Case, Cases
from bot.research.evaluation.report import EvaluationReport, Findings
from handlers.model import Engine

_ALARMS = frozenset({Standing.CONTRADICTED, Standing.NOT_SUPPORTED})


@dataclass(frozen=True, slots=True)
class Answer:
    """A case beside how its claim came to stand, and the first quote, if any."""

    case: Case
    given: Standing
    quote: str | None = None

    @property
    def is_right(self) -> bool:
        """Whether it is the reader's verdict."""
        return self.given is self.case.verdict

    @property
    def is_false_claim(self) -> bool:
        """Whether the page does not bear the claim out, or not in full."""
        return self.case.verdict in ATTENTION

    @property
    def confirms(self) -> bool:
        """Whether a false claim is called supported."""
        return self.is_false_claim and self.given is Standing.SUPPORTED

    @property
    def is_false_alarm(self) -> bool:
        """Whether a supported claim is called contradicted or not supported."""
        return self.case.verdict is Standing.SUPPORTED and self.given in _ALARMS


def report_of(
    data: Cases,
    answers: Sequence[Answer],
    engine: Engine,
    model: Engine | None = None,
    *,
    with_wrong: bool = False,
) -> EvaluationReport:
    """Return the figures of `answers`, all those to the cases of `data`.

    Args:
        data: the cases.
        answers: one for each.
        engine: which judged.
        model: the language model that judged beside it.
        with_wrong: list the answers that are not the reader's, too.
    """
    wrong = [one for one in answers if not one.is_right] if with_wrong else []
    return EvaluationReport(
        "plain",
        data,
        _named(engine) | ({"language_model": _named(model)} if model else {}),
        _metrics(answers),
        rows=tuple(_row(one) for one in wrong),
    )


def _named(engine: Engine) -> dict[str, Any]:
    return {"name": engine.name, "version": engine.version}


def _metrics(answers: Sequence[Answer]) -> dict[str, Any]:
    files = dict.fromkeys(one.case.file for one in answers)
    return {
        **_shares(answers),
        "files": {
            file: _shares([one for one in answers if one.case.file == file])
            for file in files
        },
        "verdicts": _verdicts(answers),
        "kinds": _kinds(answers),
    }


def _shares(answers: Sequence[Answer]) -> dict[str, Any]:
    findings = Findings()
    false = [one for one in answers if one.is_false_claim]
    confirmed = sum(one.confirms for one in false)
    supported = [one for one in answers if one.case.verdict is Standing.SUPPORTED]
    alarms = sum(one.is_false_alarm for one in supported)
    add_plain_share(findings, "right", _right(answers), len(answers))
    add_plain_share(findings, "false_claims_confirmed", confirmed, len(false))
    add_plain_share(findings, "false_alarms", alarms, len(supported))
    return {
        "counts": {
            "cases": len(answers),
            "right": _right(answers),
            "false_claims": len(false),
            "false_claims_confirmed": confirmed,
            "supported": len(supported),
            "false_alarms": alarms,
        },
        **findings.to_dict(),
    }


def _right(answers: Sequence[Answer]) -> int:
    return sum(one.is_right for one in answers)


def _verdicts(answers: Sequence[Answer]) -> Mapping[str, Mapping[str, int]]:
    """Count what was given for each verdict of the reader's."""
    counts = Counter((one.case.verdict, one.given) for one in answers)
    return {
        expected.value: {
            given.value: counts[expected, given]
            for given in Standing
            if counts[expected, given]
        }
        for expected in Standing
        if any(one.case.verdict is expected for one in answers)
    }


def _kinds(answers: Sequence[Answer]) -> Mapping[str, Mapping[str, int]]:
    return {
        kind: _kind([one for one in answers if one.case.kind == kind])
        for kind in sorted({one.case.kind for one in answers})
    }


def _kind(answers: Sequence[Answer]) -> Mapping[str, int]:
    return {
        "cases": len(answers),
        "right": _right(answers),
        "false_claims": sum(one.is_false_claim for one in answers),
        "false_claims_confirmed": sum(one.confirms for one in answers),
        "false_alarms": sum(one.is_false_alarm for one in answers),
    }


def _row(answer: Answer) -> Mapping[str, Any]:
    case = answer.case
    header = case.header.model_dump(exclude_none=True) if case.header else None
    return {
        "id": case.id,
        "page": case.page,
        "kind": case.kind,
        "claim": case.claim,
        **({"header": header} if header else {}),
        "verdict": case.verdict.value,
        "given": answer.given.value,
        "quote": answer.quote,
    }
