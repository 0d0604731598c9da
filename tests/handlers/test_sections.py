import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.model import Section
from handlers.page.scan import scan
from handlers.page.sections import find_sections
from tests.shared_data import shared_data


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
