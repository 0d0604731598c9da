"""Each test of the store runs on both kinds of database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store import Store, open_store
from bot.store.database import Transactions, open_engine, parse_url, shown
from tests.rig.databases import make_sqlite

_BOTH = ["sqlite", pytest.param("mariadb", marks=pytest.mark.mariadb)]


@pytest.fixture(params=_BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a database with nothing in it, not even tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'kept' / 'sidenote.sqlite'}"
    address: str = request.getfixturevalue("mariadb_url")
    return address


@pytest.fixture(params=_BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path, made_sqlite: bytes) -> str:
    """Return the address of a database whose tables are empty."""
    if request.param == "sqlite":
        (tmp_path / "kept").mkdir()
        file = tmp_path / "kept" / "sidenote.sqlite"
        file.write_bytes(made_sqlite)
        return f"sqlite:///{file}"
    address: str = request.getfixturevalue("mariadb_ready_url")
    return address


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """Return an empty store with the usual rules."""
    with open_store(url) as opened_store:
        yield opened_store


@pytest.fixture
def transactions(url: str) -> Iterator[Transactions]:
    """Return the database behind an empty store."""
    parsed = parse_url(url)
    engine = open_engine(parsed, lock_timeout_s=30)
    yield Transactions(engine, shown(parsed))
    engine.dispose()


@pytest.fixture(scope="session")
def made_sqlite(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return make_sqlite(tmp_path_factory.mktemp("made") / "sidenote.sqlite")


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    """Return where a SQLite database may be made."""
    return tmp_path / "sidenote.sqlite"
