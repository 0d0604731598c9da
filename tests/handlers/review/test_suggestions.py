"""What a review finds is shown under a name that lasts, the surest of it first."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.findings import Suggestion, WritingFinding, finding_of
from handlers.model import CheckKind, IssueKind, Review, Span, Verdict, WritingIssue
from handlers.page import parse
from handlers.review.criteria import address_of
from handlers.review.review import review
from handlers.review.suggestions import chosen, identity_of, is_reviewed, suggestions_of
from tests import builders
from tests import writing_runs as runs

_WORDS = {IssueKind.PUFFERY, IssueKind.WEASEL}


def _found(*findings: WritingIssue) -> tuple[Suggestion, ...]:
    return suggestions_of(runs.page(), Review(runs.page(), findings, frozenset()))


def test_a_finding_says_nothing_against_its_sources() -> None:
    [one] = _found(runs.puffery())

    assert (one.claim, one.section, one.verdict) == (
        runs.PRAISED,
        ("Tower",),
        Verdict.SUPPORTED,
    )
    assert one.flag
    assert (one.flag.kind, one.flag.probability) == (CheckKind.WRITING, 0.75)
    note = finding_of(one, WritingFinding)
    assert note
    assert (note.flaw, note.guideline) == (IssueKind.PUFFERY, "MOS:PUFFERY")
    assert [span.of(one.claim) for span in note.at_fault] == ["iconic"]
    assert one.page.title in parse(runs.WIKITEXT, one.page).wikitext


def test_each_kind_is_silenced_alone_where_readers_find_it_useless() -> None:
    puffery, tone = _found(runs.puffery(), runs.puffery(kind=IssueKind.TONE))

    assert puffery.engine != tone.engine


def test_edits_elsewhere_change_no_name_and_mended_words_do() -> None:
    moved = f"New words.\n\n{runs.WIKITEXT}".replace("== Tower ==", "== Buildings ==")
    mended = runs.WIKITEXT.replace("iconic ", "")

    before, after, rest = (
        {one.identity for one in _told(each)} for each in (runs.WIKITEXT, moved, mended)
    )

    assert before
    assert before <= after
    [gone] = [one for one in _told(runs.WIKITEXT) if one.identity in before - rest]
    assert gone.claim == runs.PRAISED


def _told(wikitext: str) -> list[Suggestion]:
    """Return what a real review finds in the words, not in the sections."""
    page = runs.page(wikitext)
    return [
        one
        for one in suggestions_of(page, review(page))
        if (note := finding_of(one, WritingFinding)) and note.flaw in _WORDS
    ]


def test_a_finding_about_a_section_is_identified_by_the_section() -> None:
    page = runs.page().id
    of_page = runs.puffery(kind=IssueKind.ONE_SIDED, section=(), is_of_page=True)
    begun_anew = replace(of_page, quote="It begins otherwise by now.")
    by_another = replace(of_page, guideline="WP:SPS")
    headed = runs.puffery(kind=IssueKind.OVERLONG_SECTION, quote="Tower")
    beneath = replace(headed, section=("Port", "Tower"))
    paragraph = replace(headed, quote="It is long.", guideline="MOS:PARA")

    assert identity_of(page, of_page) == identity_of(page, begun_anew)
    others = (of_page, by_another, headed, beneath, paragraph)
    assert len({identity_of(page, one) for one in others}) == len(others)


def test_the_size_of_the_page_is_not_that_of_its_first_paragraph() -> None:
    page = runs.page().id
    whole = runs.puffery(
        kind=IssueKind.OVERLONG_SECTION,
        section=(),
        guideline="WP:SIZERULE",
        is_of_page=True,
    )
    paragraph = replace(whole, guideline="MOS:PARA", is_of_page=False)
    begun_anew = replace(whole, quote="It begins otherwise by now.")

    assert identity_of(page, whole) != identity_of(page, paragraph)
    assert identity_of(page, whole) == identity_of(page, begun_anew)
    [shown, _] = _found(whole, paragraph)
    note = finding_of(shown, WritingFinding)
    assert note
    assert note.is_of_section


def test_what_people_closed_takes_no_room() -> None:
    found = _found(*_many(IssueKind.PUFFERY, 9, 0.9))
    closed = {one.identity for one in found[:6]}
    known = {one.identity for one in found[:3]}

    shown = chosen(found, known, closed)

    assert shown == (*found[:3], *found[6:])


def test_a_close_paraphrase_shows_the_words_of_its_source() -> None:
    source = builders.source()
    cited = f"{runs.PRAISED}<ref>{source.raw}</ref>"
    page = runs.page(runs.WIKITEXT.replace(runs.PRAISED, cited))
    [key] = {one.key for claim in page.claims for one in claim.sources}
    copied = runs.puffery(
        kind=IssueKind.CLOSE_PARAPHRASE, source_key=key, source_quote="Iconic tower."
    )

    [one] = suggestions_of(page, Review(page, (copied,), frozenset()))

    [quote] = one.details.quotes
    assert (quote.quote, quote.source_key) == ("Iconic tower.", key)
    assert one.source_keys == (key,)


def _many(kind: IssueKind, count: int, sure: float) -> list[WritingIssue]:
    return [
        runs.puffery(kind=kind, quote=f"Sentence {number}.", confidence=sure)
        for number in range(count)
    ]


def test_a_few_of_each_kind_are_shown_and_those_shown_before_stay() -> None:
    vague = _many(IssueKind.WEASEL, 30, 0.7)
    found = _found(*_many(IssueKind.PUFFERY, 30, 0.9), *vague)
    last = found[-1].identity

    shown = chosen(found, frozenset({last}), most=10, of_kind=6)

    kinds = [
        note and note.flaw
        for one in shown
        for note in [finding_of(one, WritingFinding)]
    ]
    assert kinds.count(IssueKind.PUFFERY) == 6
    assert kinds.count(IssueKind.WEASEL) == 4
    assert last in {one.identity for one in shown}


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 30), st.integers(0, 8))
def test_a_second_review_suggests_the_same(
    puffed: int, vague: int, most: int, of_kind: int
) -> None:
    found = _found(
        *_many(IssueKind.PUFFERY, puffed, 0.9), *_many(IssueKind.WEASEL, vague, 0.7)
    )

    once = chosen(found, frozenset(), most=most, of_kind=of_kind)
    known = frozenset(one.identity for one in once)
    again = chosen(found, known, most=most, of_kind=of_kind)

    assert len(once) <= most
    assert {one.identity for one in again} == known


@pytest.mark.parametrize(
    ("wiki", "is_english"),
    [
        ("en.wikipedia.org", True),
        ("simple.wikipedia.org", True),
        ("de.wikipedia.org", False),
        ("wiki.example", True),
    ],
)
def test_wikis_in_other_languages_have_guidelines_of_their_own(
    wiki: str, *, is_english: bool
) -> None:
    assert is_reviewed(wiki) == is_english


def test_a_guideline_is_a_page_of_the_english_wikipedia() -> None:
    assert address_of("MOS:LEAD") == "https://en.wikipedia.org/wiki/MOS:LEAD"
    hostile = address_of('WP:V"><script>?a=b')
    assert not {'"', "<", ">", "?"} & set(hostile)


def test_a_span_of_nothing_is_kept() -> None:
    [one] = _found(runs.puffery(marked=(), span=Span(0, 0)))

    assert one.place == 0
