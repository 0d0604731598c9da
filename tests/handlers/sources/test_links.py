"""A link is called gone only after it has failed for a while."""

from datetime import UTC, datetime, timedelta

import pytest

from handlers.model import (
    LinkVisit,
    Seen,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
)
from handlers.sources.links import LinkRun, LinkState, history_of, visit_of

ADDRESS = "https://paper.example/2011/storm?id=7"
START = datetime(2026, 1, 1, tzinfo=UTC)
SOURCE = Source(SourceForm.URL, ADDRESS, url=ADDRESS)


def run(seen: Seen, first: int, last: int, times: int = 1, led_to: str = "") -> LinkRun:
    days = START + timedelta(days=first), START + timedelta(days=last)
    return LinkRun(ADDRESS, seen, *days, times, led_to=led_to or None)


def read(
    outcome: SourceOutcome, url: str = ADDRESS, status: int | None = 200
) -> LinkVisit:
    fetch = SourceFetch(SOURCE, outcome, "so", url=url, http_status=status)
    return visit_of(ADDRESS, fetch, START)


@pytest.mark.parametrize(
    ("runs", "state"),
    [
        ([], LinkState.UNKNOWN),
        ([run(Seen.WORKS, 0, 9, 3)], LinkState.WORKS),
        ([run(Seen.GONE, 0, 0)], LinkState.FAILING),
        ([run(Seen.GONE, 0, 6, 2)], LinkState.FAILING),
        ([run(Seen.GONE, 0, 7, 2)], LinkState.GONE),
        ([run(Seen.GONE, 0, 0), run(Seen.WORKS, 3, 3), run(Seen.GONE, 9, 9)], LinkState.FAILING),
        ([run(Seen.GONE, 0, 0), run(Seen.AWAY, 3, 3), run(Seen.GONE, 9, 9)], LinkState.GONE),
        ([run(Seen.GONE, 0, 9, 2), run(Seen.WORKS, 10, 10)], LinkState.WORKS),
        ([run(Seen.DEAD_HOST, 0, 0)], LinkState.FAILING),
        ([run(Seen.DEAD_HOST, 0, 1, 2)], LinkState.GONE),
        ([run(Seen.GONE, 0, 0), run(Seen.DEAD_HOST, 1, 1)], LinkState.FAILING),
        ([run(Seen.NOT_FOUND_PAGE, 0, 8, 2)], LinkState.SOFT_404),
        ([run(Seen.FRONT_PAGE, 0, 8, 2)], LinkState.SOFT_404),
        ([run(Seen.NOT_FOUND_PAGE, 0, 0)], LinkState.FAILING),
        ([run(Seen.PARKED, 0, 0)], LinkState.USURPED),
        ([run(Seen.WALL, 0, 0)], LinkState.UNKNOWN),
        ([run(Seen.WORKS, 0, 0), run(Seen.WALL, 5, 5)], LinkState.PAYWALLED),
        ([run(Seen.WORKS, 0, 0, 1, "http://www.paper.example/2011/storm/?id=7")], LinkState.WORKS),
        ([run(Seen.WORKS, 0, 0, 1, "https://paper.example/archive/7")], LinkState.MOVED),
        ([run(Seen.AWAY, 0, 30, 9)], LinkState.UNKNOWN),
    ],
)  # fmt: skip
def test_what_was_seen_says_what_is_the_matter(
    runs: list[LinkRun], state: LinkState
) -> None:
    assert history_of(runs).state is state
    assert history_of(runs[::-1]).state is state, "in any order"


def test_a_dead_link_says_since_when_and_how_often() -> None:
    found = history_of([run(Seen.GONE, 0, 2, 2), run(Seen.NOT_FOUND_PAGE, 5, 9, 3)])

    assert (found.state, found.since, found.times) == (LinkState.SOFT_404, START, 5)


@pytest.mark.parametrize(
    ("visit", "seen"),
    [
        (read(SourceOutcome.READ), Seen.WORKS),
        (read(SourceOutcome.READ, "https://www.paper.example/"), Seen.FRONT_PAGE),
        (read(SourceOutcome.READ, "https://other.example/"), Seen.WORKS),
        (read(SourceOutcome.FOREIGN_LANGUAGE), Seen.WORKS),
        (read(SourceOutcome.GONE, status=404), Seen.GONE),
        (read(SourceOutcome.GONE, status=None), Seen.DEAD_HOST),
        (read(SourceOutcome.SOFT_404), Seen.NOT_FOUND_PAGE),
        (read(SourceOutcome.PARKED), Seen.PARKED),
        (read(SourceOutcome.LOGIN_WALL), Seen.WALL),
        (read(SourceOutcome.REFUSED, status=403), Seen.OTHER),
    ],
)
def test_one_visit(visit: LinkVisit, seen: Seen) -> None:
    assert visit.seen is seen


def test_a_front_page_that_is_cited_as_such_works() -> None:
    fetch = SourceFetch(SOURCE, SourceOutcome.READ, "so", url="https://a.example/")

    assert visit_of("http://a.example", fetch, START).seen is Seen.WORKS
