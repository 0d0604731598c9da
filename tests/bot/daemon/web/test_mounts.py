"""Parts that guard themselves, beside the operator's pages."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import aiohttp
import pytest
from starlette import routing
from starlette.requests import Request
from starlette.responses import Response

from bot.daemon.web.guard import Mount
from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from tests.bot.daemon.status.situations import situation
from tests.bot.store.runs import NOON


async def _hello(_: Request) -> Response:
    return Response("hello", headers={"X-Own": "yes"})


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    part = routing.Mount("/own/part", routes=[routing.Route("/hello", _hello)])
    pages = Pages(
        snapshots=Snapshots(situation, lambda: 0.0),
        reports=Folder(tmp_path, ".html"),
        dry_run=Folder(tmp_path, ".wikitext"),
        now=lambda: NOON,
    )
    mount = Mount([part], metrics=lambda: "own_metric 1.0\n")
    async with listening(pages, "127.0.0.1", 0, mounts=[mount]) as address:
        yield address


async def _ask(url: str, **more: object) -> tuple[int, str, Mapping[str, str]]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(url, **more) as answer,  # type: ignore[arg-type]
    ):
        return answer.status, await answer.text(), answer.headers


async def test_a_mounted_part_answers_for_itself(address: str) -> None:
    elsewhere = {"Host": "public.example"}

    status, text, headers = await _ask(f"{address}/own/part/hello", headers=elsewhere)

    assert (status, text, headers["X-Own"]) == (200, "hello", "yes")
    assert "Content-Security-Policy" not in headers
    missing = await _ask(f"{address}/own/part/other", headers=elsewhere)
    assert missing[0] == 404
    assert "Content-Security-Policy" not in missing[2]


async def test_the_pages_beside_it_stay_behind_their_guard(address: str) -> None:
    elsewhere = {"Host": "public.example"}

    for path in ("/status", "/own/partial", "/own"):
        assert (await _ask(f"{address}{path}", headers=elsewhere))[0] == 421
    assert (await _ask(f"{address}/own/partial"))[0] == 404
    assert "Content-Security-Policy" in (await _ask(f"{address}/status"))[2]


async def test_what_it_counts_stands_among_the_metrics(address: str) -> None:
    text = (await _ask(f"{address}/metrics"))[1]

    assert "# HELP sidenote_build_info" in text
    assert text.endswith("own_metric 1.0\n")
