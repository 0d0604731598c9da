"""What people asked to be watched, as verbs on values. Each is one transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.records.jobs import PageJob
from bot.records.watches import StandingWatch
from bot.store import watch_reading, watching
from bot.store.transactions import Transactions


class Watches:
    """The opt-ins in force, and the pages they name. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def keep(
        self, watch: StandingWatch, jobs: Sequence[PageJob], now: datetime
    ) -> bool:
        """Add a watch, or replace the one of the same place, and put its jobs.

        Where it changed, its report is planned anew, and with talk pages each page
        that it names or named. A page named twice counts once.

        Raises:
            PermanentError: a name in it is empty or too long; nothing is kept.

        Returns:
            `False` if the watch stood so already.
        """
        return self._database.write(lambda made: watching.keep(made, watch, jobs, now))

    def end(self, wiki: str, place: str, now: datetime) -> StandingWatch | None:
        """Remove a watch and return it; its talk pages are planned anew."""
        return self._database.write(lambda made: watching.end(made, wiki, place, now))

    def get(self, wiki: str, place: str) -> StandingWatch | None:
        """Return the watch of the opt-in on `place`, if it is in force."""
        return self._database.read(lambda made: watch_reading.get(made, wiki, place))

    def all(self, wiki: str | None = None) -> tuple[StandingWatch, ...]:
        """Return the watches of a wiki or of all wikis, in order of their places."""
        return self._database.read(lambda made: watch_reading.every(made, wiki))

    def of_user(self, wiki: str, user: str) -> tuple[StandingWatch, ...]:
        """Return the watches of one person, in order of their places."""
        return self._database.read(lambda made: watch_reading.of_user(made, wiki, user))

    def of_page(self, wiki: str, title: str) -> tuple[StandingWatch, ...]:
        """Return the watches that name a page, in order of their places."""
        return self._database.read(
            lambda made: watch_reading.of_page(made, wiki, title)
        )

    def pauses(self) -> Mapping[tuple[str, str], float]:
        """Return all watched pages, by wiki and title, and how long each rests.

        In seconds between two looks: the least that any of its watches says. Ask
        for it when `version` has grown.
        """
        return self._database.read(watch_reading.pauses)

    def stale(
        self, now: datetime, older_than_s: float, limit: int
    ) -> tuple[PageJob, ...]:
        """Return jobs for watched pages that were not looked at for `older_than_s`.

        Those never looked at come first. They are only named here: put them.
        """
        return self._database.read(
            lambda made: watch_reading.stale(made, now, older_than_s, limit)
        )

    def version(self) -> int:
        """Return a number that grows with each change to a watch; cheap to ask."""
        return self._database.read(watch_reading.version)
