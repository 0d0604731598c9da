"""One request and its answer, capped in every direction; the adapter of aiohttp.

Redirects are not followed, cookies not kept, proxies of the environment not
used, connections not reused: each request resolves its host anew, every address
it resolves to passes the wall, and so does every socket before it connects.
"""

import asyncio
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from bot.sources.address_wall import (
    AddressWall,
    CheckedUrl,
    ForbiddenAddressError,
)
from bot.sources.answers import Failure, Head, Reply, refusal, too_large
from bot.sources.decoding import (
    ACCEPT_ENCODING,
    BrokenBodyError,
    UnsupportedEncodingError,
    decoder_for,
)
from bot.sources.settings import FetchLimits
from handlers.model import SourceOutcome

_ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5"
_PIECE_BYTES = 64 * 1024
# A name without an address is not one that no longer exists: it may have mail, or an
# address of a kind that this machine has no way to.
_ARES_NO_ADDRESS, _ARES_NO_SUCH_NAME = 1, 4  # as c-ares counts


NameService = AbstractResolver
"""Looks host names up; every answer is checked before it is used."""


class NoSuchHostError(OSError):
    """The name service says that there is no such name (NXDOMAIN)."""


class NoAddressError(OSError):
    """The name exists, and has no address."""


class SlowNameServiceError(OSError):
    """The name service did not answer in time."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What one request may still cost."""

    time_s: float
    body_bytes: int
    decoded_bytes: int


class GuardedResolver(AbstractResolver):
    """Resolves names through another resolver and refuses internal answers.

    A name with one internal address among its addresses is refused whole.
    """

    def __init__(
        self, names: NameService, wall: AddressWall, limits: FetchLimits
    ) -> None:
        self._names = names
        self._wall = wall
        self._limits = limits

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the first few addresses of `host`, all of which are public."""
        found = await self._look_up(host, port, family)
        for answer in found:
            self._wall.check_address(answer["host"], port)
        return [
            answer
            for kind in (socket.AF_INET6, socket.AF_INET)
            for answer in _of_family(kind, found)[: self._limits.max_addresses]
        ]

    async def close(self) -> None:
        """Close the resolver inside."""
        await self._names.close()

    async def _look_up(
        self, host: str, port: int, family: socket.AddressFamily
    ) -> list[ResolveResult]:
        try:
            async with asyncio.timeout(self._limits.dns_s):
                # The dot keeps the machine's own search domains out of it.
                return await self._names.resolve(host + ".", port, family)
        except TimeoutError:
            raise SlowNameServiceError("the name service did not answer") from None
        except OSError as error:
            raise _why_not_found(error) from None


class HttpClient:
    """Sends GET requests. Use it as an async context manager.

    Args:
        user_agent: sent with each request.
        names: looks host names up; that of the operating system if `None`.
    """

    def __init__(
        self,
        user_agent: str,
        wall: AddressWall,
        limits: FetchLimits,
        names: NameService | None = None,
    ) -> None:
        self._wall = wall
        self._limits = limits
        self._names = names
        self._headers = {
            "User-Agent": user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        self._session: aiohttp.ClientSession | None = None
        self._resolver: GuardedResolver | None = None

    async def __aenter__(self) -> Self:
        self._resolver = GuardedResolver(
            self._names or aiohttp.DefaultResolver(), self._wall, self._limits
        )
        self._session = aiohttp.ClientSession(
            auto_decompress=False,
            connector=aiohttp.TCPConnector(
                resolver=self._resolver,
                socket_factory=self._open_socket,
                use_dns_cache=False,
                force_close=True,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            max_field_size=self._limits.max_header_bytes,
            max_line_size=self._limits.max_header_bytes,
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=self._limits.connect_s
            ),
            trust_env=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None and self._resolver is not None:
            await self._session.close()
            await self._resolver.close()

    async def get(
        self, url: CheckedUrl, caps: Caps, headers: Mapping[str, str] | None = None
    ) -> Reply | Failure:
        """Ask once; redirects and 304 come back as replies without a body."""
        try:
            async with asyncio.timeout(caps.time_s):
                return await self._exchange(url, caps, headers or {})
        except TimeoutError:
            detail = f"the server took longer than {self._limits.total_s:g} s"
            return Failure(SourceOutcome.UNREACHABLE, detail)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return _explain(error)

    async def _exchange(
        self, url: CheckedUrl, caps: Caps, headers: Mapping[str, str]
    ) -> Reply | Failure:
        if self._session is None:
            raise RuntimeError("the client is used outside its `async with`")
        target = URL(url.text, encoded=True)
        async with self._session.get(
            target, allow_redirects=False, headers=headers
        ) as response:
            head = _head(response)
            if failure := refusal(head, caps.body_bytes):
                return failure
            if head.is_redirect or head.status == 304:  # noqa: PLR2004 - HTTP's own number
                return Reply(head, b"")
            body = await _read_body(response.content, head, caps)
            return body if isinstance(body, Failure) else Reply(head, body)

    def _open_socket(self, info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = info
        self._wall.check_address(str(address[0]), int(address[1]))
        return socket.socket(family, kind, protocol)


async def _read_body(
    stream: aiohttp.StreamReader, head: Head, caps: Caps
) -> bytes | Failure:
    try:
        body = await _decoded_body(stream, head, caps)
    except UnsupportedEncodingError as error:
        return Failure(SourceOutcome.NOT_TEXT, str(error), head.status)
    except BrokenBodyError as error:
        return Failure(SourceOutcome.UNREACHABLE, str(error), head.status)
    return too_large(caps.decoded_bytes, head.status) if body is None else body


async def _decoded_body(
    stream: aiohttp.StreamReader, head: Head, caps: Caps
) -> bytes | None:
    """Return the body, or `None` where it outgrows its caps."""
    decoder = decoder_for(head.one("content-encoding"))
    decoded = bytearray()
    received_bytes = 0
    async for piece in stream.iter_chunked(_PIECE_BYTES):
        received_bytes += len(piece)
        decoded += decoder.decode(piece, caps.decoded_bytes - len(decoded))
        if received_bytes > caps.body_bytes or len(decoded) > caps.decoded_bytes:
            return None
    decoder.finish()
    return bytes(decoded)


def _head(response: aiohttp.ClientResponse) -> Head:
    headers: dict[str, tuple[str, ...]] = {}
    for name, value in response.headers.items():
        key = name.lower()
        headers[key] = (*headers.get(key, ()), value)
    return Head(response.status, headers)


def _of_family(
    kind: socket.AddressFamily, found: list[ResolveResult]
) -> list[ResolveResult]:
    return [answer for answer in found if answer["family"] == kind]


def _why_not_found(error: OSError) -> OSError:
    cause: BaseException | None = error
    no_such_name, no_address = socket.EAI_NONAME, socket.EAI_NODATA
    if not isinstance(error, socket.gaierror):
        # aiohttp's resolver hides the code of c-ares in the cause.
        cause = error.__cause__
        no_such_name, no_address = _ARES_NO_SUCH_NAME, _ARES_NO_ADDRESS
    code = cause.args[0] if cause is not None and cause.args else None
    if code == no_such_name:
        return NoSuchHostError("no such host")
    return NoAddressError("no address") if code == no_address else error


def _explain(error: Exception) -> Failure:
    inner = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    match inner:
        case ForbiddenAddressError():
            return Failure(SourceOutcome.FORBIDDEN_ADDRESS, inner.reason)
        case NoSuchHostError():
            return Failure(SourceOutcome.GONE, "dead host: its name no longer exists")
        case NoAddressError():
            return Failure(SourceOutcome.UNREACHABLE, "its name has no address now")
        case SlowNameServiceError():
            return Failure(SourceOutcome.UNREACHABLE, "its name was not found in time")
    return Failure(SourceOutcome.UNREACHABLE, _in_words(error))


def _in_words(error: Exception) -> str:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "the name service could not look its name up"
        case aiohttp.ClientSSLError():
            return "no secure connection could be made (TLS)"
        case aiohttp.ClientConnectorError():
            return "no connection could be made"
        case aiohttp.ClientPayloadError():
            return "the connection broke off in the middle of the page"
        case aiohttp.ServerDisconnectedError() | OSError():
            return "the connection broke off"
        case _:
            return "the server does not answer in valid HTTP"
