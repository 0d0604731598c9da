"""Text out of a page, and what of it a reader would see."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.extraction.html import visible_size
from bot.sources.extraction.text import clean_line, clean_text, unwrap

ANY_TEXT = st.text(st.characters(), max_size=200)  # lone surrogates too


CLEANED = {
    "spaces": ("a \t\xa0\u2003b", "a b"),
    "line ends": ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
    "empty lines": ("\n\n a \n \n\nb\n", "a\nb"),
    "zero bytes": ("a\x00b", "ab"),
    "controls": ("a\x07\x1bb\x9f", "ab"),
    "soft hyphens and marks": ("co\xadop\ufeff\u200b", "coop"),
    "direction overrides": ("a\u202eb\u2066c", "abc"),
    "joiners stay": ("नि\u200dर", "नि\u200dर"),
    "composed": ("e\u0301", "é"),
    "lone surrogate": ("a\ud800b", "a\ufffdb"),
    "pair of surrogates": ("\ud83d\ude00", "😀"),
}


@pytest.mark.parametrize(("raw", "clean"), CLEANED.values(), ids=CLEANED)
def test_text_is_cleaned(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


def test_a_line_stays_one_line() -> None:
    assert clean_line(" The\n great   flood ") == "The great flood"


@pytest.mark.parametrize("tidy", [clean_text, unwrap])
@given(raw=ANY_TEXT)
def test_whatever_comes_in_is_fit_to_be_stored(tidy, raw: str) -> None:  # type: ignore[no-untyped-def] # a function of two
    text = tidy(raw)

    text.encode("utf-8")
    assert "\x00" not in text
    assert "\n\n" not in text
    assert "  " not in text
    assert unicodedata.is_normalized("NFC", text)
    assert text == text.strip(" \n")


@given(raw=ANY_TEXT)
def test_cleaning_twice_changes_nothing(raw: str) -> None:
    once = clean_text(raw)

    assert clean_text(once) == once


def test_lines_of_a_fixed_width_become_paragraphs_again() -> None:
    raw = (
        "STORM REPORT\n\n"
        "A tornado touched down near the river and moved to the north-\n"
        "east, where it caused damage to several homes and a meeting-\n"
        "house before it lifted near the county line.\n"
        "Peak winds:   110 mph\n"
        "Path length:  12.4 miles\n\n"
        "The survey went on for two days after the storm had passed and was\n"
        "led by\n"
        "- the county\n"
        "- the weather service\n"
    )

    assert unwrap(raw).split("\n") == [
        "STORM REPORT",
        "A tornado touched down near the river and moved to the northeast, where it"
        " caused damage to several homes and a meetinghouse before it lifted near the"
        " county line.",
        "Peak winds: 110 mph",
        "Path length: 12.4 miles",
        "The survey went on for two days after the storm had passed and was led by",
        "- the county",
        "- the weather service",
    ]


def test_sentences_on_lines_of_their_own_stay_there() -> None:
    raw = (
        "The bridge was opened to the public in May 1958.\nIt was closed again in 1961."
    )

    assert unwrap(raw) == raw


SHOWN = {
    "words": ("<p>one two</p>", "onetwo"),
    "script": ("a<script>if (1<2) x()</script>b", "ab"),
    "style in capitals": ("a<STYLE>p{}</sTyLe >b", "ab"),
    "comment": ("a<!-- <p>no</p> -->b", "ab"),
    "comment that never ends": ("a<!-- b", "a"),
    "bracket in a value": ("<p title='a > b' data-x=\"<p>no</p>\">c", "c"),
    "apostrophe outside a value": ("<p it's>don't</p>", "don't"),
    "quote that never ends": ('<p title="x>a<p>b', "ab"),
    "bracket in text": ("2 < 3 and 3 > 2", "2<3and3>2"),
    "tag that never ends": ("a<p title", "a"),
    "entities": ("A&amp;B&nbsp;&#160;C&#x41;", "A.BC."),
    "declaration": ("<!doctype html><?php x ?>a", "a"),
    "script that never ends": ("a<script>b", "a"),
}


@pytest.mark.parametrize(("markup", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_is_shown_is_counted(markup: str, shown: str) -> None:
    assert visible_size(markup) == len(shown)


@given(st.text(alphabet="<>!-/ab=\"' scriptyle&;#", max_size=120))
def test_any_markup_is_counted_at_most_once(markup: str) -> None:
    assert 0 <= visible_size(markup) <= len(markup)


@pytest.mark.parametrize(
    "unit", ["<div>", '<a b="', "<!--", "<script>", "<p a='", "<", "&amp"]
)
def test_half_a_million_characters_of_torn_markup_come_to_an_end(unit: str) -> None:
    assert visible_size(unit * (500_000 // len(unit))) >= 0
