"""Each test of the store runs on both kinds of database."""

from pathlib import Path

import pytest

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


@pytest.fixture(scope="session")
def made_sqlite(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return make_sqlite(tmp_path_factory.mktemp("made") / "sidenote.sqlite")


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    """Return where a SQLite database may be made."""
    return tmp_path / "sidenote.sqlite"
