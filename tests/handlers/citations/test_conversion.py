"""Measures of a claim are judged in the units of the source."""

import pytest

from handlers.citations.annotation import read
from handlers.citations.passages import cut
from handlers.citations.values import converted
from handlers.model import SourceText
from tests.builders import claim


def _in_terms_of(source: str, text: str) -> str:
    return converted(claim(text), cut(SourceText(source), "key"), read).text


@pytest.mark.parametrize(
    ("source", "text", "becomes"),
    [
        (
            "The ferry, a 61-metre vessel, was late.",
            "The ferry is about 200 feet long.",
            "The ferry is about 61-metre long.",
        ),
        (
            "It leaked some 12,000 litres of dye.",
            "12 cubic metres of dye ran out.",
            "12,000 litres of dye ran out.",
        ),
        (
            "The cave stays between 7 and 9 °C.",
            "It lives at 45 to 48 °F.",
            "It lives at 45 to 9 °C.",
        ),
        (
            "About two fifths of what we make is sold abroad.",
            "About 40 per cent of its output is exported.",
            "About two fifths of its output is exported.",
        ),
        (
            "Great Varrow is home to almost seven in ten islanders.",
            "Almost 70% of the islanders live there.",
            "Almost seven in ten of the islanders live there.",
        ),
        (
            "From 1974 to 1996 he taught at the conservatory.",
            "He was a teacher for 22 years.",
            "He was a teacher for 1974 to 1996.",
        ),
    ],
)
def test_a_measure_is_given_as_the_source_gives_it(
    source: str, text: str, becomes: str
) -> None:
    assert _in_terms_of(source, text) == becomes


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("It is 61 m long.", "It is 300 feet long.", id="another value"),
        pytest.param("It is 61 m long.", "It is 61 m long.", id="the same unit"),
        pytest.param(
            "It is 61 m (200 ft) long.", "It is 200 feet long.", id="both units"
        ),
        pytest.param(
            "He taught there from 1974. He died in 1996.",
            "He was a teacher for 22 years.",
            id="years of two sentences",
        ),
        pytest.param(
            "From 1974 to 1996, 22 years, he taught there.",
            "He was a teacher for 22 years.",
            id="years that are counted out",
        ),
        pytest.param("140 mph winds.", "It moved 140 miles.", id="other dimensions"),
        pytest.param("He was 10 years old.", "Some 10% left.", id="years, no share"),
        pytest.param("Some 61 people came.", "It is 200 feet long.", id="no measure"),
        pytest.param("It was 40% full.", "He came second in 1940.", id="none claimed"),
    ],
)
def test_anything_else_stays_as_it_is_written(source: str, text: str) -> None:
    statement = claim(text)

    assert converted(statement, cut(SourceText(source), "key"), read) is statement
