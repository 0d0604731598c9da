"""Runs work on the database as one transaction, and again where one is lost by chance.

Work that writes must be such that making it again does no harm: MariaDB can lose the
answer to a commit that it made.

Turns what the databases raise into one line that says what to do.

SQLite tells its failures by name, MariaDB by number.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import pymysql
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bot.store.connection import READS_ONLY
from bot.store.upgrade import bring_up, make_anew, migrate
from handlers.ports import PermanentError, TemporaryError

# Tells a damaged SQLite file from one on a disk that fails.
# SQLite says of a place that the disk cannot read that the database is damaged
# (SQLITE_IOERR_CORRUPTFS, which it hands out as SQLITE_CORRUPT). Whoever believed that
# would throw a sound database away.

_PIECE_BYTES = 1024 * 1024


_T = TypeVar("_T")
_TRIES = 4
_PAUSE_S = 0.1
_LONGEST = "SELECT @@max_statement_time"  # seconds, in which rows are also sent

_BUSY_RETRY_S = 5.0
_DOWN_RETRY_S = 30.0

_NO_NUMBER = -1
_CLOSED = 0  # the driver's own: the connection ended before the statement was sent
_FULL = "has no room: the disk is full; free some space and try again"
_FAILS = (
    "cannot be read or written: its disk fails or is full; see what the system says of"
    " the disk and free some space: it goes on by itself once that works again"
)
_OPENED_BEFORE = (
    "cannot be opened any more: its disk fails, its folder is gone, or too many files are"
    " open; see to that: it goes on by itself once that works again"
)
_SQLITE_FOR_NOW = {
    "BUSY": "is locked by another program; wait until that is done, or stop it",
    "LOCKED": "is locked by another part of the program; try again",
    "FULL": _FULL,
    # Also where a quota is used up, or a file beside the database cannot grow.
    "IOERR": _FAILS,
}
_SQLITE_FOR_GOOD = {
    "READONLY": "may not be written; check the rights of the file and its folder",
    "CANTOPEN": "cannot be opened; check that its folder exists and may be written",
    "PERM": "may not be opened; check the rights of the file",
    "AUTH": "may not be opened; check the rights of the file",
    "CORRUPT": "is damaged; restore a backup, or move the file away to start afresh",
    "NOTADB": "is not a database; move the file away or name another",
}
_SERVER_FOR_NOW = {
    1040: "has too many connections; try again later",
    1203: "has too many connections of ours; stop other workers or try again later",
    1226: "has too many connections of ours; stop other workers or try again later",
    1062: "was given the same rows by another worker; try again",
    1205: "was busy with the same rows for too long; try again",
    1213: "was busy with the same rows; try again",
    1317: "stopped the query; try again",
    1969: "took too long; try again later",
    2002: "cannot be reached; check that the server runs and its address",
    2003: "cannot be reached; check that the server runs and its address",
    2006: "ended the connection; try again",
    2013: "ended the connection; try again",
    1053: "is being shut down; try again later",
    1927: "ended the connection; try again",
    _CLOSED: "ended the connection; try again",
    1021: "has no room: its disk is full; free some space and try again",
    1114: "has no room for more rows; free some space and try again",
    # As while its machines are changed, or after its disk was full.
    1290: "is read-only just now; if it stays so, name the server that takes writes",
    1836: "is read-only just now; if it stays so, name the server that takes writes",
}
_SERVER_FOR_GOOD = {
    1044: "refuses this user; check the name and rights in the database setting",
    1045: "refuses this user; check the name and password in the database setting",
    1049: "does not have this database; create it, or correct the database setting",
    1142: "forbids this user a command; grant it all rights on this database",
}
_SHORT = frozenset({"BUSY", "LOCKED"})
_LOST = frozenset({_CLOSED, 1062, 1213, 1927, 2006, 2013})


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

    def make_anew(self, version: str) -> None:
        """Make the tables of a version in the place of empty ones of ours."""
        with self._explained():
            make_anew(self._engine, self._place, version)

    def bring_up(self) -> None:
        """Bring tables up to date that nobody works on."""
        with self._explained():
            bring_up(self._engine, self._place)

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


@contextmanager
def explained(place: str, *, opened_before: bool = False) -> Iterator[None]:
    """Raise one of our two failures, naming `place`, for what a database raises.

    Args:
        place: of the database.
        opened_before: whether this program has opened it before, so that its address
            and rights are no mistake.

    Raises:
        PermanentError: somebody has to do something first.
        TemporaryError: another try may do.
    """
    try:
        yield
    except DBAPIError as error:
        raise _failure(place, error.orig, opened_before) from error
    except PoolTimeout as error:
        raise TemporaryError(
            f"all connections of this program to the database {place} are in use;"
            " have fewer workers if this comes often",
            retry_in_s=_BUSY_RETRY_S,
        ) from error


def is_damaged(error: PermanentError) -> bool:
    """Tell whether SQLite called its file damaged; see `bot.store.damage`."""
    cause = error.__cause__
    if not isinstance(cause, DBAPIError):
        return False
    return getattr(cause.orig, "sqlite_errorname", "").startswith("SQLITE_CORRUPT")


def of_a_failing_disk(place: str) -> TemporaryError:
    """Return the failure for a database that is on such a disk."""
    return TemporaryError(f"the database {place} {_FAILS}", retry_in_s=_DOWN_RETRY_S)


def is_worth_a_retry(error: TemporaryError) -> bool:
    """Tell whether the transaction was lost by chance: it can be made again at once."""
    cause = error.__cause__
    return isinstance(cause, DBAPIError) and _number(cause.orig) in _LOST


def _failure(
    place: str, error: BaseException | None, opened_before: bool
) -> PermanentError | TemporaryError:
    name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
    kind = name.partition("_")[0]  # "IOERR_WRITE" is an IOERR
    number = _number(error)
    for_now = _SQLITE_FOR_NOW.get(kind) or _SERVER_FOR_NOW.get(number)
    if kind == "CANTOPEN" and opened_before:
        for_now = _OPENED_BEFORE
    if for_now:
        is_short = kind in _SHORT
        wait_s = _BUSY_RETRY_S if is_short else _DOWN_RETRY_S
        return TemporaryError(f"the database {place} {for_now}", retry_in_s=wait_s)
    for_good = _SQLITE_FOR_GOOD.get(kind) or _SERVER_FOR_GOOD.get(number)
    if for_good:
        return PermanentError(f"the database {place} {for_good}")
    return PermanentError(f"the database {place} failed: {_one_line(error)}")


def _number(error: BaseException | None) -> int:
    if isinstance(error, pymysql.MySQLError) and error.args:
        first = error.args[0]
        return first if isinstance(first, int) else _NO_NUMBER
    return _NO_NUMBER


def _one_line(error: BaseException | None) -> str:
    text = " ".join(str(error).split())[:300]
    kind = "SQLite" if isinstance(error, sqlite3.Error) else "MariaDB"
    return f"{kind} says {text}"
