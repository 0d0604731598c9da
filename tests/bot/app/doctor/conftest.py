"""A place to examine, for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.app.doctor.place import Place, open_place


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with open_place(tmp_path / "data") as opened:
        yield opened
