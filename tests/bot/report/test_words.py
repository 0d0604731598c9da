import pytest

from bot.report.words import clean, clean_for_terminal, clipped, shortened
from handlers.citations.quote_links import Piece


def test_controls_are_replaced_one_for_one_so_that_offsets_stay_true() -> None:
    hostile = "a\x1b[2Jb\x00c\x9bd\ud800e\r"

    cleaned = clean(hostile)

    assert cleaned == "a�[2Jb�c�d�e�"


def test_line_breaks_and_tabs_are_text() -> None:
    assert clean("a\n\tb") == "a\n\tb"


def test_a_change_of_direction_does_not_reach_the_terminal() -> None:
    assert clean_for_terminal("safe\u202egnp.exe\u2066 x\n y") == "safegnp.exe x y"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        pytest.param("one two", "one two", id="short enough"),
        pytest.param("one two three four", "one two…", id="cut at a word"),
        pytest.param("Donaudampfschifffahrt", "Donaudampfs…", id="one long word"),
    ],
)
def test_shortening_cuts_at_words(text: str, short: str) -> None:
    assert shortened(text, 12) == short


def test_clipping_keeps_marks_and_says_where_it_cut() -> None:
    words = (Piece("one "), Piece("two", marked=True), Piece(" three four"))

    assert clipped(words, 30) == words
    assert clipped(words, 14) == (*words[:2], Piece(" three"), Piece("…"))
