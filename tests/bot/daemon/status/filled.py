"""A database in which something of everything has happened."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256

from bot.daemon.status.situation import Configured, Setting, Situation
from bot.records.changes import (
    Batch,
    DeadLetter,
    DeadReason,
    Gap,
    Position,
    TopicPosition,
)
from bot.records.dossiers import DraftOrder, NamedTopic
from bot.records.heartbeat import Heartbeat
from bot.records.jobs import JobReason, PageJob
from bot.records.posts import (
    Append,
    NotNow,
    Outcome,
    Post,
    Posted,
    Refusal,
    Refused,
    Shown,
)
from bot.records.tasks import TaskKind
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
    Consultation,
    Engine,
    ModelUse,
    SourceFetch,
    SourceOutcome,
)
from tests import builders
from tests.bot.store.decided import ANNA, BEN, decision
from tests.bot.store.runs import NOON, WIKI, hour, run, suggestion

STOPPED = "the stop page of the task does not say “run”"
FEED = "https://stream.example.org/v2/stream/recentchange"
MEANS = Configured(
    version="0.1.0",
    account="ExampleBot",
    is_live=True,
    has_secret=True,
    settings=(
        Setting("wiki", WIKI, "The wiki that titles belong to.", is_default=True),
        Setting("posting", "live", "Where posts go.", is_default=False),
        Setting("bot_secret", "set, not shown", "Signs posts.", is_default=False),
    ),
)


def seen(store: Store, now: datetime = NOON, **changes: object) -> Situation:
    """Return the situation that a database is in."""
    configured = replace(MEANS, **changes)  # type: ignore[arg-type]  # fields by name
    return Situation(store.status(now), configured)


def heartbeat(role: str, **changes: object) -> Heartbeat:
    default = Heartbeat(
        name=f"{role}:tools-1:{len(role)}",
        role=role,
        host="tools-1",
        pid=1000 + len(role),
        version="0.1.0",
        started_at=hour(-30),
        seen_at=NOON - timedelta(seconds=4),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def fill(store: Store, word: str = "Ada") -> None:
    """Let something of everything happen; `word` stands in whatever others wrote."""
    _watch(store, word)
    _check(store, word)
    _read_feed(store)
    _queue(store, word)
    _post(store, word)
    _plan(store, word)
    _draft(store, word)
    store.processes.beat(
        heartbeat("intake", figures={"lag_s": 2.5, "connected": 1}, problem=word)
    )
    store.processes.beat(heartbeat("work"))
    store.processes.beat(heartbeat("publish", seen_at=hour(-1)))
    store.schedule_locks.take("opt-in refresh", "tools-1:1007", hour(-0.2), 600)


def _watch(store: Store, word: str) -> None:
    for number, kind in enumerate(WatcherKind):
        store.watches.keep(
            ActiveWatch(
                WIKI,
                f"User:{word} {number}"[:200],
                kind,
                word[:200],
                (f"Page {number}", "Page 9"),
                surfaces=(Surface.REPORT, Surface.TALK),
            ),
            [],
            hour(-40),
        )
    text = json.dumps({"limits": {"notesPerPage": 1}, "ignoreSections": [word[:200]]})
    store.communities.keep(WIKI, CommunityPage(text, 77, hour(-9)))
    store.communities.keep(WIKI, CommunityPage("{", 78, hour(-2), (f"bad: {word}",)))


def _draft(store: Store, word: str) -> None:
    named = NamedTopic("Clock", "User:Ada/Sidenote drafts/Clock")
    store.drafts.ask(DraftOrder(WIKI, "User:Ada/Sidenote", "Ada", (named,)), hour(-3))
    turn = store.tasks.lease([TaskKind.DRAFT], "me", hour(-2))
    assert turn is not None
    store.drafts.nothing(turn, word, hour(-1))


def _check(store: Store, word: str) -> None:
    def fetch(outcome: SourceOutcome) -> SourceFetch:
        return SourceFetch(builders.source(raw=word), outcome, word)

    use = ModelUse(12, 3, 41_000, 2_300, Decimal("0.01234"))
    consultation = Consultation(Engine("language model", word[:80]), 9, 8, use)
    outcomes = (SourceOutcome.READ, SourceOutcome.GONE, SourceOutcome.LOGIN_WALL)
    for number, outcome in enumerate((*outcomes, SourceOutcome.READ)):
        check = builders.claim_check(fetches=(fetch(outcome),))
        report = run(
            10,
            hour(-30 * number - 1),
            [check],
            f"Page {number}",
            consultation=consultation,
        )
        flagged = suggestion(f"{word} {number}", flag=builders.flag())
        store.save_check(report, [flagged, suggestion(f"Doubtful {number}")])
        wrong = decision(
            flagged.identity,
            title=f"Page {number}",
            engine=Engine(word[:80], "3"),
        )
        for reader in (ANNA, BEN)[: number + 1]:
            store.decisions.decide(reader, wrong)


def _read_feed(store: Store) -> None:
    newest = int((NOON - timedelta(seconds=8)).timestamp() * 1000) + 1
    position = Position((TopicPosition("eqiad.mediawiki.recentchange", 0, newest),))
    letter = DeadLetter(DeadReason.BAD_SHAPE, "no title", b"{}", 2)
    batch = Batch(
        NOON - timedelta(seconds=5),
        position,
        (),
        (letter,),
        (Gap(hour(-3), hour(-2)),),
    )
    store.feeds.keep(FEED, batch, [])


def _queue(store: Store, word: str) -> None:
    for number, due_s in enumerate((-40, -400, -4000, 300)):
        due_at = NOON + timedelta(seconds=due_s)
        title = f"Waiting {number} {word}"[:200]
        store.jobs.put([PageJob(WIKI, title, JobReason.CHANGE, due_at, due_at, 10)])
    lease = store.tasks.lease([TaskKind.CHECK], "worker", hour(-1))
    assert lease is not None
    store.tasks.park(lease, hour(-0.5), why=f"the page cannot be read: {word}")


def _post(store: Store, word: str) -> None:
    outcomes: Sequence[Outcome] = (
        Posted(7_654_321),
        Refused(Refusal.FILTER, word),
        Shown("/dry-run/page.wikitext"),
        NotNow(STOPPED, 300),
    )
    for number, outcome in enumerate(outcomes):
        identity = sha256(f"{word} {number}".encode()).hexdigest()
        post = Post(
            name=sha256(f"post {number}".encode()).hexdigest(),
            wiki=WIKI,
            title=f"User:{word}/Report {number}"[:200],
            task="report",
            change=Append(word),
            summary=word,
            asked_at=hour(-2),
            user=word[:200],
            plan=PlanKind.REPORT,
            subject=f"User:{word}"[:200],
            adds=(identity,),
        )
        store.outbox.ask(post)
        attempt = store.outbox.begin(hour(-1.9 + number / 10))
        assert attempt is not None
        store.outbox.settle(attempt, outcome, attempt.until, in_s=60)


def _plan(store: Store, word: str) -> None:
    store.plans.ask(
        [IntendedPost(PlanKind.TALK, WIKI, f"Page {word}"[:200], hour(-8))], hour(-8)
    )
    plan = store.tasks.lease([TaskKind.PLAN_TALK], "me", hour(-7))
    assert plan is not None
    store.tasks.retry(plan, hour(-7), in_s=60, why=f"the wiki is away: {word}")
