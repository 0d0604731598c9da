"""A store for each test, and a clock that goes on only when told to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.records.tasks import TaskKind
from bot.store import Store, open_store
from tests.bot.daemon.worker.world import RULES, Clock
from tests.rig.databases import ready_sqlite


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    address = ready_sqlite(tmp_path / "sidenote.sqlite")
    with open_store(address, policies={TaskKind.CHECK: RULES}) as opened_store:
        yield opened_store


@pytest.fixture
def clock() -> Clock:
    return Clock()
