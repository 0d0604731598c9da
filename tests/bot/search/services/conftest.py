"""A server with all search services, and what asks them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.search.services.client import SearchClient
from tests.bot.search.services.tools import KEY, PAGES, TODAY, SearchServices
from tests.rig.search.serving import SearchServer

AGENT = "Sidenote/test (tester@example.org)"


@pytest.fixture
async def server() -> AsyncIterator[SearchServer]:
    async with SearchServer(PAGES, key=KEY, today=TODAY) as running:
        yield running


@pytest.fixture
async def services(
    server: SearchServer, tmp_path: Path
) -> AsyncIterator[SearchServices]:
    async with SearchClient(AGENT, timeout_s=5.0) as client:
        yield SearchServices(server, client, tmp_path / "searches")
