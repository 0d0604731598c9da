"""Lends the real services, and a store of its own, to the tests of `bot`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store import Store, open_store
from tests.rig.databases import ready_sqlite
from tests.rig.fixtures import (
    changes_port,
    chromium,
    mariadb_ready_url,
    mariadb_socket,
    mariadb_url,
    mariadbs,
    no_write_leaves,
    recorder,
    wiki,
    wiki_proxy,
)

__all__ = [
    "changes_port",
    "chromium",
    "mariadb_ready_url",
    "mariadb_socket",
    "mariadb_url",
    "mariadbs",
    "no_write_leaves",
    "recorder",
    "wiki",
    "wiki_proxy",
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as opened_store:
        yield opened_store
