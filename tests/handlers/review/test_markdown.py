"""A draft in Markdown is read as if it were wikitext."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.model import PageId
from handlers.page import parse
from handlers.review.markdown import has_footnotes, title_of, wikitext_of
from tests.linear import is_linear, repeated

_DRAFT = """\
# Harbour Bridge

**Harbour Bridge** is a bridge.[^1] It is *old*.

## History
It opened in 1932 ([Port News](https://news.example/1)). See [the site](https://b.example).
It has two lanes [[2]](https://news.example/2).

> A quotation of somebody.

### Lanes
- One lane
1. First

[^1]: [A book](https://book.example)
"""


def test_headings_links_lists_and_footnotes_become_wikitext() -> None:
    text = wikitext_of(_DRAFT)

    assert title_of(_DRAFT) == "Harbour Bridge"
    assert "== History ==" in text
    assert "=== Lanes ===" in text
    assert "'''Harbour Bridge''' is a bridge.<ref>" in text
    assert "''old''" in text
    assert "[https://b.example the site]" in text
    assert "<blockquote>A quotation of somebody.</blockquote>" in text
    assert "* One lane" in text
    assert "# First" in text


def test_only_notes_that_say_something_are_footnotes() -> None:
    assert has_footnotes(_DRAFT)
    assert not has_footnotes("# Bridge\n\nA bridge.[^1] See [it](https://b.example).")


def test_long_lines_are_paragraphs_and_broken_lines_are_one() -> None:
    long = "The bridge carries two lanes of the road between the towns. " * 3
    broken = "The bridge carries two lanes\nof the road. It is old.\nIt is blue."

    assert wikitext_of(f"{long}\nIt is old.\n{long}").count("\n\n") == 2
    assert wikitext_of(broken) == broken


def test_rows_of_tables_are_left_out() -> None:
    assert wikitext_of("Before.\n\n| A | B |\n|---|---|\n| one | two |\n\nAfter.") == (
        "Before.\n\n\n\n\n\nAfter."
    )


def test_citations_are_read_with_their_addresses() -> None:
    page = parse(wikitext_of(_DRAFT), PageId("file", "Harbour Bridge"))

    cited = {source.url for claim in page.claims for source in claim.sources}
    assert cited == {
        "https://news.example/1",
        "https://news.example/2",
        "https://book.example",
    }
    assert [one.path for one in page.sections] == [
        (),
        ("History",),
        ("History", "Lanes"),
    ]


def test_a_draft_without_a_title_keeps_the_ranks_of_its_headings() -> None:
    assert wikitext_of("## History\nIt opened.") == "=== History ===\nIt opened."
    assert title_of("## History") is None


@pytest.mark.parametrize("unit", [" ", "a #", "\t#"])
def test_a_heading_that_has_no_end_takes_no_longer_than_prose(unit: str) -> None:
    blanks = repeated(unit)

    assert is_linear(lambda n: f"# {blanks(n)}{'x' * 600}", wikitext_of, 150_000)


@given(st.text(alphabet="#*_[]()^: \n>-1ahtps/.|<{}", max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert wikitext_of(text).count("\n") == text.count("\n")
