"""The machine's own resolver, asking a name server on loopback."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest

from bot.sources.address_wall import AddressWall
from bot.sources.http import Failure
from bot.sources.settings import FetchLimits
from handlers.model import SourceOutcome
from tests.bot.sources.server import Site
from tests.bot.sources.tools import FakeNames, rig

A, CNAME, AAAA = 1, 5, 28
SERVER_FAILURE, NO_SUCH_NAME, REFUSED = 2, 3, 5

Records = list[tuple[int, bytes]]


class NameServer(asyncio.DatagramProtocol):
    """Answers each question with a response code and records, or not at all."""

    def __init__(self, answer: Callable[[int], tuple[int, Records] | None]) -> None:
        self._answer = answer
        self.questions: list[bytes] = []

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]  # what a datagram end point is given
        self._transport = transport

    def datagram_received(self, data: bytes, sender: tuple[str, int]) -> None:
        end = data.index(b"\0", 12) + 1
        question, kind = data[12 : end + 4], struct.unpack("!H", data[end : end + 2])[0]
        self.questions.append(data[12:end])
        if (found := self._answer(kind)) is None:
            return
        code, records = found
        counts = struct.pack("!HHHHH", 0x8180 | code, 1, len(records), 0, 0)
        body = b"".join(
            # A pointer to the name in the question, type, class, no time to live.
            b"\xc0\x0c" + struct.pack("!HHIH", record, 1, 0, len(value)) + value
            for record, value in records
        )
        self._transport.sendto(data[:2] + counts + question + body, sender)


@asynccontextmanager
async def name_server(
    answer: Callable[[int], tuple[int, Records] | None],
) -> AsyncIterator[tuple[NameServer, aiohttp.AsyncResolver]]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(
        lambda: NameServer(answer), ("127.0.0.1", 0)
    )
    port = transport.get_extra_info("sockname")[1]
    names = aiohttp.AsyncResolver(
        nameservers=["127.0.0.1"], udp_port=port, timeout=0.2, tries=1
    )
    try:
        yield server, names
    finally:
        await names.close()
        transport.close()


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        ((0, [(A, bytes([127, 0, 0, 1]))]), SourceOutcome.FORBIDDEN_ADDRESS),
        ((0, [(A, bytes([8, 8, 8, 8])), (A, bytes([10, 0, 0, 1]))]),
         SourceOutcome.FORBIDDEN_ADDRESS),
        ((0, [(AAAA, bytes(10) + b"\xff\xff" + bytes([127, 0, 0, 1]))]),
         SourceOutcome.FORBIDDEN_ADDRESS),
        ((NO_SUCH_NAME, []), SourceOutcome.GONE),
        ((0, []), SourceOutcome.UNREACHABLE),
        ((0, [(CNAME, b"\x05other\x04test\0")]), SourceOutcome.UNREACHABLE),
        ((SERVER_FAILURE, []), SourceOutcome.UNREACHABLE),
        ((REFUSED, []), SourceOutcome.UNREACHABLE),
        (None, SourceOutcome.UNREACHABLE),
    ],
    ids=[
        "loopback", "mixed", "mapped", "no such name", "no address",
        "an alias without an address", "server failure", "refused", "silence",
    ],
)  # fmt: skip
async def test_what_a_real_name_server_answers_decides_the_outcome(
    site: Site,
    connects: list[tuple[str, int]],
    found: tuple[int, Records] | None,
    outcome: SourceOutcome,
) -> None:
    def answer(kind: int) -> tuple[int, Records] | None:
        if found is None:
            return None
        code, records = found
        return code, [record for record in records if record[0] == kind]

    async with (
        name_server(answer) as (server, names),
        rig(site, names, wall=AddressWall(), limits=FetchLimits(dns_s=2.0)) as web,
    ):
        reply = await web.fetcher.fetch("http://pub.test/")

    assert isinstance(reply, Failure)
    assert reply.outcome is outcome
    assert connects == []
    assert set(server.questions) == {b"\x03pub\x04test\x00"}


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (socket.EAI_NONAME, SourceOutcome.GONE),
        (socket.EAI_NODATA, SourceOutcome.UNREACHABLE),
        (socket.EAI_AGAIN, SourceOutcome.UNREACHABLE),
        (socket.EAI_FAIL, SourceOutcome.UNREACHABLE),
        (socket.EAI_ADDRFAMILY, SourceOutcome.UNREACHABLE),
    ],
    ids=["NONAME", "NODATA", "AGAIN", "FAIL", "ADDRFAMILY"],
)
async def test_what_the_system_says_of_a_name_decides_the_outcome(
    site: Site, code: int, outcome: SourceOutcome
) -> None:
    class System(FakeNames):
        def addresses(self, name: str) -> list[str]:
            raise socket.gaierror(code, f"of {name}")

    async with rig(site, System({}), wall=AddressWall()) as web:
        reply = await web.fetcher.fetch("http://pub.test/")

    assert isinstance(reply, Failure)
    assert reply.outcome is outcome
