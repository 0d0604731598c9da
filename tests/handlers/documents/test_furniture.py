"""Of a page only the sentences of its main text are read, not what is around it."""

import pytest

from handlers.documents.document import Document, Screen
from handlers.documents.gate import PageGate
from handlers.sources.reliability import ReliabilityLists
from handlers.text.words import Rarity
from tests.handlers.updates.builders import document, subject

GATE = PageGate(("Harbour Bridge",), "", Rarity(30_000, 10, {}))
TEXT = (
    "Harbour Bridge was closed to lorries after engineers had found cracks in two of its"
    " cables. The council of Port Example voted for repairs on Friday night. They are to"
    " be paid from the budget of the region, said the mayor of Port Example."
)


def read(text: str) -> list[str]:
    fetch = document("https://news.example/2026/10/04/lorries", text)
    found = Screen(subject(), ReliabilityLists(())).document(fetch, GATE)
    assert isinstance(found, Document)
    return [one.text for one in found.found]


@pytest.mark.parametrize(
    "furniture",
    [
        "Ann Palm is a reporter in Port Example.",  # shorter than a paragraph
        "Photographs of Harbour Bridge are sold at the office of the Port Example News.",
        "If you have seen cracks in Harbour Bridge, write to us at the Port Example News.",
        "Reporting by Ann Palm, Bea Oakes, Cleo Stone, Dan Hill and Eve Brook in Port Example.",
        "Read more 5 of 10|Harbour Bridge is seen from the quay in Port Example in May.",
        "© 2026 Port Example News, all rights reserved in the town of Port Example.",
        "Share Copy link By Ann PalmOctober 4, 2026 Harbour Bridge was closed on Friday.",
        "Subscribe to the newsletter of the Port Example News to read more of Ann Palm.",
    ],
)
def test_what_stands_alone_or_speaks_to_the_reader_is_left_out(furniture: str) -> None:
    menu = "Home\nNews\nSport\nWeather\nAbout\nContact\n"
    assert read(f"{TEXT}\n{menu}{furniture}\n{menu}") == read(TEXT)


def test_a_page_of_one_short_paragraph_is_read() -> None:
    short = (
        "Harbour Bridge was closed to lorries by the council of Port Example on Friday."
    )
    assert read(f"Home\nNews\n{short}\nContact\n") == [short]


def test_paragraphs_of_one_sentence_are_read_where_they_follow_each_other() -> None:
    lines = TEXT.replace(". ", ".\n")
    assert read(lines) == read(TEXT)
