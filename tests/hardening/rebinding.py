"""Names whose addresses change from one question to the next, as their owner likes.

A name server of our own on loopback answers each question anew: a public address, an
internal one, both, an alias of `localhost`, hundreds, or nothing. The "public" address
is the one place that the wall lets us reach; on all others somebody listens, too, and
a tripwire in the interpreter sees every connect before it is made.
"""

import asyncio
import contextlib
import random
import socket
import struct
import sys
from collections.abc import AsyncIterator, Iterator
from functools import cache
from ipaddress import ip_address

import aiohttp

from bot.sources.http import Failure, Fetched
from bot.sources.settings import FetchLimits
from tests.bot.sources.server import Site, answer, redirect, serving
from tests.bot.sources.tools import rig
from tests.hardening.figures import Figures, measured

_A, _CNAME, _AAAA = 1, 5, 28
_NO_SUCH_NAME, _SERVER_FAILURE = 3, 2
_PUBLIC = "127.0.0.1"  # with the port of the site: what the wall is told to let through
_INSIDE = (
    "127.0.0.2", "127.0.0.3", "10.0.0.1", "169.254.169.254", "192.168.0.1", "0.0.0.1",
    "::1", "::ffff:127.0.0.2", "fd00::1", "64:ff9b::7f00:2", "::127.0.0.2",
)  # fmt: skip
_LIMITS = FetchLimits(total_s=1.0, dns_s=0.3, connect_s=0.3)
_HOST = "127.0.0."

Records = list[tuple[int, bytes]]


@cache
def _tripwire() -> list[tuple[str, int]]:
    """Return the list that gets every connect of this process from now on."""
    seen: list[tuple[str, int]] = []

    def record(event: str, arguments: tuple[object, ...]) -> None:
        if event == "socket.connect" and isinstance(place := arguments[1], tuple):
            seen.append((str(place[0]), int(place[1])))

    sys.addaudithook(record)  # there is no way to take one out again
    return seen


class _Names(asyncio.DatagramProtocol):
    """Answers each question by chance."""

    def __init__(self, random_: random.Random) -> None:
        self._random = random_
        self.questions = 0

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]  # what a datagram end point is given
        self._transport = transport

    def datagram_received(self, data: bytes, sender: tuple[str, int]) -> None:
        self.questions += 1
        end = data.index(b"\0", 12) + 1
        kind = struct.unpack("!H", data[end : end + 2])[0]
        if self._random.random() < 0.005:
            return  # silence
        code, records = self._answer(kind)
        counts = struct.pack("!HHHHH", 0x8180 | code, 1, len(records), 0, 0)
        body = b"".join(
            b"\xc0\x0c" + struct.pack("!HHIH", one, 1, 0, len(value)) + value
            for one, value in records
        )
        self._transport.sendto(data[:2] + counts + data[12 : end + 4] + body, sender)

    def _answer(self, kind: int) -> tuple[int, Records]:
        die = self._random.random()
        if die < 0.01:
            return self._random.choice((_NO_SUCH_NAME, _SERVER_FAILURE)), []
        if die < 0.03:
            alias: Records = [(_CNAME, b"\x09localhost\x00")]
            return 0, alias + self._records(kind, ["127.0.0.1", "::1"])
        if die < 0.8:
            return 0, self._records(kind, [_PUBLIC])
        count = self._random.choice((1, 1, 2, 3, 25))
        chosen = [self._random.choice((_PUBLIC, *_INSIDE)) for _ in range(count)]
        return 0, self._records(kind, chosen)

    def _records(self, kind: int, addresses: list[str]) -> Records:
        packed = [ip_address(one).packed for one in addresses]
        size = {_A: 4, _AAAA: 16}.get(kind, 0)
        return [(kind, one) for one in packed if len(one) == size]


@contextlib.asynccontextmanager
async def _name_server(
    random_: random.Random,
) -> AsyncIterator[tuple[_Names, aiohttp.AsyncResolver]]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(
        lambda: _Names(random_), ("127.0.0.1", 0)
    )
    port = transport.get_extra_info("sockname")[1]
    names = aiohttp.AsyncResolver(
        nameservers=["127.0.0.1"], udp_port=port, timeout=0.1, tries=1
    )
    try:
        yield server, names
    finally:
        await names.close()
        transport.close()


@contextlib.contextmanager
def _trap(port: int) -> Iterator[list[socket.socket]]:
    """Listen on the guarded addresses, at the port of the site."""
    with contextlib.ExitStack() as stack:
        traps = []
        for last in (2, 3):
            trap = stack.enter_context(socket.socket())
            trap.bind((f"{_HOST}{last}", port))
            trap.listen()
            trap.setblocking(False)
            traps.append(trap)
        yield traps


async def try_schedules(count: int, seed: int) -> Figures:
    """Read `count` pages of names that turn, each with a redirect to another."""
    random_ = random.Random(seed)
    with measured("G5", "schedules of a hostile name server") as figures:
        async with serving(Site()) as site, _name_server(random_) as (server, names):
            with _trap(site.port) as traps:
                async with rig(site, names, limits=_LIMITS) as web:
                    connects = _tripwire()
                    connects.clear()
                    read = 0
                    for number in range(count):
                        figures.tried += 1
                        host = f"n{number}.test"
                        site.pages["/a"] = redirect(site.url("/b", f"m{number}.test"))
                        site.pages["/b"] = answer("text", content_type="text/plain")
                        reply = await web.fetcher.fetch(site.url("/a", host))
                        read += isinstance(reply, Fetched)
                        _judge(figures, reply, connects, (_PUBLIC, site.port))
                        site.requests.clear()
                for trap in traps:
                    with contextlib.suppress(BlockingIOError):
                        figures.fault(f"a trap was sprung: {trap.accept()}")
        figures.notes = [f"{server.questions:,} questions", f"{read} read whole"]
    return figures


def _judge(
    figures: Figures,
    reply: Fetched | Failure,
    connects: list[tuple[str, int]],
    public: tuple[str, int],
) -> None:
    for place in connects:
        if place != public:
            figures.fault(f"connected to {place}")
    connects.clear()
    if isinstance(reply, Failure) and not reply.detail:
        figures.fault("a failure without a word")
