from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.addresses import depth_of, url_depth
from handlers.citations.ranking import in_order, ranked, unranked
from handlers.model import SourceOutcome, Verdict
from tests.builders import (
    citation,
    claim,
    claim_check,
    fetch,
    page,
    source,
    unchecked,
    unread,
)

PAGE = page().id


@pytest.mark.parametrize(
    ("address", "depth"),
    [
        ("https://example.org", 0),
        ("https://example.org/", 0),
        ("https://example.org/news", 1),
        ("https://example.org/news/2020/05/story.html", 4),
        ("https://example.org//news//", 1),
        ("https://example.org/a?b=/c/d#/e", 1),
        ("https://web.archive.org/web/20200101000000/https://example.org/a/b", 2),
        ("https://example.org/redirect/http://other.org/a", 4),
        ("ftp://example.org/a", None),
        ("mailto:someone@example.org", None),
        ("https://[bad/a", None),
        ("", None),
    ],
)
def test_the_depth_of_an_address_is_the_number_of_elements_in_its_path(
    address: str, depth: int | None
) -> None:
    assert url_depth(address) == depth


@given(st.text())
def test_no_text_breaks_the_depth(address: str) -> None:
    assert url_depth(address) is None or "/" in address


def test_of_several_sources_the_most_specific_counts() -> None:
    front = source(url="https://example.org/", archive_url=None)
    story = source(url="https://example.com/a/b/c", archive_url=None)

    assert depth_of(claim(citations=(citation(front, story),))) == 3
    assert depth_of(claim(citations=())) is None


def test_a_claim_is_ranked_by_how_likely_it_is_not_fully_supported() -> None:
    rows = [
        ranked(claim_check(verdict, claim(verdict.value)), PAGE, None)
        for verdict in Verdict
    ]

    ordered = in_order(row for row in rows if row)

    assert [row.verdict for row in ordered] == [
        Verdict.CONTRADICTED,
        Verdict.NOT_SUPPORTED,
        Verdict.PARTIALLY_SUPPORTED,
        Verdict.SUPPORTED,
    ]
    assert [row.fails for row in ordered] == pytest.approx([0.98, 0.92, 0.79, 0.09])


def test_equal_claims_stand_in_the_order_of_the_page() -> None:
    row = ranked(claim_check(), PAGE, None)
    assert row is not None
    late = replace(row, place=replace(row.place, start=row.place.start + 1))

    assert in_order([late, row]) == [row, late]


def test_what_could_not_be_checked_is_never_ranked() -> None:
    gone = unchecked(SourceOutcome.GONE)

    assert ranked(gone, PAGE, None) is None
    apart = unranked(gone, PAGE, None)
    assert apart is not None
    assert apart.outcome is SourceOutcome.GONE
    assert apart.address == gone.claim.sources[0].url


def test_a_withheld_verdict_is_not_ranked_though_there_are_probabilities() -> None:
    half = replace(
        claim_check(Verdict.NOT_SUPPORTED),
        verdict=None,
        fetches=(fetch(), unread(SourceOutcome.LOGIN_WALL)),
    )

    assert ranked(half, PAGE, None) is None
    apart = unranked(half, PAGE, None)
    assert apart is not None
    assert apart.outcome is SourceOutcome.LOGIN_WALL


def test_a_claim_without_a_citation_stands_nowhere() -> None:
    bare = claim_check(None, claim(citations=()), fetches=())

    assert ranked(bare, PAGE, None) is None
    assert unranked(bare, PAGE, None) is None
