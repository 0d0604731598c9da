"""Whether the person at this machine is signed in without a wiki, and nobody else ever."""

from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import ClientSession

from bot.app.wiring.wiki import World
from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from bot.settings import Settings
from bot.store import open_store
from gadget.wiring import open_backend
from tests.bot.daemon.status.situations import situation
from tests.bot.store.runs import NOON
from tests.rig.databases import ready_sqlite

_KEY = "of-the-operator-long-enough"
_PANEL = "https://panel.example"


def _no_wiki(wiki: str) -> Any:
    raise AssertionError(f"{wiki} is not asked")


def _world(**addresses: str) -> World:
    """Return a world of one wiki, a folder unless it has an address."""
    wikis = ("en.wikipedia.org",)
    given = SimpleNamespace(
        wikis=wikis, addresses=addresses, pages=_no_wiki, lists=_no_wiki
    )
    return cast(World, given)


async def _queue_page(folder: Path, asked_as: str, **given: Any) -> tuple[int, str]:
    settings = Settings.model_validate({"bot_secret": _KEY, **given})
    async with AsyncExitStack() as stack:
        store = stack.enter_context(open_store(ready_sqlite(folder / "s.sqlite")))
        mounts = await stack.enter_async_context(
            open_backend(settings, store, _world())
        )
        none = Folder(folder / "none", ".html")
        pages = Pages(Snapshots(situation, monotonic), none, none, lambda: NOON)
        address = await stack.enter_async_context(
            listening(pages, "127.0.0.1", 0, mounts=mounts)
        )
        session = await stack.enter_async_context(ClientSession())
        answer = await session.get(f"{address}/queue", headers={"Host": asked_as})
        return answer.status, await answer.text()


async def test_whoever_sits_at_this_machine_is_signed_in(tmp_path: Path) -> None:
    status, page = await _queue_page(tmp_path, "127.0.0.1")

    assert status == 200
    assert "sidenoteToken" in page


@pytest.mark.parametrize(
    "given", [{"serve_names": ("panel.example",)}, {"panel_address": _PANEL}]
)
async def test_where_a_proxy_brings_others_nobody_is(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    status, page = await _queue_page(tmp_path, "panel.example", **given)

    assert status == 200
    assert "sidenoteToken" not in page


async def test_under_a_name_that_is_not_ours_there_is_nothing(tmp_path: Path) -> None:
    status, page = await _queue_page(tmp_path, "attacker.example")

    assert status == 421
    assert "sidenoteToken" not in page
