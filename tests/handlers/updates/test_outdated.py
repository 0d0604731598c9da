"""Which statements a newer fact makes outdated, and the values that are named."""

from datetime import date

import pytest

from bot.models.neural import NeuralVerifier
from handlers.model import Statement
from handlers.updates.entailment import (
    OUTDATED_FROM,
    both_values,
    may_be_outdated,
    outdated,
    values_in_role,
)
from tests.handlers.updates.builders import statement

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
