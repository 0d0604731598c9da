"""What was seen at an address is remembered from one check to the next."""

from dataclasses import replace
from datetime import datetime

from bot.store import Store, SweepRules
from bot.store.checks import StoredLink
from handlers.model import LinkVisit, Origin, Seen, SourceOutcome, Verdict
from handlers.sources.links import LinkHistory, LinkState
from tests import builders
from tests.bot.store.runs import NOON, TITLE, WIKI, day, run

SOURCE = builders.source()
URL = SOURCE.url or ""


def seen(
    store: Store, what: Seen, at: datetime, *, archived: bool = False
) -> StoredLink | None:
    """Keep a check that saw this, and return what the panel is told of the link."""
    fetch = builders.unread(SourceOutcome.GONE, of=SOURCE)
    verdict = None
    if archived:
        copy = f"https://web.archive.org/web/20110502000000id_/{URL}"
        fetch = builders.fetch(SOURCE, origin=Origin.ARCHIVE, url=copy)
        verdict = Verdict.SUPPORTED
    visit = LinkVisit(URL, what, at, 404, None, "here")
    check = builders.claim_check(verdict, fetches=(replace(fetch, visit=visit),))
    assert store.save_check(run(at=at, checks=[check]), [])
    last_check = store.panel.last_page_check(WIKI, TITLE)
    assert last_check is not None
    return last_check.links.get(SOURCE.key)


def test_a_link_is_gone_after_two_failures_a_week_apart(store: Store) -> None:
    first = seen(store, Seen.GONE, NOON)
    assert first is not None
    assert first.history.state is LinkState.FAILING

    later = seen(store, Seen.GONE, day(3))
    assert later is not None
    assert later.history.state is LinkState.FAILING

    last = seen(store, Seen.GONE, day(7), archived=True)
    assert last is not None
    assert last.history == LinkHistory(LinkState.GONE, NOON, 3)
    assert last.archived_url is not None


def test_one_that_comes_back_was_never_gone(store: Store) -> None:
    seen(store, Seen.GONE, NOON)
    assert seen(store, Seen.WORKS, day(3)) is None

    again = seen(store, Seen.GONE, day(9))

    assert again is not None
    assert again.history == LinkHistory(LinkState.FAILING, day(9), 1)


def test_a_visit_that_is_reported_twice_counts_once(store: Store) -> None:
    """A source that two claims cite, or that came from the cache."""
    seen(store, Seen.GONE, NOON)
    visit = LinkVisit(URL, Seen.GONE, NOON, 404, None, "here")
    fetch = replace(builders.unread(SourceOutcome.GONE, of=SOURCE), visit=visit)
    checks = [builders.claim_check(None, fetches=(fetch, fetch))]
    store.save_check(run(at=day(1), checks=checks), [])

    check = store.panel.last_page_check(WIKI, TITLE)

    assert check is not None
    assert check.links[SOURCE.key].history.times == 1


def test_what_nobody_saw_for_a_year_is_forgotten(store: Store) -> None:
    seen(store, Seen.GONE, NOON)

    assert store.sweep(day(399), SweepRules(checks_days=999))["links"] == 0
    assert store.sweep(day(401), SweepRules(checks_days=999))["links"] == 1
