"""Answers of a language model, counted, and the weight of the verifier beside it."""

from typing import Any

from bot.models.operating_points import shipped_trust
from bot.research.training.model_trust import trust_file
from handlers.model import Verdict

_SURE = {
    "supported": 0.9,
    "partially supported": 0.05,
    "not supported": 0.04,
    "contradicted": 0.01,
}
_AGAINST = _SURE | {"supported": 0.1, "not supported": 0.84}


def _row(label: str, before: dict[str, float], answer: str | None) -> dict[str, Any]:
    return {
        "id": "a", "label": label, "before": before, "said": answer,
        "setback": None if answer else "its answer was cut off", "supported": 0.5,
    }  # fmt: skip


def _report(*rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "data": {"file": "rows.jsonl", "sha256": "0" * 64},
        "metrics": {"model": {"name": "m"}},
        "rows": list(rows),
    }


def test_answers_are_counted_by_what_is_true_and_what_was_said() -> None:
    rows = [_row("supported", _SURE, "supported")] * 4
    rows += [
        _row("supported", _SURE, "partially supported"),
        _row("supported", _SURE, None),
    ]

    file = trust_file(
        [_report(*rows), _report(_row("not supported", _AGAINST, "contradicted"))]
    )

    assert file.answers == {
        Verdict.SUPPORTED: {Verdict.SUPPORTED: 4, Verdict.PARTIALLY_SUPPORTED: 1},
        Verdict.NOT_SUPPORTED: {Verdict.CONTRADICTED: 1},
    }
    assert [one.answers for one in file.provenance] == [5, 1]


def test_a_verifier_that_is_right_weighs_more_than_one_that_is_wrong() -> None:
    def weight(*, is_right: bool) -> float:
        good, bad = (_SURE, _AGAINST) if is_right else (_AGAINST, _SURE)
        rows = [
            _row(label, shares, answer)
            for label, shares in (("supported", good), ("not supported", bad))
            for answer in ("supported", "not supported")
            for _ in range(5)
        ]
        return trust_file([_report(*rows)]).verifier_weight

    assert weight(is_right=True) == 1.0
    assert weight(is_right=False) == 0.0


def test_what_ships_was_counted_on_named_data() -> None:
    trust = shipped_trust()

    assert sum(sum(counts.values()) for counts in trust.answers.values()) >= 50
    assert 0 < trust.verifier_weight < 1
