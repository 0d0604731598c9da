"""A world for each test, its store on SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.records.posts import PostRules
from bot.store import Store, open_store
from tests.bot.surfaces.planning.makers import PLENTY
from tests.bot.surfaces.planning.world import World
from tests.rig.databases import ready_sqlite


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    rules = PostRules(usual=PLENTY)
    address = ready_sqlite(tmp_path / "kept.sqlite")
    with open_store(address, post_rules=rules) as opened_store:
        yield opened_store


@pytest.fixture
def world(store: Store) -> World:
    return World(store)
