"""Opens the database, runs work as one transaction, and explains failures.

SQLite uses write-ahead logging (readers never wait), waits for locks, and takes the
write lock when a writing transaction begins, so that none fails half-way for lack of it.

MariaDB's connections are tested before use and renewed, because ToolsDB closes those
idle for ten minutes. Their number is limited, because ToolsDB allows a tool twenty. The
one used last is reused first, so that those not needed expire.

Work that is lost by chance is repeated. So work that writes must be harmless to repeat:
MariaDB can lose the answer to a commit that it made.
"""

import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, TypeVarTuple

import pymysql
from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Dialect,
    Engine,
    Row,
    Select,
    Table,
    case,
    create_engine,
    event,
    func,
    insert,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from handlers.ports import PermanentError, TemporaryError

MOUNTS = Path("/proc/mounts")
# Their locks are not reliable between machines, and write-ahead logging needs memory
# that all readers share.
NETWORK_FILE_SYSTEMS = frozenset(
    {"afs", "beegfs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "lustre", "ncpfs"}
    | {"nfs", "nfs3", "nfs4", "smb2", "smb3", "smbfs"}
    | {"fuse.ceph", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
)
CONNECTIONS = 4  # in one process, by default
_RECYCLE_S = 300
_FREE_CONNECTION_S = 30.0  # how long a transaction waits for a free connection
_ANSWER_S = 5.0
# The first statement on each connection to MariaDB.
_FIRST = (
    "SET time_zone = '+00:00', sql_mode = 'TRADITIONAL',"
    " innodb_lock_wait_timeout = {lock_s}"
)
_MOST = ", max_statement_time = {longest_s}"
READS_ONLY = "reads_only"  # execution option: the transaction needs no write lock
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_WAL_TRIES = 100
_WAL_PAUSE_S = 0.05
_T = TypeVar("_T")
_P = ParamSpec("_P")
_Repository = TypeVar("_Repository", bound="Repository")
_Columns = TypeVarTuple("_Columns")
_PIECE_BYTES = 1024 * 1024
_TRIES = 4
_PAUSE_S = 0.1
_LONGEST = "SELECT @@max_statement_time"  # seconds, which include sending the rows

_BUSY_RETRY_S = 5.0
_DOWN_RETRY_S = 30.0

_NO_NUMBER = -1
_CLOSED = 0  # from the driver: the connection was closed before the statement was sent
_FULL = "has no room: the disk is full; free some space and try again"
_FAILS = (
    "cannot be read or written: its disk fails or is full; check the disk and free"
    " some space: it continues by itself once that works again"
)
_OPENED_BEFORE = (
    "cannot be opened any more: its disk fails, its folder is gone, or too many files are"
    " open; fix that: it continues by itself once that works again"
)
_SQLITE_FOR_NOW = {
    "BUSY": "is locked by another program; wait until it is done, or stop it",
    "LOCKED": "is locked by another part of the program; try again",
    "FULL": _FULL,
    # Also if a quota is used up, or a file beside the database cannot grow.
    "IOERR": _FAILS,
}
_SQLITE_FOR_GOOD = {
    "READONLY": "cannot be written; check the permissions of the file and its folder",
    "CANTOPEN": "cannot be opened; check that its folder exists and may be written",
    "PERM": "may not be opened; check the permissions of the file",
    "AUTH": "may not be opened; check the permissions of the file",
    "CORRUPT": "is damaged; restore a backup, or move the file away to start over",
    "NOTADB": "is not a database; move the file away or use another",
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
    # For example during maintenance of its machines, or after its disk was full.
    1290: (
        "is read-only at the moment; if that persists, use the server that accepts"
        " writes"
    ),
    1836: (
        "is read-only at the moment; if that persists, use the server that accepts"
        " writes"
    ),
}
_SERVER_FOR_GOOD = {
    1044: "refuses this user; check the name and permissions in the database setting",
    1045: "refuses this user; check the name and password in the database setting",
    1049: "does not have this database; create it, or correct the database setting",
    1142: "forbids this user a command; grant it all privileges on this database",
}
_SHORT = frozenset({"BUSY", "LOCKED"})
_LOST = frozenset({_CLOSED, 1062, 1213, 1927, 2006, 2013})


class Transactions:
    """The database at `place`, as messages call it. Threads may share it.

    Every method raises PermanentError or TemporaryError if the database fails. If this
    program has `opened_before`, the address cannot be wrong.
    """

    def __init__(
        self, engine: Engine, place: str, *, opened_before: bool = False
    ) -> None:
        self.engine = engine
        self._readers = engine.execution_options(**{READS_ONLY: True})
        self.place = place
        self._opened_before = opened_before

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise PermanentError or TemporaryError for an error of the database."""
        try:
            with explained(self.place, opened_before=self._opened_before):
                yield
        except PermanentError as error:
            if is_damaged(error) and is_whole(Path(str(self.engine.url.database))):
                raise of_a_failing_disk(self.place) from error
            raise

    def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run work that changes nothing."""
        with self.explained(), self._readers.begin() as connection:
            return work(connection)

    def read_at_one_moment(self, work: Callable[[Connection], _T]) -> _T:
        """Run work that sees the database as it was at its beginning, however long it takes."""
        if self._readers.dialect.name == "sqlite":  # where every transaction does
            return self.read(work)
        readers = self._readers.execution_options(isolation_level="REPEATABLE READ")
        with self.explained(), readers.begin() as connection:
            longest_s = float(connection.exec_driver_sql(_LONGEST).scalar_one())
            connection.exec_driver_sql("SET max_statement_time = 0")
            done = work(connection)
            connection.execute(text("SET max_statement_time = :s"), {"s": longest_s})
            return done

    def write(self, work: Callable[[Connection], _T]) -> _T:
        """Run work that makes all its changes, or none."""
        for pause_s in (_PAUSE_S * 2**attempt for attempt in range(_TRIES - 1)):
            try:
                return self._write_once(work)
            except TemporaryError as error:
                if not is_worth_a_retry(error):
                    raise
            time.sleep(pause_s)
        return self._write_once(work)

    def _write_once(self, work: Callable[[Connection], _T]) -> _T:
        with self.explained(), self.engine.begin() as connection:
            return work(connection)


class Repository:
    """What is stored about one subject. Threads and processes may share it.

    A method that `reads` or `writes` is one transaction; callers leave the connection
    out. A query that other transactions use, too, becomes a method by `read_with`.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions


def reads(
    query: Callable[Concatenate[_Repository, Connection, _P], _T],
) -> Callable[Concatenate[_Repository, _P], _T]:
    """Turn a query into a method that runs it in its own transaction."""

    @wraps(query)
    def run(self: _Repository, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._database.read(
            lambda connection: query(self, connection, *args, **kwargs)
        )

    return run


def writes(
    change: Callable[Concatenate[_Repository, Connection, _P], _T],
) -> Callable[Concatenate[_Repository, _P], _T]:
    """Turn a change into a method that makes all of it in one transaction, or none."""

    @wraps(change)
    def run(self: _Repository, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._database.write(
            lambda connection: change(self, connection, *args, **kwargs)
        )

    return run


def read_with(
    query: Callable[Concatenate[Connection, _P], _T],
) -> Callable[Concatenate[Repository, _P], _T]:
    """Return the method of a repository that runs a query in its own transaction."""

    @wraps(query)
    def run(self: Repository, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._database.read(
            lambda connection: query(connection, *args, **kwargs)
        )

    return run


def write_with(
    change: Callable[Concatenate[Connection, _P], _T],
) -> Callable[Concatenate[Repository, _P], _T]:
    """Return the method of a repository that makes a change in its own transaction."""

    @wraps(change)
    def run(self: Repository, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._database.write(
            lambda connection: change(connection, *args, **kwargs)
        )

    return run


def find(
    connection: Connection, table: Table, *, lock: bool = False, **named: Any
) -> Row[Any] | None:
    """Return the row of a table with these values, if there is one."""
    query = select(table).filter_by(**named)
    return connection.execute(query.with_for_update() if lock else query).one_or_none()


def change(
    connection: Connection, table: Table, values: Mapping[str, Any], **named: Any
) -> int:
    """Set `values` in the rows of a table with these values; return how many they are."""
    changed = update(table).filter_by(**named).values(**values)
    return connection.execute(changed).rowcount


def put(
    connection: Connection,
    table: Table,
    row: Row[Any] | None,
    values: Mapping[str, Any],
    fresh: Mapping[str, Any] | None = None,
    **key: Any,
) -> None:
    """Set `values` in the row with this key; a new one begins with `fresh`.

    `row` is what `find` returned, with a lock: nobody can lock a row that is missing,
    so if another process inserts it meanwhile, this fails, and all of the transaction
    is repeated.
    """
    if row is None:
        made = insert(table).values(**{**key, **(fresh or {}), **values})
        connection.execute(made)
    else:
        change(connection, table, values, **key)


def inserted(connection: Connection, table: Table, values: Mapping[str, Any]) -> int:
    """Insert a row; return its number."""
    return connection.execute(insert(table).values(**values)).lastrowid


def count_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return the number of rows for which a condition holds."""
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def insert_all(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows, which may be none."""
    if rows:
        connection.execute(insert(table), rows)


def rows_with(
    connection: Connection,
    query: Select[*_Columns],
    column: ColumnElement[Any],
    values: Iterable[Any],
    at_once: int = 500,
) -> Iterator[Row[*_Columns]]:
    """Yield the rows of a query whose `column` has one of these values.

    A statement names only so many of them: MariaDB is slow to plan long lists.
    """
    distinct = sorted(set(values))
    for at in range(0, len(distinct), at_once):
        some = column.in_(distinct[at : at + at_once])
        yield from connection.execute(query.where(some)).all()


def is_whole(path: Path) -> bool:
    """Return whether a database is sound, as far as the disk can be read.

    SQLite also calls a database damaged if the disk cannot read part of it
    (SQLITE_IOERR_CORRUPTFS, reported as SQLITE_CORRUPT). Whoever believed that would
    throw away a sound database. The file is read to its end, possibly more than once.
    """
    try:
        for each in (path, Path(f"{path}-wal")):
            if each.exists():
                _read(each)
    except OSError:
        return True  # impossible to say; the disk has to be fixed first
    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as opened:
            [verdict] = opened.execute("PRAGMA quick_check(1)").fetchone()
            return str(verdict) == "ok"
    except sqlite3.Error:
        return False


def _read(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(_PIECE_BYTES):
            pass


@contextmanager
def explained(place: str, *, opened_before: bool = False) -> Iterator[None]:
    """Raise PermanentError or TemporaryError, naming `place`, for an error of the database.

    Args:
        place: of the database.
        opened_before: whether this program has opened it before, so that its address
            and rights must be right.

    Raises:
        PermanentError: someone has to do something first.
        TemporaryError: another try may succeed.
    """
    try:
        yield
    except DBAPIError as error:
        raise _failure(place, error.orig, opened_before) from error
    except PoolTimeout as error:
        raise TemporaryError(
            f"all connections of this program to the database {place} are in use;"
            " use fewer workers if this happens often",
            retry_in_s=_BUSY_RETRY_S,
        ) from error


def is_damaged(error: PermanentError) -> bool:
    """Return whether SQLite called its file damaged."""
    cause = error.__cause__
    if not isinstance(cause, DBAPIError):
        return False
    return getattr(cause.orig, "sqlite_errorname", "").startswith("SQLITE_CORRUPT")


def of_a_failing_disk(place: str) -> TemporaryError:
    """Return the failure for a database on a disk that fails."""
    return TemporaryError(f"the database {place} {_FAILS}", retry_in_s=_DOWN_RETRY_S)


def is_worth_a_retry(error: TemporaryError) -> bool:
    """Return whether the transaction was lost by chance and can be repeated at once."""
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


def parse_url(url: str) -> URL:
    """Return the address of a database that the store can use.

    Raises:
        PermanentError: it is not such an address; the message shows two that are.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise PermanentError(_not_an_address("what is set")) from None
    kind = parsed.get_backend_name()
    if kind in {"mysql", "mariadb"} and parsed.database:
        return parsed.set(drivername=f"{kind}+pymysql")
    if kind == "sqlite" and _is_file(parsed.database or "") and not parsed.query:
        return parsed.set(drivername="sqlite")
    raise PermanentError(_not_an_address(shown(parsed)))


def _is_file(name: str) -> bool:
    return bool(name) and name != ":memory:" and not name.startswith("file:")


def shown(url: URL) -> str:
    """Return the address for messages, with its password hidden."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    return url.set(query={}).render_as_string(hide_password=True)


def open_engine(
    url: URL,
    *,
    lock_timeout_s: float,
    connections: int = CONNECTIONS,
    answer_s: float | None = _ANSWER_S,
    mounts: Path = MOUNTS,
) -> Engine:
    """Return an engine for `url`; it does not connect yet.

    Args:
        url: as `parse_url` returns it.
        lock_timeout_s: how long to wait for another process's transaction.
        connections: how many connections to MariaDB there are at most.
        answer_s: how long an answer of MariaDB may take, apart from waiting for locks:
            the connection may be gone without our knowing. `None`: no limit, unless the
            address sets `read_timeout`.
        mounts: lists the file systems, as Linux does; may be missing.

    Raises:
        PermanentError: a SQLite file would be on a network file system, or its folder
            cannot be made.
    """
    if url.get_backend_name() == "sqlite":
        return _open_sqlite(url, lock_timeout_s, mounts)
    timeouts, begin = {}, _FIRST.format(lock_s=max(1, round(lock_timeout_s)))
    if answer_s is not None:
        timeouts = _timeouts(url, lock_timeout_s + answer_s)
        begin += _MOST.format(longest_s=_statement_s(url, timeouts))
    with _options_explained():
        engine = create_engine(
            url,
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            pool_recycle=_RECYCLE_S,
            pool_size=connections,
            max_overflow=0,
            pool_timeout=_FREE_CONNECTION_S,
            pool_use_lifo=True,
            connect_args={
                "charset": "utf8mb4",
                "connect_timeout": 10,
                "init_command": begin,
                # It stays on this machine, and reading its certificates takes 50 ms.
                **({"ssl_disabled": True} if "unix_socket" in url.query else {}),
                **timeouts,
            },
        )
    event.listen(engine, "do_connect", _connect)
    return engine


def _timeouts(url: URL, longest_s: float) -> dict[str, int]:
    """Return how long the driver waits, unless the address says so itself."""
    names = {"read_timeout", "write_timeout"} - set(url.query)
    return dict.fromkeys(names, round(longest_s))


def _statement_s(url: URL, timeouts: dict[str, int]) -> int:
    """Return when the server should stop a statement: before we give up.

    Otherwise it would work on for nobody and hold its rows while the statement is
    repeated.
    """
    value = str(url.query.get("read_timeout", ""))
    longest_s = int(value) if value.isdecimal() else timeouts.get("read_timeout", 0)
    return max(1, longest_s - 1)


def _connect(
    dialect: Dialect, _record: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> DBAPIConnection:
    with _options_explained():
        return dialect.connect(*args, **options)


@contextmanager
def _options_explained() -> Iterator[None]:
    """Explain an option in the address that the driver does not know or cannot use."""
    try:
        yield
    except (TypeError, ValueError, OSError) as error:
        raise PermanentError(
            'the address of the database has an option after its "?" that cannot be'
            f" used ({error}); correct the database setting"
        ) from error


def _open_sqlite(url: URL, lock_timeout_s: float, mounts: Path) -> Engine:
    path = Path(str(url.database)).absolute()
    _make_folder(path)
    kind = file_system_of(path.parent, mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        raise PermanentError(
            f"the database {path} lies on a network file system ({kind}), where SQLite"
            " loses data; use a file on a local disk, or use MariaDB"
        )
    engine = create_engine(url, connect_args={"timeout": lock_timeout_s})
    event.listen(engine, "do_connect", partial(_close_to_others, path))
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise PermanentError(
            f"the folder of the database {path} cannot be created ({(error.strerror or 'error').lower()}); use another"
        ) from error


def _close_to_others(path: Path, *_connecting: Any) -> None:
    """Make the file if it is missing, and take from others what rights they have in it.

    SQLite gives the files that it makes beside it the same rights.
    """
    with suppress(OSError):  # it is there, or SQLite will say what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    for ending in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(f"{path.name}{ending}")
        with suppress(OSError):  # it is missing, or another user's
            mode = file.stat().st_mode
            if stat.S_ISREG(mode) and mode & _OF_OTHERS:
                file.chmod(stat.S_IMODE(mode) & ~_OF_OTHERS)


def file_system_of(folder: Path, mounts: Path = MOUNTS) -> str:
    """Return the type of the file system that holds `folder`."""
    if not mounts.exists():
        return "unknown"
    folder = folder.resolve()
    found, longest = "unknown", -1
    for line in mounts.read_text("utf-8", "replace").splitlines():
        fields = line.split(" ")
        if len(fields) < 3:  # noqa: PLR2004 - device, place, type
            continue
        place = Path(fields[1].replace("\\040", " "))
        # A later mount at the same place hides an earlier one.
        if folder.is_relative_to(place) and len(place.parts) >= longest:
            found, longest = fields[2], len(place.parts)
    return found


def _prepare_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, see below
    connection.execute("PRAGMA foreign_keys = ON")
    _write_ahead(connection)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; SQLite does not wait for the lock this takes."""
    for attempt in range(1, _WAL_TRIES + 1):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or attempt == _WAL_TRIES:
                raise
            time.sleep(_WAL_PAUSE_S)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    reads = connection.get_execution_options().get(READS_ONLY)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _not_an_address(what: str) -> str:
    return (
        f"{what} is not the address of a database; write sqlite:////folder/sidenote.sqlite"
        " or mysql+pymysql://user:password@host/database"
    )
