"""Turns what the databases raise into one line that says what to do.

SQLite tells its failures by name, MariaDB by number.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import pymysql
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from handlers.ports import PermanentError, TemporaryError

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
