"""The drafts that people asked for, as verbs on values. Each is one transaction."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection

from bot.dossiers import DraftOrder, DraftRules, DraftTurn, KeptDraft
from bot.store import draft_reading, drafting
from bot.store.sight import costs
from bot.store.transactions import Transactions
from handlers.model import ModelUse


class Drafts:
    """What is drafted for whom. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def ask(self, order: DraftOrder, now: datetime) -> None:
        """Ask for the drafts that an opt-in names; those it names no longer are dropped.

        Asking again for what is known changes nothing; what is drafted and not yet
        posted is planned.
        """
        self._database.write(lambda made: drafting.ask(made, order, now))

    def again(self, order: DraftOrder, gone: Collection[str], now: datetime) -> None:
        """Let drafts be made anew that a newer revision names and whose page is gone."""
        self._database.write(lambda made: drafting.again(made, order, gone, now))

    def begin(self, now: datetime, rules: DraftRules) -> DraftTurn | None:
        """Lease the draft that waits longest; `None` if none is due."""
        return self._database.write(lambda made: drafting.begin(made, now, rules))

    def save(
        self,
        turn: DraftTurn,
        text: str,
        now: datetime,
        *,
        model: str = "",
        use: ModelUse | None = None,
    ) -> None:
        """Keep the page that was drafted, and let its post be planned.

        Raises:
            LeaseLost: somebody else has the draft, or nobody asks for it any more.
        """

        def save(made: Connection) -> None:
            drafting.save(made, turn, text, now)
            costs.keep_use(made, model, use or ModelUse(), now)

        self._database.write(save)

    def nothing(self, turn: DraftTurn, note: str, now: datetime) -> None:
        """Keep why nothing could be drafted; `note` is told to the person.

        Raises:
            LeaseLost: as above.
        """
        self._database.write(lambda made: drafting.nothing(made, turn, note, now))

    def retry(self, turn: DraftTurn, now: datetime, in_s: float) -> None:
        """Let a draft rest that could not be made now.

        Raises:
            LeaseLost: as above.
        """
        self._database.write(lambda made: drafting.retry(made, turn, now, in_s))

    def release(self, turn: DraftTurn, now: datetime) -> None:
        """Give a draft back, as if it had not been begun."""
        self._database.write(lambda made: drafting.release(made, turn, now))

    def refuse(self, wiki: str, page: str, note: str, now: datetime) -> None:
        """Keep why the page of a draft cannot be made; `note` is told to the person."""
        self._database.write(lambda made: drafting.refuse(made, wiki, page, note, now))

    def anew(self, wiki: str, page: str, now: datetime) -> None:
        """Let a draft be made once more that is not on the wiki yet."""
        self._database.write(lambda made: drafting.anew(made, wiki, page, now))

    def of_page(self, wiki: str, page: str) -> KeptDraft | None:
        """Return the draft that goes to a page, with its text."""
        return self._database.read(lambda made: draft_reading.of_page(made, wiki, page))

    def of_place(self, wiki: str, place: str) -> tuple[KeptDraft, ...]:
        """Return the drafts that an opt-in asks for, without their texts."""
        return self._database.read(
            lambda made: draft_reading.of_place(made, wiki, place)
        )
