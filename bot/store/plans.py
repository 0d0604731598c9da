"""What has to be planned anew, as verbs on values.

Each verb is one transaction. Times come from the caller's clock, as those of the
queue do.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from bot.posts import Asked, Post
from bot.store import planning, posting
from bot.store.transactions import Transactions
from bot.watches import FailingPlan, Plan, PlanKind, PlansState, Wish

_LEASE_S = 120.0
_BUSY_S = 20.0


class Plans:
    """Reports, talk pages and opt-ins to be thought through. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def ask(self, wishes: Sequence[Wish], now: datetime) -> None:
        """Let plans wait; one that is in work waits again when it ends.

        Of the same plan the earlier due time wins; one that failed is not made due
        sooner.
        """
        self._database.write(lambda made: planning.ask(made, wishes, now))

    def begin(
        self, kind: PlanKind | None, now: datetime, wiki: str | None = None
    ) -> Plan | None:
        """Lease the plan that is due first, of a kind and wiki or of all.

        Return `None` if none is due. `token` never comes again for the same subject.
        """
        return self._database.write(
            lambda made: planning.begin(made, kind, now, wiki=wiki, for_s=_LEASE_S)
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
                planning.wait(made, plan, now, in_s=_BUSY_S, why=None)
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
        return self._database.read(planning.state)

    def failing(self, limit: int = 100) -> tuple[FailingPlan, ...]:
        """Return plans that wait after a failure, the one that failed last first."""
        return self._database.read(lambda made: planning.failing(made, limit))
