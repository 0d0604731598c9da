"""Runs work on the database as one transaction, and again where one is lost by chance.

Work that writes must be such that making it again does no harm: MariaDB can lose the
answer to a commit that it made.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, Engine

from bot.store.connection import READS_ONLY
from bot.store.failures import explained, is_worth_a_retry
from bot.store.migrating import migrate
from handlers.ports import TemporaryError

_T = TypeVar("_T")
_TRIES = 4
_PAUSE_S = 0.1


class Transactions:
    """The database at `place`, as messages name it. Threads may share it.

    Every method raises PermanentError or TemporaryError for what a database can do.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self._readers = engine.execution_options(**{READS_ONLY: True})
        self._place = place

    def migrate(self) -> None:
        """Bring the tables up to date; harmless if they are."""
        with explained(self._place):
            migrate(self._engine, self._place)

    def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run work that changes nothing."""
        with explained(self._place), self._readers.begin() as connection:
            return work(connection)

    def read_at_one_moment(self, work: Callable[[Connection], _T]) -> _T:
        """Run work that sees everything as it was when it began, however long it takes."""
        readers = self._readers
        if readers.dialect.name != "sqlite":  # whose transactions are all such
            readers = readers.execution_options(isolation_level="REPEATABLE READ")
        with explained(self._place), readers.begin() as connection:
            return work(connection)

    def write(self, work: Callable[[Connection], _T]) -> _T:
        """Run work that changes all it wants to, or nothing."""
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
