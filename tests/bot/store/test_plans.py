"""Plans: each waits once, is made by one, and ends with its posts or not at all."""

import itertools
import random
import time
from dataclasses import replace
from hashlib import sha256
from multiprocessing import get_context
from typing import Any

import pytest

from bot.records.posts import Append, Post, PostState, RequestOutcome
from bot.records.tasks import LeaseLost, TaskKind
from bot.records.watches import PLANS, IntendedPost, Plan, PlanKind
from bot.store import Store, open_store
from handlers.ports import PermanentError
from tests.bot.store.runs import NOON, WIKI, after, start

_PLACE = "User:Ada Penrose/Sidenote"


def _intended_post(
    subject: str = _PLACE, due_s: float = 0, **changes: object
) -> IntendedPost:
    default = IntendedPost(PlanKind.REPORT, WIKI, subject, after(due_s))
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def _begun(store: Store, at_s: float = 0) -> Plan:
    plan = store.tasks.lease(PLANS, "me", after(at_s))
    assert plan is not None
    return plan


def _post(plan: Plan, number: int = 1) -> Post:
    return Post(
        name=sha256(f"{plan.task.subject} {plan.token} {number}".encode()).hexdigest(),
        wiki=plan.task.wiki,
        title=f"{plan.task.subject}/Report {number}",
        task="report",
        change=Append("text"),
        summary="Report",
        asked_at=after(0),
        plan=plan.task.kind,
        subject=plan.task.subject,
    )


def test_a_plan_is_begun_once_and_ends(store: Store) -> None:
    store.plans.ask([_intended_post()], NOON)

    plan = _begun(store)

    assert plan.task == _intended_post()
    assert (plan.attempt, plan.until) == (1, after(120))
    assert store.tasks.lease(PLANS, "me", NOON) is None
    assert store.plans.finish(plan, [], NOON) == ()
    assert store.tasks.lease(PLANS, "me", after(10_000)) is None


def test_plans_are_told_apart_by_kind_wiki_and_subject(store: Store) -> None:
    intended_posts = [
        _intended_post(""),
        _intended_post("a"),
        _intended_post("A"),
        _intended_post("", kind=PlanKind.OPT_INS),
        _intended_post("", wiki="de.wikipedia.org"),
    ]
    store.plans.ask(intended_posts, NOON)

    assert store.tasks.lease([TaskKind.PLAN_TALK], "me", NOON) is None
    opt_ins = store.tasks.lease([TaskKind.PLAN_OPT_INS], "me", NOON)
    german = store.tasks.lease(PLANS, "me", NOON, wiki="de.wikipedia.org")
    assert opt_ins is not None
    assert opt_ins.task == intended_posts[3]
    assert german is not None
    assert german.task == intended_posts[4]
    assert {_begun(store).task.subject for _ in range(3)} == {"", "a", "A"}


def test_the_earlier_due_time_wins(store: Store) -> None:
    store.plans.ask(
        [_intended_post(due_s=50), _intended_post(due_s=30), _intended_post(due_s=40)],
        NOON,
    )
    store.plans.ask([_intended_post(due_s=60)], NOON)

    assert store.tasks.lease(PLANS, "me", after(29)) is None
    assert _begun(store, 30).task.due_at == after(30)


def test_what_is_asked_for_during_the_work_waits_afterwards(store: Store) -> None:
    store.plans.ask([_intended_post()], NOON)
    plan = _begun(store)
    store.plans.ask([_intended_post(due_s=30)], after(1))
    store.plans.ask([_intended_post(due_s=20)], after(2))

    assert store.tasks.lease(PLANS, "me", after(60)) is None
    store.plans.finish(plan, [_post(plan)], after(5))

    assert store.tasks.lease(PLANS, "me", after(19)) is None
    again = _begun(store, 20)
    assert again.token > plan.token
    store.plans.finish(again, [], after(21))
    assert store.tasks.lease(PLANS, "me", after(10_000)) is None


def test_a_planner_that_was_thought_dead_changes_nothing(store: Store) -> None:
    store.plans.ask([_intended_post()], NOON)
    dead = _begun(store)
    assert store.tasks.lease(PLANS, "me", after(119)) is None
    living = _begun(store, 120)

    with pytest.raises(LeaseLost):
        store.plans.finish(dead, [_post(dead)], after(121))
    with pytest.raises(LeaseLost):
        store.tasks.retry(dead, after(121), 1, "late")

    assert store.outbox.posts() == ()
    assert store.plans.finish(living, [_post(living)], after(122)) == (
        RequestOutcome.KEPT,
    )


def test_finishing_twice_is_finishing_once(store: Store) -> None:
    store.plans.ask([_intended_post()], NOON)
    plan = _begun(store)
    store.plans.finish(plan, [_post(plan)], NOON)

    assert store.plans.finish(plan, [_post(plan)], NOON) == (RequestOutcome.KNOWN,)
    store.plans.ask([_intended_post()], after(1))
    assert store.plans.finish(plan, [_post(plan)], NOON) == (RequestOutcome.KNOWN,)

    assert _begun(store, 1).token == plan.token + 1


def test_a_page_that_is_busy_makes_its_plan_wait(store: Store) -> None:
    store.plans.ask([_intended_post()], NOON)
    plan = _begun(store)
    store.plans.finish(plan, [_post(plan)], NOON)
    store.outbox.begin(NOON)
    store.plans.ask([_intended_post()], NOON)
    plan = _begun(store)

    outcomes = store.plans.finish(plan, [_post(plan), _post(plan, 2)], NOON)

    assert outcomes == (RequestOutcome.BUSY, RequestOutcome.KEPT)
    assert store.tasks.lease(PLANS, "me", after(19)) is None
    assert _begun(store, 20).attempt == 1
    assert store.plans.failing() == ()


def test_a_plan_that_cannot_be_kept_whole_leaves_nothing(store: Store) -> None:
    store.plans.ask([_intended_post()], NOON)
    plan = _begun(store)
    bad = replace(_post(plan, 2), change=Append("a\0b"))

    with pytest.raises(PermanentError):
        store.plans.finish(plan, [_post(plan), bad], NOON)

    assert store.outbox.posts() == ()
    store.tasks.retry(plan, NOON, 30, "the wiki is busy")


def test_a_failure_is_reported_and_no_request_makes_it_due_sooner(store: Store) -> None:
    store.plans.ask([_intended_post(), _intended_post("B", 5)], NOON)
    store.tasks.retry(_begun(store), NOON, 300, "the wiki is busy")
    store.plans.ask([_intended_post()], after(1))

    [failed] = store.plans.failing()
    assert (failed.intended_post.subject, failed.attempts) == (_PLACE, 1)
    assert (failed.note, failed.failed_at) == ("the wiki is busy", NOON)
    assert failed.intended_post.due_at == after(300)
    state = store.plans.state()
    assert state.waiting[PlanKind.REPORT] == 2
    assert state.oldest_due_at == after(5)
    store.plans.finish(_begun(store, 5), [], after(5))
    assert store.tasks.lease(PLANS, "me", after(299)) is None

    retried = _begun(store, 300)

    assert (retried.task.subject, retried.attempt) == (_PLACE, 2)
    assert store.plans.state().leased[PlanKind.REPORT] == 1
    store.plans.finish(retried, [], after(301))
    assert store.plans.failing() == ()


def test_a_plan_that_kills_its_planners_rests(store: Store) -> None:
    store.plans.ask([_intended_post()], NOON)
    for attempt in range(5):
        assert _begun(store, 120 * attempt).attempt == attempt + 1

    assert store.tasks.lease(PLANS, "me", after(600)) is None
    [failed] = store.plans.failing()
    assert "died" in failed.note
    assert _begun(store, 600 + 3600).attempt == 1


def _plan_all(url: str, begun: Any) -> None:
    with open_store(url) as store:
        while plan := store.tasks.lease(PLANS, "me", NOON):
            store.plans.finish(plan, [_post(plan)], NOON)
            begun.put((plan.task.subject, plan.token))
    begun.put(None)


def test_of_several_planners_one_has_each_plan(url: str) -> None:
    with open_store(url) as store:
        store.plans.ask(
            [_intended_post(f"User:{number}") for number in range(40)], NOON
        )
    begun = get_context("fork").Queue()
    processes = [start(_plan_all, url, begun) for _ in range(3)]
    found = []
    for _ in processes:
        found += list(iter(lambda: begun.get(timeout=60), None))

    assert len({subject for subject, _ in found}) == len(found) == 40
    with open_store(url) as store:
        assert store.outbox.counts()[PostState.WAITING] == 40


def _plan_for_ever(url: str) -> None:
    with open_store(url) as store:
        for number in itertools.count():
            store.plans.ask([_intended_post(f"User:{number % 5}")], NOON)
            plan = store.tasks.lease(PLANS, "me", NOON)
            if plan is None:
                continue
            posts = [_post(plan, one) for one in range(3)]
            store.plans.finish(plan, posts, NOON)


def test_a_planner_that_is_killed_leaves_all_posts_of_a_plan_or_none(
    store: Store,
    url: str,
) -> None:
    chance = random.Random(4)
    with open_store(url):
        pass
    for number in range(6):
        process = start(_plan_for_ever, url)
        if not number:
            _wait_for_a_post(url)
        time.sleep(chance.uniform(0.05, 0.25))
        process.kill()
        process.join()

    waiting = store.outbox.posts(state=PostState.WAITING)
    by_subject = sorted((one.post.subject, one.post.title) for one in waiting)
    assert waiting
    for subject, group in itertools.groupby(by_subject, key=lambda one: one[0]):
        assert [title for _, title in group] == [
            f"{subject}/Report {number}" for number in range(3)
        ]


def _wait_for_a_post(url: str) -> None:
    deadline = time.monotonic() + 60
    with open_store(url) as store:
        while time.monotonic() < deadline and not store.outbox.posts():
            time.sleep(0.02)
