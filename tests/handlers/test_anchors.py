"""A claim is found again in later revisions, whatever its footnote's number."""

import gzip
import html
import json
from collections import Counter

import pytest

from handlers.model import Page, PageId
from handlers.page import parse
from handlers.page.anchors import (
    Anchor,
    Change,
    How,
    anchor_of,
    find,
    find_all,
)
from tests.shared_data import shared_data

REF = "<ref>http://a.org/{} A</ref>"


def page_of(*sentences: str, lead: str = "") -> Page:
    """Build a page on which each sentence has a reference of its own."""
    cited = (each + REF.format(n) for n, each in enumerate(sentences))
    return parse(lead + " ".join(cited), PageId("en.wikipedia.org", "Example"))


def anchor(page: Page, place: int = 0) -> Anchor:
    return anchor_of(page, page.claims[place])


BEFORE = page_of("The bridge opened in 1998.", "It is 50 m long and made of steel.")


def test_a_claim_is_found_again_when_others_come_before_it() -> None:
    later = page_of(
        "Rome is old.", "The [[bridge]] opened in 1998.", "It is 50 m long."
    )

    located = find(anchor(BEFORE), later)

    assert located
    assert (located.how, located.similarity) == (How.EXACT, 1.0)
    assert located.claim is later.claims[1]


def test_an_edited_claim_is_found_with_the_words_that_changed() -> None:
    later = page_of("The new bridge opened in 1998.", "It is short.")

    located = find(anchor(BEFORE), later)

    assert located
    assert located.how is How.EDITED
    assert located.changes == (Change("", "new"),)
    assert 0.8 < located.similarity < 1


@pytest.mark.parametrize(
    ("later", "change"),
    [
        pytest.param("The bridge opened in 1989.", Change("1998", "1989"), id="year"),
        pytest.param(
            "The bridge closed in 1998.", Change("opened", "closed"), id="word"
        ),
        pytest.param(
            "The bridge never opened in 1998.", Change("", "never"), id="negation"
        ),
    ],
)
def test_a_change_of_meaning_is_never_taken_for_the_same_words(
    later: str, change: Change
) -> None:
    located = find(anchor(BEFORE), page_of(later))

    assert located
    assert located.how is How.EDITED
    assert located.changes == (change,)


def test_a_sign_tells_numbers_apart() -> None:
    before, later = page_of("It was -5 degrees."), page_of("It was 5 degrees.")

    located = find(anchor(before), later)

    assert located
    assert located.changes == (Change("-5", "5"),)


def test_a_claim_in_another_section_has_moved() -> None:
    later = page_of("The bridge opened in 1998.", lead="Rome.\n== History ==\n")

    located = find(anchor(BEFORE), later)

    assert located
    assert located.how is How.MOVED


def test_a_claim_that_is_gone_is_not_found() -> None:
    later = page_of("Rome is a city with many people.", "It has a steel bridge.")

    assert find(anchor(BEFORE), later) is None


def test_equal_claims_are_told_apart_by_what_stands_around_them() -> None:
    first = ["Ann ran.", "She won there."]
    second = ["Zoe swam.", "She won there.", "Bob slept."]
    before, later = page_of(*first, *second), page_of(*second, *first)

    located = find(anchor(before, 3), later)

    assert located
    assert located.claim is later.claims[1]


def test_a_deleted_claim_is_not_taken_for_a_similar_one_that_was_there_before() -> None:
    before = page_of("In 1998 he won the cup.", "In 1999 he won the cup.")
    later = page_of("In 1999 he won the cup.")

    found = find_all([anchor(before, 0), anchor(before, 1)], later)

    assert found[0] is None
    assert found[1]
    assert found[1].how is How.EXACT


def test_the_same_value_in_another_row_is_another_claim() -> None:
    table = (
        "{{| \n! Town !! Size\n|-\n! Rome\n| {rome}{a}\n|-\n! Bonn\n| {bonn}{b}\n|}}"
    )
    refs = {"a": REF.format(1), "b": REF.format(2)}
    page_id = PageId("en.wikipedia.org", "Example")
    before = parse(table.format(rome="5,000", bonn="7,000", **refs), page_id)
    later = parse(table.format(rome="7,000", bonn="5,000", **refs), page_id)

    located = find(anchor_of(before, before.claims[0]), later)

    assert located
    assert (located.claim.row, located.how) == ("Rome", How.EDITED)


def test_an_anchor_holds_no_footnote_name_or_number() -> None:
    named = parse('It is.<ref name="q">http://a.org A</ref> So.', PageId("en", "E"))
    plain = parse("It is.<ref>http://b.org B</ref> So.", PageId("en", "E"))

    assert anchor(named) == anchor(plain)


def test_a_page_of_equal_claims_costs_no_more_than_its_length() -> None:
    page = page_of(*["It is so."] * 1_000)

    found = find_all([anchor(page, place) for place in range(len(page.claims))], page)

    assert sum(each is not None for each in found) == len(page.claims)


@pytest.mark.shared_data
def test_claims_of_real_paragraphs_are_found_in_their_later_revision() -> None:
    path = shared_data("editing/wikitext_revision_pairs.jsonl.gz")
    outcomes: Counter[How | None] = Counter()

    with gzip.open(path, "rt") as rows:
        for row in map(json.loads, rows):
            page_id = PageId("en.wikipedia.org", row["title"])
            before = parse(_unescaped(row["old_wikitext"]), page_id)
            later = parse(_unescaped(row["new_wikitext"]), page_id)
            anchors = [anchor_of(before, claim) for claim in before.claims]
            located = find_all(anchors, later)
            outcomes.update(each.how if each else None for each in located)

    assert outcomes.total() > 450
    assert outcomes[How.EXACT] / outcomes.total() > 0.8
    # By eye, the twenty that are gone were deleted or lost their citation.
    assert outcomes[None] / outcomes.total() < 0.06


def _unescaped(wikitext: str) -> str:
    return html.unescape(wikitext) if "&lt;ref" in wikitext else wikitext
