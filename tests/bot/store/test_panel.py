"""What the panel asks for: a suggestion by its name, many without texts, and news."""

from dataclasses import replace

from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import TaskKind
from bot.store import Store
from handlers.model import SourceOutcome, Verdict
from tests import builders
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, run, suggestion


def test_a_suggestion_is_found_by_its_identity_also_when_it_is_closed(
    store: Store,
) -> None:
    found = suggestion(flag=builders.flag())

    store.save_check(run(), [found])
    store.save_check(run(11, hour(1)), [])
    stored = store.panel.suggestion(WIKI, found.identity)
    assert store.panel.suggestion("de.wikipedia.org", found.identity) is None
    assert store.panel.suggestion(WIKI, "x" * 5_000) is None

    assert stored
    assert (stored.suggestion.claim, stored.closed_at) == (found.claim, hour(1))
    assert stored.suggestion.page.title == TITLE


def test_the_open_suggestions_of_many_pages_are_read_at_once(store: Store) -> None:
    flagged = suggestion("1", flag=builders.flag())
    doubtful = suggestion("2")
    titles = [f"Page {number}" for number in range(700)]

    store.save_check(run(title=titles[650]), [flagged])
    store.save_check(run(title=titles[3]), [flagged, doubtful])
    store.save_check(run(11, hour(1), title=titles[3]), [doubtful])
    store.save_check(run(title="Another"), [flagged])
    ranked = store.panel.ranked(WIKI, titles)
    assert store.panel.ranked("de.wikipedia.org", titles) == ()

    of_title = {one.title: one for one in ranked}
    assert len(ranked) == len(of_title) == 2
    assert of_title[titles[650]].flag == flagged.flag
    assert of_title[titles[3]].identity == doubtful.identity
    assert of_title[titles[3]].section == doubtful.section


def test_the_version_of_a_page_changes_with_all_that_is_kept_of_it(
    store: Store,
) -> None:
    versions = []
    job = PageJob(WIKI, TITLE, JobReason.RECHECK, asked_at=NOON, due_at=NOON)

    def note() -> None:
        assert store.panel.version(WIKI, TITLE) == store.panel.version(WIKI, TITLE)
        versions.append(store.panel.version(WIKI, TITLE))

    note()
    store.save_check(run(), [suggestion()])
    note()
    store.save_check(run(at=hour(1)), [suggestion()])
    note()
    store.close_page(WIKI, TITLE, hour(2))
    note()
    store.jobs.put([job])
    note()
    store.save_check(run(title="Another"), [suggestion()])
    store.jobs.put([replace(job, title="Another")])
    assert store.panel.version(WIKI, TITLE) == versions[-1]

    assert len(set(versions)) == len(versions) == 5


def test_a_page_waits_until_the_check_of_it_has_ended(store: Store) -> None:
    job = PageJob(WIKI, TITLE, JobReason.RECHECK, asked_at=NOON, due_at=NOON)

    waited = [store.panel.is_waiting(WIKI, TITLE)]
    store.jobs.put([job])
    waited.append(store.panel.is_waiting(WIKI, TITLE))
    lease = store.tasks.lease([TaskKind.CHECK], "worker", NOON)
    assert lease
    waited.append(store.panel.is_waiting(WIKI, TITLE))
    store.finish_check(lease, NOON)
    waited.append(store.panel.is_waiting(WIKI, TITLE))

    assert waited == [False, True, True, False]


def test_the_last_check_reports_what_was_not_checked_and_what_is_gone(
    store: Store,
) -> None:
    gone, dead = builders.source(url="https://gone/"), builders.source(url="https://d/")
    away = builders.source(url="https://away/")
    unchecked = builders.claim_check(
        None,
        builders.claim("Unchecked"),
        fetches=(
            builders.unread(SourceOutcome.GONE, of=gone),
            builders.unread(SourceOutcome.UNREACHABLE, of=away),
        ),
    )
    checked = builders.claim_check(
        Verdict.NOT_SUPPORTED,
        fetches=(builders.fetch(), builders.unread(SourceOutcome.SOFT_404, of=dead)),
    )

    assert store.panel.last_page_check(WIKI, TITLE) is None
    store.save_check(run(checks=[unchecked]), [])
    store.save_check(run(11, hour(1), [checked, unchecked]), [])
    last = store.panel.last_page_check(WIKI, TITLE)
    whole = store.last_check(WIKI, TITLE)

    assert last
    assert whole
    assert last.check == replace(whole, claims=whole.claims[1:])
    assert [one.source_key for one in last.check.claims[0].fetches] == [
        gone.key,
        away.key,
    ]
    assert last.links == {}, "nobody saw what stands at their addresses"
