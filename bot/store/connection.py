"""Opens a database the way the store needs it.

SQLite writes ahead (readers never wait), waits for locks, and takes the write
lock when a transaction that writes begins, so that none fails half-way for want
of it.
MariaDB's connections are tried before use and renewed, since ToolsDB ends those that
were idle for ten minutes; and there are only so many, since it allows a tool twenty.
The one that was used last is used first, so that those that are not needed end.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError

from handlers.ports import PermanentError

MOUNTS = Path("/proc/mounts")
# Their locks are not sure to hold between machines, and writing ahead needs memory
# that all readers share.
NETWORK_FILE_SYSTEMS = frozenset(
    {"afs", "beegfs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "lustre", "ncpfs"}
    | {"nfs", "nfs3", "nfs4", "smb2", "smb3", "smbfs"}
    | {"fuse.ceph", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
)
CONNECTIONS = 4  # of one process, unless somebody says otherwise
_RECYCLE_S = 300
_FREE_CONNECTION_S = 30.0  # so long a transaction waits for one of the others to end
_ANSWER_S = 5.0
# What is said first on each connection to MariaDB.
_FIRST = (
    "SET time_zone = '+00:00', sql_mode = 'TRADITIONAL',"
    " innodb_lock_wait_timeout = {lock_s}"
)
_MOST = ", max_statement_time = {longest_s}"
READS_ONLY = "reads_only"  # execution option: the transaction needs no write lock
_WAL_TRIES = 100
_WAL_PAUSE_S = 0.05


def parse_url(url: str) -> URL:
    """Return the address of a database of a kind that the store can use.

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
    """Return the address for messages, its password hidden."""
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
    """Return an engine for `url`; nothing is connected yet.

    Args:
        url: as `parse_url` returns it.
        lock_timeout_s: how long to wait for another process's transaction.
        connections: how many there are to a MariaDB at most.
        answer_s: how long an answer of MariaDB may take beside waiting for locks: the
            connection may be gone and nobody have told us. `None`: as long as it takes,
            unless the address says `read_timeout`.
        mounts: says which file systems there are, as Linux does; may be missing.

    Raises:
        PermanentError: a SQLite file would lie on a network file system, or its
            folder cannot be made.
    """
    if url.get_backend_name() == "sqlite":
        return _open_sqlite(url, lock_timeout_s, mounts)
    patience, begin = {}, _FIRST.format(lock_s=max(1, round(lock_timeout_s)))
    if answer_s is not None:
        patience = _patience(url, lock_timeout_s + answer_s)
        begin += _MOST.format(longest_s=_statement_s(url, patience))
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
                # Nothing leaves the machine; to read its certificates takes 50 ms.
                **({"ssl_disabled": True} if "unix_socket" in url.query else {}),
                **patience,
            },
        )
    event.listen(engine, "do_connect", _connect)
    return engine


def _patience(url: URL, longest_s: float) -> dict[str, int]:
    """Return how long the driver waits, for what the address does not say itself."""
    names = {"read_timeout", "write_timeout"} - set(url.query)
    return dict.fromkeys(names, round(longest_s))


def _statement_s(url: URL, patience: dict[str, int]) -> int:
    """Return when the server itself is to end a statement: before we go away.

    It would else work on for nobody and hold its rows, while the same is tried again.
    """
    asked = str(url.query.get("read_timeout", ""))
    longest_s = int(asked) if asked.isdecimal() else patience.get("read_timeout", 0)
    return max(1, longest_s - 1)


def _connect(
    dialect: Dialect, _record: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> DBAPIConnection:
    with _options_explained():
        return dialect.connect(*args, **options)


@contextmanager
def _options_explained() -> Iterator[None]:
    """Tell of an option in the address that the driver does not know or cannot use."""
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
            " loses data; name a file on a local disk, or use MariaDB"
        )
    engine = create_engine(url, connect_args={"timeout": lock_timeout_s})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PermanentError(
            f"the folder of the database {path} cannot be made"
            f" ({(error.strerror or 'error').lower()}); name another"
        ) from error


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
        # A later mount on the same place hides an earlier one.
        if folder.is_relative_to(place) and len(place.parts) >= longest:
            found, longest = fields[2], len(place.parts)
    return found


def _prepare_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, as below
    connection.execute("PRAGMA foreign_keys = ON")
    _write_ahead(connection)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to writing ahead; SQLite does not wait for the lock this takes."""
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
