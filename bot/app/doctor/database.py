"""The database: reachable, its version, our rights, enough connections; the heartbeats in it."""

import os
import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy import URL, Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from bot import __version__
from bot.app.doctor.trial import (
    Group,
    Installation,
    Notes,
    Trial,
    in_thread,
    note_clock,
)
from bot.daemon.status.situation import READ, ROLES, ago
from bot.records.heartbeat import Heartbeat
from bot.report.words import counted
from bot.settings import Settings
from bot.settings.sources import SourcesRead
from bot.store.database import (
    NETWORK_FILE_SYSTEMS,
    READS_ONLY,
    explained,
    file_system_of,
    open_engine,
    parse_url,
    shown,
)
from bot.store.health import known_processes
from bot.store.posts import count_parked
from bot.store.schema import VERSION, posts, processes
from bot.store.upgrade import is_current
from bot.wiki.answers import one_line
from handlers.ports import PermanentError

_LOCK_S = 5.0


@contextmanager
def opened(settings: Settings, *, to_read: bool = False) -> Iterator[Connection]:
    """Yield a connection without a transaction, except in SQLite, where there always is one.

    Nothing is migrated or created, and no wait is long.

    Raises:
        PermanentError, TemporaryError: the database failed; the message says how to fix
            it.
    """
    url = parse_url(settings.database_url)
    engine = open_engine(url, lock_timeout_s=_LOCK_S, connections=1)
    options = (
        {READS_ONLY: to_read}
        if engine.dialect.name == "sqlite"
        else {"isolation_level": "AUTOCOMMIT"}
    )
    try:
        with explained(shown(url)), engine.connect() as connection:
            yield connection.execution_options(**options)
    finally:
        engine.dispose()


def heartbeats(connection: Connection) -> tuple[Heartbeat, ...]:
    """Return the processes that have not reported their end; none in a new database."""
    if not inspect(connection).has_table(processes.name):
        return ()
    return known_processes(connection)


def parked_posts(connection: Connection) -> int:
    """Count the posts that are waiting for a person; none in a new database."""
    if not inspect(connection).has_table(posts.name):
        return 0
    return count_parked(connection)


# The limits of MariaDB: version, connections, packets, time-outs, and its clock.

_LEAST_VERSION = (10, 6)  # the first with SKIP LOCKED
_MIB = 2**20
_LEAST_PACKET = 16 * _MIB
_LEAST_WAIT_S = 60
_NEARLY = 0.8  # of the connections allowed
_RENEWED_S = 300  # older connections are not reused, see `bot.store.database`
_LIMITS = (
    "SELECT @@max_user_connections, @@max_connections, @@wait_timeout,"
    " @@max_allowed_packet, @@character_set_database, @@global.read_only, DATABASE()"
)
_NUMBER = re.compile(r"(\d+)\.(\d+)")


def version(connection: Connection, notes: Notes) -> None:
    """Report whether the server is new enough."""
    answer = str(connection.scalar(text("SELECT VERSION()")))
    found = _NUMBER.search(answer)
    number = tuple(map(int, found.groups())) if found else (0, 0)
    if "mariadb" not in answer.lower():
        notes.warning(
            "version",
            f"MySQL {answer}; Sidenote is only tested on MariaDB",
            "Use MariaDB 10.6 or newer.",
        )
    elif number < _LEAST_VERSION:
        notes.broken("version", answer, "Use MariaDB 10.6 or newer (SKIP LOCKED).")
    else:
        notes.fine("version", answer)


def limits(
    connection: Connection,
    installation: Installation,
    beats: tuple[Heartbeat, ...],
    notes: Notes,
) -> None:
    """Report whether the server allows as many connections as all processes may use."""
    row = connection.execute(text(_LIMITS)).one()
    per_user, in_all, wait_s, packet, letters, is_read_only, name = row
    _connections(connection, installation, beats, int(per_user) or int(in_all), notes)
    _idle(int(wait_s), notes)
    if int(packet) < _LEAST_PACKET:
        notes.warning(
            "packet size",
            f"max_allowed_packet is {int(packet) // 1024:,} KiB",
            "Set max_allowed_packet=32M on the server; otherwise long pages may not fit.",
        )
    else:
        notes.fine("packet size", f"{int(packet) // _MIB:,} MiB")
    if letters != "utf8mb4":  # our own tables set their character set themselves
        notes.warning(
            "letters",
            f"new tables hold {letters}",
            f"Run this SQL: ALTER DATABASE `{name}` CHARACTER SET utf8mb4;",
        )
    else:
        notes.fine("letters", str(letters))
    if int(is_read_only):
        notes.broken(
            "writing",
            "the server is read-only at the moment",
            "Wait if it is under maintenance; otherwise set SIDENOTE_DATABASE to the server that accepts writes.",
        )


def _connections(
    connection: Connection,
    installation: Installation,
    beats: tuple[Heartbeat, ...],
    allowed: int,
    notes: Notes,
) -> None:
    each = installation.settings.database_connections
    now = installation.now()
    running = {(one.host, one.pid) for one in beats if one.is_fresh(now)}
    processes = max(len(running), 1)
    used = connection.scalar(
        text(
            "SELECT COUNT(*) FROM information_schema.processlist"
            " WHERE user = SUBSTRING_INDEX(CURRENT_USER(), '@', 1)"
        )
    )
    seen = (
        f"{allowed} allowed, {used} in use; {counted(processes, 'process', 'processes')}"
        f" may use {each * processes}"
    )
    remedy = (
        f"Set SIDENOTE_DATABASE_CONNECTIONS to {max(allowed // processes, 1)} or less, run"
        " fewer processes, or ask for a higher max_user_connections."
    )
    if each * processes > allowed:
        notes.broken("connections", seen, remedy)
    elif each * (processes + 1) > allowed and running:
        notes.warning("connections", f"{seen}; none are left", remedy)
    elif int(used or 0) > _NEARLY * allowed:
        notes.warning("connections", f"{seen}; nearly all are in use", remedy)
    else:
        notes.fine("connections", seen)


def _idle(wait_s: int, notes: Notes) -> None:
    seen = f"idle connections end after {wait_s:,} s"
    if wait_s < _LEAST_WAIT_S:
        notes.warning(
            "idle time",
            seen,
            f"Set wait_timeout to at least {_RENEWED_S} s, so that connections can be reused.",
        )
    else:
        notes.fine("idle time", seen)


def clock(connection: Connection, installation: Installation, notes: Notes) -> None:
    """Report how far the server's clock is from ours; leases depend on both."""
    before = installation.now()
    its_time = connection.scalar(text("SELECT UTC_TIMESTAMP(6)"))
    if isinstance(its_time, datetime):
        middle = before + (installation.now() - before) / 2
        off_s = (its_time.replace(tzinfo=UTC) - middle).total_seconds()
        note_clock(notes, "clock", off_s, "the database's")


NAME = "connection"
_SETTING = "The setting is SIDENOTE_DATABASE."
_MOST_CHECKED_BYTES = 100 * 2**20
# What migrations and the queue do, by the privilege it needs.
_STEPS = (
    ("CREATE", "CREATE TABLE {name} (id INTEGER PRIMARY KEY, number INTEGER)"),
    ("ALTER", "ALTER TABLE {name} ADD COLUMN more INTEGER"),
    ("INDEX", "CREATE INDEX {name}_number ON {name} (number)"),
    ("INSERT", "INSERT INTO {name} (id, number) VALUES (1, 1)"),
    ("UPDATE", "UPDATE {name} SET number = 2 WHERE id = 1"),
    ("SELECT", "SELECT number FROM {name} WHERE id = 1 FOR UPDATE"),
    ("SKIP LOCKED", "SELECT number FROM {name} WHERE id = 1 FOR UPDATE SKIP LOCKED"),
    ("DELETE", "DELETE FROM {name} WHERE id = 1"),
)
_SKIPPING = "SKIP LOCKED"
_LOCKING = "SELECT GET_LOCK(:name, 1)"


def database_trials(installation: Installation) -> tuple[Trial, ...]:
    """Return the tests of the database."""
    examine = in_thread(partial(_examine, installation))
    is_remote = not installation.settings.database_url.startswith("sqlite")
    return (
        Trial(Group.DATABASE, NAME, examine, _SETTING, limit_s=25, is_remote=is_remote),
    )


def _examine(installation: Installation, notes: Notes) -> None:
    url = parse_url(installation.settings.database_url)
    if url.get_backend_name() == "sqlite":
        _sqlite(installation, Path(str(url.database)).absolute(), notes)
        return
    with opened(installation.settings) as connection:
        notes.fine(NAME, f"connected to {shown(url)}")
        _name(url, notes)
        version(connection, notes)
        beats = heartbeats(connection)
        limits(connection, installation, beats, notes)
        clock(connection, installation, notes)
        _schema(connection, shown(url), notes)
        _rights(connection, url, notes)


def _sqlite(installation: Installation, file: Path, notes: Notes) -> None:
    notes.fine("version", f"SQLite {sqlite3.sqlite_version}")
    there = next(one for one in file.parents if one.exists())
    kind = file_system_of(there)
    if kind in NETWORK_FILE_SYSTEMS:
        notes.broken(
            NAME,
            f"{file} lies on a network file system ({kind}), where SQLite loses data",
            "Set SIDENOTE_DATABASE to a file on a local disk, or use MariaDB.",
        )
        return
    if not file.exists() and not os.access(there, os.W_OK | os.X_OK):
        notes.broken(
            NAME,
            f"{file} cannot be created, because {there} is not writable",
            "Set SIDENOTE_DATABASE to a file in a folder of your own.",
        )
        return
    if not file.exists():
        notes.fine(NAME, f"{file} will be created at the first start")
        return
    with opened(installation.settings) as connection:
        connection.execute(text("CREATE TABLE sidenote_doctor (id INTEGER)"))
        connection.rollback()
        notes.fine(NAME, f"{file} is writable")
        _schema(connection, str(file), notes)
        connection.rollback()
        if file.stat().st_size < _MOST_CHECKED_BYTES:
            _whole(connection, file, notes)


def _whole(connection: Connection, file: Path, notes: Notes) -> None:
    answer = str(connection.scalar(text("PRAGMA quick_check(1)")))
    if answer == "ok":
        notes.fine("contents", "no damage found")
        return
    notes.broken(
        "contents",
        f"{file} is damaged ({one_line(answer)})",
        "Stop everything and restore a backup: sidenote restore FILE",
    )


def _name(url: URL, notes: Notes) -> None:
    """Report a database name that breaks the rules of ToolsDB."""
    if "tools.db" not in (url.host or ""):
        return
    if not (url.database or "").startswith(f"{url.username}__"):
        notes.broken(
            "name",
            f"{url.database} does not belong to this tool",
            f"On ToolsDB, names start with {url.username}__. Or set SIDENOTE_DATABASE=toolsdb.",
        )
    elif (url.database or "").endswith("_p"):
        notes.warning(
            "name",
            f"{url.database} ends in _p, so everyone on the replicas can read it",
            "Use a database whose name does not end in _p: it holds the decisions of people.",
        )


def _schema(connection: Connection, place: str, notes: Notes) -> None:
    try:
        is_ready = is_current(connection, place)
    except PermanentError as error:
        notes.failed("tables", error, _SETTING)
        return
    if not inspect(connection).has_table("alembic_version"):
        notes.fine(
            "tables", f"none yet; version {VERSION} will be created at the first start"
        )
        return
    found = str(connection.scalar(text("SELECT version_num FROM alembic_version")))
    if found == VERSION:
        notes.fine("tables", f"version {VERSION}, up to date")
    elif is_ready:
        notes.warning(
            "tables",
            f"version {found}, from a newer release; this one can use it",
            "Update this installation, unless you went back to it on purpose.",
        )
    else:
        notes.warning(
            "tables",
            f"version {found}; this release needs {VERSION}",
            "Make a backup (sidenote backup FILE); the next process that starts will migrate them.",
        )


def _rights(connection: Connection, url: URL, notes: Notes) -> None:
    """Make a table of our own, do with it what the program does, and drop it."""
    name = f"sidenote_doctor_{secrets.token_hex(4)}"
    who = "'@'".join(
        str(connection.scalar(text("SELECT CURRENT_USER()"))).rsplit("@", 1)
    )
    remedy = (
        f"As administrator, run: GRANT ALL PRIVILEGES ON `{url.database}`.* TO '{who}';"
    )
    done: list[str] = []
    try:
        for right, statement in _STEPS:
            try:
                connection.execute(text(statement.format(name=name)))
            except DBAPIError as error:
                if not _is_noted(right, error, remedy, notes):
                    return
            else:
                done.append(right)
    finally:
        if "CREATE" in done:
            done += _dropped(connection, name, remedy, notes)
    if connection.scalar(text(_LOCKING), {"name": name}) != 1:
        notes.broken("rights", "GET_LOCK fails", remedy)
        return
    connection.scalar(text("SELECT RELEASE_LOCK(:name)"), {"name": name})
    if len(done) == len(_STEPS) + 1:
        notes.fine("rights", f"tried: {', '.join(done)}, GET_LOCK")


def _is_noted(right: str, error: DBAPIError, remedy: str, notes: Notes) -> bool:
    """Report a step that fails; return whether to continue."""
    answer = one_line(str(error.orig.args[-1] if error.orig else error))
    if right == _SKIPPING:
        notes.broken(
            "rights",
            f"this server does not support FOR UPDATE SKIP LOCKED ({answer})",
            "Use MariaDB 10.6 or newer.",
        )
        return True
    notes.broken("rights", f"{right} is not allowed ({answer})", remedy)
    return False


def _dropped(connection: Connection, name: str, remedy: str, notes: Notes) -> list[str]:
    with suppress(DBAPIError):
        connection.execute(text(f"DROP TABLE {name}"))
        return ["DROP"]
    notes.broken(
        "rights", f"DROP is not allowed; the empty table {name} was left behind", remedy
    )
    return []


# The other processes, by their heartbeats in the database.


def process_trials(installation: Installation) -> tuple[Trial, ...]:
    """Return the tests of the other processes."""
    examine = in_thread(partial(_examine_processes, installation))
    is_remote = not installation.settings.database_url.startswith("sqlite")
    return (
        Trial(
            Group.PROCESSES,
            "processes",
            examine,
            "See the tests of the database.",
            after=NAME,
            is_remote=is_remote,
        ),
    )


def _examine_processes(installation: Installation, notes: Notes) -> None:
    url = parse_url(installation.settings.database_url)
    is_file = url.get_backend_name() == "sqlite"
    if is_file and not Path(str(url.database)).exists():
        notes.fine("processes", "none has ever run")
        return
    with opened(installation.settings, to_read=True) as connection:
        beats = heartbeats(connection)
        parked = parked_posts(connection)
    if parked:
        notes.warning(
            "posts",
            f"{counted(parked, 'post is', 'posts are')} parked: a person must settle"
            f" {'it' if parked == 1 else 'them'}",
            "See the reasons with `sidenote posts`, and settle each one.",
        )
    if not beats:
        notes.fine("processes", "none is running")
        return
    for one in beats:
        _one(one, installation, notes)
    _missing(beats, installation, notes)


def _one(one: Heartbeat, installation: Installation, notes: Notes) -> None:
    now = installation.now()
    who = f"{one.host}, process {one.pid}"
    last_beat = f"{who}: last heartbeat {ago(one.seen_at, now)}"
    if not one.is_fresh(now):
        notes.warning(
            one.role,
            f"{last_beat}, then no more",
            f"See its log and restart it (sidenote {one.role}).",
        )
    elif one.problem:
        notes.warning(one.role, f"{who}: {one.problem}", "See its log.")
    elif one.version != __version__:
        notes.warning(
            one.role,
            f"{who} is Sidenote {one.version}; this is {__version__}",
            "Restart it with the new version.",
        )
    else:
        notes.fine(one.role, last_beat)


def _missing(
    beats: tuple[Heartbeat, ...], installation: Installation, notes: Notes
) -> None:
    now = installation.now()
    fresh = {one.role for one in beats if one.is_fresh(now)}
    wanted = set(installation.roles)
    if installation.settings.sources_read is SourcesRead.ELSEWHERE:
        wanted.add(READ)
    gone = [role for role in ROLES if role in wanted and role not in fresh]
    stale = {one.role for one in beats} - fresh
    absent = [role for role in gone if role not in stale]
    if fresh and absent:
        starts = " and ".join(f"sidenote {role}" for role in absent)
        notes.warning(
            "roles",
            f"{counted(len(absent), 'role')} not running: {', '.join(absent)}",
            f"Start {starts}, or one sidenote daemon for all of them.",
        )
