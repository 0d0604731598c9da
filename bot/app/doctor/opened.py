"""A connection to the database as it is: nothing is migrated, made or waited for long."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, inspect

from bot.settings import Settings
from bot.store.connection import READS_ONLY, open_engine, parse_url, shown
from bot.store.posts import count_parked
from bot.store.processes import known_processes
from bot.store.schema import posts, processes
from bot.store.status import Heartbeat
from bot.store.transactions import explained

_LOCK_S = 5.0


@contextmanager
def opened(settings: Settings, *, to_read: bool = False) -> Iterator[Connection]:
    """Give one connection, which takes part in no transaction but those of SQLite.

    Raises:
        PermanentError, TemporaryError: what a database can do; the message has the remedy.
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
    """Return the processes that did not say that they ended; none in a new database."""
    if not inspect(connection).has_table(processes.name):
        return ()
    return known_processes(connection)


def parked_posts(connection: Connection) -> int:
    """Count the posts that wait for a person; none in a new database."""
    if not inspect(connection).has_table(posts.name):
        return 0
    return count_parked(connection)
