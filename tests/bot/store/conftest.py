"""Each test of the store runs on both kinds of database."""

from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", pytest.param("mariadb", marks=pytest.mark.mariadb)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a database with nothing in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'kept' / 'sidenote.sqlite'}"
    address: str = request.getfixturevalue("mariadb_url")
    return address


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    """Return where a SQLite database may be made."""
    return tmp_path / "sidenote.sqlite"
