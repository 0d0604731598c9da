"""Drafts that are short take sentences of second choice, and pages without capitals."""

from dataclasses import replace

import pytest

from handlers.drafts.chunking import chunks_of
from handlers.drafts.embedded.choosing import filled
from handlers.drafts.embedded.costing import cost_of, undated_cost
from handlers.drafts.embedded.quarry import ENGINE
from handlers.drafts.embedded.surveying import Survey, Surveyor
from handlers.drafts.embedded.torn import is_torn
from handlers.drafts.embedded.writer import EmbeddedWriter
from handlers.drafts.roles import Order
from handlers.drafts.unmarked import stretches
from handlers.model import Outline, PlannedSection, Topic
from tests.handlers.drafts.puppets import BagEncoder, document

TOPIC = Topic("2024 Port Example flood")
SURE = "The 2024 Port Example flood killed 12 people in the town on 3 October 2024. The flood in Port Example destroyed 300 homes and two bridges of the town. "
DOUBTFUL = "Volunteers from the county brought 900 blankets to Exford School. The school had been built by John Doe in 1954 for 300 pupils of the town. "
UNMARKED = (
    "the river rose after two days of rain and the fire service brought 120 people out of"
    " the town by boat the council said that the bridge was closed and that it would be"
    " rebuilt in the spring because its piers were damaged by trees that the water had"
    " carried down from the hills "
)


async def _survey() -> Survey:
    """Return a survey with two quotes of first and two of second choice."""
    page = document(0, SURE + DOUBTFUL, TOPIC.title)
    made = await Surveyor(BagEncoder()).survey(TOPIC, [page], ())
    assert len(made.quotes) == 4
    return replace(made, second=frozenset({2, 3}))


async def test_second_choice_comes_where_words_are_left_behind_all_of_the_first() -> (
    None
):
    found = filled(await _survey(), range(4), 1_600)

    assert set(found.at[:2]) == {0, 1}
    assert set(found.at[2:]) == {2, 3}


@pytest.mark.parametrize("words", [13, 25, 30, 40])
async def test_no_second_choice_fills_a_gap_of_a_few_words(words: int) -> None:
    assert set(filled(await _survey(), range(4), words).at) <= {0, 1}


async def test_what_is_least_worth_is_not_taken_for_any_length() -> None:
    made = await _survey()

    found = filled(replace(made, worths=(0.9, 0.8, 0.3, 0.05)), range(4), 1_600)

    assert set(found.at) == {0, 1, 2}


async def test_the_lead_has_no_sentence_of_second_choice() -> None:
    surveyor = _Fixed(replace(await _survey(), worths=(1.5,) * 4))
    page = document(0, SURE + DOUBTFUL, TOPIC.title)
    chunks = chunks_of(page)
    lead = PlannedSection("", words=500)
    order = Order(TOPIC, Outline((lead,), ENGINE), lead, chunks, (page,), (), 500)

    [written] = (await EmbeddedWriter(BagEncoder(), surveyor).write(order)).value

    told = [one.text for one in written.sentences]
    assert any("killed 12" in one for one in told)
    assert not any("blankets" in one or "school" in one for one in told)


class _Fixed(Surveyor):
    """A surveyor that gives the same survey to all."""

    def __init__(self, made: Survey) -> None:
        super().__init__(BagEncoder())
        self._fixed = made

    async def survey(self, *_: object) -> Survey:
        return self._fixed


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
