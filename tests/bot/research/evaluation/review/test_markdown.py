"""Articles in Markdown: their citations in all the ways that systems write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bot.research.evaluation.review.markdown import (
    normal,
    read_markdown,
    statements_by_rules,
)
from tests.linear import is_linear, repeated

LISTED = "\n\n## References\n[1] One, https://one.example/a.\n2. Two https://two.example/b_(c)\n"


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("The bridge was opened in 1931.[1]", ("1",)),
        ("The bridge was opened in 1931 [1, 2].", ("1", "2")),
        ("The bridge was opened in 1931.[^1][^2]", ("1", "2")),
        ("The bridge was opened in 1931 [1-2].", ("1", "2")),
        ("The bridge was opened in 1931【2†source】.", ("2",)),
        ("The bridge was opened in 1931 [[2]](https://two.example/b_(c)).", ("2",)),
        ("The bridge was opened in 1931 ([Two](https://two.example/b_(c))).", ("2",)),
        ("The bridge was opened in 1931.", ()),
    ],
)
def test_marks_are_read_and_left_out_of_the_words(
    text: str, refs: tuple[str, ...]
) -> None:
    read = read_markdown(f"# Bridge\n\n{text}{LISTED}")

    [one] = statements_by_rules(read)
    assert one.text == "The bridge was opened in 1931."
    assert one.refs == refs
    assert read.references == {
        "1": "https://one.example/a",
        "2": "https://two.example/b_(c)",
    }
    assert one.urls == tuple(read.references[ref] for ref in refs)


def test_a_mark_covers_the_sentences_before_it_in_its_paragraph() -> None:
    text = "The bridge was opened in 1931. It has seven arches.[2] It is grey stone.\n\nIt burnt down in 2022.[1]"

    read = read_markdown(text + LISTED)

    assert [one.refs for one in statements_by_rules(read)] == [
        ("2",),
        ("2",),
        (),
        ("1",),
    ]


def test_a_range_is_all_numbers_in_it() -> None:
    read = read_markdown(f"The bridge was opened in 1931 [1–3].{LISTED}")

    assert [one.refs for one in statements_by_rules(read)] == [("1", "2", "3")]


@given(some.text(max_size=300))
def test_the_standard_form_is_read_as_the_same(text: str) -> None:
    once = normal(f"{text}\n\nIt was opened in 1931 ([One](https://one.example/a)).")

    first, second = read_markdown(once), read_markdown(normal(once))
    assert first.references == second.references
    assert statements_by_rules(first) == statements_by_rules(second)


@pytest.mark.parametrize(
    ("before", "unit", "behind"),
    [
        ("a", " ", "b"),
        ("# a", " ", "b"),
        ("", "\n", ""),
        ("", "\n ", ""),
        ("References", " ", "x"),
    ],
    ids=("blanks", "heading", "lines", "blank lines", "list heading"),
)
def test_blanks_take_no_longer_than_words(before: str, unit: str, behind: str) -> None:
    blanks = repeated(unit)

    assert is_linear(lambda n: f"{before}{blanks(n)}{behind}", normal, 100_000)
