from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.quote_links import (
    Piece,
    closed_up,
    joined,
    pieces,
    quote_in_place,
    shifted,
)
from handlers.model import Span
from tests.builders import QUOTE, SOURCE_TEXT, evidence, span_of

spans = st.builds(Span, st.integers(-5, 60), st.integers(-5, 60))


@given(text=st.text(max_size=50), marked=st.lists(spans, max_size=6))
def test_cutting_loses_no_character_and_adds_none(
    text: str, marked: list[Span]
) -> None:
    cut = pieces(text, marked)

    assert "".join(piece.text for piece in cut) == text


@given(text=st.text(min_size=1, max_size=50), marked=st.lists(spans, max_size=6))
def test_exactly_the_characters_in_a_span_are_marked(
    text: str, marked: list[Span]
) -> None:
    wanted = [
        any(one.start <= at < one.end for one in marked) for at in range(len(text))
    ]

    cut = pieces(text, marked)

    assert [piece.marked for piece in cut for _ in piece.text] == wanted


def test_overlapping_marks_become_one_run_of_marked_words() -> None:
    cut = pieces("abcdef", (Span(1, 4), Span(2, 5)))

    assert "".join(piece.text for piece in cut if piece.marked) == "bcde"
    assert cut[0] == Piece("a")


@pytest.mark.parametrize(
    ("text", "marked", "shown"),
    [
        pytest.param(
            "long, central tower", ["central", "tower"], ["central tower"], id="a space"
        ),
        pytest.param("low-end EF3", ["low", "end"], ["low-end"], id="a hyphen"),
        pytest.param(
            "seven, fifty", ["seven", "fifty"], ["seven", "fifty"], id="a comma"
        ),
        pytest.param("big and red", ["big", "red"], ["big", "red"], id="a word"),
    ],
)
def test_marks_that_touch_become_one(
    text: str, marked: list[str], shown: list[str]
) -> None:
    spans = [span_of(words, text) for words in marked]

    assert [span.of(text) for span in joined(text, spans)] == shown


def test_empty_lines_are_left_out_and_the_ends_stay() -> None:
    assert closed_up(" one \n\n \n two\n\n") == " one\ntwo\n"
    assert closed_up("\n \n") == "\n"
    assert closed_up("") == ""


def test_a_moved_span_never_starts_before_the_text() -> None:
    assert shifted((Span(0, 3), Span(2, 9)), -5) == (Span(0, 4),)


def test_a_quote_stands_in_its_surroundings() -> None:
    place = quote_in_place(evidence(), around=60)

    assert "".join(piece.text for piece in place.quote) == QUOTE
    assert f"{place.before}{QUOTE}{place.after}" in SOURCE_TEXT
    assert (place.cut_before, place.cut_after) == (True, True)
    assert place.before.startswith("Damage in this area was")


def test_a_quote_at_the_edge_of_its_passage_has_nothing_more_to_show() -> None:
    place = quote_in_place(evidence(QUOTE, text=QUOTE))

    assert (place.before, place.after) == ("", "")
    assert (place.cut_before, place.cut_after) == (False, False)


def test_the_second_of_two_equal_quotes_is_shown_where_it_stands() -> None:
    text = "It rained. Later in the day it stopped. It rained."
    second = replace(evidence("It rained.", text=text, matching=()), span=Span(40, 50))

    place = quote_in_place(second)

    assert place.before == "It rained. Later in the day it stopped. "


def test_words_matching_outside_the_quote_are_not_marked_in_it() -> None:
    found = evidence("The tornado lifted", matching=("six people", "lifted"))

    place = quote_in_place(found)

    assert [piece.text for piece in place.quote if piece.marked] == ["lifted"]


@pytest.mark.parametrize(
    ("text", "span", "marked"),
    [
        ("a low risk of EF2+ tornadoes", (14, 16), "EF2"),
        ("it was unbelievable", (9, 16), "unbelievable"),
        ("in 1874, they say", (4, 6), "1874"),
        ("whole word", (0, 5), "whole"),
        ("東京は日本の首都である", (2, 3), "は"),
    ],
)
def test_a_mark_never_cuts_a_word(
    text: str, span: tuple[int, int], marked: str
) -> None:
    [found] = joined(text, [Span(*span)])

    assert found.of(text) == marked
