"""Text that nobody marked where its sentences begin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.drafts.unmarked import is_unmarked, stretches

TOLD = (
    "delegates at a conference in glasgow voted by three to one in favour of the offer"
    " despite it being tied to modernisation and falling far below the 40 per cent rise"
    " demanded during the ninemonth protest the agreement is a humiliation for mr"
    " gilchrist who won the general secretaryship by standing on a leftwing ticket which"
    " promised members a massive improvement in pay and conditions"
)
MENU = (
    "news politics health transport education business sport football rugby golf " * 5
)


def test_only_text_without_capitals_and_full_stops_is_unmarked() -> None:
    assert is_unmarked(TOLD + " " + TOLD)
    assert not is_unmarked(f"{TOLD}. {TOLD}.".replace(" the ", ". The "))
    assert not is_unmarked("too short to tell")
    assert not is_unmarked("他说 " * 100 + "The End. " * 20)


def test_a_stretch_ends_where_words_make_a_break_likely() -> None:
    text = (
        "the riders will all meet the fans at the finish line in front of the hotel"
        " it was then time to head back inside and gear up for the journey to the coast"
        " they deserve a race and the whole city was happy to see them after many years"
    )

    assert [one.text.split()[0] for one in stretches(text)] == ["the", "it", "they"]


def test_menus_and_notices_of_the_page_are_left_out() -> None:
    notice = (
        "sign up for the daily newsletter and get the stories of the day to your inbox"
    )
    found = " ".join(one.text for one in stretches(f"{MENU} {TOLD} {notice} {MENU}"))

    assert "voted by three to one" in found
    assert "newsletter" not in found
    assert "rugby golf news" not in found


@given(st.text(alphabet="abc the was\n\t é", max_size=2_000))
def test_each_stretch_stands_in_the_text_at_its_place(text: str) -> None:
    last = 0
    for one in stretches(text):
        assert " ".join(text[one.span.start : one.span.end].split()) == one.text
        assert one.span.start >= last
        last = one.span.end


@pytest.mark.parametrize("text", ["", " ", "\n" * 50, "word", "the " * 50])
def test_text_that_tells_nothing_gives_nothing(text: str) -> None:
    assert list(stretches(text)) == []
