"""What one process was told is kept, noted the moment it was told.

At the end the store has to agree with all of it, whatever was killed in between.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog

from bot.records.changes import Batch
from bot.records.jobs import PageJob
from bot.records.posts import Attempt, Limits, Outcome, Post, PostRules, RequestOutcome
from bot.records.tasks import Lease, TaskKind
from bot.records.watches import ActiveWatch, IntendedPost, Plan
from bot.store import Feeds, JobQueue, Outbox, Plans, Store, Tasks
from bot.store.database import Transactions, open_engine, parse_url, shown

_PLENTY = Limits(*(1_000_000,) * 4)
_LOCK_S = 5.0


@dataclass(frozen=True, slots=True)
class Look:
    """A check that was saved."""

    title: str
    revision_id: int
    checked_at: datetime
    claims: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A time in which somebody had the turn of a task, as they were told."""

    task: str
    holder: str
    begin: datetime
    end: datetime


@dataclass
class Ledger:
    """All that one process knows; `faults` are what it saw go wrong itself."""

    batches: dict[str, list[Batch]] = field(default_factory=dict)
    jobs: list[PageJob] = field(default_factory=list)
    intended_posts: list[IntendedPost] = field(default_factory=list)
    leases: list[tuple[str, int]] = field(default_factory=list)
    checks: list[Look] = field(default_factory=list)
    plans: list[tuple[TaskKind, str, int]] = field(default_factory=list)
    posts: dict[str, Post] = field(default_factory=dict)
    tries: list[tuple[str, int]] = field(default_factory=list)
    settled: dict[str, Outcome] = field(default_factory=dict)
    watches: dict[str, ActiveWatch] = field(default_factory=dict)
    dismissed: set[tuple[str, str]] = field(default_factory=set)
    turns: list[Turn] = field(default_factory=list)
    troubles: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class _Jobs(JobQueue):
    ledger: Ledger

    def put(self, jobs: Sequence[PageJob]) -> int:
        news = super().put(jobs)
        self.ledger.jobs += jobs
        return news


class _Feeds(Feeds):
    ledger: Ledger

    def keep(
        self,
        feed: str,
        batch: Batch,
        jobs: Sequence[PageJob],
        intended_posts: Sequence[IntendedPost] = (),
        **patrol: Any,
    ) -> int:
        news = super().keep(feed, batch, jobs, intended_posts, **patrol)
        self.ledger.batches.setdefault(feed, []).append(batch)
        self.ledger.jobs += jobs
        self.ledger.intended_posts += intended_posts
        return news


class _Tasks(Tasks):
    ledger: Ledger

    def lease(self, *asked: Any, **named: Any) -> Lease[Any] | None:
        lease = super().lease(*asked, **named)
        if lease is not None:
            if lease.kind is TaskKind.CHECK:
                self.ledger.leases.append((lease.subject, lease.token))
            else:
                self.ledger.plans.append((lease.kind, lease.subject, lease.token))
        return lease


class _Plans(Plans):
    ledger: Ledger

    def ask(self, intended_posts: Sequence[IntendedPost], now: datetime) -> None:
        super().ask(intended_posts, now)
        self.ledger.intended_posts += intended_posts

    def finish(
        self, plan: Plan, posts: Sequence[Post], now: datetime
    ) -> tuple[RequestOutcome, ...]:
        results = super().finish(plan, posts, now)
        for post, answer in zip(posts, results, strict=True):
            if answer is not RequestOutcome.BUSY:
                self.ledger.posts[post.name] = post
        return results


class _Outbox(Outbox):
    ledger: Ledger

    def begin(self, now: datetime, *, wiki: str | None = None) -> Attempt | None:
        attempt = super().begin(now, wiki=wiki)
        if attempt is not None:
            self.ledger.tries.append((attempt.post.name, attempt.token))
        return attempt

    def settle(
        self, attempt: Attempt, outcome: Outcome, now: datetime, *, in_s: float = 0.0
    ) -> None:
        super().settle(attempt, outcome, now, in_s=in_s)
        self.ledger.settled[attempt.post.name] = outcome


@contextmanager
def open_noted_store(url: str, ledger: Ledger) -> Iterator[Store]:
    """Open a store whose answers are noted; it has no limit of posts that matters."""
    parsed = parse_url(url)
    engine = open_engine(parsed, lock_timeout_s=_LOCK_S)
    database = Transactions(engine, shown(parsed))
    store = Store(database, PostRules(usual=_PLENTY, most_tries=1_000, lease_s=120.0))
    store.jobs = jobs = _Jobs(database)
    store.feeds = feeds = _Feeds(database)
    store.plans = plans = _Plans(database)
    store.tasks = tasks = _Tasks(database, store.tasks.policies)
    store.outbox = outbox = _Outbox(database, store.outbox.rules)
    jobs.ledger = feeds.ledger = plans.ledger = outbox.ledger = ledger
    tasks.ledger = ledger
    try:
        yield store
    finally:
        engine.dispose()


@contextmanager
def heard(ledger: Ledger) -> Iterator[None]:
    """Count what the loops log as trouble, and note what is a fault of the program."""

    def hear(_logger: object, level: str, fields: Any) -> Any:
        if level in {"error", "critical"}:
            ledger.faults.append(
                f"{fields.get('event')}: {fields.get('exception', '')}"
            )
        elif level == "warning":
            ledger.troubles[f"{fields.get('event')}: {fields.get('why', '')}"] += 1
        elif fields.get("event") in {"page parked", "task parked"}:
            ledger.faults.append(f"page parked: {fields.get('why')}")
        raise structlog.DropEvent

    # As the program does; see `bot.app.wiring.logs`.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    before = structlog.get_config()
    structlog.configure(processors=[structlog.processors.format_exc_info, hear])
    try:
        yield
    finally:
        structlog.configure(**before)
