"""The services as fixtures; a `conftest.py` that wants them imports them."""

import itertools
from collections.abc import Iterator
from contextlib import closing

import pymysql
import pytest

from tests.rig.mariadb import serve_mariadb
from tests.rig.wiki.mediawiki import Wiki, serve_wiki

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def wiki() -> Iterator[Wiki]:
    """Return a real MediaWiki that holds the pages of `tests.rig.wiki.pages`."""
    with serve_wiki() as served:
        yield served


@pytest.fixture(scope="session")
def mariadb_socket() -> Iterator[str]:
    with serve_mariadb() as place:
        yield place


@pytest.fixture
def mariadb_url(mariadb_socket: str) -> Iterator[str]:
    """Return the address of a new empty database on a real MariaDB."""
    name = f"s1__sidenote_{next(_numbers)}"
    with closing(pymysql.connect(user="root", unix_socket=mariadb_socket)) as server:
        with server.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
        yield f"mysql+pymysql://root@localhost/{name}?unix_socket={mariadb_socket}"
        with server.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")
