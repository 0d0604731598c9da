"""The store of a daemon that has no time: what waits for minutes elsewhere waits a second.

Leases run out within seconds, so that what a killed process had in hand comes back
while people are still editing. Nothing but times is other than in the real store.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.app.wiring.store import post_rules
from bot.records.changes import Batch
from bot.records.jobs import PageJob
from bot.records.posts import Attempt, Outcome, PostState, Refused, StoredPost
from bot.records.tasks import Lease, TaskKind
from bot.records.watches import PLANS, IntendedPost
from bot.settings import Settings
from bot.store import (
    Feeds,
    Outbox,
    Plans,
    Store,
    Tasks,
    check_policy,
    open_store,
    plan_policy,
)

LEASE_S = 4.0
_SOON_S = 1.0
_OFTEN = 100_000  # a page dies with its worker as often as we like
_DAY = timedelta(days=1)


def _sooner(
    intended_posts: Iterable[IntendedPost], now: datetime
) -> list[IntendedPost]:
    soon = now + timedelta(seconds=_SOON_S)
    return [
        replace(intended_post, due_at=min(intended_post.due_at, soon))
        if intended_post.subject
        else intended_post
        for intended_post in intended_posts
    ]


class HastyPlans(Plans):
    """Plans that are made again at once."""

    def ask(self, intended_posts: Sequence[IntendedPost], now: datetime) -> None:
        super().ask(_sooner(intended_posts, now), now)


class HastyTasks(Tasks):
    """Tasks whose failures are soon forgotten."""

    def retry(self, lease: Lease[Any], now: datetime, in_s: float, why: str) -> None:
        super().retry(lease, now, min(in_s, _SOON_S), why)


class HastyFeeds(Feeds):
    """Changes that are answered at once."""

    def keep(
        self,
        feed: str,
        batch: Batch,
        jobs: Sequence[PageJob],
        intended_posts: Sequence[IntendedPost] = (),
        **patrol: Any,
    ) -> int:
        planned = _sooner(intended_posts, batch.received_at)
        return super().keep(feed, batch, jobs, planned, **patrol)


class HastyOutbox(Outbox):
    """Posts that are tried again at once, and whose refusals are long past."""

    plans: Plans

    def settle(
        self, attempt: Attempt, outcome: Outcome, now: datetime, *, in_s: float = 0.0
    ) -> None:
        super().settle(attempt, outcome, now, in_s=min(in_s, _SOON_S))
        post = attempt.post
        if isinstance(outcome, Refused) and post.plan is not None:
            self.plans.ask([IntendedPost(post.plan, post.wiki, post.subject, now)], now)

    def posts(
        self,
        *,
        limit: int = 100,
        wiki: str | None = None,
        title: str | None = None,
        task: str | None = None,
        state: PostState | None = None,
    ) -> tuple[StoredPost, ...]:
        found = super().posts(
            limit=limit, wiki=wiki, title=title, task=task, state=state
        )
        return tuple(
            replace(each, changed_at=each.changed_at - _DAY)
            if each.state is PostState.REFUSED
            else each
            for each in found
        )


@contextmanager
def open_hasty_store(settings: Settings) -> Iterator[Store]:
    """Open the store of the settings."""
    with open_store(
        settings.database_url,
        policies=dict.fromkeys(PLANS, plan_policy(LEASE_S, _OFTEN))
        | {TaskKind.CHECK: check_policy(LEASE_S, _OFTEN)},
        post_rules=replace(
            post_rules(settings), lease_s=LEASE_S, most_tries=_OFTEN, longest_s=1e9
        ),
    ) as store:
        database = store._database
        store.plans = HastyPlans(database, _SOON_S)
        store.tasks = HastyTasks(database, store.tasks.policies)
        store.feeds = HastyFeeds(database)
        outbox = HastyOutbox(database, store.outbox.rules)
        outbox.plans = store.plans
        store.outbox = outbox
        yield store
