import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
