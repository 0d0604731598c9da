"""A store of its own for each test of cards."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store import open_store
from tests.gadget.cards.rig import Rig, Wiki


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with nothing in it, for making one takes a second."""
    path = tmp_path_factory.mktemp("empty") / "kept.sqlite"
    with open_store(f"sqlite:///{path}"):
        return path


@pytest.fixture
def rig(empty: Path, tmp_path: Path) -> Iterator[Rig]:
    copy = shutil.copy(empty, tmp_path / "kept.sqlite")
    with open_store(f"sqlite:///{copy}") as store:
        yield Rig(store, Wiki())
