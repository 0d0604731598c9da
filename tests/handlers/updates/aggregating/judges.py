"""Judges for the aggregator's tests, as strict as the real ones."""

from collections.abc import Mapping, Sequence

from handlers.model import (
    Claim,
    Engine,
    Passage,
    Probabilities,
    Verdict,
    Verification,
)
from tests.handlers.updates.builders import stems

SAID = Probabilities(0.95, 0.02, 0.02, 0.01)
AGAINST = Probabilities(0.02, 0.02, 0.06, 0.9)
SILENT = Probabilities(0.05, 0.05, 0.88, 0.02)
IN_PART = Probabilities(0.3, 0.55, 0.1, 0.05)


class ByWords:
    """Says what the test says of a claim beside evidence that holds some words."""

    engine = Engine("by words", "1")

    def __init__(self, answers: Mapping[tuple[str, str], Probabilities]) -> None:
        self._answers = answers
        self.questions = 0

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title, "a verifier is told which article it judges"
        assert passages, "a verifier is never asked about no passage"
        self.questions += 1
        evidence = " ".join(one.text for one in passages)
        likely = next(
            (
                answer
                for (of_claim, of_evidence), answer in self._answers.items()
                if of_claim in claim.text and of_evidence in evidence
            ),
            SILENT,
        )
        return Verification(Verdict.SUPPORTED, likely, (), (), self.engine)


class SharedWords:
    """Takes the share of stems that two texts have in common for their likeness."""

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        return [[_alike(one, other) for other in others] for one in texts]


def _alike(one: str, other: str) -> float:
    first, second = stems(one), stems(other)
    return len(first & second) / max(1, min(len(first), len(second)))
