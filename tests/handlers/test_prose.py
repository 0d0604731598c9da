"""Wikitext becomes the text a reader sees, and the way back is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.model import Span
from handlers.page.prose import Prose, prose_of, tidy
from handlers.page.scan import scan

PIECES = [
    "[[a|b]]",
    "[[c]]",
    "''",
    "'''",
    " ",
    "\n",
    "\n\n",
    "\n* ",
    "&amp;",
    "word",
    ".",
]
PIECES += ["{{nowrap|x y}}", "{{convert|5|km|mi}}", "{{unknown|x}}", "<ref>r</ref>"]
PIECES += ["{{ubl|a|b}}", "<br>", "<!-- c -->", "[http://a.b l]", "{{quote|q|w}}", "[["]


def render(wikitext: str) -> Prose:
    found = scan(wikitext)
    starts = [element.start for element in found.elements]
    return prose_of(wikitext, Span(0, len(wikitext)), found.elements, starts)


@pytest.mark.parametrize(
    ("wikitext", "plain"),
    [
        pytest.param("a [[b c|d]]e f", "a de f", id="link with label"),
        pytest.param("a [[b c]]s", "a b cs", id="link without label"),
        pytest.param("[[:Category:X]]", "Category:X", id="link to a category"),
        pytest.param("a[[Category:X]][[fr:Y]]", "a", id="category and language link"),
        pytest.param("[[CSI: Miami]]", "CSI: Miami", id="title with a colon"),
        pytest.param("[[File:x.jpg|thumb|cap]]b", "b", id="picture"),
        pytest.param("[http://a.b label] x", "label x", id="external link"),
        pytest.param("[http://a.b]x", "x", id="external link without label"),
        pytest.param("'''b''' ''i'' '''''bi'''''", "b i bi", id="bold and italic"),
        pytest.param("l'''Équipe''", "l'Équipe", id="elision before italics"),
        pytest.param("a&nbsp;b &amp; c&#233;", "a b & cé", id="entities"),
        pytest.param("a<ref>x [[y]]</ref>b", "ab", id="reference"),
        pytest.param("End.<ref>x</ref>Next", "End. Next", id="reference between words"),
        pytest.param("a<!-- no -->b", "ab", id="comment"),
        pytest.param("a<br>b", "a\nb", id="line break"),
        pytest.param("a\nb", "a b", id="single line end"),
        pytest.param("a\n\nb", "a\nb", id="paragraphs"),
        pytest.param("a\n* b", "a\nb", id="list item"),
        pytest.param("{{convert|5|km|mi}}", "5 km", id="convert"),
        pytest.param("{{convert|3|to|5|km|mi}}", "3 to 5 km", id="convert range"),
        pytest.param("{{convert|5|ft|11|in|m}}", "5 ft 11 in", id="convert feet"),
        pytest.param("{{lang|fr|''bon'' [[x|y]]}}", "bon y", id="lang"),
        pytest.param("{{lang-de|Haus}}", "Haus", id="lang with code"),
        pytest.param("{{nowrap|a {{nowrap|b}} c}}", "a b c", id="nested nowrap"),
        pytest.param("{{circa|1998}}", "c. 1998", id="circa"),
        pytest.param("{{birth date|1990|1|5|df=y}}", "5 January 1990", id="birth date"),
        pytest.param("{{start date|1990|1|5}}", "January 5, 1990", id="start date"),
        pytest.param("{{start date|1990|\u00b2|1}}", "1990 \u00b2 1", id="odd digits"),
        pytest.param("{{start date|1990|0019999}}", "1990", id="no such month"),
        pytest.param("{{USD|5}}", "US$5", id="currency"),
        pytest.param("{{abbr|AI|artificial}}", "AI", id="abbreviation"),
        pytest.param("{{as of|2020|2}}", "As of February 2020", id="as of"),
        pytest.param("{{as of|2020|lc=y}}", "as of 2020", id="as of in a sentence"),
        pytest.param("a{{nbsp}}b{{snd}}c{{'}}s", "a b – c's", id="signs"),
        pytest.param("{{frac|1|2}} {{frac|3|1|2}}", "1/2 3 1/2", id="fraction"),
        pytest.param("{{height|m=1.8}}", "1.8 m", id="height"),
        pytest.param("{{formatnum:1234}}", "1234", id="parser function"),
        pytest.param("a {{unknown|b}} c", "a c", id="unknown template"),
        pytest.param("a{{ubl|b|c}}d", "a\nb\nc\nd", id="list template"),
        pytest.param("{{ubl|class=q|title=t|b}}c", "t\nb\nc", id="list with a title"),
        pytest.param("a{{quote|b|by c}}d", "a\nb\nd", id="quotation"),
        pytest.param(
            "{{citation needed span|a b|date=x}}", "a b", id="tag around words"
        ),
        pytest.param("x<math>y^2</math>", "xy^2", id="formula"),
    ],
)
def test_markup_is_shown_as_a_reader_sees_it(wikitext: str, plain: str) -> None:
    assert render(wikitext).text == plain


def test_a_range_of_the_text_leads_back_to_its_wikitext() -> None:
    wikitext = "It is {{convert|5|km|mi}} from '''[[Rome|the city]]''' &amp; so on."
    prose = render(wikitext)
    start = prose.text.index("5 km")

    found = prose.wikitext_of(start, prose.text.index(" &"))

    assert Span(*found).of(wikitext) == "{{convert|5|km|mi}} from '''[[Rome|the city"


def test_the_place_of_a_marker_is_behind_the_words_before_it() -> None:
    wikitext = "It ''was'' so<ref>x</ref> and {{nowrap|so<ref>y</ref> it}} is."
    prose = render(wikitext)

    places = [prose.offset_of(wikitext.index(ref)) for ref in ("<ref>x", "<ref>y")]

    assert [prose.text[:place] for place in places] == ["It was so", "It was so and so"]


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        pytest.param("Foo ( ; born 1950) is", "Foo (born 1950) is", id="opening"),
        pytest.param("Foo () is", "Foo is", id="nothing inside"),
        pytest.param("Foo , bar", "Foo, bar", id="before a comma"),
        pytest.param("a  b\nc", "a b c", id="white space"),
    ],
)
def test_what_vanished_templates_leave_behind_goes(text: str, tidied: str) -> None:
    assert tidy(text) == tidied


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_every_letter_of_the_text_comes_from_its_part_of_the_wikitext(
    wikitext: str,
) -> None:
    prose = render(wikitext)

    for part, start in enumerate(prose.plain_starts[:-1]):
        end = prose.plain_starts[part + 1]
        source = wikitext[prose.wiki_starts[part] : prose.wiki_ends[part]]
        shown = prose.text[start:end]
        assert shown == source or shown.isspace() or len(shown) != len(source)
    assert list(prose.wiki_starts) == sorted(prose.wiki_starts)
    assert prose.plain_starts[-1] == len(prose.text)
