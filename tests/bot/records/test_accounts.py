"""What readers decide about newer facts says whether these were right."""

from datetime import UTC, datetime

import pytest

from bot.records.accounts import Decision, DecisionKind, DismissReason, says_right
from handlers.model import CheckKind, Engine, Verdict


def _wrong(card: Verdict, flag: CheckKind | None, right: Verdict) -> Decision:
    return Decision(
        wiki="en.wikipedia.org",
        title="Harbour Bridge",
        identity="a" * 64,
        kind=DecisionKind.WRONG_VERDICT,
        verdict=card,
        engine=Engine("minilm", "3"),
        flag=flag,
        flag_probability=0.9,
        revision=7,
        decided_at=datetime(2026, 11, 20, tzinfo=UTC),
        right_verdict=right,
    )


@pytest.mark.parametrize(
    ("card", "flag", "right", "was_right", "is_refusal"),
    [
        (Verdict.CONTRADICTED, CheckKind.OUTDATED, Verdict.SUPPORTED, False, True),
        (Verdict.CONTRADICTED, CheckKind.OUTDATED, Verdict.NOT_SUPPORTED, False, False),
        (
            Verdict.CONTRADICTED,
            CheckKind.OUTDATED,
            Verdict.PARTIALLY_SUPPORTED,
            True,
            False,
        ),
        (Verdict.SUPPORTED, CheckKind.NEW_FACT, Verdict.NOT_SUPPORTED, False, True),
        (Verdict.SUPPORTED, CheckKind.NEW_FACT, Verdict.CONTRADICTED, False, True),
        (
            Verdict.SUPPORTED,
            CheckKind.NEW_FACT,
            Verdict.PARTIALLY_SUPPORTED,
            False,
            False,
        ),
        (Verdict.SUPPORTED, None, Verdict.NOT_SUPPORTED, None, True),
        (Verdict.NOT_SUPPORTED, None, Verdict.SUPPORTED, None, True),
    ],
)
def test_another_verdict_says_whether_a_newer_fact_was_right(
    card: Verdict,
    flag: CheckKind | None,
    right: Verdict,
    was_right: bool | None,
    is_refusal: bool,
) -> None:
    decision = _wrong(card, flag, right)

    assert says_right(flag, decision.kind, None, right) is was_right
    assert decision.is_refusal is is_refusal


@pytest.mark.parametrize(
    ("reason", "was_right", "is_refusal"),
    [
        (DismissReason.NEW_WORDS_RIGHT, False, True),
        (DismissReason.COPYEDIT, False, True),
        (DismissReason.SOURCE_OLD, None, False),
    ],
)
def test_a_reason_says_whether_the_note_about_an_edit_was_right(
    reason: DismissReason, was_right: bool | None, is_refusal: bool
) -> None:
    flag = CheckKind.NOT_SUPPORTED

    assert says_right(flag, DecisionKind.DISMISS, reason, None) is was_right
    assert reason.is_refusal is is_refusal
