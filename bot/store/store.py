"""The store as the rest of the program sees it: a few verbs on values.

Each verb is one transaction, and one that writes can be made again without
harm; where MariaDB loses one by chance (a deadlock, a cut connection, also while
it commits), that is what happens.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import Connection, Engine

from bot.store import reading, saving
from bot.store.connection import READS_ONLY, open_engine, parse_url, shown
from bot.store.failures import explained, is_worth_a_retry
from bot.store.migrating import migrate
from bot.store.values import CheckedPage, KeptCheck, KeptSuggestion
from handlers.model import Suggestion
from handlers.ports import TemporaryError

_T = TypeVar("_T")
_TRIES = 4
_PAUSE_S = 0.1


@contextmanager
def open_store(url: str, *, lock_timeout_s: float = 30.0) -> Iterator["Store"]:
    """Open the store at an SQLAlchemy address, its tables brought up to date.

    Args:
        url: `sqlite:////folder/file` (made if missing) or
            `mysql+pymysql://user:password@host/database` (made by its owner).
        lock_timeout_s: how long to wait for another process's transaction.

    Raises:
        PermanentError: somebody has to do something first: the message says what.
        TemporaryError: the database is busy or away.
    """
    parsed = parse_url(url)
    engine = open_engine(parsed, lock_timeout_s=lock_timeout_s)
    try:
        store = Store(engine, shown(parsed))
        store.migrate()
        yield store
    finally:
        engine.dispose()


class Store:
    """What is remembered; see `open_store`. Threads may share it.

    Every verb raises PermanentError or TemporaryError for what a database can do.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self._readers = engine.execution_options(**{READS_ONLY: True})
        self._place = place

    def migrate(self) -> None:
        """Bring the tables up to date; harmless if they are."""
        with explained(self._place):
            migrate(self._engine, self._place)

    def save_check(
        self, checked: CheckedPage, suggestions: Sequence[Suggestion]
    ) -> bool:
        """Save a run over a page with all suggestions it found, or nothing of it.

        A suggestion of an earlier run that is not found again is closed, unless
        its claim still stands there and could not be checked this time. A run
        over an older revision than one already saved changes no suggestion.

        Returns:
            `False` if this run was saved before (also by a first try whose answer
            was lost); then nothing changes.
        """
        return self._write(lambda made: saving.save_check(made, checked, suggestions))

    def suggestions_of(
        self, wiki: str, title: str, *, with_closed: bool = False
    ) -> tuple[KeptSuggestion, ...]:
        """Return a page's open suggestions, the one known longest first."""
        return self._read(
            lambda made: reading.suggestions_of(
                made, wiki, title, with_closed=with_closed
            )
        )

    def last_check(self, wiki: str, title: str) -> KeptCheck | None:
        """Return the last run over the newest revision of a page that was checked."""
        return self._read(lambda made: reading.last_check(made, wiki, title))

    def _read(self, work: Callable[[Connection], _T]) -> _T:
        with explained(self._place), self._readers.begin() as connection:
            return work(connection)

    def _write(self, work: Callable[[Connection], _T]) -> _T:
        for pause_s in (_PAUSE_S * 2**attempt for attempt in range(_TRIES - 1)):
            try:
                return self._write_once(work)
            except TemporaryError as error:
                if not is_worth_a_retry(error):
                    raise
            time.sleep(pause_s)
        return self._write_once(work)

    def _write_once(self, work: Callable[[Connection], _T]) -> _T:
        with explained(self._place), self._engine.begin() as connection:
            return work(connection)
