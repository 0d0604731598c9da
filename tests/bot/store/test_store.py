"""One suite for every database that the store can use."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from bot.store import CheckCounts, KeptReading, open_store
from handlers.model import (
    DatedQuote,
    Details,
    Engine,
    Origin,
    PageId,
    Probabilities,
    Quoted,
    Remedy,
    RemedyKind,
    SourceOutcome,
    Span,
    Verdict,
)
from handlers.ports import PermanentError
from tests import builders
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, run, start, suggestion

_FIRST, _SECOND = suggestion("First claim"), suggestion("Second claim")


def test_what_is_saved_is_read_back_as_it_was(url: str) -> None:
    report = builders.full_report()

    with open_store(url) as store:
        assert store.save_check(report, [])
    with open_store(url) as store:
        kept = store.last_check(WIKI, report.page.id.title)

    assert kept
    assert (kept.page, kept.engine) == (report.page.id, report.engine)
    assert kept.checked_at == report.checked_at
    assert [claim.text for claim in kept.claims] == [
        check.claim.text for check in report.checks
    ]
    for claim, check in zip(kept.claims, report.checks, strict=True):
        found = check.verification
        assert claim.kind is check.claim.kind
        assert claim.section == check.claim.section
        assert claim.verdict is check.verdict
        assert claim.probabilities == (found.probabilities if found else None)
        assert claim.advice == check.advice
        assert [reading.source_key for reading in claim.readings] == [
            reading.source.key for reading in check.readings
        ]


def test_the_outcome_of_each_source_is_kept_but_not_its_text(url: str) -> None:
    read = builders.reading(origin=Origin.ARCHIVE)
    refused = builders.unread(
        SourceOutcome.REFUSED,
        "the server answered 403",
        builders.source(url="https://b/"),
    )
    check = builders.claim_check(readings=(read, refused))

    with open_store(url) as store:
        store.save_check(run(checks=[check, check]), [])
        kept = store.last_check(WIKI, TITLE)

    assert kept
    assert kept.claims[0].readings == kept.claims[1].readings
    assert kept.claims[1].readings == (
        KeptReading(
            source_key=read.source.key,
            outcome=SourceOutcome.READ,
            detail=read.detail,
            url=read.url,
            origin=Origin.ARCHIVE,
            read_at=read.read_at,
            content_sha256=read.content_sha256,
            http_status=200,
        ),
        KeptReading(
            source_key="https://b/",
            outcome=SourceOutcome.REFUSED,
            detail="the server answered 403",
            url=None,
            origin=None,
            read_at=None,
            content_sha256=None,
            http_status=None,
        ),
    )


def test_claims_are_counted_by_verdict(url: str) -> None:
    checks = [
        builders.claim_check(Verdict.SUPPORTED),
        builders.claim_check(Verdict.SUPPORTED),
        builders.claim_check(Verdict.CONTRADICTED),
        builders.unchecked(SourceOutcome.GONE),
    ]

    with open_store(url) as store:
        store.save_check(run(checks=checks), [])
        kept = store.last_check(WIKI, TITLE)

    assert kept
    assert kept.counts == CheckCounts(
        claims=4,
        supported=2,
        partially_supported=0,
        not_supported=0,
        contradicted=1,
        unchecked=1,
    )


def test_a_suggestion_comes_back_with_who_made_it_and_when(url: str) -> None:
    found = suggestion()

    with open_store(url) as store:
        store.save_check(run(), [found])
        [kept] = store.suggestions_of(WIKI, TITLE)

    made_on = replace(found.page, revision_id=10, revised_at=hour(-24))
    assert kept.suggestion == replace(found, page=made_on)
    assert (kept.first_seen, kept.last_seen, kept.closed_at) == (NOON, NOON, None)


def test_a_suggestion_keeps_its_flag_its_place_and_what_would_mend_it(url: str) -> None:
    copy = Remedy(RemedyKind.ARCHIVED_COPY, "https://a/", None, "It “said” so.", 0.91)
    other = Remedy(RemedyKind.OTHER_SOURCE, "https://b/", "{{cite web}}", "So.", 0.9)
    endless = replace(other, citation="{{" + "x" * 10_000 + "}}")
    found = [
        suggestion("1", flag=builders.flag(), place=7, remedies=(copy, other)),
        suggestion("2", flag=builders.flag(precision=None), remedies=(endless,)),
        suggestion("3"),
    ]

    with open_store(url) as store:
        store.save_check(run(), found)
        kept = {
            one.suggestion.claim: one.suggestion
            for one in store.suggestions_of(WIKI, TITLE)
        }
        store.save_check(run(11, hour(1)), [replace(one, flag=None) for one in found])
        later = [one.suggestion.flag for one in store.suggestions_of(WIKI, TITLE)]

    assert kept["1"].flag == builders.flag()
    assert (kept["1"].place, kept["1"].remedies) == (7, (copy, other))
    assert kept["2"].flag == builders.flag(precision=None)
    assert kept["2"].remedies == (replace(endless, citation=None),)
    assert (kept["3"].flag, kept["3"].remedies) == (None, ())
    assert later == [None, None, None]


_QUOTED = Quoted(
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


def test_a_suggestion_keeps_what_a_reader_needs_to_judge_it(url: str) -> None:
    bare = replace(_QUOTED, work=None, page=None, href=None, origin=None, read_at=None)
    details = Details(
        sentence="The sentence.",
        unsupported=(Span(0, 3), Span(4, 5)),
        quotes=(_QUOTED, bare),
        occurrence=2,
        news=(DatedQuote(_QUOTED, date(2026, 5, 1)), DatedQuote(bare, None)),
    )

    with open_store(url) as store:
        store.save_check(run(), [suggestion(details=details)])
        [kept] = store.suggestions_of(WIKI, TITLE)

    assert kept.suggestion.details == details


def test_details_without_end_and_letters_that_are_none_are_made_fit(url: str) -> None:
    long = "é\0\ud800" * 90_000
    endless = replace(
        _QUOTED, quote=long, before=long, title=long, href=f"https://{long}"
    )
    details = Details(
        sentence=long,
        unsupported=(Span(0, 1),) * 1_000,
        quotes=(endless,) * 50,
        news=(DatedQuote(endless, None),) * 50,
    )

    with open_store(url) as store:
        store.save_check(run(), [suggestion(details=details)])
        [kept] = store.suggestions_of(WIKI, TITLE)

    read = kept.suggestion.details
    assert (len(read.quotes), len(read.news), len(read.unsupported)) == (3, 10, 100)
    assert read.quotes[0].href is None
    assert read.quotes[0].quote.startswith("é\ufffd?é")
    assert len(read.sentence) == len(read.quotes[0].quote) == 5_000


def test_of_a_suggestion_from_before_there_were_details_none_are_known(
    sqlite_file: Path,
) -> None:
    with open_store(f"sqlite:///{sqlite_file}") as store:
        store.save_check(run(), [suggestion()])
        with closing(sqlite3.connect(sqlite_file)) as database, database:
            database.execute("UPDATE suggestions SET details = NULL")
        [kept] = store.suggestions_of(WIKI, TITLE)

    assert kept.suggestion.details == Details()


def test_saving_the_same_run_again_changes_nothing(url: str) -> None:
    with open_store(url) as store:
        assert store.save_check(run(), [_FIRST])
        before = store.suggestions_of(WIKI, TITLE), store.last_check(WIKI, TITLE)

        assert not store.save_check(run(), [_FIRST, _SECOND])

        assert before == (
            store.suggestions_of(WIKI, TITLE),
            store.last_check(WIKI, TITLE),
        )
    for table in ("pages", "revisions", "checks", "suggestions"):
        assert _count(url, table) == 1, table


def test_a_newer_revision_keeps_what_it_still_finds_and_closes_the_rest(
    url: str,
) -> None:
    with open_store(url) as store:
        store.save_check(run(10, NOON), [_FIRST, _SECOND])

        store.save_check(run(11, hour(1)), [replace(_SECOND, probability=0.9)])

        [kept] = store.suggestions_of(WIKI, TITLE)
        everything = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert kept.suggestion.claim == "Second claim"
    assert kept.suggestion.probability == 0.9
    assert kept.suggestion.page.revision_id == 11
    assert (kept.first_seen, kept.last_seen) == (NOON, hour(1))
    [closed] = [one for one in everything if one != kept]
    assert closed.suggestion.claim == "First claim"
    assert closed.suggestion.page.revision_id == 10
    assert (closed.last_seen, closed.closed_at) == (NOON, hour(1))


def test_a_suggestion_that_comes_back_is_open_again_and_as_old_as_it_was(
    url: str,
) -> None:
    with open_store(url) as store:
        store.save_check(run(10, NOON), [_FIRST])
        store.save_check(run(11, hour(1)), [])

        store.save_check(run(12, hour(2)), [_FIRST])

        [kept] = store.suggestions_of(WIKI, TITLE)
    assert (kept.first_seen, kept.last_seen, kept.closed_at) == (NOON, hour(2), None)


def test_the_time_a_suggestion_was_closed_does_not_move(url: str) -> None:
    with open_store(url) as store:
        store.save_check(run(10, NOON), [_FIRST])
        store.save_check(run(11, hour(1)), [])

        store.save_check(run(12, hour(2)), [])

        [kept] = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert kept.closed_at == hour(1)


def test_a_claim_that_could_not_be_checked_this_time_keeps_its_suggestion(
    url: str,
) -> None:
    other = builders.source(url="https://other.example/")
    claim = builders.claim(
        "First  claim", citations=(builders.citation(other, builders.source()),)
    )
    unread = builders.unchecked(SourceOutcome.UNREACHABLE, claim)
    first = replace(_FIRST, source_keys=(builders.source().key, other.key))
    with open_store(url) as store:
        store.save_check(run(10, NOON), [first, _SECOND])

        store.save_check(run(11, hour(1), [unread]), [])

        [kept] = store.suggestions_of(WIKI, TITLE)
    assert kept.suggestion.claim == "First claim"
    assert kept.last_seen == NOON


def test_a_new_source_for_an_unchecked_claim_closes_the_old_suggestion(
    url: str,
) -> None:
    other = builders.citation(builders.source(url="https://other.example/"))
    claim = builders.claim("First claim", citations=(other,))
    unread = builders.unchecked(SourceOutcome.UNREACHABLE, claim)
    with open_store(url) as store:
        store.save_check(run(10, NOON), [_FIRST])

        store.save_check(run(11, hour(1), [unread]), [])

        assert store.suggestions_of(WIKI, TITLE) == ()


@pytest.mark.parametrize(
    ("revision", "at"),
    [(9, hour(5)), (10, hour(-1))],
    ids=["older revision", "older run over the same revision"],
)
def test_a_run_that_arrives_late_is_kept_and_changes_nothing_newer(
    url: str, revision: int, at: datetime
) -> None:
    with open_store(url) as store:
        store.save_check(run(10, NOON), [_FIRST])
        before = store.suggestions_of(WIKI, TITLE, with_closed=True)

        assert store.save_check(run(revision, at), [_SECOND])

        assert store.suggestions_of(WIKI, TITLE, with_closed=True) == before
        kept = store.last_check(WIKI, TITLE)
    assert kept
    assert (kept.page.revision_id, kept.checked_at) == (10, NOON)
    assert _count(url, "checks") == 2


def test_a_later_run_over_the_same_revision_counts_as_newer(url: str) -> None:
    newer = Engine("lexical", "2.0")
    with open_store(url) as store:
        store.save_check(run(10, NOON), [_FIRST])

        store.save_check(
            run(10, hour(1), engine=newer), [replace(_SECOND, engine=newer)]
        )

        [kept] = store.suggestions_of(WIKI, TITLE)
        last = store.last_check(WIKI, TITLE)
    assert kept.suggestion.engine == newer
    assert last
    assert last.engine == newer


def test_two_engines_may_check_at_the_same_moment(url: str) -> None:
    with open_store(url) as store:
        assert store.save_check(run(engine=Engine("lexical", "1.0")), [])
        assert store.save_check(run(engine=Engine("lexical", "1.1")), [])


def test_a_page_from_a_file_is_told_apart_by_its_text(url: str) -> None:
    first, second = run(None, NOON), run(None, hour(1))
    second = replace(second, page=replace(second.page, wikitext="Edited."))

    with open_store(url) as store:
        store.save_check(first, [_FIRST])
        store.save_check(second, [])

        kept = store.last_check(WIKI, TITLE)
        assert store.suggestions_of(WIKI, TITLE) == ()
    assert kept
    assert (kept.page.revision_id, kept.checked_at) == (None, hour(1))
    assert _count(url, "revisions") == 2


def test_pages_are_told_apart_letter_by_letter(url: str) -> None:
    titles = [
        "Zurich",
        "zurich",
        "Zürich",
        "Zurich ",
        "ZURICH",
        "Zu\u0308rich",
        "🌪",
        "🌊",
    ]

    with open_store(url) as store:
        for title in titles:
            store.save_check(run(title=title), [suggestion(f"About {title}")])

        for title in titles:
            [kept] = store.suggestions_of(WIKI, title)
            assert kept.suggestion.claim == f"About {title}"
            assert kept.suggestion.page.title == title
    assert _count(url, "pages") == len(titles)


def test_a_page_never_seen_has_nothing(url: str) -> None:
    with open_store(url) as store:
        store.save_check(run(), [_FIRST])

        assert store.suggestions_of(WIKI, "Another page") == ()
        assert store.suggestions_of("de.wikipedia.org", TITLE) == ()
        assert store.last_check(WIKI, "Another page") is None


_HOSTILE = [
    pytest.param("'; DROP TABLE suggestions; --", id="quote"),
    pytest.param('" OR ""="', id="double quote"),
    pytest.param("\\' OR 1=1 #", id="backslash"),
    pytest.param("%s %(x)s :name ? {0}", id="placeholders"),
    pytest.param("%' UNION SELECT 1,2 /*", id="comment"),
    pytest.param("🌪️ 東京 \u202e right to left", id="scripts"),
    pytest.param(" \t leading and trailing \n", id="white space"),
]


@pytest.mark.parametrize("words", _HOSTILE)
def test_every_word_is_only_ever_a_value(url: str, words: str) -> None:
    found = suggestion(
        words, identity=words, quote=words, quote_url=words, section=(words, words)
    )
    claim = builders.claim(words, section=(words,))
    source = builders.source(url=words)
    check = builders.claim_check(of=claim, readings=(builders.reading(source),))

    with open_store(url) as store:
        store.save_check(run(title=words, checks=[check]), [found])
        [kept] = store.suggestions_of(WIKI, words)
        last = store.last_check(WIKI, words)
        assert store.suggestions_of(words, words) == ()

    assert replace(kept.suggestion, page=found.page) == found
    assert last
    assert (last.claims[0].text, last.claims[0].section) == (words, (words,))
    assert last.claims[0].readings[0].source_key == words


@pytest.mark.parametrize(
    ("words", "kept_as"),
    [
        ("a\0b", "a\ufffdb"),
        ("a\ud800b", "a?b"),
        ("x" * 100_001, "x" * 99_999 + "…"),
        ("🌪" * 100_001, "🌪" * 99_999 + "…"),
    ],
    ids=["NUL", "half a letter", "too long", "too long in four bytes"],
)
def test_text_that_a_database_refuses_is_made_fit(
    url: str, words: str, kept_as: str
) -> None:
    found = suggestion(identity="1", claim=words, quote=words)
    check = builders.claim_check(of=builders.claim(words), advice=words)

    with open_store(url) as store:
        store.save_check(run(checks=[check]), [found])
        [kept] = store.suggestions_of(WIKI, TITLE)
        last = store.last_check(WIKI, TITLE)

    assert (kept.suggestion.claim, kept.suggestion.quote) == (kept_as, kept_as)
    assert last
    assert (last.claims[0].text, last.claims[0].advice) == (kept_as, kept_as)


def test_headings_addresses_and_sources_of_any_length_fit(url: str) -> None:
    long = "é\0\ud800" * 30_000
    found = suggestion(
        section=(long,) * 200, source_keys=(long,) * 200, quote_url=f"https://{long}"
    )
    reading = builders.reading(builders.source(url=long), detail=long, url=long)

    with open_store(url) as store:
        store.save_check(
            run(checks=[builders.claim_check(readings=(reading,))]), [found]
        )

        [kept] = store.suggestions_of(WIKI, TITLE)
    assert len(kept.suggestion.section) == 100
    assert len(kept.suggestion.quote_url or "") == 2000


@pytest.mark.parametrize("title", ["", "x" * 256, "🌪" * 65_536])
def test_a_title_that_cannot_be_a_key_is_refused_not_clipped(
    url: str, title: str
) -> None:
    with open_store(url) as store:
        with pytest.raises(PermanentError, match=r"the title .* takes 1 to 255"):
            store.save_check(run(title=title), [_FIRST])

        store.save_check(run(title="🌪" * 255), [_FIRST])
        assert store.suggestions_of(WIKI, "🌪" * 255)


@pytest.mark.parametrize("faulty", [float("nan"), float("inf"), -0.1])
def test_a_run_with_an_impossible_number_is_refused_as_a_whole(
    url: str, faulty: float
) -> None:
    with open_store(url) as store:
        with pytest.raises(PermanentError, match="is not a probability"):
            store.save_check(run(), [_FIRST, replace(_SECOND, probability=faulty)])

        assert store.suggestions_of(WIKI, TITLE) == ()
        assert store.last_check(WIKI, TITLE) is None


def test_times_are_kept_in_every_zone_and_refused_without_one(url: str) -> None:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=-7)))
    with open_store(url) as store:
        store.save_check(run(at=elsewhere), [])

        assert not store.save_check(run(at=NOON), [])
        kept = store.last_check(WIKI, TITLE)
    assert kept
    assert kept.checked_at == NOON


def test_numbers_of_any_size_a_wiki_has_survive(url: str) -> None:
    probabilities = Probabilities(1 / 3, 0.1 + 0.2, 1e-300, 0.0)
    check = builders.claim_check(
        verification=builders.verification(probabilities=probabilities)
    )
    report = run(2**62, checks=[check])
    page = PageId(WIKI, TITLE, page_id=2**62, revision_id=2**62, revised_at=hour(-1))

    with open_store(url) as store:
        store.save_check(replace(report, page=replace(report.page, id=page)), [])
        kept = store.last_check(WIKI, TITLE)

    assert kept
    assert kept.page == page
    assert kept.claims[0].probabilities == probabilities


def test_a_whole_long_article_is_saved(url: str) -> None:
    checks = [
        builders.claim_check(of=builders.claim(f"Claim {number}"))
        for number in range(2000)
    ]
    found = [suggestion(check.claim.text) for check in checks[:500]]

    with open_store(url) as store:
        store.save_check(run(10, NOON, checks), found)
        store.save_check(run(11, hour(1), checks), [])

        kept = store.last_check(WIKI, TITLE)
        closed = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert kept
    assert len(kept.claims) == 2000
    assert {one.closed_at for one in closed} == {hour(1)}


def test_processes_that_save_at_once_leave_the_newest_revision_on_top(
    url: str,
) -> None:
    with open_store(url):
        pass

    workers = [start(_save_some, url, first) for first in range(4)]
    for worker in workers:
        worker.join(120)

    assert [worker.exitcode for worker in workers] == [0] * 4
    assert _count(url, "checks") == 20
    with open_store(url) as store:
        [kept] = store.suggestions_of(WIKI, TITLE)
    assert kept.suggestion.claim == "Claim of 20"


def _save_some(url: str, first: int) -> None:
    with open_store(url) as store:
        for number in range(first + 1, 21, 4):
            report = run(number, hour(number))
            store.save_check(report, [suggestion(f"Claim of {number}")])


def _count(url: str, table: str) -> int:
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return int(connection.scalar(text(f"SELECT COUNT(*) FROM {table}")) or 0)  # noqa: S608 - names of this file
    finally:
        engine.dispose()
