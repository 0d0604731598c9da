import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.extraction.html import visible_size

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
