"""The queue: a page waits once, is worked on by one, and is never lost."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import pytest

from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import Lease, LeaseLost, TaskKind, TaskState
from bot.store import Store, open_store
from bot.store.jobs import check_policy
from tests.bot.store.runs import TITLE, WIKI, after, hour, run, suggestion

_RULES = check_policy(lease_s=300, attempts=3)
_NOW = hour(0)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url, policies={TaskKind.CHECK: _RULES}) as opened_store:
        yield opened_store


def _job(title: str = TITLE, revision: int | None = 10, **changes: object) -> PageJob:
    default = PageJob(
        wiki=WIKI,
        title=title,
        reason=JobReason.CHANGE,
        asked_at=_NOW,
        due_at=_NOW,
        revision_id=revision,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def _leased(
    store: Store, at: datetime = _NOW, worker: str = "worker 1"
) -> Lease[PageJob]:
    lease = store.tasks.lease([TaskKind.CHECK], worker, at)
    assert lease is not None
    return lease


def _count(store: Store, state: TaskState) -> int:
    return store.jobs.state().counts[state]


def test_a_page_that_was_put_is_leased_once(store: Store) -> None:
    assert store.jobs.put([_job()]) == 1

    lease = _leased(store)

    assert (lease.task.title, lease.task.revision_id) == (TITLE, 10)
    assert (lease.token, lease.attempt, lease.until) == (1, 1, after(300))
    assert store.tasks.lease([TaskKind.CHECK], "worker 2", _NOW) is None


def test_of_several_revisions_of_a_page_the_newest_waits(store: Store) -> None:
    store.jobs.put([_job(revision=10)])
    store.jobs.put([_job(revision=12, due_at=after(60))])

    assert store.jobs.put([_job(revision=11)]) == 0
    lease = _leased(store)
    assert lease.task.revision_id == 12
    store.finish_check(lease, after(5))
    assert store.tasks.lease([TaskKind.CHECK], "worker 1", after(10_000)) is None


def test_a_change_that_comes_again_is_no_news(store: Store) -> None:
    store.jobs.put([_job()])
    store.finish_check(_leased(store), after(5))

    assert store.jobs.put([_job()]) == 0
    assert _count(store, TaskState.IDLE) == 1


@pytest.mark.parametrize("is_done", [True, False])
def test_an_edit_after_an_opt_in_is_news_though_the_clock_of_the_wiki_is_behind(
    store: Store, is_done: bool
) -> None:
    store.jobs.put([_job(revision=None, reason=JobReason.OPT_IN, pause_s=0)])
    lease = _leased(store)
    if is_done:
        store.finish_check(lease, after(5))

    assert store.jobs.put([_job(asked_at=after(-40), pause_s=0)]) == 1
    assert store.jobs.put([_job(asked_at=after(-40), pause_s=0)]) == 0
    if not is_done:
        store.finish_check(lease, after(5))
    assert _leased(store, after(6)).task.revision_id == 10


def test_what_a_person_asked_for_is_not_forgotten_over_an_edit_meanwhile(
    store: Store,
) -> None:
    store.jobs.put([_job(reason=JobReason.ASKED)])
    lease = _leased(store)
    store.jobs.put([_job(revision=11, asked_at=after(1))])
    store.tasks.retry(lease, after(2), in_s=0, why="the wiki is away")

    again = _leased(store, after(2))

    assert (again.task.reason, again.task.revision_id) == (JobReason.ASKED, 11)
    store.finish_check(again, after(3))
    store.jobs.put([_job(revision=12, asked_at=after(4), pause_s=0)])
    assert _leased(store, after(5)).task.reason is JobReason.CHANGE


def test_many_pages_are_put_as_if_one_came_after_the_other(store: Store) -> None:
    for state in ("waiting", "failed", "idle", "parked", "leased"):
        store.jobs.put([_job(state)])
    held = {job.task.title: job for job in (_leased(store) for _ in range(5))}
    store.tasks.put_off(held["waiting"], _NOW, 0.0)
    store.tasks.retry(held["failed"], _NOW, in_s=100, why="busy")
    store.finish_check(held["idle"], _NOW)
    store.tasks.park(held["parked"], _NOW, why="gone")
    numbered = [_job(f"page {number}", number) for number in range(1, 41)]
    elsewhere = _job("idle", 11, wiki="other.example.org")
    later = [_job(one, 11, due_at=after(50)) for one in held]
    again = [_job("page 7", 20, asked_at=after(1)), _job("idle", 9), numbered[3]]

    news = store.jobs.put([*again, *later, elsewhere, *numbered])

    assert news == 40 + 5 + 1 + 1  # of `again` only page 7 is newer
    counts = store.jobs.state().counts
    assert (counts[TaskState.WAITING], counts[TaskState.LEASED]) == (45, 1)
    store.finish_check(held["leased"], _NOW)  # it waits again
    revisions = {}
    while job := store.tasks.lease([TaskKind.CHECK], "worker", after(10_000)):
        revisions[job.task.wiki, job.task.title] = job.task.revision_id
        store.finish_check(job, after(10_000))
    assert len(revisions) == 46
    assert revisions[WIKI, "page 7"] == 20
    assert {revisions[WIKI, one] for one in held} == {11}
    assert revisions["other.example.org", "idle"] == 11


def test_a_page_is_not_due_before_its_time(store: Store) -> None:
    store.jobs.put([_job(due_at=after(90))])

    assert store.tasks.lease([TaskKind.CHECK], "worker 1", after(89)) is None
    assert store.tasks.lease([TaskKind.CHECK], "worker 1", after(90)) is not None


def test_a_page_rests_after_it_was_checked(store: Store) -> None:
    store.jobs.put([_job()])
    store.finish_check(_leased(store), after(5))
    store.jobs.put([_job(revision=11, asked_at=after(20), due_at=after(20))])

    assert store.tasks.lease([TaskKind.CHECK], "worker 1", after(599)) is None
    assert _leased(store, after(600)).task.revision_id == 11


def test_what_a_person_asks_for_does_not_rest_and_goes_first(store: Store) -> None:
    store.jobs.put([_job(), _job("Another page")])
    store.finish_check(_leased(store), after(5))
    requested = replace(_job("Third page"), reason=JobReason.ASKED, asked_at=after(20))
    store.jobs.put([requested])

    assert _leased(store, after(20)).task.title == "Third page"


def test_what_comes_during_the_work_waits_afterwards(store: Store) -> None:
    store.jobs.put([_job()])
    lease = _leased(store)
    store.jobs.put([_job(revision=11, asked_at=after(3), due_at=after(3))])

    assert store.tasks.lease([TaskKind.CHECK], "worker 2", after(10)) is None
    store.finish_check(lease, after(20))

    assert store.tasks.lease([TaskKind.CHECK], "worker 2", after(599)) is None
    assert _leased(store, after(600)).task.revision_id == 11


def test_the_lease_of_a_dead_worker_runs_out_and_its_token_is_worth_nothing(
    store: Store,
) -> None:
    store.jobs.put([_job()])
    dead = _leased(store)

    assert store.tasks.lease([TaskKind.CHECK], "worker 2", after(299)) is None
    living = _leased(store, after(300), "worker 2")

    assert (living.token, living.attempt) == (2, 2)
    with pytest.raises(LeaseLost):
        store.finish_check(dead, after(301))
    with pytest.raises(LeaseLost):
        store.tasks.renew(dead, after(301))
    with pytest.raises(LeaseLost):
        store.tasks.retry(dead, after(301), in_s=1, why="late")
    with pytest.raises(LeaseLost):
        store.tasks.park(dead, after(301), why="late")
    with pytest.raises(LeaseLost):
        store.tasks.put_off(dead, after(301), 0.0)
    store.finish_check(living, after(302))
    assert _count(store, TaskState.IDLE) == 1


def test_a_lease_can_be_prolonged(store: Store) -> None:
    store.jobs.put([_job()])
    lease = _leased(store)

    store.tasks.renew(lease, after(200))

    assert store.tasks.lease([TaskKind.CHECK], "worker 2", after(499)) is None
    store.finish_check(lease, after(499))


def test_a_page_that_kills_its_workers_is_parked(store: Store) -> None:
    store.jobs.put([_job()])
    for attempt in range(3):
        _leased(store, after(300 * attempt))

    assert store.tasks.lease([TaskKind.CHECK], "worker 1", after(900)) is None
    (parked,) = store.jobs.parked()
    assert parked.title == TITLE
    assert "died" in parked.reason
    assert parked.attempts == 3


def test_a_failure_that_may_pass_is_tried_again_later_and_not_for_ever(
    store: Store,
) -> None:
    store.jobs.put([_job()])
    at = 0.0
    for attempt in range(1, 4):
        lease = _leased(store, after(at))
        assert lease.attempt == attempt
        store.tasks.retry(lease, after(at), in_s=50, why="the wiki is busy")
        assert store.tasks.lease([TaskKind.CHECK], "worker 1", after(at + 49)) is None
        at += 50

    (parked,) = store.jobs.parked()
    assert parked.reason == "the wiki is busy"
    assert store.tasks.lease([TaskKind.CHECK], "worker 1", after(at + 1000)) is None


def test_an_edit_does_not_make_a_page_that_backs_off_due_sooner(store: Store) -> None:
    store.jobs.put([_job()])
    store.tasks.retry(_leased(store), _NOW, in_s=500, why="the wiki is busy")
    store.jobs.put([_job(revision=11, asked_at=after(9), due_at=after(9))])

    assert store.tasks.lease([TaskKind.CHECK], "worker 1", after(499)) is None
    assert _leased(store, after(500)).task.revision_id == 11


def test_a_parked_page_is_taken_up_by_a_newer_revision(store: Store) -> None:
    store.jobs.put([_job()])
    store.tasks.park(_leased(store), after(1), why="the page is too large")
    assert store.jobs.put([_job()]) == 0

    store.jobs.put([_job(revision=11, asked_at=after(9), due_at=after(9))])

    assert store.jobs.parked() == ()
    assert _leased(store, after(600)).attempt == 1


def test_parking_gives_way_to_what_came_meanwhile(store: Store) -> None:
    store.jobs.put([_job()])
    lease = _leased(store)
    store.jobs.put([_job(revision=11, asked_at=after(1), due_at=after(1))])

    store.tasks.park(lease, after(2), why="the revision was deleted")

    assert _leased(store, after(2)).task.revision_id == 11


def test_a_page_that_is_given_back_has_lost_no_attempt(store: Store) -> None:
    store.jobs.put([_job()])
    store.tasks.put_off(_leased(store), after(1), 0.0)

    lease = _leased(store, after(1))
    assert (lease.attempt, lease.token) == (1, 2)


def test_a_recheck_counts_if_it_was_asked_for_later(store: Store) -> None:
    store.jobs.put([_job()])
    store.finish_check(_leased(store), after(5))
    again = _job(revision=None, reason=JobReason.RECHECK, due_at=hour(48))

    assert store.jobs.put([again]) == 0
    assert store.jobs.put([replace(again, asked_at=hour(48))]) == 1
    assert _leased(store, hour(48)).task.reason is JobReason.RECHECK


def test_titles_that_differ_in_case_are_two_pages(store: Store) -> None:
    assert store.jobs.put([_job("Cabin"), _job("CABIN"), _job("Cabin ")]) == 3


def test_the_state_tells_since_when_the_longest_waiting_page_is_due(
    store: Store,
) -> None:
    assert store.jobs.state().oldest_due_at is None
    store.jobs.put([_job("A", due_at=after(7)), _job("B", due_at=after(3))])

    assert store.jobs.state().oldest_due_at == after(3)
    assert _count(store, TaskState.WAITING) == 2


def test_a_result_and_the_end_of_its_lease_are_one(store: Store) -> None:
    store.jobs.put([_job()])
    lease = _leased(store)

    assert store.save_check(run(10, after(9)), [suggestion()], ends=lease)

    assert _count(store, TaskState.IDLE) == 1
    assert len(store.suggestions_of(WIKI, TITLE)) == 1


def test_the_result_of_a_lost_lease_is_dropped(store: Store) -> None:
    store.jobs.put([_job()])
    dead = _leased(store)
    living = _leased(store, after(300), "worker 2")

    with pytest.raises(LeaseLost):
        store.save_check(run(10, after(301)), [suggestion()], ends=dead)

    assert store.suggestions_of(WIKI, TITLE) == ()
    assert store.save_check(run(10, after(302)), [suggestion()], ends=living)
