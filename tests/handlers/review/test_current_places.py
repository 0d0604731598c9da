"""What a review found is found again on the page as it reads now, without a review."""

from dataclasses import replace

import pytest

from handlers.findings import CurrentPlace, Suggestion
from handlers.model import IssueKind, Page, Review
from handlers.review.review import review
from handlers.review.suggestions import ReviewedPage, suggestions_of
from handlers.updates.subject import statements_of
from tests import writing_runs as runs
from tests.shared_data import shared_data

_UNSOURCED = "The mill was moved to the harbour in 1902 by its owners."


def _stood(found: Suggestion, wikitext: str, revision: int = 71) -> CurrentPlace | None:
    page = runs.page(wikitext, revision)
    return ReviewedPage(page, statements_of(page)).find(found)


def _made(kind: IssueKind, quote: str, section: tuple[str, ...]) -> Suggestion:
    page = runs.page()
    finding = runs.puffery(kind=kind, quote=quote, section=section, marked=())
    [found] = suggestions_of(page, Review(page, (finding,), frozenset()))
    return found


def test_words_are_found_where_they_went() -> None:
    moved = f"First.\n\n{runs.WIKITEXT}".replace("== Tower ==", "== Buildings ==")

    found = _stood(runs.suggestion(), moved)

    assert found
    assert found.section == ("Buildings",)
    assert moved[found.place :].startswith(runs.PRAISED)


def test_mended_words_are_settled() -> None:
    mended = runs.WIKITEXT.replace("iconic ", "")

    assert _stood(runs.suggestion(), mended) is None


def test_in_the_revision_that_was_checked_every_finding_stands() -> None:
    unlike = runs.suggestion(claim="These words stand nowhere.")

    stood = _stood(unlike, runs.WIKITEXT, 70)
    assert stood
    assert (stood.words, stood.place) == (unlike.claim, unlike.place)
    assert _stood(unlike, runs.WIKITEXT, 71) is None


def test_of_a_long_sentence_its_first_words_are_enough() -> None:
    found = runs.suggestion(claim=runs.PRAISED[:30])

    assert _stood(found, runs.WIKITEXT)


@pytest.mark.parametrize(
    ("behind", "is_settled"),
    [
        ("", False),
        ("<ref>{{cite web|url=https://a.example/|title=A}}</ref>", True),
        ("{{citation needed|date=May 2026}}", True),
        (" It stands still.<ref>[https://a.example/ A]</ref>", True),
        ("\n* It stands still.<ref>[https://a.example/ A]</ref>", False),
        ("\n\nIt stands still.<ref>[https://a.example/ A]</ref>", False),
    ],
)
def test_a_paragraph_with_a_source_is_settled(behind: str, *, is_settled: bool) -> None:
    found = _made(IssueKind.UNSOURCED, _UNSOURCED, ("Tower",))
    wikitext = runs.WIKITEXT.replace(runs.PRAISED, f"{_UNSOURCED}{behind}")

    assert (_stood(found, wikitext) is None) == is_settled


def test_a_finding_about_a_section_ends_with_its_heading() -> None:
    found = _made(IssueKind.OVERLONG_SECTION, "Tower", ("Tower",))
    moved = f"First.\n\n{runs.WIKITEXT}"

    stood = _stood(found, moved)

    assert stood
    assert moved[stood.place :].startswith("== Tower ==")
    assert _stood(found, runs.WIKITEXT.replace("= Tower =", "= Towers =")) is None


def _of(path_name: str, wikitext: str) -> Page:
    page = runs.page(wikitext)
    return replace(page, id=replace(page.id, title=path_name))


def test_all_that_a_review_finds_in_real_articles_is_found_again() -> None:
    folder = shared_data("wikitext_articles/text")
    some = sorted(folder.iterdir())[:40:8]
    for file in some:
        page = _of(file.stem, file.read_text("utf-8"))
        found = suggestions_of(page, review(page))
        later = replace(page, id=replace(page.id, revision_id=71))
        wording = ReviewedPage(later, statements_of(later))

        lost = [one.claim for one in found if wording.find(one) is None]

        assert lost == [], file.name
