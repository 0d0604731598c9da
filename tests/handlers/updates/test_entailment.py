"""What the verification model is asked about any two texts."""

import asyncio
from collections.abc import Sequence

import pytest

from handlers.model import (
    Claim,
    Engine,
    Passage,
    Probabilities,
    Verdict,
    Verification,
)
from handlers.updates.entailment import CachedVerifier, judged

LIKELY = Probabilities(0.7, 0.1, 0.05, 0.15)


class Telling:
    """A verifier that gives the same answer and keeps what it was asked."""

    engine = Engine("telling", "1")

    def __init__(self) -> None:
        self.asked: list[tuple[str, Claim, tuple[Passage, ...]]] = []

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert passages, "a verifier is never asked about no passage"
        self.asked.append((title, claim, tuple(passages)))
        return Verification(Verdict.SUPPORTED, LIKELY, (), (), self.engine)


def test_a_text_is_judged_by_all_premises_each_a_source_of_its_own() -> None:
    verifier = Telling()
    premises = ["She left in May.", "He came in June. " * 30]
    found = asyncio.run(
        judged(
            verifier,
            "The band",
            "She left",
            premises,
            section=("History",),
            context="It was founded in 1999.",
        )
    )
    [(title, claim, passages)] = verifier.asked
    assert found == LIKELY
    assert (title, claim.text, claim.sentence) == ("The band", "She left", "She left")
    assert (claim.section, claim.context) == (("History",), "It was founded in 1999.")
    assert passages[0].text == "She left in May."
    assert {one.source_key for one in passages} == {"premise 0", "premise 1"}
    assert len(passages) > len(premises)  # a long one is cut


def test_refuting_is_the_probability_of_the_contrary() -> None:
    found = asyncio.run(judged(Telling(), "The band", "She left", ["She stayed."]))
    assert found.contradicted == LIKELY.contradicted


@pytest.mark.parametrize("premises", [[], ["", "  \n"]])
def test_nothing_to_read_supports_nothing_and_refutes_nothing(
    premises: list[str],
) -> None:
    verifier = Telling()
    found = asyncio.run(judged(verifier, "The band", "She left", premises))
    assert (found.supported, found.contradicted, found.not_supported) == (0, 0, 1)
    assert not verifier.asked


def test_the_same_question_is_asked_once_and_the_oldest_forgotten_first() -> None:
    verifier = Telling()
    remembering = CachedVerifier(verifier, most_remembered=2)

    async def ask(*texts: str) -> None:
        for text in texts:
            await judged(remembering, "The band", text, ["She left."])

    asyncio.run(ask("one", "one", "two", "one", "three", "two", "one"))
    assert [claim.text for _, claim, _ in verifier.asked] == [
        "one",
        "two",
        "three",
        "one",
    ]
    assert remembering.engine == verifier.engine


def test_other_premises_are_another_question() -> None:
    verifier = Telling()
    remembering = CachedVerifier(verifier)

    async def ask() -> None:
        await judged(remembering, "The band", "She left", ["She left."])
        await judged(remembering, "The band", "She left", ["She stayed."])

    asyncio.run(ask())
    assert [one.text for _, _, [one] in verifier.asked] == ["She left.", "She stayed."]
