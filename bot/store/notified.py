"""Notes that people were shown, as verbs on values.

They are written when a post is settled (`Outbox.settle`); each verb here is one
transaction.
"""

from collections.abc import Sequence
from datetime import datetime

from bot.records.watches import ToldCounts, ToldNote
from bot.store import notified_rows
from bot.store.transactions import Transactions
from handlers.model import CheckKind


class Told:
    """What people were told, and what became of it. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def on(self, wiki: str, place: str) -> tuple[ToldNote, ...]:
        """Return the notes that stand, or stood, on a page: those told first before."""
        return self._database.read(lambda made: notified_rows.on(made, wiki, place))

    def dismiss(
        self, wiki: str, place: str, short_identities: Sequence[str], now: datetime
    ) -> int:
        """Note that people do not want these notes on this page, now or ever.

        Args:
            wiki: of the page.
            place: the page that they stood on.
            short_identities: the first 24 digits of each; more do no harm.
            now: the time.

        Returns:
            How many were not dismissed before. Notes never told there do not count.
        """
        return self._database.write(
            lambda made: notified_rows.dismiss(made, wiki, place, short_identities, now)
        )

    def told_since(
        self,
        wiki: str,
        *,
        since: datetime,
        watcher: str | None = None,
        article: str | None = None,
    ) -> int:
        """Count notes told at `since` or later, to one watcher or about one article.

        `watcher` is the `user` of the posts that told them; it is forgotten after a
        month.
        """
        return self._database.read(
            lambda made: notified_rows.told_since(
                made, wiki, since, watcher=watcher, article=article
            )
        )

    def counts(self, since: datetime) -> dict[CheckKind | None, ToldCounts]:
        """Count notes told at `since` or later by what they were flagged for.

        A kind of which none was told is missing; `None` is for notes whose suggestion
        has no flag, or was not known when they were told.
        """
        return self._database.read(lambda made: notified_rows.counts(made, since))
