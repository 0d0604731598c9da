"""Nobody else on the machine reads the database, nor what SQLite keeps beside it."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.store import open_store


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _modes(folder: Path) -> dict[str, int]:
    return {each.name: _mode(each) for each in folder.iterdir()}


def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "made" / "sidenote.sqlite"

    with open_store(f"sqlite:///{file}") as store:
        assert store.watches.get("wiki.example", "User:Ada") is None  # it is open now
        assert _mode(file.parent) == 0o700
        assert _modes(file.parent) == {
            "sidenote.sqlite": 0o600,
            "sidenote.sqlite-wal": 0o600,
            "sidenote.sqlite-shm": 0o600,
        }


def test_a_database_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    file = tmp_path / "sidenote.sqlite"
    with closing(sqlite3.connect(file)) as another:
        another.execute("PRAGMA journal_mode = WAL")
        another.execute("CREATE TABLE something (x)")
        assert set(_modes(tmp_path).values()) == {0o644}

        with open_store(f"sqlite:///{file}"):
            assert set(_modes(tmp_path).values()) == {0o600}


def test_a_folder_that_the_operator_made_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)

    with open_store(f"sqlite:///{folder / 'x.sqlite'}"):
        assert _mode(folder) == 0o755
        assert _mode(folder / "x.sqlite") == 0o600


def test_a_link_to_a_database_leads_to_it(tmp_path: Path) -> None:
    real, link = tmp_path / "real.sqlite", tmp_path / "link.sqlite"
    with open_store(f"sqlite:///{real}"):
        pass
    real.chmod(0o644)
    link.symlink_to(real)

    with open_store(f"sqlite:///{link}"):
        assert _mode(real) == 0o600
