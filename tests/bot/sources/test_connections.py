"""One connection a request, to an address that its name has and no other."""

import asyncio
import itertools
import socket
import ssl
import struct
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bot.sources.address_wall import AddressWall, CheckedUrl
from bot.sources.fetch import Fetcher
from bot.sources.http import Caps, Fetched, GuardedResolver
from bot.sources.settings import FetchLimits
from handlers.model import SourceOutcome
from tests.bot.sources.server import Script, Site, answer, hang, serving
from tests.bot.sources.tools import SMALL, FakeNames, rig
from tests.rig.service import program

CAPS = Caps(time_s=5.0, body_bytes=1000, decoded_bytes=1000)


class TurningNames(FakeNames):
    """Gives another answer each time, as a hostile name server may."""

    def __init__(self, name: str, *answers: list[str]) -> None:
        super().__init__({name: []})
        self._answers = itertools.chain(answers, itertools.repeat(answers[-1]))

    def addresses(self, _: str) -> list[str]:
        return next(self._answers)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.1"])
async def test_an_address_that_got_past_the_first_check_is_stopped_at_its_socket(
    site: Site, connects: list[tuple[str, int]], address: str
) -> None:
    host = f"[{address}]" if ":" in address else address
    other = CheckedUrl(f"http://{host}:{site.port}/", "http", address, site.port)
    strict = AddressWall(ports=frozenset({site.port}))

    async with rig(site, FakeNames({}), wall=strict) as web:
        reply = await web.client.get(other, CAPS)

    assert reply.outcome is SourceOutcome.FORBIDDEN_ADDRESS
    assert connects == []


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["169.254.169.254"],
        ["::ffff:10.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["93.184.216.34", "127.0.0.1"],
        ["2606:2800:220:1::1", "fd00::1"],
        [f"93.184.216.{host}" for host in range(1, 250)] + ["10.0.0.1"],
    ],
    ids=[
        "loopback",
        "metadata",
        "mapped",
        "NAT64",
        "mixed",
        "mixed IPv6",
        "last of many",
    ],
)
async def test_a_name_that_leads_inside_is_refused_whole(
    site: Site, connects: list[tuple[str, int]], addresses: list[str]
) -> None:
    async with rig(site, FakeNames({"pub.test": addresses}), wall=AddressWall()) as web:
        reply = await web.fetcher.fetch("http://pub.test/")

    assert reply.outcome is SourceOutcome.FORBIDDEN_ADDRESS
    assert "127.0.0.1" not in reply.detail
    assert connects == []


async def test_a_name_that_turns_inside_after_the_first_lookup_is_refused(
    site: Site, connects: list[tuple[str, int]]
) -> None:
    site.pages["/a"] = answer("the page")
    names = TurningNames("pub.test", ["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"])

    async with rig(site, names) as web:
        first = await web.fetcher.fetch(site.url("/a"))
        second = await web.fetcher.fetch(site.url("/b"))

    assert isinstance(first, Fetched)
    assert second.outcome is SourceOutcome.FORBIDDEN_ADDRESS
    assert {host for host, _ in connects} == {"127.0.0.1"}


async def test_only_the_first_few_addresses_of_each_kind_are_tried() -> None:
    many = [f"8.8.8.{host}" for host in range(250)]
    many += [f"2606::{host}" for host in range(250)]
    names = GuardedResolver(FakeNames({"pub.test": many}), AddressWall(), FetchLimits())

    found = await names.resolve("pub.test", 80)

    assert [one["host"] for one in found] == [
        "2606::0",
        "2606::1",
        "8.8.8.0",
        "8.8.8.1",
    ]


async def test_a_host_that_does_not_exist_is_a_dead_host(fetcher: Fetcher) -> None:
    reply = await fetcher.fetch("http://nowhere.test/")

    assert reply.outcome is SourceOutcome.GONE
    assert reply.detail.startswith("dead host")


async def test_a_name_service_that_does_not_answer_is_given_up_on(site: Site) -> None:
    class Silent(FakeNames):
        async def resolve(self, *_: object, **__: object) -> list[object]:  # type: ignore[override]  # never answers
            await asyncio.Event().wait()
            raise AssertionError

    limits = FetchLimits(dns_s=0.05)

    async with rig(site, Silent({}), limits=limits) as web:
        reply = await web.fetcher.fetch("http://slow.test/")

    assert reply.outcome is SourceOutcome.UNREACHABLE
    assert "name" in reply.detail


async def test_a_refused_connection_is_unreachable(
    site: Site, names: FakeNames
) -> None:
    port = _unused_port()
    wall = AddressWall(allowed=frozenset({("127.0.0.1", port)}))

    async with rig(site, names, wall=wall) as web:
        reply = await web.fetcher.fetch(f"http://pub.test:{port}/")

    assert reply.outcome is SourceOutcome.UNREACHABLE
    assert reply.http_status is None


async def _speak_plainly(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    await reader.read(1)
    writer.write(answer("no TLS here", "400 Bad Request"))
    await writer.drain()


@pytest.mark.parametrize(
    ("server", "word"), [(_speak_plainly, "TLS"), (hang, "longer")]
)
async def test_a_server_that_makes_no_secure_connection_is_unreachable(
    site: Site, names: FakeNames, server: Script, word: str
) -> None:
    site.on_connect = server

    async with rig(site, names, limits=FetchLimits(total_s=0.5)) as web:
        reply = await web.fetcher.fetch(site.url("/").replace("http://", "https://"))

    assert reply.outcome is SourceOutcome.UNREACHABLE
    assert word in reply.detail


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for pub.test that nobody vouches for, and its key."""
    openssl = program("openssl")
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=pub.test", "-addext", "subjectAltName=DNS:pub.test"),
            *("-out", str(files[0]), "-keyout", str(files[1])),
        ],
        check=True,
        capture_output=True,
    )
    return files


async def test_a_certificate_of_no_known_authority_is_unreachable(
    names: FakeNames, certificate: tuple[Path, Path]
) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(*certificate)

    async with serving(Site(), tls) as site, rig(site, names) as web:
        reply = await web.fetcher.fetch(site.url("/").replace("http://", "https://"))

    assert reply.outcome is SourceOutcome.UNREACHABLE
    assert "TLS" in reply.detail


async def test_no_password_of_a_netrc_file_is_sent(
    site: Site, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in (".netrc", "_netrc"):
        (tmp_path / name).write_text("machine pub.test login ada password x\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    site.pages["/a"] = answer("text")

    await fetcher.fetch(site.url("/a"))

    [request] = site.asked("/a")
    assert "authorization" not in request.headers


async def test_a_request_tells_who_asks_and_nothing_of_anybody_else(
    site: Site, fetcher: Fetcher
) -> None:
    cookie = {"set_cookie": "id=1; Path=/"}
    site.pages["/a"] = answer(status="302 Found", location="/b", **cookie)
    site.pages["/b"] = answer("text", **cookie)

    await fetcher.fetch(site.url("/a"))

    [request] = site.asked("/b")
    assert request.method == "GET"
    assert set(request.headers) == {
        "accept",
        "accept-encoding",
        "connection",
        "host",
        "user-agent",
    }
    assert "contact" in request.headers["user-agent"]
    assert request.headers["accept-encoding"] == "gzip, deflate, br"
    assert request.headers["host"] == f"pub.test:{site.port}"


async def test_proxies_of_the_environment_are_not_used(
    site: Site, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{_unused_port()}")
    site.pages["/a"] = answer("text")

    reply = await fetcher.fetch(site.url("/a"))

    assert isinstance(reply, Fetched)


async def test_a_client_outside_its_context_says_so(
    site: Site, names: FakeNames
) -> None:
    async with rig(site, names) as web:
        closed = type(web.client)("x", web.wall, SMALL, names)

    with pytest.raises(RuntimeError, match="async with"):
        await closed.get(web.wall.check_url(site.url("/a")), CAPS)


def _unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


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

    assert reply.outcome is outcome
