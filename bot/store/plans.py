"""What has to be planned anew, as verbs on values.

Each verb is one transaction. Times come from the caller's clock, as those of the
queue do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from bot.records.posts import Asked, Post
from bot.records.watches import FailingPlan, Plan, PlanKind, PlansState, Wish
from bot.store import plan_reading, planning, posting
from bot.store.transactions import Transactions


@dataclass(frozen=True, slots=True)
class PlanRules:
    """How long a planner may take, and what becomes of a plan that cannot end.

    One waits for `busy_s` where an earlier post is not settled, and rests for an hour
    after `most_deaths` planners died with it.
    """

    lease_s: float = 120.0
    busy_s: float = 20.0
    most_deaths: int = 5


class Plans:
    """Reports, talk pages and opt-ins to be thought through. Processes may share it."""

    def __init__(self, transactions: Transactions, rules: PlanRules) -> None:
        self._database = transactions
        self.rules = rules

    def ask(self, wishes: Sequence[Wish], now: datetime) -> None:
        """Let plans wait; one that is in work waits again when it ends.

        Of the same plan the earlier due time wins; one that failed is not made due
        sooner.
        """
        self._database.write(lambda made: planning.ask(made, wishes, now))

    def any_due(self, now: datetime) -> bool:
        """Tell whether any plan can be leased: one question, which locks nothing."""
        return self._database.read(lambda made: planning.any_due(made, now))

    def begin(
        self, kind: PlanKind | None, now: datetime, wiki: str | None = None
    ) -> Plan | None:
        """Lease the plan that is due first, of a kind and wiki or of all.

        Return `None` if none is due. `token` never comes again for the same subject.
        """
        rules = self.rules
        return self._database.write(
            lambda made: planning.begin(
                made,
                kind,
                now,
                wiki=wiki,
                for_s=rules.lease_s,
                most_deaths=rules.most_deaths,
            )
        )

    def finish(
        self, plan: Plan, posts: Sequence[Post], now: datetime
    ) -> tuple[Asked, ...]:
        """Ask for the posts that came of a plan, and end it: both or neither.

        If an earlier post to one of the pages is not settled, the plan waits again.

        Raises:
            LeaseLost: somebody else has the plan; nothing is asked for.
        """

        def work(made: Connection) -> tuple[Asked, ...]:
            asked = tuple(posting.ask(made, post) for post in posts)
            if Asked.BUSY in asked:
                planning.wait(made, plan, now, in_s=self.rules.busy_s, why=None)
            else:
                planning.end(made, plan, now)
            return asked

        return self._database.write(work)

    def retry(self, plan: Plan, now: datetime, in_s: float, why: str) -> None:
        """Let a plan wait after a failure.

        Raises:
            LeaseLost: somebody else has the plan.
        """
        self._database.write(
            lambda made: planning.wait(made, plan, now, in_s=in_s, why=why)
        )

    def state(self) -> PlansState:
        """Count the plans that wait or are in work."""
        return self._database.read(plan_reading.state)

    def failing(self, limit: int = 100) -> tuple[FailingPlan, ...]:
        """Return plans that wait after a failure, the one that failed last first."""
        return self._database.read(lambda made: plan_reading.failing(made, limit))
