"""Checks of pages are kept and read back, in every database that the store can use."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from bot.store import CheckCounts, Store, StoredFetch, open_store
from bot.store.schema import claim_checks
from handlers.citations import others_unread
from handlers.citations.model_judge import UNUSABLE
from handlers.model import (
    Engine,
    Message,
    Origin,
    SourceOutcome,
    Verdict,
)
from tests import builders
from tests.bot.store.runs import (
    NOON,
    TITLE,
    WIKI,
    connected,
    count_of,
    hour,
    run,
    start,
    suggestion,
)
from tests.full_report import full_report

_FIRST, _SECOND = suggestion("First claim"), suggestion("Second claim")


def test_what_is_saved_is_read_back_as_it_was(url: str) -> None:
    report = full_report()

    with open_store(url) as store:
        assert store.save_check(report, [])
    with open_store(url) as store:
        last = store.last_check(WIKI, report.page.id.title)

    assert last
    assert (last.page, last.engine) == (report.page.id, report.engine)
    assert last.checked_at == report.checked_at
    assert [claim.text for claim in last.claims] == [
        check.claim.text for check in report.checks
    ]
    for claim, check in zip(last.claims, report.checks, strict=True):
        found = check.verification
        assert claim.kind is check.claim.kind
        assert claim.section == check.claim.section
        assert claim.verdict is check.verdict
        assert claim.probabilities == (found.probabilities if found else None)
        assert claim.advice == check.advice
        assert [fetch.source_key for fetch in claim.fetches] == [
            fetch.source.key for fetch in check.fetches
        ]


def test_the_outcome_of_each_source_is_kept_but_not_its_text(store: Store) -> None:
    read = builders.fetch(origin=Origin.ARCHIVE)
    refused = builders.unread(
        SourceOutcome.REFUSED,
        "the server answered 403",
        builders.source(url="https://b/"),
    )
    check = builders.claim_check(fetches=(read, refused))

    store.save_check(run(checks=[check, check]), [])
    last = store.last_check(WIKI, TITLE)

    assert last
    assert last.claims[0].fetches == last.claims[1].fetches
    assert last.claims[1].fetches == (
        StoredFetch(
            source_key=read.source.key,
            outcome=SourceOutcome.READ,
            detail=read.detail,
            url=read.url,
            origin=Origin.ARCHIVE,
            read_at=read.read_at,
            content_sha256=read.content_sha256,
            http_status=200,
        ),
        StoredFetch(
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


def test_claims_are_counted_by_verdict(store: Store) -> None:
    checks = [
        builders.claim_check(Verdict.SUPPORTED),
        builders.claim_check(Verdict.SUPPORTED),
        builders.claim_check(Verdict.CONTRADICTED),
        builders.unchecked(SourceOutcome.GONE),
    ]

    store.save_check(run(checks=checks), [])
    last = store.last_check(WIKI, TITLE)

    assert last
    assert last.counts == CheckCounts(
        claims=4,
        supported=2,
        partially_supported=0,
        not_supported=0,
        contradicted=1,
        unchecked=1,
    )


def test_a_later_run_over_the_same_revision_counts_as_newer(store: Store) -> None:
    newer = Engine("lexical", "2.0")
    store.save_check(run(10, NOON), [_FIRST])

    store.save_check(run(10, hour(1), engine=newer), [replace(_SECOND, engine=newer)])

    [suggestion] = store.suggestions_of(WIKI, TITLE)
    last = store.last_check(WIKI, TITLE)
    assert suggestion.suggestion.engine == newer
    assert last
    assert last.engine == newer


def test_two_engines_may_check_at_the_same_moment(store: Store) -> None:
    assert store.save_check(run(engine=Engine("lexical", "1.0")), [])
    assert store.save_check(run(engine=Engine("lexical", "1.1")), [])


def test_a_page_from_a_file_is_told_apart_by_its_text(store: Store, url: str) -> None:
    first, second = run(None, NOON), run(None, hour(1))
    second = replace(second, page=replace(second.page, wikitext="Edited."))

    store.save_check(first, [_FIRST])
    store.save_check(second, [])

    last = store.last_check(WIKI, TITLE)
    assert store.suggestions_of(WIKI, TITLE) == ()
    assert last
    assert (last.page.revision_id, last.checked_at) == (None, hour(1))
    assert count_of(url, "revisions") == 2


def test_pages_are_told_apart_letter_by_letter(store: Store, url: str) -> None:
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

    for title in titles:
        store.save_check(run(title=title), [suggestion(f"About {title}")])

    for title in titles:
        [stored] = store.suggestions_of(WIKI, title)
        assert stored.suggestion.claim == f"About {title}"
        assert stored.suggestion.page.title == title
    assert count_of(url, "pages") == len(titles)


def test_a_page_never_seen_has_nothing(store: Store) -> None:
    store.save_check(run(), [_FIRST])

    assert store.suggestions_of(WIKI, "Another page") == ()
    assert store.suggestions_of("de.wikipedia.org", TITLE) == ()
    assert store.last_check(WIKI, "Another page") is None


def test_a_whole_long_article_is_saved(store: Store) -> None:
    checks = [
        builders.claim_check(of=builders.claim(f"Claim {number}"))
        for number in range(2000)
    ]
    found = [suggestion(check.claim.text) for check in checks[:500]]

    store.save_check(run(10, NOON, checks), found)
    store.save_check(run(11, hour(1), checks), [])

    last = store.last_check(WIKI, TITLE)
    closed = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert last
    assert len(last.claims) == 2000
    assert {one.closed_at for one in closed} == {hour(1)}


def test_processes_that_save_at_once_leave_the_newest_revision_on_top(
    store: Store,
    url: str,
) -> None:
    with open_store(url):
        pass

    workers = [start(_save_some, url, first) for first in range(4)]
    for worker in workers:
        worker.join(120)

    assert [worker.exitcode for worker in workers] == [0] * 4
    assert count_of(url, "checks") == 20
    [suggestion] = store.suggestions_of(WIKI, TITLE)
    assert suggestion.suggestion.claim == "Claim of 20"


def _save_some(url: str, first: int) -> None:
    with open_store(url) as store:
        for number in range(first + 1, 21, 4):
            report = run(number, hour(number))
            store.save_check(report, [suggestion(f"Claim of {number}")])


@pytest.mark.parametrize("advice", [others_unread(1, 3), others_unread(2, 3), UNUSABLE])
def test_advice_that_was_stored_in_english_alone_is_still_known(
    store: Store, url: str, advice: Message
) -> None:
    store.save_check(run(checks=[builders.unchecked(SourceOutcome.READ)]), [])
    with connected(url) as connection:
        connection.execute(update(claim_checks).values(advice=str(advice)))
    last = store.last_check(WIKI, TITLE)

    assert last
    known = last.claims[0].advice
    assert known
    assert (known.key, known.values, str(known)) == (
        advice.key,
        advice.values,
        str(advice),
    )
