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
PIECES += ["{{nowrap|x y}}", "{{convert|5|km|mi}}", "{{no such|x}}", "<ref>r</ref>"]
PIECES += ["{{ubl|a|b}}", "<br>", "<!-- c -->", "[http://a.b l]", "{{quote|q|w}}", "[["]


PIECES += [
    "{{yes}}",
    "{{circa|{{no such|1}}}}",
    "10<sup>6</sup>",
    "{{frac|1|2}}",
    "<s>x</s>",
    "<del>",
]


def render(wikitext: str, *, is_cell: bool = False) -> Prose:
    found = scan(wikitext)
    starts = [element.start for element in found.elements]
    whole = Span(0, len(wikitext))
    return prose_of(wikitext, whole, found.elements, starts, is_cell=is_cell)


def missing(wikitext: str, *, is_cell: bool = False) -> list[str]:
    gaps = render(wikitext, is_cell=is_cell).gaps
    return [wikitext[gap.start : gap.end] for gap in gaps]


@pytest.mark.parametrize(
    ("wikitext", "plain"),
    [
        pytest.param(
            '<span style="display:none">0999</span>30', "30", id="hidden sort key"
        ),
        pytest.param("5&#8203;000 Donau&shy;schiff", "5000 Donauschiff", id="no signs"),
        pytest.param("a {{langx|fr|Ville}}", "a Ville", id="language with its name"),
        pytest.param(
            "by {{harvtxt|Holm|Lund|1990|p=4}}", "by Holm & Lund (1990)", id="authors"
        ),
        pytest.param(
            "{{harvtxt|Holm|Lund|Berg|Vik|1990}}", "Holm et al. (1990)", id="many"
        ),
        pytest.param(
            "is <syntaxhighlight lang=c inline>x=3</syntaxhighlight> now",
            "is x=3 now",
            id="code in the text",
        ),
        pytest.param("a<includeonly>b</includeonly>c", "ac", id="for other pages"),
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
        pytest.param("a {{no such|b}} c", "a c", id="unknown template"),
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


@pytest.mark.parametrize(
    ("wikitext", "plain"),
    [
        pytest.param("10<sup>6</sup> l", "10^6 l", id="power"),
        pytest.param("10<sup>-7</sup> N", "10^-7 N", id="negative power"),
        pytest.param("2<sup>''n''</sup>", "2^n", id="power that is a letter"),
        pytest.param("10{{sup|6}}", "10^6", id="power by a template"),
        pytest.param("21<sup>st</sup>", "21st", id="ordinal"),
        pytest.param("5 km<sup>2</sup>", "5 km²", id="square"),
        pytest.param("CO<sub>2</sub>", "CO2", id="lowered sign"),
        pytest.param("101<sub>2</sub>", "101_2", id="lowered number"),
        pytest.param("25<sup>1</sup>/<sub>2</sub>", "25 1/2", id="fraction by signs"),
        pytest.param("25{{frac|1|2}}", "25 1/2", id="number and fraction"),
        pytest.param("25<small>1/2</small>", "25 1/2", id="small fraction"),
        pytest.param("<del>40</del><ins>52</ins> m", "52 m", id="struck out"),
        pytest.param("{{nowrap|a <s>40 ''b''</s>52}} m", "a 52 m", id="struck inside"),
        pytest.param("a <s>40 m", "a 40 m", id="never closed"),
        pytest.param("{{val|4.5e9|u=kg}}", "4.5\u00d710^9 kg", id="value, e"),
        pytest.param("{{Zitat|Text=So}}", "So\n", id="name in capitals"),
        pytest.param("3{{sup|1}}/{{sub|2}}", "3 1/2", id="fraction by templates"),
        pytest.param("10{{^|6}}", "10^6", id="raised by a template"),
        pytest.param("{{pow|10|6}}", "10^6", id="power by a template of its own"),
        pytest.param("101{{sub|2}}", "101_2", id="lowered by a template"),
        pytest.param("{{convert|25+1//2|acre}}", "25 1/2 acre", id="mixed, slanted"),
        pytest.param("{{minus}}12", "\u221212", id="sign"),
        pytest.param("{{convert|3.2e6|L}}", "3.2\u00d710^6 L", id="unit and power"),
        pytest.param("{{sclass|Nimitz|carrier}}", "Nimitz-class carrier", id="class"),
        pytest.param("x{{frac|1|2}}", "x1/2", id="letter and fraction"),
        pytest.param("{{convert|12+3/4|mi|km}}", "12 3/4 mi", id="mixed number"),
        pytest.param("{{convert|5|e6acre}}", "5 million acre", id="unit of millions"),
        pytest.param("{{convert|2|mi|440|yd}}", "2 mi 440 yd", id="two units"),
        pytest.param("{{val|1.5|e=21|u=kg}}", "1.5\u00d710^21 kg", id="value, power"),
        pytest.param("{{val|5|2}}", "5 ± 2", id="value with its uncertainty"),
        pytest.param("4.5{{e|9}}", "4.5\u00d710^9", id="power of ten"),
        pytest.param("{{gaps|1|234|567}}", "1234567", id="gaps"),
        pytest.param("{{unité|100|km|2}}", "100 km²", id="number and unit"),
        pytest.param("{{hms|1|20|5}}", "1 h 20 min 5 s", id="time"),
        pytest.param("{{HMS|Victory}}", "HMS Victory", id="ship"),
        pytest.param("{{INRConvert|250|c}}", "₹250 crore", id="amount"),
        pytest.param("{{NOKConvert|1.5|m}}", "NOK 1.5 million", id="another currency"),
        pytest.param("{{percentage|12|48}}", "25%", id="percentage"),
        pytest.param("{{percentage|1|3|1}}", "33.3%", id="percentage, decimals"),
        pytest.param("{{age|1960|5|2|2019|5|1}}", "58", id="age on a day"),
        pytest.param("{{circa|{{age|1960|5|2|2019|6|1}}}}", "c. 59", id="nested"),
        pytest.param("{{circa|1950<ref>x</ref>}}", "c. 1950", id="reference in it"),
        pytest.param(
            "{{coord|52|30|N|13|24|E}}", "52°30\u2032N 13°24\u2032E", id="place"
        ),
        pytest.param("{{won}}, {{nom}}", "Won, Nominated", id="results"),
        pytest.param("{{won|Runner-up}}", "Runner-up", id="result with words"),
        pytest.param("{{yes|Since [[2019]]}}", "Since 2019", id="yes with words"),
        pytest.param("{{no}} {{pending}}", "no Pending", id="cells without words"),
    ],
)
def test_a_number_or_result_of_a_template_is_the_one_that_readers_see(
    wikitext: str, plain: str
) -> None:
    assert render(wikitext).text == plain
    assert missing(wikitext) == []


@pytest.mark.parametrize(
    ("wikitext", "unknown"),
    [
        pytest.param("It is {{no such|5}} m.", "{{no such|5}}", id="not known"),
        pytest.param("It is {{age|1960|5|2}}.", "{{age|1960|5|2}}", id="age today"),
        pytest.param("{{#expr:1+1}} are.", "{{#expr:1+1}}", id="parser function"),
        pytest.param(
            "It is {{convert|{{no such}}|km}}.",
            "{{convert|{{no such}}|km}}",
            id="inside",
        ),
        pytest.param(
            "{{convert|5|km|mi|disp=out}} is.",
            "{{convert|5|km|mi|disp=out}}",
            id="other",
        ),
        pytest.param(
            "{{nowrap|a {{no such}}}} b", "{{no such}}", id="inside what is shown"
        ),
        pytest.param(
            "{{percentage|1|0}} b", "{{percentage|1|0}}", id="nothing to compute"
        ),
    ],
)
def test_a_template_that_may_show_words_leaves_a_gap(
    wikitext: str, unknown: str
) -> None:
    assert missing(wikitext) == [unknown]


@pytest.mark.parametrize(
    "wikitext",
    [
        "It{{efn|a}} is{{cn}} big{{rp|5}}{{sfn|A|2001}}.",
        "{{flagicon|NED}} A {{anchor|b}}is {{IPAc-en|b}} {{ISBN|1}}.",
        "{{Some box}}\nIt is.",
        "{{Some box}}{{Some other}}\nIt is.",
        "{{Some box\n|a = b}} It is.",
        "It is.\n{{Some picture}}\nIt was.",
        "{{coord|33|N|65|E|display=title}} It is.",
        "It is{{snd}}so. {{nts|5}} {{fr icon}}",
        "It is.{{no such tag|reason=why|date=May 2020}}",
    ],
)
def test_a_template_that_shows_no_words_leaves_none(wikitext: str) -> None:
    assert missing(wikitext) == []


@pytest.mark.parametrize(
    ("wikitext", "plain", "is_gap"),
    [
        ("{{no such|Since 2019}}", "Since 2019", False),
        ("{{no such|Since 2019}}<ref>x</ref>", "Since 2019", False),
        ("{{no such|5}}", "", True),
        ("{{no such|a|b}}", "", True),
        ("{{no such}}", "No such", True),
        ("{{flagicon|NED}}", "", False),
    ],
)
def test_a_template_that_is_all_of_a_cell_shows_its_words(
    wikitext: str, plain: str, is_gap: bool
) -> None:
    assert render(wikitext, is_cell=True).text == plain
    assert bool(missing(wikitext, is_cell=True)) is is_gap


def test_a_gap_stands_where_its_words_would() -> None:
    wikitext = "It is {{no such|5}} m. It {{no such|6}}."
    prose = render(wikitext)

    assert [prose.text[: gap.at] for gap in prose.gaps] == ["It is ", "It is m. It "]


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


@pytest.mark.parametrize(
    "drawn", [r"<math>\frac{3}{4}</math>", "<hiero>A1</hiero>", "<score>c d</score>"]
)
def test_a_formula_that_is_drawn_is_missing(drawn: str) -> None:
    assert missing(f"a {drawn} b") == [drawn]
    assert render(f"a {drawn} b").text == "a b"
