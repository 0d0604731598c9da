"""What is kept of a suggestion, and how long it stays open."""

from dataclasses import replace
from datetime import datetime

import pytest

from bot.store import Store
from handlers.citations.suggestions import identity_of
from handlers.findings import (
    CitationFinding,
    DatedQuote,
    Details,
    Quoted,
    Remedy,
    RemedyKind,
    SourceFinding,
    Suggestion,
    UpdateFinding,
)
from handlers.model import (
    Backing,
    BetterSources,
    ClaimCheck,
    Origin,
    SourceOutcome,
    Span,
    UpdateKind,
    Verdict,
)
from tests import builders
from tests.bot.store.runs import (
    NOON,
    TITLE,
    WIKI,
    count_of,
    hour,
    run,
    suggestion,
)

_FIRST, _SECOND = suggestion("First claim"), suggestion("Second claim")


def test_a_suggestion_comes_back_with_who_made_it_and_when(store: Store) -> None:
    found = suggestion()

    store.save_check(run(), [found])
    [stored] = store.suggestions_of(WIKI, TITLE)

    made_on = replace(found.page, revision_id=10, revised_at=hour(-24))
    assert stored.suggestion == replace(found, page=made_on)
    assert (stored.first_seen, stored.last_seen, stored.closed_at) == (NOON, NOON, None)


def test_a_suggestion_keeps_its_flag_its_place_and_what_would_mend_it(
    store: Store,
) -> None:
    copy = Remedy(RemedyKind.ARCHIVED_COPY, "https://a/", None, "It “said” so.", 0.91)
    other = Remedy(RemedyKind.OTHER_SOURCE, "https://b/", "{{cite web}}", "So.", 0.9)
    endless = replace(other, citation="{{" + "x" * 10_000 + "}}")
    found = [
        suggestion("1", flag=builders.flag(), place=7, remedies=(copy, other)),
        suggestion("2", flag=builders.flag(expected=None), remedies=(endless,)),
        suggestion("3"),
    ]

    store.save_check(run(), found)
    stored = {
        one.suggestion.claim: one.suggestion
        for one in store.suggestions_of(WIKI, TITLE)
    }
    store.save_check(run(11, hour(1)), [replace(one, flag=None) for one in found])
    later = [one.suggestion.flag for one in store.suggestions_of(WIKI, TITLE)]

    assert stored["1"].flag == builders.flag()
    assert (stored["1"].place, stored["1"].remedies) == (7, (copy, other))
    assert stored["2"].flag == builders.flag(expected=None)
    assert stored["2"].remedies == (replace(endless, citation=None),)
    assert (stored["3"].flag, stored["3"].remedies) == (None, ())
    assert later == [None, None, None]


QUOTED = Quoted(
    quote="Damage in this area was mostly snapped and uprooted trees.",
    before="It lifted. ",
    after=" It was rated EF3.",
    cut_before=True,
    cut_after=False,
    source_key="https://a/",
    title="Storm survey",
    work="weather.gov",
    published="6 May 2011",
    page=3,
    href="https://a/#page=3",
    origin=Origin.ARCHIVE,
    read_at=NOON,
    language="en",
)


def test_a_suggestion_keeps_what_a_reader_needs_to_judge_it(store: Store) -> None:
    bare = replace(QUOTED, work=None, page=None, href=None, origin=None, read_at=None)
    details = Details(
        sentence="The sentence.",
        quotes=(QUOTED, bare),
        occurrence=2,
        cell=("Population", "2020"),
    )
    finding = CitationFinding(Verdict.NOT_SUPPORTED, (Span(0, 3), Span(4, 5)))
    one = suggestion(details=details, finding=finding)

    store.save_check(run(), [one])
    [stored] = store.suggestions_of(WIKI, TITLE)

    assert stored.suggestion == replace(one, page=stored.suggestion.page)


def _update(*news: DatedQuote) -> UpdateFinding:
    return UpdateFinding(
        UpdateKind.OUTDATED, "It has 27.", ("History",), Backing.HIGH, news=news
    )


def test_details_without_end_and_letters_that_are_none_are_made_fit(
    store: Store,
) -> None:
    long = "é\0\ud800" * 90_000
    endless = replace(
        QUOTED, quote=long, before=long, title=long, href=f"https://{long}"
    )
    details = Details(
        sentence=long,
        quotes=(endless,) * 50,
    )
    marked = CitationFinding(Verdict.CONTRADICTED, (Span(0, 1),) * 1_000)
    newer = suggestion("Newer.", finding=_update(*(DatedQuote(endless, None),) * 50))

    one = suggestion(details=details, finding=marked)
    store.save_check(run(), [])
    store.save_check(run(11, hour(1)), [one, newer])
    stored = {
        each.suggestion.kind: each.suggestion
        for each in store.suggestions_of(WIKI, TITLE, with_closed=True)
    }

    read = stored["citation"].details
    assert (len(read.quotes), len(stored["citation"].finding.facts.marked)) == (3, 100)
    assert len(stored["update"].finding.facts.quotes) == 10
    assert read.quotes[0].href is None
    assert read.quotes[0].quote.startswith("é\ufffd?é")
    assert len(read.sentence) == len(read.quotes[0].quote) == 5_000


def test_saving_the_same_run_again_changes_nothing(store: Store, url: str) -> None:
    assert store.save_check(run(), [_FIRST])
    before = store.suggestions_of(WIKI, TITLE), store.last_check(WIKI, TITLE)

    assert not store.save_check(run(), [_FIRST, _SECOND])

    assert before == (
        store.suggestions_of(WIKI, TITLE),
        store.last_check(WIKI, TITLE),
    )
    for table in ("pages", "revisions", "checks", "suggestions"):
        assert count_of(url, table) == 1, table


def test_a_newer_revision_keeps_what_it_still_finds_and_closes_the_rest(
    store: Store,
) -> None:
    store.save_check(run(10, NOON), [_FIRST, _SECOND])

    store.save_check(run(11, hour(1)), [replace(_SECOND, probability=0.9)])

    [suggestion] = store.suggestions_of(WIKI, TITLE)
    everything = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert suggestion.suggestion.claim == "Second claim"
    assert suggestion.suggestion.probability == 0.9
    assert suggestion.suggestion.page.revision_id == 11
    assert (suggestion.first_seen, suggestion.last_seen) == (NOON, hour(1))
    [closed] = [one for one in everything if one != suggestion]
    assert closed.suggestion.claim == "First claim"
    assert closed.suggestion.page.revision_id == 10
    assert (closed.last_seen, closed.closed_at) == (NOON, hour(1))


def test_a_suggestion_that_comes_back_is_open_again_and_as_old_as_it_was(
    store: Store,
) -> None:
    store.save_check(run(10, NOON), [_FIRST])
    store.save_check(run(11, hour(1)), [])

    store.save_check(run(12, hour(2)), [_FIRST])

    [suggestion] = store.suggestions_of(WIKI, TITLE)
    assert (suggestion.first_seen, suggestion.last_seen, suggestion.closed_at) == (
        NOON,
        hour(2),
        None,
    )


def test_the_time_a_suggestion_was_closed_does_not_move(store: Store) -> None:
    store.save_check(run(10, NOON), [_FIRST])
    store.save_check(run(11, hour(1)), [])

    store.save_check(run(12, hour(2)), [])

    [suggestion] = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert suggestion.closed_at == hour(1)


def test_a_claim_that_could_not_be_checked_this_time_keeps_its_suggestion(
    store: Store,
) -> None:
    other = builders.source(url="https://other.example/")
    claim = builders.claim(
        "First  claim", citations=(builders.citation(other, builders.source()),)
    )
    unread = builders.unchecked(SourceOutcome.UNREACHABLE, claim)
    first = replace(_FIRST, source_keys=(builders.source().key, other.key))
    store.save_check(run(10, NOON), [first, _SECOND])

    store.save_check(run(11, hour(1), [unread]), [])

    [suggestion] = store.suggestions_of(WIKI, TITLE)
    assert suggestion.suggestion.claim == "First claim"
    assert suggestion.last_seen == NOON


def test_a_new_source_for_an_unchecked_claim_closes_the_old_suggestion(
    store: Store,
) -> None:
    other = builders.citation(builders.source(url="https://other.example/"))
    claim = builders.claim("First claim", citations=(other,))
    unread = builders.unchecked(SourceOutcome.UNREACHABLE, claim)
    store.save_check(run(10, NOON), [_FIRST])

    store.save_check(run(11, hour(1), [unread]), [])

    assert store.suggestions_of(WIKI, TITLE) == ()


@pytest.mark.parametrize(
    ("revision", "at"),
    [(9, hour(5)), (10, hour(-1))],
    ids=["older revision", "older run over the same revision"],
)
def test_a_run_that_arrives_late_is_kept_and_changes_nothing_newer(
    store: Store, url: str, revision: int, at: datetime
) -> None:
    store.save_check(run(10, NOON), [_FIRST])
    before = store.suggestions_of(WIKI, TITLE, with_closed=True)

    assert store.save_check(run(revision, at), [_SECOND])

    assert store.suggestions_of(WIKI, TITLE, with_closed=True) == before
    last = store.last_check(WIKI, TITLE)
    assert last
    assert (last.page.revision_id, last.checked_at) == (10, NOON)
    assert count_of(url, "checks") == 2


_SOURCE = Remedy(RemedyKind.OTHER_SOURCE, "https://b/", "{{cite web}}", "So.", 0.9)
_COPY = Remedy(RemedyKind.ARCHIVED_COPY, "https://a/", None, "It said so.", 0.9)


def _of(check: ClaimCheck, *remedies: Remedy) -> Suggestion:
    page = builders.page(TITLE).id
    return suggestion(
        check.claim.text, identity=identity_of(page, check.claim), remedies=remedies
    )


@pytest.mark.parametrize(
    ("better", "expected"),
    [
        pytest.param(
            BetterSources(None, None, 0, ("quota spent",)), (_COPY, _SOURCE), id="spent"
        ),
        pytest.param(None, (_COPY, _SOURCE), id="not looked for"),
        pytest.param(BetterSources(None, None, 3), (_COPY,), id="found no more"),
    ],
)
def test_a_source_that_was_found_stays_until_a_search_finds_none(
    store: Store, better: BetterSources | None, expected: tuple[Remedy, ...]
) -> None:
    check = builders.claim_check(Verdict.NOT_SUPPORTED)
    again = replace(check, better=better)

    store.save_check(run(), [_of(check, _SOURCE)])
    store.save_check(run(11, hour(1), [again]), [_of(check, _COPY)])
    [suggestion] = store.suggestions_of(WIKI, TITLE)

    assert suggestion.suggestion.remedies == expected


def test_a_finding_goes_when_its_source_seems_to_support_the_claim(
    store: Store,
) -> None:
    fails = builders.claim_check(Verdict.NOT_SUPPORTED)
    seems = builders.claim_check(Verdict.SUPPORTED)
    unread = replace(fails, verdict=None)

    store.save_check(run(), [_of(fails, _COPY)])
    store.save_check(run(11, hour(1), [unread]), [])
    assert len(store.suggestions_of(WIKI, TITLE)) == 1
    store.save_check(run(12, hour(2), [replace(seems, verdict=None)]), [])
    assert not store.suggestions_of(WIKI, TITLE)


@pytest.mark.parametrize(
    ("better", "is_open"),
    [
        pytest.param(BetterSources(None, None, 0, ("quota spent",)), True, id="spent"),
        pytest.param(None, True, id="not looked for"),
        pytest.param(BetterSources(None, None, 3), False, id="found no more"),
    ],
)
def test_an_offer_stays_until_a_search_finds_none(
    store: Store, better: BetterSources | None, *, is_open: bool
) -> None:
    wanting = builders.claim(citations=())
    check = ClaimCheck(wanting, (), None, None, better=better)
    offer = replace(_of(check, _SOURCE), finding=SourceFinding(), source_keys=())

    store.save_check(run(), [offer])
    store.save_check(run(11, hour(1), [check]), [])
    suggestions = store.suggestions_of(WIKI, TITLE)

    assert [one.suggestion.remedies for one in suggestions] == [(_SOURCE,)] * is_open
