"""The status page while 10,000 connections of another process merely stay.

The peer is the same page without the guard of `bot.daemon.web.connections`: uvicorn as it
comes, in the same run.
"""

import asyncio
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
)
from pathlib import Path

import aiohttp
import psutil
import uvicorn
from starlette.routing import Router

from bot.daemon.web.connections import Bounds, allow_files
from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from tests.benchmarks.crowd import crowd
from tests.bot.daemon.status.situations import situation
from tests.bot.store.runs import NOON

_CROWD = 10_000
_ASKED = 40
_MIB = 2**20
_LATE_S = 12.0  # longer than the head of a request may take
_Served = Callable[[], AbstractAsyncContextManager[str]]


def _pages(folder: Path) -> Pages:
    return Pages(
        Snapshots(situation, time.monotonic),
        Folder(folder, ".html"),
        Folder(folder, ".wikitext"),
        lambda: NOON,
    )


def _ours(bounds: Bounds) -> _Served:
    @asynccontextmanager
    async def served() -> AsyncIterator[str]:
        with tempfile.TemporaryDirectory() as folder:
            pages = _pages(Path(folder))
            async with listening(pages, "127.0.0.1", 0, bounds=bounds) as address:
                yield address

    return served


@asynccontextmanager
async def _bare() -> AsyncIterator[str]:
    allow_files(2 * _CROWD)
    with tempfile.TemporaryDirectory() as folder:
        app = Router(_pages(Path(folder)).routes())
        config = uvicorn.Config(app, lifespan="off", log_level="error", backlog=1024)
        server = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            serving = asyncio.create_task(server.serve([listener]))
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
            server.should_exit = True
            await serving


async def _asked(address: str) -> list[float]:
    """Return how long each of some requests took, each on a connection of its own."""
    took = []
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(force_close=True)
    ) as session:
        for _ in range(_ASKED):
            began = time.perf_counter()
            async with session.get(f"{address}/status") as answer:
                assert answer.status == 200
                await answer.read()
            took.append(time.perf_counter() - began)
    return took


def _open_now(port: int) -> int:
    return sum(
        one.status == psutil.CONN_ESTABLISHED and one.laddr[1:] == (port,)
        for one in psutil.Process().net_connections("tcp")
    )


async def _row(name: str, served: _Served, *, half: bool) -> None:
    async with served() as address:
        port = int(address.rpartition(":")[2])
        await _asked(address)
        alone = statistics.median(await _asked(address))
        before = psutil.Process().memory_info().rss
        held = await asyncio.to_thread(_enter, port, half=half)
        try:
            kept = await asyncio.to_thread(_open_now, port)
            took = await _asked(address)
            grown = (psutil.Process().memory_info().rss - before) / _MIB
            await asyncio.sleep(_LATE_S)
            late = await asyncio.to_thread(_open_now, port)
        finally:
            held.__exit__(None, None, None)
    sys.stdout.write(
        f"{name:44}{alone * 1000:7.1f}{statistics.median(took) * 1000:9.1f}"
        f"{max(took) * 1000:9.1f}{kept:9,}{late:9,}{grown:+9.1f} MiB\n"
    )


def _enter(port: int, *, half: bool) -> AbstractContextManager[None]:
    held = crowd(port, _CROWD, half=half)
    held.__enter__()
    return held


def main() -> None:
    """Print how long the status page takes, with and without a crowd."""
    sys.stdout.write(
        f"/status, ms, {_ASKED} requests, each on a new connection, beside"
        f" {_CROWD:,} connections of another process\n{'':44}{'alone':>7}{'median':>9}"
        f"{'slowest':>9}{'open':>9}{f'{_LATE_S:.0f} s on':>9}{'memory':>13}\n"
    )
    roomy = Bounds(most=2 * _CROWD)
    for name, served, half in (
        ("silent, as it ships (4,096 at most)", _ours(Bounds()), False),
        ("half a head each, as it ships", _ours(Bounds()), True),
        ("silent, room for all", _ours(roomy), False),
        ("half a head each, room for all", _ours(roomy), True),
        ("half a head each, plain uvicorn", _bare, True),
    ):
        asyncio.run(_row(name, served, half=half))
