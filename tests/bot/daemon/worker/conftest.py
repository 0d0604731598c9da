"""A store for each test, and a clock that goes on only when told to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store import Store, open_store
from tests.bot.daemon.worker.world import RULES, Clock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path / 'sidenote.sqlite'}", rules=RULES) as made:
        yield made


@pytest.fixture
def clock() -> Clock:
    return Clock()
