"""What the tests of source reading share: a site, names, a wall and a tripwire."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.sources.fetch import Fetcher
from tests.bot.sources.server import Site, serving
from tests.bot.sources.tools import FakeNames, Rig, rig

_CONNECTS: list[tuple[str, int]] = []


def _record(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.connect" and isinstance(address := arguments[1], tuple):
        _CONNECTS.append((str(address[0]), int(address[1])))


# Python offers no way to take an audit hook out again, so there is one for all.
sys.addaudithook(_record)


@pytest.fixture
def connects() -> list[tuple[str, int]]:
    """Every TCP connect that this process tries, whoever makes it."""
    _CONNECTS.clear()
    return _CONNECTS


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(Site()) as running:
        yield running


@pytest.fixture
def names() -> FakeNames:
    return FakeNames({"pub.test": ["127.0.0.1"], "pub2.test": ["127.0.0.1"]})


@pytest.fixture
async def web(site: Site, names: FakeNames) -> AsyncIterator[Rig]:
    """A fetcher that may reach `site` and nothing else inside."""
    async with rig(site, names) as running:
        yield running


@pytest.fixture
def fetcher(web: Rig) -> Fetcher:
    return web.fetcher


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"
