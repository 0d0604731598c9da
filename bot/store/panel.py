"""What the panel beside an article asks for, as verbs on values."""

from collections.abc import Collection

from bot.store import panel_reading
from bot.store.transactions import Transactions
from bot.store.values import KeptSuggestion, PageLook, RankedSuggestion


class Panel:
    """Suggestions as readers ask for them. Each verb is one transaction."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def suggestion(self, wiki: str, identity: str) -> KeptSuggestion | None:
        """Return a suggestion of any page, open or closed; `None` if it is not known."""
        return self._database.read(
            lambda made: panel_reading.suggestion(made, wiki, identity)
        )

    def ranked(
        self, wiki: str, titles: Collection[str]
    ) -> tuple[RankedSuggestion, ...]:
        """Return what the open suggestions of some pages are chosen and sorted by."""
        return self._database.read(
            lambda made: panel_reading.ranked(made, wiki, titles)
        )

    def version(self, wiki: str, title: str) -> str:
        """Return what changes with all that is kept of a page; cheap to ask."""
        return self._database.read(
            lambda made: panel_reading.version(made, wiki, title)
        )

    def last_look(self, wiki: str, title: str) -> PageLook | None:
        """Return the last run over a page as far as it is told of beside the cards."""
        return self._database.read(
            lambda made: panel_reading.last_look(made, wiki, title)
        )

    def is_waiting(self, wiki: str, title: str) -> bool:
        """Tell whether a look at a page is due or under way."""
        return self._database.read(
            lambda made: panel_reading.is_waiting(made, wiki, title)
        )
