"""All that a page states, cited or not, and where it stands in the wikitext."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.wiki.folder import read_page_file
from handlers.model import ClaimKind, PageId, Statement
from handlers.page import parse
from handlers.page.article import stated

_ARTICLES = sorted(
    (Path(__file__).parents[2] / "bot" / "demo" / "articles").glob("*.wikitext")
)
_TEXT = """\
{{Infobox lighthouse|name=Hook|height=90&nbsp;m<ref name="h">{{cite web|url=https://a.example/h|title=H}}</ref>|lit=}}
The '''lighthouse''' stands at [[Hook Head|the Hook]].<ref name="h" /> Nobody knows its age.

== Keepers ==
* Robert Readinge came in 1667.
{| class="wikitable"
! Year !! Visitors
|-
! 2019
| 12,400<ref name="h" />
|}
[[Category:Lighthouses]]
"""


def _of(text: str) -> tuple[Statement, ...]:
    return stated(parse(text, PageId("en.wikipedia.org", "Hook Lighthouse")))


def test_sentences_values_and_cells_come_in_the_order_of_the_page() -> None:
    claims = [(one.text, one.kind, one.header, one.is_cited) for one in _of(_TEXT)]

    assert claims == [
        ("Hook", ClaimKind.INFOBOX_VALUE, "name", False),
        ("90 m", ClaimKind.INFOBOX_VALUE, "height", True),
        ("The lighthouse stands at the Hook.", ClaimKind.SENTENCE, None, True),
        ("Nobody knows its age.", ClaimKind.SENTENCE, None, False),
        ("Robert Readinge came in 1667.", ClaimKind.LIST_ITEM, None, False),
        ("12,400", ClaimKind.TABLE_CELL, "2019, Visitors", True),
    ]


def test_the_wikitext_of_a_statement_has_its_markup_and_no_citation() -> None:
    by_text = {one.text: _TEXT[one.span.start : one.span.end] for one in _of(_TEXT)}

    assert by_text["The lighthouse stands at the Hook."] == (
        "The '''lighthouse''' stands at [[Hook Head|the Hook]]."
    )
    assert by_text["90 m"] == "90&nbsp;m"
    assert by_text["12,400"] == "12,400"


def test_what_precedes_a_sentence_in_its_section_is_its_context() -> None:
    by_text = {one.text: one for one in _of(_TEXT)}

    assert by_text["Nobody knows its age."].context == (
        "The lighthouse stands at the Hook."
    )
    assert by_text["Robert Readinge came in 1667."].section == ("Keepers",)


@pytest.mark.parametrize("path", _ARTICLES, ids=lambda path: path.stem)
def test_every_cited_sentence_of_a_real_article_is_stated(path: Path) -> None:
    read = read_page_file(path)
    page = parse(read.wikitext, read.id)
    texts = {one.text for one in stated(page)}
    cited = {
        claim.sentence for claim in page.claims if claim.kind is ClaimKind.SENTENCE
    }

    assert cited - texts == set()


@given(st.text(alphabet="a.B \n='{}[]|<>!-#*", max_size=200))
def test_no_text_makes_it_fail_and_no_span_leaves_the_page(text: str) -> None:
    for one in _of(text):
        assert 0 <= one.span.start <= one.span.end <= len(text)
        assert one.text.strip()
