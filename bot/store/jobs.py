"""The queue of pages and the feeds they come from, as verbs on values.

Each verb is one transaction. Times come from the caller's clock; where several
machines work on one queue, their clocks must agree to within a fraction of a lease.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.records.changes import Batch, DeadLetter, Hole, Position
from bot.records.jobs import Lease, PageJob, ParkedJob, QueueState
from bot.records.watches import Wish
from bot.store import enqueue, feeds, leasing, queueing
from bot.store.transactions import Transactions


@dataclass(frozen=True, slots=True)
class QueueRules:
    """How long a worker may take for a page, and how often it is tried.

    `weights` are of wikis by their host names, above 0: one of weight 2 gets twice as
    much of the work as one that is not named, where both have pages that are due.
    """

    lease_s: float = 120.0
    attempts: int = 5
    weights: Mapping[str, float] = field(default_factory=dict)


class JobQueue:
    """What waits to be looked at. Processes may share it."""

    def __init__(self, transactions: Transactions, rules: QueueRules) -> None:
        self._database = transactions
        self.rules = rules

    def put(self, jobs: Sequence[PageJob]) -> int:
        """Let pages wait; return for how many of them that was news."""
        return self._database.write(lambda made: enqueue.put_all(made, jobs))

    def lease(
        self, worker: str, now: datetime, *, without: Collection[str] = ()
    ) -> Lease | None:
        """Lease the page whose turn it is; `None` if none is due.

        Where none is, that is one question, which locks nothing. The pages of wikis in
        `without` go on waiting.
        """
        if not self._database.read(lambda made: leasing.is_due(made, now)):
            return None
        rules = self.rules
        return self._database.write(
            lambda made: leasing.lease(
                made,
                worker,
                now,
                for_s=rules.lease_s,
                attempts=rules.attempts,
                weights=rules.weights,
                without=without,
            )
        )

    def renew(self, held: Lease, now: datetime) -> Lease:
        """Prolong a lease.

        Raises:
            LeaseLost: somebody else has the page.
        """
        return self._database.write(
            lambda made: queueing.renew(made, held, now, for_s=self.rules.lease_s)
        )

    def finish(self, held: Lease, now: datetime) -> None:
        """End the work on a page without a result to save.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(lambda made: queueing.finish(made, held, now))

    def retry(self, held: Lease, now: datetime, *, in_s: float, why: str) -> None:
        """Let a page wait after a failure that may pass; the last attempt parks it.

        Raises:
            LeaseLost: somebody else has the page.
        """
        attempts = self.rules.attempts
        self._database.write(
            lambda made: queueing.retry(
                made, held, now, in_s=in_s, why=why, attempts=attempts
            )
        )

    def put_off(self, held: Lease, now: datetime, *, in_s: float, why: str) -> None:
        """Let a page wait that cannot be worked on now, without counting an attempt.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(
            lambda made: queueing.put_off(made, held, now, in_s=in_s, why=why)
        )

    def park(self, held: Lease, now: datetime, *, why: str) -> None:
        """Give a page up until a newer revision comes, or a person asks for it.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(lambda made: queueing.park(made, held, now, why=why))

    def give_back(self, held: Lease, now: datetime) -> None:
        """Return a page that was not worked on.

        Raises:
            LeaseLost: somebody else has the page.
        """
        self._database.write(lambda made: queueing.give_back(made, held, now))

    def take_up(self, wiki: str, title: str, now: datetime) -> bool:
        """Let a parked page wait again; `False` if it is not parked."""
        return self._database.write(
            lambda made: queueing.take_up(made, wiki, title, now)
        )

    def state(self) -> QueueState:
        """Count the pages in each state."""
        return self._database.read(queueing.state)

    def parked(self, limit: int = 100) -> tuple[ParkedJob, ...]:
        """Return parked pages, the one parked last first."""
        return self._database.read(lambda made: queueing.parked(made, limit))


class Feeds:
    """How far feeds were read, kept with the jobs that came of it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def position(self, feed: str) -> Position | None:
        """Return how far `feed` was read; `None` if nothing of it was kept yet."""
        return self._database.read(lambda made: feeds.position(made, feed))

    def keep(
        self,
        feed: str,
        batch: Batch,
        jobs: Sequence[PageJob],
        wishes: Sequence[Wish] = (),
    ) -> int:
        """Keep a batch with its jobs and plans, or nothing of it.

        Return how many of the jobs are new.
        """
        return self._database.write(
            lambda made: feeds.keep(made, feed, batch, jobs, wishes)
        )

    def dead_letters(self, limit: int = 100) -> tuple[DeadLetter, ...]:
        """Return events that could not be read, the newest first."""
        return self._database.read(lambda made: feeds.dead(made, limit))

    def open_holes(self, feed: str) -> tuple[tuple[int, Hole], ...]:
        """Return the times whose changes are still to be asked for, numbered."""
        return self._database.read(lambda made: feeds.open_holes(made, feed))

    def fill_hole(self, number: int, now: datetime) -> None:
        """Note that the changes of such a time are kept."""
        self._database.write(lambda made: feeds.fill_hole(made, number, now))

    def forget(self, feed: str) -> None:
        """Remove all that is known of a feed that has come to its end."""
        self._database.write(lambda made: feeds.forget(made, feed))
