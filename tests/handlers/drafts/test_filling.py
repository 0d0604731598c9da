"""Drafts that are short take sentences of second choice, and pages without capitals."""

import pytest

from handlers.drafts.chunking import chunks_of
from handlers.drafts.drafting import draft
from handlers.drafts.embedded import EMBEDDED_RULES
from handlers.drafts.embedded.costing import cost_of, undated_cost
from handlers.drafts.embedded.torn import is_torn
from handlers.drafts.roles import Rules
from handlers.drafts.unmarked import stretches
from handlers.model import Topic
from tests.handlers.drafts.puppets import cast, document

TOPIC = Topic("2024 Port Example flood")
SURE = "The 2024 Port Example flood killed 12 people in the town on 3 October 2024. The flood in Port Example destroyed 300 homes and two bridges of the town. "
DOUBTFUL = "Volunteers from the county brought 900 blankets to Exford School. The school had been built by John Doe in 1954 for 300 pupils of the town. "
UNMARKED = (
    "the river rose after two days of rain and the fire service brought 120 people out of"
    " the town by boat the council said that the bridge was closed and that it would be"
    " rebuilt in the spring because its piers were damaged by trees that the water had"
    " carried down from the hills "
)


async def _words(rules: Rules) -> tuple[list[str], list[str]]:
    made = await draft(
        TOPIC, [document(0, SURE + DOUBTFUL, TOPIC.title)], cast(), rules
    )
    lead = [one.text for one in made.sections[0].sentences]
    return lead, [one.text for one in made.sentences]


async def test_sentences_of_second_choice_fill_a_short_draft_but_not_its_lead() -> None:
    lead, told = await _words(EMBEDDED_RULES)

    assert any("blankets" in one for one in told)
    assert not any("blankets" in one for one in lead)


async def test_where_words_are_few_only_the_best_are_told() -> None:
    _, told = await _words(Rules(words=25, chunks=40))

    assert told
    assert not any("blankets" in one for one in told)


def test_a_chunk_of_a_page_without_capitals_ends_where_a_stretch_ends() -> None:
    text = UNMARKED * 12
    chunks = chunks_of(document(0, text), 60)

    assert len(chunks) > 4
    for one in stretches(text):
        assert any(
            chunk.span.start <= one.span.start and one.span.end <= chunk.span.end
            for chunk in chunks
        )


def test_names_written_small_are_names() -> None:
    text = "the mayor of exford john doe gave a stunning bridge to the town"

    assert cost_of(text, 0, unmarked=False) is None
    assert cost_of(text, 0, unmarked=True) is not None


def test_a_row_of_headlines_costs_more_than_prose() -> None:
    row = (
        "lions beat tigers owls win again jane roe leads the hawks to a title in exford"
    )
    prose = "the council said that the bridge was closed and that it would be rebuilt"

    assert (cost_of(row, 0, unmarked=True) or 0) > (
        cost_of(prose, 0, unmarked=True) or 0
    )


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("The river rose on Monday.", True),
        ("The river rose on Monday, 3 October 2024.", False),
        ("The river rose.", False),
    ],
)
def test_a_day_that_nobody_can_name_costs(text: str, *, is_open: bool) -> None:
    assert (undated_cost(text) > 0) is is_open


def test_covid19_is_a_word() -> None:
    assert not is_torn("the wave of covid19 ended in may", frozenset())


def test_a_commission_is_no_advertisement() -> None:
    text = "The European Commission adopted the directive on 3 May 2019 in Exford."

    assert cost_of(text, 4, unmarked=False) is not None
