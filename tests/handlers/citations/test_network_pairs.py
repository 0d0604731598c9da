import pytest

from handlers.citations.network_input import about, sentence
from handlers.model import ClaimKind
from tests.builders import claim


def test_title_section_and_the_words_before_tell_what_it_is_about() -> None:
    words = about(
        "Leeds",
        claim(
            section=("History", "Railways"),
            context=" ".join(["early", *("word " * 30).split(), "late."]),
        ),
    )
    assert words.startswith("Leeds | Railways | word")
    assert words.endswith("late.")
    assert "early" not in words


def test_what_is_not_known_leaves_no_gap() -> None:
    assert about("Leeds", claim(section=(), context="")) == "Leeds"
    assert about("", claim(section=(), context="")) == ""


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [
        ("Injuries", None, "Injuries: 22"),
        ("1990", "Points", "1990, Points: 22"),
        (None, None, "22"),
    ],
)
def test_a_cell_is_read_as_what_its_headers_make_of_it(
    row: str | None, column: str | None, expected: str
) -> None:
    cell = claim("22", kind=ClaimKind.TABLE_CELL, row=row, column=column)
    assert sentence(cell) == expected


def test_a_sentence_is_read_as_it_is() -> None:
    assert sentence(claim("It opened.")) == "It opened."
