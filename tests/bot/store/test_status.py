"""What the database tells of how the program is doing."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.records.changes import (
    Batch,
    DeadLetter,
    DeadReason,
    Gap,
    Position,
    TopicPosition,
)
from bot.records.heartbeat import Heartbeat
from bot.records.jobs import JobReason, PageJob
from bot.records.posts import (
    Append,
    NotNow,
    Outcome,
    Post,
    Posted,
    PostState,
    Refusal,
    Refused,
)
from bot.records.status import AGES_S, DAY_S, Ages
from bot.records.tasks import TaskKind, TaskState
from bot.records.watches import (
    ActiveWatch,
    CommunityPage,
    IntendedPost,
    PlanKind,
    Surface,
    WatcherKind,
)
from bot.store import Store
from handlers.model import (
    CheckKind,
    Consultation,
    Engine,
    ModelUse,
    SourceFetch,
    SourceOutcome,
    Verdict,
)
from tests import builders
from tests.bot.store.made_posts import make, numbered, post
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, run, suggestion

_FEED = "https://stream.example.org/v2/stream/recentchange"


def _job(title: str, due_s: float) -> PageJob:
    due_at = NOON + timedelta(seconds=due_s)
    return PageJob(WIKI, title, JobReason.CHANGE, due_at, due_at, 10)


def _post(number: int, **changes: object) -> Post:
    text = Append("Text that no status page shows")
    user = "A person that no status page names"
    return numbered(number, change=text, user=user, **changes)


def test_an_empty_database_tells_that_nothing_happened(store: Store) -> None:
    status = store.status(NOON)

    assert status.at == NOON
    assert status.queue.states == dict.fromkeys(TaskState, Ages())
    assert status.posts.counts == dict.fromkeys(PostState, 0)
    assert status.findings.last_check_at is None
    assert [day.checks for day in status.findings.days] == [0] * 7
    assert (status.feeds, status.watches, status.processes, status.costs_day) == (
        (),
    ) * 4


def test_pages_are_counted_by_state_and_age(store: Store) -> None:
    ages = [-30, 1, *(age + 1 for age in AGES_S)]
    store.jobs.put([_job(f"Page {age}", -age) for age in ages])

    status = store.status(NOON).queue

    waiting = status.states[TaskState.WAITING]
    assert waiting.to_come == 1
    assert waiting.counts == (1, 1, 1, 1, 1)
    assert waiting.oldest_at == NOON - timedelta(seconds=DAY_S + 1)
    assert status.next_due_at == NOON + timedelta(seconds=30)


def test_what_is_parked_is_reported_with_its_reason(store: Store) -> None:
    for number in range(3):
        store.jobs.put([_job(f"Page {number}", -60)])
        lease = store.tasks.lease([TaskKind.CHECK], "worker", NOON)
        assert lease is not None
        why = "the page is gone" if number else "the page is a redirect"
        store.tasks.park(lease, NOON, why=why)

    status = store.status(hour(1)).queue

    assert status.why_parked == (("the page is gone", 2), ("the page is a redirect", 1))
    assert {one.title for one in status.parked} == {"Page 0", "Page 1", "Page 2"}
    assert status.states[TaskState.PARKED].counts == (0, 0, 0, 3, 0)


def test_the_notes_that_a_filter_refuses_are_named_until_they_are_shown(
    store: Store,
) -> None:
    kept, shown, unwanted = map(suggestion, ("One.", "Two.", "Three."))
    store.save_check(run(), [kept, shown])
    words = Refused(Refusal.FILTER, "abusefilter-disallowed: no")
    alone = [(one.identity,) for one in (kept, shown, unwanted)]
    for number, adds in enumerate([(kept.identity, shown.identity), *alone]):
        make(store, post(f"refused {number}", adds), words)
    make(store, post("made", [shown.identity]), at=hour(0.5))

    [left_out] = store.status(hour(1)).posts.left_out

    assert left_out.identity == kept.identity
    assert (left_out.article, left_out.claim) == (TITLE, kept.claim)
    assert (left_out.title, left_out.why) == (f"Talk:{TITLE}", words.why)
    store.save_check(run(11), [])
    assert store.status(hour(1)).posts.left_out == ()


def test_posts_are_reported_without_their_text_and_without_whom_they_are_for(
    store: Store,
) -> None:
    outcomes: tuple[Outcome, ...] = (
        Posted(77),
        Refused(Refusal.FILTER, "filter 3 refuses it"),
        NotNow("the stop page of the task does not say “run”", 300),
    )
    for number, outcome in enumerate(outcomes):
        store.outbox.ask(_post(number))
        attempt = store.outbox.begin(NOON)
        assert attempt is not None
        store.outbox.settle(attempt, outcome, NOON, in_s=300)

    status = store.status(hour(1)).posts

    assert status.counts[PostState.POSTED] == 1
    assert status.refusals == {Refusal.FILTER: 1}
    assert status.held == (("the stop page of the task does not say “run”", 1),)
    assert status.waiting.come == 1
    assert status.last_posted_at == NOON
    assert {line.revision_id for line in status.newest} == {77, None}
    assert [(one.wiki, one.count) for one in status.used_today] == [("", 1), (WIKI, 1)]
    assert "no status page" not in repr(status)


def test_sources_are_those_of_the_newest_check_of_each_page(store: Store) -> None:
    def fetch(outcome: SourceOutcome) -> SourceFetch:
        return SourceFetch(builders.source(), outcome, "")

    gone = builders.claim_check(fetches=(fetch(SourceOutcome.GONE),))
    wall = builders.claim_check(fetches=(fetch(SourceOutcome.LOGIN_WALL),))
    store.save_check(run(10, hour(-3), [gone]), [])
    store.save_check(run(11, hour(-2), [wall]), [])
    store.save_check(run(12, hour(-50), [gone], "Another page"), [])

    status = store.status(NOON).findings

    assert status.sources_day.outcomes == {SourceOutcome.LOGIN_WALL: 1}
    assert status.sources_day.pages == 1
    assert status.sources_week.outcomes == {
        SourceOutcome.GONE: 1,
        SourceOutcome.LOGIN_WALL: 1,
    }
    assert status.last_check_at == hour(-2)
    assert [day.checks for day in status.days] == [2, 0, 1, 0, 0, 0, 0]


def test_suggestions_are_open_until_a_later_check_closes_them(store: Store) -> None:
    store.save_check(run(10, hour(-3)), [suggestion("One."), suggestion("Two.")])
    store.save_check(run(11, hour(-2)), [suggestion("Two.")])

    status = store.status(NOON).findings

    assert status.doubtful + sum(status.flagged.values()) == 1
    assert status.closed == 1


def test_a_feed_tells_its_lag_its_holes_and_its_dead_letters(store: Store) -> None:
    newest = int((NOON - timedelta(seconds=3)).timestamp() * 1000) + 1
    letter = DeadLetter(DeadReason.BAD_JSON, "line 1", b"{", 1)
    batch = Batch(
        received_at=NOON,
        position=Position((TopicPosition("eqiad.mediawiki", 0, newest),)),
        dead_letters=(letter, letter),
        gaps=(Gap(hour(-2), hour(-1)),),
    )
    store.feeds.keep(_FEED, batch, [])

    [seen] = store.status(NOON + timedelta(seconds=60)).feeds

    assert seen.lag_s(NOON + timedelta(seconds=60)) == pytest.approx(3, abs=0.01)
    assert seen.lag_s(NOON + timedelta(seconds=300)) == pytest.approx(303, abs=0.01)
    assert seen.gaps == (Gap(hour(-2), hour(-1)),)
    assert seen.dead_day == {DeadReason.BAD_JSON: 2}
    assert store.status(hour(48)).feeds[0].dead_day == {}
    assert store.status(hour(48)).feeds[0].dead == 2


def test_a_process_is_known_until_it_ends(store: Store) -> None:
    heartbeat = Heartbeat(
        "publish:here:1", "publish", "here", 1, "0.1", NOON, NOON, figures={"lag_s": 1}
    )
    store.processes.beat(heartbeat)
    later = replace(
        heartbeat,
        seen_at=hour(1),
        problem="away",
        figures={"lag_s": float("nan"), "x": 2},
    )
    store.processes.beat(later)

    assert store.processes.known() == (replace(later, figures={"x": 2.0}),)
    assert store.status(hour(1)).processes[0].is_fresh(hour(1) + timedelta(seconds=45))
    assert not later.is_fresh(hour(1) + timedelta(seconds=46))
    store.processes.end(heartbeat.name)
    assert store.processes.known() == ()


def test_a_process_that_was_silent_for_a_day_is_forgotten(store: Store) -> None:
    dead = Heartbeat("work:here:1", "work", "here", 1, "0.1", NOON, NOON)
    store.processes.beat(dead)

    born = replace(dead, name="work:here:2", pid=2, seen_at=hour(25))
    store.processes.beat(born)

    assert store.processes.known() == (born,)


def test_what_a_model_took_is_kept_once_with_its_check(store: Store) -> None:
    use = ModelUse(3, 1, 4000, 300, Decimal("0.001234567"))
    consultation = Consultation(Engine("language model", "qwen3:14b"), 2, 2, use)
    report = run(10, hour(-2), consultation=consultation)

    assert store.save_check(report, [])
    assert not store.save_check(report, [])

    [cost] = store.status(NOON).costs_day
    assert (cost.model, cost.calls, cost.cost) == ("qwen3:14b", 3, use.cost)
    assert store.status(hour(24)).costs_day == ()
    assert store.status(hour(24)).costs_week == (cost,)


def test_verdicts_are_summed_up_by_day(store: Store) -> None:
    store.save_check(run(10, hour(-1), [builders.claim_check()] * 2), [])

    today = store.status(NOON).findings.days[0]

    assert today.claims == 2
    assert sum(today.verdicts.values()) + today.unchecked == 2
    assert set(today.verdicts) == set(Verdict)
    assert store.status(NOON).findings.pages == 1
    assert TITLE not in repr(store.status(NOON).findings)


def test_what_people_asked_for_and_saw_is_counted(store: Store) -> None:
    def watch(place: str, kind: WatcherKind, *pages: str) -> None:
        surfaces = (Surface.TALK,) if kind is WatcherKind.PAGE else (Surface.REPORT,)
        watch = ActiveWatch(WIKI, place, kind, place, pages, surfaces=surfaces)
        store.watches.keep(watch, [], NOON)

    watch("User:A/Watch", WatcherKind.USER, "One", "Two")
    watch("Talk:Two", WatcherKind.PAGE, "Two")
    store.save_check(run(10, hour(-1)), [suggestion(flag=builders.flag())])
    known = suggestion().identity
    post = _post(1, adds=(known,), plan=PlanKind.TALK, subject=TITLE)
    store.outbox.ask(replace(post, title=f"Talk:{TITLE}"))
    attempt = store.outbox.begin(NOON)
    assert attempt is not None
    store.outbox.settle(attempt, Posted(1), NOON)
    text = store.status(hour(1))
    store.shown_notes.dismiss(WIKI, f"Talk:{TITLE}", [known[:24]], hour(2))
    gone = store.status(hour(3))

    [seen] = text.watches
    assert (seen.wiki, seen.pages, seen.talk) == (WIKI, 2, 1)
    assert [seen.kinds[kind] for kind in WatcherKind] == [1, 1, 0]
    [notes] = text.findings.notes
    assert (notes.kind, notes.shown, notes.open) == ("NOT_FULLY_SUPPORTED", 1, 1)
    assert notes.precision is None
    assert gone.findings.notes[0].precision == 0
    assert text.findings.flagged[CheckKind.NOT_FULLY_SUPPORTED] == 1


def test_plans_that_wait_or_fail_are_reported(store: Store) -> None:
    store.plans.ask([IntendedPost(PlanKind.TALK, WIKI, "One", hour(-2))], hour(-2))
    store.plans.ask([IntendedPost(PlanKind.OPT_INS, WIKI, "", hour(1))], hour(-2))
    plan = store.tasks.lease([TaskKind.PLAN_TALK], "me", hour(-1))
    assert plan is not None
    store.tasks.retry(plan, hour(-1), in_s=60, why="the wiki is away")

    status = store.status(NOON).plans

    assert status.waiting[PlanKind.TALK].come == 1
    assert status.waiting[PlanKind.OPT_INS].to_come == 1
    [failing] = status.failing
    assert (failing.intended_post.subject, failing.attempts) == ("One", 1)
    assert failing.note == "the wiki is away"
    assert failing.failed_at == hour(-1)


def test_communities_and_turns_are_reported(store: Store) -> None:
    store.communities.keep(WIKI, CommunityPage("{}", 7, hour(-3)))
    store.communities.keep(WIKI, CommunityPage("{", 8, hour(-2), ("not JSON",)))
    store.schedule_locks.take("sweep", "here:1", hour(-1), 600)

    status = store.status(NOON)

    [community] = status.communities
    assert community.page == CommunityPage("{}", 7, hour(-2), ("not JSON",))
    [turn] = status.scheduled
    assert (turn.name, turn.last_run_at, turn.holder) == ("sweep", hour(-1), "here:1")
