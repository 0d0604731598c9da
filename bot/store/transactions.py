"""Runs work on the database as one transaction, and again where one is lost by chance.

Work that writes must be such that making it again does no harm: MariaDB can lose the
answer to a commit that it made.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine, text

from bot.store.connection import READS_ONLY
from bot.store.failures import (
    explained,
    is_damaged,
    is_worth_a_retry,
    of_a_failing_disk,
)
from bot.store.migrating import migrate
from handlers.ports import PermanentError, TemporaryError

# Tells a damaged SQLite file from one on a disk that fails.
# SQLite says of a place that the disk cannot read that the database is damaged
# (SQLITE_IOERR_CORRUPTFS, which it hands out as SQLITE_CORRUPT). Whoever believed that
# would throw a sound database away.

_PIECE_BYTES = 1024 * 1024


def is_whole(path: Path) -> bool:
    """Tell whether a database is sound, as far as the disk lets anybody read it.

    It is read from begin to end, maybe more than once.
    """
    try:
        for each in (path, Path(f"{path}-wal")):
            if each.exists():
                _read(each)
    except OSError:
        return True  # nobody can tell, and the disk has to be seen to first
    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as opened:
            [told] = opened.execute("PRAGMA quick_check(1)").fetchone()
            return str(told) == "ok"
    except sqlite3.Error:
        return False


def _read(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(_PIECE_BYTES):
            pass


_T = TypeVar("_T")
_TRIES = 4
_PAUSE_S = 0.1
_LONGEST = "SELECT @@max_statement_time"  # seconds, in which rows are also sent


class Transactions:
    """The database at `place`, as messages name it. Threads may share it.

    Every method raises PermanentError or TemporaryError for what a database can do.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self._readers = engine.execution_options(**{READS_ONLY: True})
        self._place = place
        self._opened_before = False

    def migrate(self) -> None:
        """Bring the tables up to date; harmless if they are."""
        with self._explained():
            migrate(self._engine, self._place)
        self._opened_before = True

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            with explained(self._place, opened_before=self._opened_before):
                yield
        except PermanentError as error:
            if is_damaged(error) and is_whole(Path(str(self._engine.url.database))):
                raise of_a_failing_disk(self._place) from error
            raise

    def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run work that changes nothing."""
        with self._explained(), self._readers.begin() as connection:
            return work(connection)

    def read_at_one_moment(self, work: Callable[[Connection], _T]) -> _T:
        """Run work that sees everything as it was when it began, however long it takes."""
        if self._readers.dialect.name == "sqlite":  # whose transactions are all such
            return self.read(work)
        readers = self._readers.execution_options(isolation_level="REPEATABLE READ")
        with self._explained(), readers.begin() as connection:
            longest_s = float(connection.exec_driver_sql(_LONGEST).scalar_one())
            connection.exec_driver_sql("SET max_statement_time = 0")
            done = work(connection)
            connection.execute(text("SET max_statement_time = :s"), {"s": longest_s})
            return done

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
        with self._explained(), self._engine.begin() as connection:
            return work(connection)
