"""What the verification model is asked about two texts, and what is outdated by it."""

import asyncio
from collections.abc import Sequence
from datetime import date

import pytest

from bot.models.neural import NeuralVerifier
from handlers.model import (
    Claim,
    Engine,
    Passage,
    Probabilities,
    Statement,
    Verdict,
    Verification,
)
from handlers.updates.entailment import (
    OUTDATED_FROM,
    CachedVerifier,
    both_values,
    judged,
    may_be_outdated,
    outdated,
    values_in_role,
)
from tests.handlers.updates.builders import statement

LIKELY = Probabilities(0.7, 0.1, 0.05, 0.15)


class Telling:
    """A verifier that gives the same answer and keeps what it was asked."""

    engine = Engine("telling", "1")

    def __init__(self) -> None:
        self.requests: list[tuple[str, Claim, tuple[Passage, ...]]] = []

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert passages, "a verifier is never asked about no passage"
        self.requests.append((title, claim, tuple(passages)))
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
    [(title, claim, passages)] = verifier.requests
    assert found == LIKELY
    assert (title, claim.text, claim.sentence) == ("The band", "She left", "She left")
    assert (claim.section, claim.context) == (("History",), "It was founded in 1999.")
    assert passages[0].text == "She left in May."
    assert {one.source_key for one in passages} == {"premise 0", "premise 1"}
    assert len(passages) > len(premises)  # a long one is cut


@pytest.mark.parametrize("premises", [[], ["", "  \n"]])
def test_nothing_to_read_supports_nothing_and_refutes_nothing(
    premises: list[str],
) -> None:
    verifier = Telling()
    found = asyncio.run(judged(verifier, "The band", "She left", premises))
    assert (found.supported, found.contradicted, found.not_supported) == (0, 0, 1)
    assert not verifier.requests


def test_the_same_question_is_asked_once_and_the_oldest_forgotten_first() -> None:
    verifier = Telling()
    remembering = CachedVerifier(verifier, most_remembered=2)

    async def ask(*texts: str) -> None:
        for text in texts:
            await judged(remembering, "The band", text, ["She left."])

    asyncio.run(ask("one", "one", "two", "one", "three", "two", "one"))
    assert [claim.text for _, claim, _ in verifier.requests] == [
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
    assert [one.text for _, _, [one] in verifier.requests] == [
        "She left.",
        "She stayed.",
    ]


TITLE = "Harbour Bridge"
CARS = "As of May 2024, it carries 12,000 cars a day."
MORE = "Harbour Bridge now carries 15,000 cars a day."


@pytest.fixture(scope="module")
def judge() -> NeuralVerifier:
    return NeuralVerifier()


KNOWN, DAY = date(2024, 5, 1), date(2026, 10, 4)


def test_two_values_in_one_role_are_both_named() -> None:
    found = values_in_role(TITLE, CARS, MORE)
    assert found is not None
    assert (found.old, found.new) == ("12,000", "15,000")
    assert both_values(found, DAY) == (
        "“12,000” in the article, “15,000” in the source dated 2026-10-04"
    )


@pytest.mark.parametrize(
    "fact",
    [
        "Harbour Bridge still carries 12,000 cars a day.",
        "Harbour Bridge was painted red by the council.",
    ],
)
def test_where_no_value_differs_none_is_named(fact: str) -> None:
    assert values_in_role(TITLE, CARS, fact) is None


def test_nothing_can_be_held_against_an_empty_text() -> None:
    assert values_in_role(TITLE, "", MORE) is None
    assert values_in_role(TITLE, CARS, " ") is None


@pytest.mark.parametrize(
    ("said", "fact", "is_outdated"),
    [
        (CARS, MORE, True),
        ("population: 5,120", "Port Example has a population of 5,480.", True),
        (CARS, "Harbour Bridge was painted red by the council.", False),
        (CARS, "Harbour Bridge carries 12,000 cars a day.", False),
    ],
)
async def test_the_judge_knows_what_is_outdated(
    judge: NeuralVerifier, said: str, fact: str, is_outdated: bool
) -> None:
    assert (await outdated(judge, TITLE, said, fact) >= OUTDATED_FROM) is is_outdated


@pytest.mark.parametrize(
    ("said", "fact", "may"),
    [
        (statement(CARS, as_of=KNOWN), MORE, True),
        # What was so on a day of the past stays true of that day …
        (statement("In 2010 it carried 9,000 cars a day."), MORE, False),
        # … unless the newer source tells of the same day.
        (
            statement("In 2010 it carried 9,000 cars a day."),
            "In 2010 Harbour Bridge carried 9,500 cars a day.",
            True,
        ),
        # A newer page that tells of older days tells nothing newer.
        (
            statement("It carries 12,000 cars a day."),
            "In 1999 it carried 5,000 cars a day.",
            False,
        ),
        (statement("It carries 12,000 cars a day."), MORE, True),
    ],
)
def test_a_statement_ages_by_the_time_it_is_about(
    said: Statement, fact: str, may: bool
) -> None:
    assert may_be_outdated(said, KNOWN, fact, DAY) is may


def test_a_source_that_is_no_newer_makes_nothing_outdated() -> None:
    assert not may_be_outdated(statement(CARS, as_of=KNOWN), KNOWN, MORE, KNOWN)


def test_without_values_only_the_day_is_given() -> None:
    assert both_values(None, DAY) == "the source dated 2026-10-04 says otherwise"
