"""How a text is divided into sections, sentences and words."""

# ruff: noqa: RUF001  (the full stops of other scripts are meant)

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.model import Section, Span
from handlers.page.prose import normalised
from handlers.page.scan import scan
from handlers.page.sections import find_sections
from handlers.page.sentences import split
from tests.shared_data import shared_data

CASES = {
    "plain": ["It opened in 1998.", "It closed in 2004."],
    "titles": ["Mr. Smith met Dr. Jones at St. Ives.", "They left."],
    "initials": ["J. K. Rowling wrote it.", "John F. Kennedy read it."],
    "dotted country inside": ["He sat in the U.S. Congress.", "He left."],
    "dotted country at the end": ["It is in the U.S.", "The law differs there."],
    "decimal": ["It cost $3.5 million.", "It fell to 2.5 m."],
    "decimal at the end": ["It began at 3.13 and ended at 3.19.", "Readers left."],
    "number sign": ["It reached No. 5 in the chart.", "It stayed."],
    "the word no": ["He said no.", "She agreed."],
    "a common word before a full stop": ["It is a work of art.", "The end."],
    "for example": ["Tools, e.g. Hammers, i.e. Things, were sold.", "All went."],
    "circa": ["Born c. 1990 in Paris.", "Died there."],
    "et al before a capital": ["Smith et al. showed it.", "Jones et al. Research did."],
    "month": ["He died in Jan. 2003 at home.", "See pp. 3–5."],
    "ellipsis inside": ["I saw... nothing at all.", "It went."],
    "ellipsis at the end": ["Wait...", "What?"],
    "spaced ellipsis": ["He said . . . nothing.", "She left."],
    "quote after the full stop": ['He said "No."', "She left."],
    "opening quote": ["He left.", '"Stay," she said.'],
    "brackets": ["He died.", "(She lived.)", "They met."],
    "exclamation inside a name": ["Yahoo! is a firm.", "Is it?", "Yes!"],
    "Roman numeral": ["It was in World War I.", "The war ended."],
    "digits begin a sentence": ["It closed.", "2004 was better."],
    "Chinese": ["他来了。", "她走了！", "好？"],
    "Chinese quote": ["他说：“好。”", "然后走了。"],
    "Hindi": ["यह है।", "वह है।"],
    "Arabic": ["هل هو؟", "نعم."],
    "German ordinal": ["Am 3. März kam er.", "Er ging."],
}


def texts(text: str) -> list[str]:
    return [span.of(text) for span in split(text)]


@pytest.mark.parametrize(
    "sentences",
    [pytest.param(expected, id=name) for name, expected in CASES.items()],
)
def test_a_text_is_split_into_its_sentences(sentences: list[str]) -> None:
    glue = "" if sentences[0][-1] in "。”" else " "

    found = texts(glue.join(sentences))

    assert found == sentences


def test_a_company_form_ends_a_sentence_only_before_a_word_that_starts_one() -> None:
    text = "Apple Inc. Records left. He ran Foo Ltd. Then he left."

    found = texts(text)

    assert found == ["Apple Inc. Records left.", "He ran Foo Ltd.", "Then he left."]


def test_a_line_break_always_ends_a_sentence() -> None:
    text = "milk, e.g.\nbread and\n\nbutter"

    found = texts(text)

    assert found == ["milk, e.g.", "bread and", "butter"]


def test_a_text_without_words_has_no_sentences() -> None:
    assert split(" \n ") == ()


@given(st.text(alphabet="aA1. !?\"')\n。…", max_size=60))
def test_sentences_are_in_order_and_cover_all_but_white_space(text: str) -> None:
    spans = split(text)

    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    assert edges == sorted(edges)
    between = [Span(edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]
    assert not "".join(gap.of(text) for gap in between).strip()
    assert all(span.of(text) == span.of(text).strip() != "" for span in spans)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("The “Bridge”, OPENED.", "the bridge opened", id="case"),
        pytest.param("It was -5 degrees", "it was -5 degrees", id="a sign"),
        pytest.param("1998-2003", "1998 2003", id="a range"),
        pytest.param("1,000.5 m (60%)", "1,000.5 m 60 %", id="units"),
    ],
)
def test_case_and_punctuation_do_not_count_numbers_and_units_do(
    text: str, words: str
) -> None:
    assert normalised(text) == words


def sections_of(wikitext: str) -> tuple[Section, ...]:
    return find_sections(scan(wikitext))


def test_the_lead_comes_first_and_headings_nest_by_level() -> None:
    wikitext = "lead\n== A ==\na\n=== B ===\nb\n==== C ====\nc\n== D ==\nd"

    sections = sections_of(wikitext)

    assert [(each.level, each.path) for each in sections] == [
        (0, ()),
        (2, ("A",)),
        (3, ("A", "B")),
        (4, ("A", "B", "C")),
        (2, ("D",)),
    ]
    assert [each.body.of(wikitext) for each in sections] == [
        "lead\n",
        "a\n",
        "b\n",
        "c\n",
        "d",
    ]


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        pytest.param("== A ==", "A", id="plain"),
        pytest.param("==A==", "A", id="no spaces"),
        pytest.param("== ''A'' & [[B|C]] ==", "A & C", id="markup"),
        pytest.param("== A &amp; B<ref>c</ref> ==", "A & B", id="entity and ref"),
        pytest.param("== {{lang|fr|Été}} <!-- x --> ==", "Été", id="template"),
        pytest.param("=== A ==", "= A", id="uneven"),
        pytest.param("== A == <!-- x -->", "A", id="comment behind"),
    ],
)
def test_titles_are_plain_text(heading: str, title: str) -> None:
    sections = sections_of(f"{heading}\ntext")

    assert sections[1].path == (title,)


@pytest.mark.parametrize(
    ("wikitext", "levels"),
    [
        pytest.param("", [0], id="nothing"),
        pytest.param("== A ==\n", [0, 2], id="no lead"),
        pytest.param("======= A =======\n", [0, 6], id="seven signs are level six"),
        pytest.param("a\n=== B ===\n== C ==\n", [0, 3, 2], id="out of order"),
    ],
)
def test_levels_count_the_signs(wikitext: str, levels: list[int]) -> None:
    assert [each.level for each in sections_of(wikitext)] == levels


def test_a_section_that_is_out_of_order_has_no_false_parent() -> None:
    sections = sections_of("\n=== B ===\n== C ==\n=== D ===\n")

    assert [each.path for each in sections] == [(), ("B",), ("C",), ("C", "D")]


def test_numbers_count_the_headings_in_templates_as_mediawiki_does() -> None:
    wikitext = (
        "lead {{box|\n== A ==\n}}<!--\n== B ==\n-->\n== C ==\n<nowiki>\n== D ==\n"
        "</nowiki><ref>{{x|\n== E ==\n}}</ref>\n{|\n|\n=== F ===\n|}\n== G ==\n"
    )

    numbers = {each.path[-1:]: each.number for each in sections_of(wikitext)}

    assert numbers == {(): 0, ("C",): 2, ("F",): 3, ("G",): 4}


@given(st.text(alphabet="=a \n<!->{}|é\ud800", max_size=200))
@settings(max_examples=300, deadline=None)
def test_sections_join_to_the_page(wikitext: str) -> None:
    sections = sections_of(wikitext)

    assert "".join(each.span.of(wikitext) for each in sections) == wikitext
    for each in sections:
        assert each.span.start <= each.body.start <= each.body.end == each.span.end


@pytest.mark.shared_data
def test_sections_of_real_articles_join_to_the_page() -> None:
    folder = shared_data("wikitext_articles") / "text"

    texts = [path.read_bytes().decode() for path in folder.iterdir()]

    assert len(texts) == 216
    for text in texts:
        sections = sections_of(text)
        assert "".join(each.span.of(text) for each in sections) == text
        for section in sections[1:]:
            assert text.startswith("=" * section.level, section.span.start)
