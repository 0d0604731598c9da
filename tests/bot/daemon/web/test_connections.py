"""Connections that only take: half heads, dripping bodies, crowds that stay."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from time import monotonic

import aiohttp
import pytest
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route, Router

from bot.daemon.web.connections import Bounds, Connections, allow_files
from bot.daemon.web.guard import Mount
from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from tests.benchmarks.crowd import crowd
from tests.bot.daemon.status.situations import situation
from tests.bot.store.runs import NOON

_QUICK = Bounds(head_s=0.3, body_s=0.3, idle_s=0.3, unread_s=0.3, check_s=0.02)
_SOON_S = 20.0  # on a busy machine
_HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def _taker(gone: asyncio.Event) -> list[BaseRoute]:
    """Takes a body, and gives as much as anybody wants; tells who is gone."""

    async def take(request: Request) -> Response:
        return Response(str(len(await request.body())))

    async def endless() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 100_000
                await asyncio.sleep(0)
        finally:
            gone.set()

    async def give(_: Request) -> Response:
        return StreamingResponse(endless())

    async def slow() -> AsyncIterator[bytes]:
        yield b"first"
        await asyncio.sleep(1)
        yield b"last"

    async def stay(_: Request) -> Response:
        return StreamingResponse(slow())

    return [
        Route("/api/take", take, methods=["POST"]),
        Route("/api/give", give),
        Route("/api/stay", stay),
    ]


@asynccontextmanager
async def _served(
    folder: Path, bounds: Bounds, gone: asyncio.Event | None = None
) -> AsyncIterator[str]:
    pages = Pages(
        Snapshots(situation, monotonic),
        Folder(folder, ".html"),
        Folder(folder, ".wikitext"),
        lambda: NOON,
    )
    mounts = [Mount(_taker(gone or asyncio.Event()))]
    async with listening(
        pages, "127.0.0.1", 0, mounts=mounts, bounds=bounds
    ) as address:
        yield address


@pytest.fixture
async def quick(tmp_path: Path) -> AsyncIterator[tuple[str, int]]:
    async with _served(tmp_path, _QUICK) as address:
        yield "127.0.0.1", int(address.rpartition(":")[2])


async def _end_s(here: tuple[str, int], *pieces: bytes) -> float:
    """Send pieces, the last again and again; return how long the server bore it."""
    reader, writer = await asyncio.open_connection(*here)
    began = monotonic()
    for piece in pieces[:-1]:
        writer.write(piece)
    try:
        while True:
            writer.write(pieces[-1])
            await writer.drain()
            async with asyncio.timeout(0.02):
                if not await reader.read(1000):
                    return monotonic() - began
    except ConnectionError:
        return monotonic() - began
    except TimeoutError:
        return await _end_s_on(reader, writer, pieces[-1], began)
    finally:
        writer.close()


async def _end_s_on(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    drop: bytes,
    began: float,
) -> float:
    while monotonic() - began < _SOON_S:
        try:
            writer.write(drop)
            await writer.drain()
            async with asyncio.timeout(0.02):
                if not await reader.read(1000):
                    break
        except TimeoutError:
            continue
        except ConnectionError:
            break
    return monotonic() - began


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([b""], id="nothing is ever said"),
        pytest.param([_HEAD, b"X-A: b\r\n"], id="headers without end"),
        pytest.param([_HEAD + b"X-A: ", b"b"], id="a header without end"),
        pytest.param([_HEAD + b"\r\n" + _HEAD, b"X-A: b\r\n"], id="the second head"),
        pytest.param([_HEAD + b"\r\n", b""], id="kept alive for nothing"),
        pytest.param(
            [
                b"POST /api/take HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n",
                b"x",
            ],
            id="a dripping body",
        ),
        pytest.param(
            [
                b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n",
                b"x",
            ],
            id="a dripping body that nobody wants",
        ),
    ],
)
async def test_who_keeps_us_waiting_is_shown_out(
    quick: tuple[str, int], pieces: list[bytes]
) -> None:
    took_s = await _end_s(quick, *pieces)

    assert took_s < _SOON_S


async def test_hundreds_of_half_heads_end_and_nobody_waits_for_them(
    tmp_path: Path,
) -> None:
    bounds = Bounds(head_s=0.5, check_s=0.05)
    async with (
        _served(tmp_path, bounds) as address,
        aiohttp.ClientSession() as session,
    ):
        here = ("127.0.0.1", int(address.rpartition(":")[2]))
        half = [await asyncio.open_connection(*here) for _ in range(300)]
        for _, writer in half:
            writer.write(_HEAD)
        async with session.get(f"{address}/healthz") as answer:
            status = answer.status
        async with asyncio.timeout(_SOON_S):
            rests = await asyncio.gather(
                *(reader.read() for reader, _ in half), return_exceptions=True
            )
        for _, writer in half:
            writer.close()

    assert status == 200
    assert all(rest == b"" or isinstance(rest, ConnectionError) for rest in rests)


async def test_who_does_not_read_the_answer_is_shown_out(tmp_path: Path) -> None:
    gone = asyncio.Event()
    async with _served(tmp_path, _QUICK, gone) as address:
        here = ("127.0.0.1", int(address.rpartition(":")[2]))
        with socket.create_connection(here) as reader:
            reader.sendall(b"GET /api/give HTTP/1.1\r\nHost: a\r\n\r\n")
            async with asyncio.timeout(_SOON_S):
                await gone.wait()


async def test_a_long_answer_and_honest_bodies_are_let_be(
    quick: tuple[str, int],
) -> None:
    address = f"http://{quick[0]}:{quick[1]}/api"
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{address}/stay") as answer:
            stayed = await answer.text()
        taken = []
        for _ in range(3):  # on one connection
            async with session.post(f"{address}/take", data=b"x" * 900) as answer:
                taken.append(await answer.text())

    assert stayed == "firstlast"
    assert taken == ["900"] * 3


async def test_a_crowd_that_stays_makes_room_for_who_asks(tmp_path: Path) -> None:
    bounds = Bounds(most=50)
    async with (
        _served(tmp_path, bounds) as address,
        aiohttp.ClientSession() as session,
    ):
        here = ("127.0.0.1", int(address.rpartition(":")[2]))
        with ExitStack() as stack:
            crowd = [
                stack.enter_context(socket.create_connection(here)) for _ in range(60)
            ]
            async with session.get(f"{address}/healthz") as answer:
                status = answer.status
            for one in crowd:
                one.setblocking(False)
            gone = [_is_gone(one) for one in crowd]

    assert status == 200
    assert gone == [True] * 11 + [False] * 49  # the first to come went first


async def test_a_thousand_that_stay_do_not_slow_the_status_page(
    tmp_path: Path,
) -> None:
    async with (
        _served(tmp_path, Bounds(most=600, head_s=600, idle_s=600)) as address,
        aiohttp.ClientSession() as session,
    ):
        held = crowd(int(address.rpartition(":")[2]), 1000, half=True)
        await asyncio.to_thread(held.__enter__)
        async with (
            asyncio.timeout(_SOON_S),
            session.get(f"{address}/status") as answer,
        ):
            status = answer.status
        held.__exit__(None, None, None)

    assert status == 200


def _is_gone(one: socket.socket) -> bool:
    try:
        return one.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


class _Transport(asyncio.Transport):
    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 1)})
        self.is_ended = False

    def abort(self) -> None:
        self.is_ended = True


def _come(guarded: Connections, address: str) -> _Transport:
    transport = _Transport(address)
    guarded.connection().connection_made(transport)
    return transport


@pytest.mark.parametrize(
    ("crowded", "ended"), [("192.0.2.1", 3), ("127.0.0.1", 0), ("::1", 0)]
)
async def test_one_address_has_its_own_bound_unless_it_may_be_a_proxy(
    crowded: str, ended: int
) -> None:
    clock = iter(range(100)).__next__
    guarded = Connections(Router(), Bounds(most_of_address=2), clock, {})
    alone = _come(guarded, "192.0.2.2")

    crowd = [_come(guarded, crowded) for _ in range(5)]

    assert [one.is_ended for one in crowd] == [True] * ended + [False] * (5 - ended)
    assert not alone.is_ended
    assert len(guarded) == 6 - ended


@pytest.fixture
def few_files() -> Iterator[str]:
    """A program that says how many connections it has room for, with few files."""
    return iter(
        [
            "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 700));"
            "from bot.daemon.web.connections import allow_files;"
            "print(allow_files(100), resource.getrlimit(resource.RLIMIT_NOFILE)[0],"
            " allow_files(900), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
        ]
    )


def test_files_are_allowed_as_far_as_the_system_goes(few_files: Iterator[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", next(few_files)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert done.split() == ["100", "356", "444", "700"]
    assert allow_files(1) == 1
