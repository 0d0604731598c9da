"""What readers of the panel decide, as verbs on values.

Each verb is one transaction, and a reader is known by a keyed hash only: see
`bot.records.accounts.Reader`.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from sqlalchemy import Connection

from bot.records.accounts import Decision, KeptDecision, Tally
from bot.store import deciding, decision_counts, decision_reading
from bot.store.transactions import Transactions


class Decisions:
    """What readers decided, and what it closed. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def decide(
        self, reader_key: str, decision: Decision, *, user: str | None = None
    ) -> KeptDecision:
        """Keep a decision; it replaces the reader's earlier one about the suggestion.

        The second reader who refuses a suggestion closes it for everyone: notes of it
        are dismissed wherever they stand, and planned anew. What a reader dismisses is
        dismissed on their own report, too, even if it was never told there. The same
        decision again, as when an answer was lost, changes nothing.

        Args:
            reader_key: who decides.
            decision: what; its time is the time of all that follows from it.
            user: the reader's name on the wiki, to find their report; it is not kept.

        Raises:
            PermanentError: there is no such suggestion.
        """
        return self._database.write(
            lambda made: deciding.decide(made, reader_key, decision, user)
        )

    def undo(
        self, reader_key: str, number: int, now: datetime, *, user: str | None = None
    ) -> Decision | None:
        """Take a decision back, with what followed from it.

        A suggestion opens again if fewer than two refusals of it are left. On a talk
        page a note that was taken away already does not come back.

        Returns:
            What was decided; `None` if no decision of this reader with this number
            stands.
        """
        return self._database.write(
            lambda made: deciding.undo(made, reader_key, number, now, user)
        )

    def of_reader(
        self, reader_key: str, wiki: str, identities: Iterable[str]
    ) -> dict[str, KeptDecision]:
        """Return what a reader decided about these, by identity, where it stands."""
        wanted = tuple(identities)
        return self._database.read(
            lambda made: decision_reading.of_reader(made, reader_key, wiki, wanted)
        )

    def closed(
        self, wiki: str, identities: Iterable[str] | None = None
    ) -> frozenset[str]:
        """Return which suggestions of a wiki are closed: of these, or of all."""
        wanted = None if identities is None else tuple(identities)
        return self._database.read(
            lambda made: decision_reading.closed(made, wiki, wanted)
        )

    def version(self, wiki: str, title: str) -> str:
        """Return what changes with every decision about a page, and when one is undone."""
        return self._database.read(
            lambda made: decision_reading.version(made, wiki, title)
        )

    def tallies(self, since: datetime) -> tuple[Tally, ...]:
        """Count how decisions about flagged suggestions turned out, at `since` or later.

        A suggestion counts once, by the newest decision that says whether it is right:
        an acceptance, a refusal of its truth, or another verdict. That something is
        not worth it, or fixed already, says neither. The newest 50,000 are counted.
        """
        return self._database.read(lambda made: decision_counts.tallies(made, since))

    def all(
        self, since: datetime | None = None
    ) -> Iterator[tuple[str | None, KeptDecision]]:
        """Yield all decisions, those undone too, each with the key of its reader.

        It is many small transactions; the key is `None` once it was forgotten.
        """
        after = 0
        while True:
            batch = self._database.read(_next(after, since))
            if not batch:
                return
            yield from batch
            after = batch[-1][1].number


def _next(
    after: int, since: datetime | None
) -> Callable[[Connection], list[tuple[str | None, KeptDecision]]]:
    return lambda made: decision_counts.some(made, after, since)
