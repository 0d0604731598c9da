"""What is to be written to wikis, as verbs on values.

Each verb is one transaction. Times come from the caller's clock, as those of the
queue do.
"""

from datetime import UTC, datetime

from bot.records.posts import (
    Asked,
    Attempt,
    Decision,
    KeptPost,
    Outcome,
    Post,
    PostRules,
    PostState,
)
from bot.store import post_counting, post_reading, posting
from bot.store.transactions import Transactions


class Outbox:
    """The posts that wait, are tried, or are settled. Processes may share it."""

    def __init__(self, transactions: Transactions, rules: PostRules) -> None:
        self._database = transactions
        self.rules = rules

    def ask(self, post: Post) -> Asked:
        """Keep the wish to post, before anything is tried.

        An older post that waits for the same page and task gives way.

        Raises:
            PermanentError: its text is too long or cannot be kept as it is.
        """
        return self._database.write(lambda made: posting.ask(made, post))

    def begin(self, now: datetime, *, wiki: str | None = None) -> Attempt | None:
        """Take the post that is due first, of one wiki or of all; `None` if none is.

        From now on it counts as perhaps made, and against the limits of the day.
        """
        return self._database.write(
            lambda made: posting.begin(made, now, self.rules, wiki=wiki)
        )

    def sending(self, tried: Attempt, at: datetime) -> None:
        """Note the wiki's time of a try that is about to be sent.

        Raises:
            AttemptLost: somebody else has the post; nothing may be sent.
        """
        self._database.write(lambda made: posting.sending(made, tried, at))

    def settle(
        self, tried: Attempt, outcome: Outcome, now: datetime, *, in_s: float = 0.0
    ) -> None:
        """Note what became of a try; the next, where one is due, comes after `in_s`.

        Raises:
            AttemptLost: somebody else has the post.
        """
        self._database.write(
            lambda made: posting.settle(made, tried, outcome, now, in_s)
        )

    def withdraw(self, name: str, now: datetime, *, why: str) -> bool:
        """Drop a post that waits; `False` if it does not, or may have been made."""
        return self._database.write(lambda made: posting.withdraw(made, name, now, why))

    def decide(
        self, name: str, decision: Decision, now: datetime, *, revision_id: int = 0
    ) -> KeptPost:
        """Settle a parked post as an operator says, and return it as it was.

        Raises:
            PermanentError: no parked post, or several, have a name that begins so.
            TemporaryError: it is being tried at this moment.
        """
        return self._database.write(
            lambda made: posting.decide(made, name, decision, now, revision_id)
        )

    def parked(self, *, limit: int = 100) -> tuple[KeptPost, ...]:
        """Return posts that wait for a person, the one asked for first before."""
        return self._database.read(lambda made: post_reading.parked(made, limit))

    def parked_count(self) -> int:
        """Count the posts that wait for a person."""
        return self._database.read(post_reading.parked_count)

    def taken(self, wiki: str, task: str, now: datetime) -> int:
        """Count the posts of a task on a wiki today (UTC), those that wait included."""
        today = now.astimezone(UTC).date()
        return self._database.read(
            lambda made: post_counting.taken(made, wiki, task, today)
        )

    def counts(self) -> dict[PostState, int]:
        """Count the posts in each state."""
        return self._database.read(post_reading.counts)

    def kept(
        self,
        *,
        limit: int = 100,
        wiki: str | None = None,
        title: str | None = None,
        state: PostState | None = None,
    ) -> tuple[KeptPost, ...]:
        """Return posts, the one that changed last first."""
        return self._database.read(
            lambda made: post_reading.kept(
                made, limit=limit, wiki=wiki, title=title, state=state
            )
        )
