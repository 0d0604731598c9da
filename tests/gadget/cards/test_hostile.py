"""Whatever stands on pages and in sources, an answer can be sent."""

from dataclasses import replace

from gadget.payloads.cards import PageAnswer
from handlers.model import (
    ClaimCheck,
    Verdict,
)
from tests import builders
from tests.gadget.cards.rig import Rig


def test_letters_that_no_answer_can_carry_are_replaced(rig: Rig) -> None:
    bad = "\ud800\x00\x1b[2J"
    text = f"It rained {bad} a lot.<ref>[https://a.example/ Title {bad}]</ref>\n== H{bad} ==\n"

    def hostile(check: ClaimCheck) -> ClaimCheck:
        found = builders.evidence(
            f"So {bad}", text=f"{bad} So {bad}", matching=(), of=check.claim.sources[0]
        )
        return replace(
            check,
            verification=builders.verification(Verdict.NOT_SUPPORTED, found),
        )

    revision = rig.find(text, change=hostile)

    answer = rig.see(revision)

    assert len(answer.cards) == 1
    sent = answer.model_dump_json()
    assert PageAnswer.model_validate_json(sent) == answer
    assert "\\u001b" not in sent
    assert "\\u0000" not in sent
