"""Databases whose tables are made already, since making them anew costs each test most.

One of SQLite is a copy of a file. One of MariaDB is emptied after each test and used
again; it is thrown away where that does not leave it as it was.
"""

import functools
import itertools
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pymysql
from pymysql.cursors import Cursor

from bot.store import open_store

_numbers = itertools.count(1)
_PATIENCE_S = 3  # for a test's connections to go
_FULL = "SELECT '{0}' FROM DUAL WHERE EXISTS (SELECT 1 FROM `{0}`)"
_ALL = "SELECT * FROM `{0}` ORDER BY 1"
_PUT = "INSERT INTO `{0}` VALUES ({1})"
_COLUMNS = (
    "SELECT table_name, column_name, column_type FROM information_schema.columns"
    " WHERE table_schema = DATABASE() ORDER BY 1, ordinal_position"
)
_Rows = tuple[tuple[Any, ...], ...]


def make_sqlite(file: Path) -> bytes:
    """Return what a new database's file holds; it is made at `file`."""
    with open_store(f"sqlite:///{file}"):
        pass
    return file.read_bytes()


@functools.cache
def _made_sqlite() -> bytes:
    with TemporaryDirectory() as folder:
        return make_sqlite(Path(folder) / "sidenote.sqlite")


def ready_sqlite(file: Path) -> str:
    """Return the address of the database at `file`, a new one if there is none."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_made_sqlite())
    return f"sqlite:///{file}"


class MariaDbs:
    """Lends databases of one server."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._free: list[str] = []
        self._tables: tuple[str, ...] = ()
        self._kept: dict[str, _Rows] = {}  # what a new one holds
        self._columns: _Rows = ()

    @contextmanager
    def lend(self) -> Iterator[str]:
        """Lend the address of a database with tables and nothing in them."""
        name = self._free.pop() if self._free else self._make()
        yield self._address(name)
        with closing(self._connect()) as server, server.cursor() as cursor:
            if self._empty(cursor, name):
                self._free.append(name)
            else:
                cursor.execute(f"DROP DATABASE {name}")

    def _make(self) -> str:
        name = f"s1__ready_{next(_numbers)}"
        with closing(self._connect()) as server, server.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
            with open_store(self._address(name)):
                pass
            cursor.execute(f"USE {name}")
            self._tables = _tables(cursor)
            full = _full(cursor, self._tables)
            self._kept = {table: _rows(cursor, _ALL.format(table)) for table in full}
            self._columns = _rows(cursor, _COLUMNS)
        return name

    def _empty(self, cursor: Cursor, name: str) -> bool:
        """Leave each table with the rows of a new one; tell whether all is as it was."""
        cursor.execute(f"USE {name}")
        cursor.execute(f"SET lock_wait_timeout = {_PATIENCE_S}, foreign_key_checks = 0")
        if _tables(cursor) != self._tables:
            return False
        changed = {
            table
            for table, kept in self._kept.items()
            if _rows(cursor, _ALL.format(table)) != kept
        }
        if changed and _rows(cursor, _COLUMNS) != self._columns:
            return False
        try:
            for table in changed | _full(cursor, self._tables) - self._kept.keys():
                cursor.execute(f"TRUNCATE TABLE `{table}`")
                for row in self._kept.get(table, ()):
                    places = ", ".join(["%s"] * len(row))
                    cursor.execute(_PUT.format(table, places), row)
            cursor.connection.commit()
        except pymysql.err.OperationalError:
            return False
        return _full(cursor, self._tables) == self._kept.keys()

    def _connect(self) -> "pymysql.Connection[Cursor]":
        return pymysql.connect(user="root", unix_socket=self._socket)

    def _address(self, name: str) -> str:
        return f"mysql+pymysql://root@localhost/{name}?unix_socket={self._socket}"


def _tables(cursor: Cursor) -> tuple[str, ...]:
    cursor.execute("SHOW TABLES")
    return tuple(sorted(name for (name,) in cursor.fetchall()))


def _full(cursor: Cursor, tables: tuple[str, ...]) -> set[str]:
    """Return which tables have rows."""
    cursor.execute(" UNION ALL ".join(_FULL.format(table) for table in tables))
    return {table for (table,) in cursor.fetchall()}


def _rows(cursor: Cursor, query: str) -> _Rows:
    cursor.execute(query)
    return tuple(cursor.fetchall())
