"""Sentences that repeat their source: which are named, and how long the note stays."""

from dataclasses import replace

import pytest

from handlers.findings import Suggestion, finding_of
from handlers.model import ClaimCheck, Page, PageId, SourceText
from handlers.page import parse
from handlers.registry import KINDS, PageNow
from handlers.review.copied import CopiedFinding, copied_sentences
from tests import builders

_TAKEN = (
    "the waterwheel measures five metres across and is the largest breastshot wheel"
    " that still works in the whole of eastern Scotland today"
)
_REF = "<ref>https://news.example/1</ref>"


def _page(body: str) -> Page:
    return parse(f"== History ==\n{body}{_REF}", PageId("en.wikipedia.org", "Mill"))


def _checks(page: Page, said: str = f"In fact {_TAKEN}.") -> list[ClaimCheck]:
    return [
        builders.claim_check(
            None,
            claim,
            fetches=tuple(
                builders.fetch(one, document=SourceText(said)) for one in claim.sources
            ),
        )
        for claim in page.claims
    ]


def _found(body: str, known: tuple[Suggestion, ...] = ()) -> tuple[Suggestion, ...]:
    page = _page(body)
    return copied_sentences(page, PageNow(page).wording, _checks(page), known)


def test_the_words_in_a_row_are_counted_and_marked_with_no_flag() -> None:
    [found] = _found(f"By now {_TAKEN}.")

    finding = finding_of(found, CopiedFinding)
    assert finding is not None
    assert finding.words == len(_TAKEN.split())
    assert [one.of(found.claim) for one in finding.at_fault] == [_TAKEN]
    assert found.flag is None
    assert _TAKEN in found.details.quotes[0].quote


def test_its_quote_begins_with_a_line_and_ends_with_a_word() -> None:
    page = _page(f"By now {_TAKEN}.")
    said = f"The mill, thirty years on\nIn fact {_TAKEN}.\nMore of this"

    [found] = copied_sentences(page, PageNow(page).wording, _checks(page, said), ())
    assert found.details.quotes[0].quote == f"In fact {_TAKEN}"

    taken = f"{_TAKEN} {' '.join(f'wonderful{at}' for at in range(60))}"
    page = _page(f"By now {taken}.")
    [found] = copied_sentences(page, PageNow(page).wording, _checks(page, taken), ())
    assert found.details.quotes[0].quote.split()[-1] in taken.split()


@pytest.mark.parametrize(
    "body",
    [
        f"The paper wrote that “{_TAKEN}” in May.",
        "The wheel, five metres across, is the largest of its kind in the region.",
        f"{{{{Source-attribution}}}} By now {_TAKEN}.",
    ],
)
def test_quotations_own_words_and_free_text_are_not_named(body: str) -> None:
    assert _found(body) == ()


def test_it_stays_while_its_source_is_not_read_and_goes_with_its_words() -> None:
    known = _found(f"By now {_TAKEN}.")
    page = _page(f"A line before it stands here. By now {_TAKEN}.")
    wording = PageNow(page).wording

    assert copied_sentences(page, wording, (), known) == known
    stands = KINDS["copied"].stands
    assert stands is not None
    place = stands(replace(known[0], page=page.id), PageNow(page))
    assert place is not None
    other = _page("By now it is the largest wheel of the region.")
    assert copied_sentences(other, PageNow(other).wording, (), known) == ()
