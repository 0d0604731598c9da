"""Brings a database to the newest version of the tables, whatever state it is in.

Each migration can be repeated from its start: SQLite undoes one that was interrupted;
MariaDB cannot, so each step there skips what is already done. If several processes
start at once, one migrates and the others wait.

A program that is older than the tables still works on them if the newer one has
recorded that it may: so an update can be rolled back, and old and new run side by side.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import (
    Connection,
    MetaData,
    create_engine,
    delete,
    insert,
    inspect,
    select,
    text,
)

from bot.store.database import Transactions, find, put
from bot.store.schema import OLDEST, VERSION, metadata, versions
from handlers.ports import PermanentError, TemporaryError

_LOCK_TIMEOUT_S = 60
_FIRST = "0014"  # the version that the first migration brings any older one to
_OLDEST = "tables: oldest program"  # a row of `versions`, as a number
_FILLING = "tables: a backup is being restored"  # a row that exists meanwhile


def migrate(database: Transactions) -> None:
    """Run the missing migrations; usually there are none.

    Raises:
        PermanentError: a newer version of the program made the tables.
        TemporaryError: another process has been migrating for a minute.
    """
    with database.explained(), database.engine.connect() as connection:
        if is_current(connection, database.place):
            return
    with _alone(database) as connection:
        if not is_current(connection, database.place):
            _upgrade(connection)
            _leave_word(connection)


def is_current(connection: Connection, place: str) -> bool:
    """Return whether this program may work on the tables as they are.

    Raises:
        PermanentError: they belong to another program, or to a version that is not
            compatible with this one.
    """
    known = set(inspect(connection).get_table_names())
    if "alembic_version" not in known:
        _require_no_namesakes(known, place)
        return False
    found = str(
        connection.scalar(text("SELECT version_num FROM alembic_version")) or ""
    )
    if found > VERSION and not _may_work(connection, known):
        raise PermanentError(
            f"the database {place} was made by a newer version of Sidenote (its tables"
            f" are {found}, this one knows {VERSION}) which does not work with this"
            " one; update Sidenote, or use another database"
        )
    if versions.name in known and _is_half_full(connection):
        raise PermanentError(
            f"a backup is being restored into the database {place}, or a restore was"
            " interrupted; wait until it ends, or empty the database and restore it"
            " again"
        )
    return found >= VERSION


def _may_work(connection: Connection, known: set[str]) -> bool:
    """Return whether the newer program recorded that this one may work on its tables."""
    if versions.name not in known:
        return False
    query = select(versions.c.number).where(versions.c.name == _OLDEST)
    oldest: int | None = connection.scalar(query)
    return oldest is not None and int(VERSION) >= oldest


def _is_half_full(connection: Connection) -> bool:
    mark = select(versions.c.number).where(versions.c.name == _FILLING)
    return connection.scalar(mark) is not None


def begin_filling(connection: Connection) -> None:
    """Keep all programs off the tables until a backup is completely restored.

    The rows of `versions` are deleted, because the backup brings its own.
    """
    connection.execute(delete(versions))
    connection.execute(insert(versions).values(name=_FILLING, number=1))


def end_filling(connection: Connection) -> None:
    """Release the tables to programs compatible with them, whatever the backup said."""
    _leave_word(connection)
    connection.execute(delete(versions).where(versions.c.name == _FILLING))


def _leave_word(connection: Connection) -> None:
    """Record which programs may work on the tables from now on."""
    row = find(connection, versions, name=_OLDEST, lock=True)
    put(connection, versions, row, {"number": int(OLDEST)}, name=_OLDEST)


def _require_no_namesakes(known: set[str], place: str) -> None:
    strangers = known & set(metadata.tables)
    if strangers:
        raise PermanentError(
            f"the database {place} has tables of another program ({min(strangers)});"
            " use another database"
        )


@contextmanager
def _alone(database: Transactions) -> Iterator[Connection]:
    """Yield a connection while no other process migrates."""
    engine = database.engine
    if engine.dialect.name == "sqlite":
        with database.explained(), engine.begin() as connection:
            yield connection  # it holds the write lock to the end
        return
    lock = {"name": f"sidenote {engine.url.database}"[:64], "wait_s": _LOCK_TIMEOUT_S}
    with database.explained(), engine.connect() as connection:
        if not connection.scalar(text("SELECT GET_LOCK(:name, :wait_s)"), lock):
            raise TemporaryError(
                f"another process has been changing the tables of {database.place} for"
                f" {_LOCK_TIMEOUT_S} s; wait for it, or stop it",
                retry_in_s=_LOCK_TIMEOUT_S,
            )
        try:
            yield connection
            connection.commit()
        finally:
            connection.scalar(text("SELECT RELEASE_LOCK(:name)"), lock)


def tables_of(version: str) -> MetaData:
    """Return the tables as they were in a version."""
    found, engine = MetaData(), create_engine("sqlite://")
    with engine.connect() as connection:
        _upgrade(connection, version)
        found.reflect(connection)
    engine.dispose()
    return found


def recreate(database: Transactions, version: str) -> None:
    """Replace our tables, which are empty, with those of another version."""
    with _alone(database) as connection:
        found = MetaData()
        found.reflect(connection)
        found.drop_all(connection)
        _upgrade(connection, version)


def bring_up(database: Transactions) -> None:
    """Migrate tables that nobody works on."""
    with _alone(database) as connection:
        _upgrade(connection)


def _upgrade(connection: Connection, version: str = "head") -> None:
    # Imported here: it takes longer than the rest of a usual start.
    from alembic import command  # noqa: PLC0415 - see above
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    config.set_main_option("script_location", "bot.store:migrations")
    config.attributes["connection"] = connection
    _forget_early(connection)
    command.upgrade(config, max(version, _FIRST))
    if version < _FIRST:
        connection.execute(text("DELETE FROM alembic_version"))


def _forget_early(connection: Connection) -> None:
    """Have the first migration run on tables that are older than it; it is repeatable."""
    if "alembic_version" in inspect(connection).get_table_names():
        early = text("DELETE FROM alembic_version WHERE version_num < :first")
        connection.execute(early, {"first": _FIRST})
