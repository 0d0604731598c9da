"""A store of its own for each test of cards."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store import open_store
from tests.gadget.cards.rig import Rig, Wiki
from tests.rig.databases import ready_sqlite


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with open_store(ready_sqlite(tmp_path / "kept.sqlite")) as store:
        yield Rig(store, Wiki())
