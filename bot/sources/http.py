"""One request and its answer, limited in every way; the adapter for aiohttp.

First what a web server can answer, and what each answer means for a source; then how a
compressed body is decompressed; then the client itself.
"""

import asyncio
import socket
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Protocol, Self

import aiohttp
import brotli
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from bot.sources.address_wall import AddressWall, CheckedUrl, ForbiddenAddressError
from bot.sources.settings import FetchLimits
from handlers.model import SourceOutcome

_REFUSED = {
    401: "asks for a login",
    402: "asks for payment",
    403: "refuses access",
    406: "refuses access",
    418: "refuses access",
    429: "says that we send too many requests",
    451: "refuses for legal reasons",
    999: "refuses access",
}
_GONE = {404: "has no such page", 410: "says that the page is gone"}
_WITH_BODY = frozenset({200, 201, 202, 203})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Types that never hold text; all others are sniffed later.
_NEVER_TEXT = ("audio/", "font/", "image/", "video/")
_IMAGE_WITH_TEXT = "image/svg"
_SECONDS_DIGITS = 9
_MAX_DATE_CHARS = 64
_FIRST_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is nothing to read: the outcome and a line in plain words.

    `http_status` is `None` if no server answered.
    """

    outcome: SourceOutcome
    detail: str
    http_status: int | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """The body of a successful answer, decompressed, and where it came from.

    `fetched_at` is when the server last confirmed it.
    """

    url: str  # after redirects
    status: int
    content_type: str | None
    body: bytes
    sha256: str
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """The status line and the headers of an answer, names in lower case."""

    status: int
    headers: Mapping[str, tuple[str, ...]]

    def one(self, name: str) -> str:
        """Return the values of a header joined as HTTP joins them, or ""."""
        return ", ".join(self.headers.get(name, ())).strip()

    def validator(self, name: str) -> str | None:
        """Return a header that may be kept and sent back, or `None`."""
        value = self.one(name)
        return value if value and value.isascii() and value.isprintable() else None

    @property
    def is_redirect(self) -> bool:
        """Whether the answer redirects us to another address."""
        return self.status in _REDIRECTS


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer; the body is empty unless the status is a success."""

    head: Head
    body: bytes


def refusal(head: Head, max_body_bytes: int) -> Failure | None:
    """Return the failure that an answer's head shows; `None` if it is fine."""
    if head.is_redirect or head.status == 304:  # noqa: PLR2004 - HTTP's own number
        return None
    if head.status not in _WITH_BODY:
        return _failed_status(head)
    return _unreadable(head, max_body_bytes)


def _failed_status(head: Head) -> Failure:
    status = head.status
    if head.one("cf-mitigated").lower() == "challenge":
        return Failure(
            SourceOutcome.BOT_CHECK, _says(status, "checks for bots"), status
        )
    if meaning := _REFUSED.get(status):
        detail = _says(status, meaning) + _retry_after(head)
        return Failure(SourceOutcome.REFUSED, detail, status)
    if meaning := _GONE.get(status):
        return Failure(SourceOutcome.GONE, _says(status, meaning), status)
    meaning = "has an error" if status >= _FIRST_SERVER_ERROR else "gives no page"
    detail = _says(status, meaning) + _retry_after(head)
    return Failure(SourceOutcome.UNREACHABLE, detail, status)


def _unreadable(head: Head, max_body_bytes: int) -> Failure | None:
    media = head.one("content-type").lower()
    if media.startswith(_NEVER_TEXT) and not media.startswith(_IMAGE_WITH_TEXT):
        kind = media.split("/", 1)[0]
        return Failure(SourceOutcome.NOT_TEXT, f"the address is {kind}", head.status)
    length = head.one("content-length")
    if length.isascii() and length.isdigit() and _exceeds(length, max_body_bytes):
        return too_large(max_body_bytes, head.status)
    return None


def _exceeds(digits: str, limit: int) -> bool:
    # Compared by length first: a number of thousands of digits is not parsed.
    digits = digits.lstrip("0")
    return len(digits) > len(str(limit)) or int(digits or "0") > limit


def too_large(limit_bytes: int, status: int | None = None) -> Failure:
    """Return the failure for a body over its limit."""
    detail = f"the page is larger than {_size(limit_bytes)}"
    return Failure(SourceOutcome.TOO_LARGE, detail, status)


def _size(count: int) -> str:
    mebibytes = count // 1024**2
    return f"{mebibytes} MB" if mebibytes else f"{max(1, count // 1024)} kB"


def _says(status: int, meaning: str) -> str:
    return f"the server answered {status} ({meaning})"


def _retry_after(head: Head) -> str:
    value = head.one("retry-after")
    if value.isascii() and value.isdigit() and len(value) <= _SECONDS_DIGITS:
        return f"; it asks to wait {int(value)} s"
    try:
        until = parsedate_to_datetime(value[:_MAX_DATE_CHARS])
    except ValueError:
        return ""
    return f"; it asks to wait until {until:%Y-%m-%d %H:%M}"


ACCEPT_ENCODING = "gzip, deflate, br"

_GZIP = zlib.MAX_WBITS | 16
_ZLIB = zlib.MAX_WBITS
_RAW_DEFLATE = -zlib.MAX_WBITS
_ZLIB_METHOD = 8
# Each further member of a gzip body copies what is left of its piece.
_MAX_GZIP_MEMBERS = 64


class UnsupportedEncodingError(ValueError):
    """The body is in an encoding that we did not ask for."""


class BrokenBodyError(ValueError):
    """The body is not what its encoding says, or ends early."""


class Decoder(Protocol):
    """Decodes one body, piece by piece.

    A kilobyte can expand to a gigabyte, so the caller says before each piece how many
    bytes it still has room for. Encodings that we did not ask for, and stacked ones,
    are errors: decoding half of a stack would yield garbage that looks like text.
    """

    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        """Return the decoded piece, cut somewhere after `room_bytes` bytes.

        More than `room_bytes` bytes mean that the body is too large; the decoder is
        unusable afterwards.

        Raises:
            BrokenBodyError: the piece is not in the encoding.
        """
        ...

    def finish(self) -> None:
        """Check that the body is complete.

        Raises:
            BrokenBodyError: something is missing.
        """
        ...


def decoder_for(content_encoding: str) -> Decoder:
    """Return the decoder for a `Content-Encoding` header.

    Raises:
        UnsupportedEncodingError: it is unknown, or several are stacked.
    """
    named = [name.strip().lower() for name in content_encoding.split(",")]
    applied = [name for name in named if name not in {"", "identity"}]
    if len(applied) > 1:
        raise UnsupportedEncodingError("the page is compressed more than once")
    match applied:
        case []:
            return _Plain()
        case ["gzip" | "x-gzip"]:
            return _Gzip()
        case ["deflate"]:
            return _Deflate()
        case ["br"]:
            return _Brotli()
        case _:
            raise UnsupportedEncodingError(
                "the page is compressed in a way that was not asked for"
            )


class _Plain:
    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        return piece[: room_bytes + 1]

    def finish(self) -> None:
        return


class _Gzip:
    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._members = 1
        self._anything = False
        self._padding = False

    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        self._anything = self._anything or bool(piece)
        decoded = bytearray()
        while piece and not self._padding and len(decoded) <= room_bytes:
            if self._member.eof and not self._next_member(piece):
                break
            decoded += _inflate(self._member, piece, room_bytes - len(decoded))
            piece = self._member.unused_data
        return bytes(decoded)

    def finish(self) -> None:
        if self._anything and not self._member.eof:
            raise BrokenBodyError("the compressed page is cut off")

    def _next_member(self, piece: bytes) -> bool:
        # Padding after the end is common and meaningless: a byte in it that looks like
        # a further member may begin a piece by chance.
        if not piece.startswith(b"\x1f"):
            self._padding = True
            return False
        if self._members == _MAX_GZIP_MEMBERS:
            raise BrokenBodyError("the compressed page has too many parts")
        self._members += 1
        self._member = zlib.decompressobj(_GZIP)
        return True


class _Deflate:
    """Servers send `deflate` with and without the zlib wrapper it should have."""

    def __init__(self) -> None:
        self._start = b""
        self._stream: zlib._Decompress | None = None

    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        if self._stream is None:
            self._start += piece
            if len(self._start) < 2:  # noqa: PLR2004 - the length of a zlib header
                return b""
            piece = self._start
            self._stream = zlib.decompressobj(_window_bits(piece))
        return b"" if self._stream.eof else _inflate(self._stream, piece, room_bytes)

    def finish(self) -> None:
        ended = self._stream is not None and self._stream.eof
        if self._start and not ended:
            raise BrokenBodyError("the compressed page is cut off")


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._anything = False

    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        self._anything = self._anything or bool(piece)
        try:
            decoded = bytearray(self._process(piece, room_bytes))
            while len(decoded) <= room_bytes and not self._accepts_more():
                decoded += self._process(b"", room_bytes - len(decoded))
        except brotli.error:
            raise BrokenBodyError("the page is not compressed as it says") from None
        return bytes(decoded)

    def finish(self) -> None:
        if self._anything and not self._stream.is_finished():
            raise BrokenBodyError("the compressed page is cut off")

    def _process(self, piece: bytes, room_bytes: int) -> bytes:
        return bytes(self._stream.process(piece, output_buffer_limit=room_bytes + 1))

    def _accepts_more(self) -> bool:
        return bool(self._stream.can_accept_more_data())


def _inflate(stream: "zlib._Decompress", piece: bytes, room_bytes: int) -> bytes:
    try:
        return stream.decompress(piece, room_bytes + 1)
    except zlib.error:
        raise BrokenBodyError("the page is not compressed as it says") from None


def _window_bits(start: bytes) -> int:
    wrapped = start[0] & 0x0F == _ZLIB_METHOD and (start[0] << 8 | start[1]) % 31 == 0
    return _ZLIB if wrapped else _RAW_DEFLATE


_ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5"
_PIECE_BYTES = 64 * 1024
# A name without an address may still exist: it may have only mail, or an address of a
# kind that this machine cannot reach.
_ARES_NO_ADDRESS, _ARES_NO_SUCH_NAME = 1, 4  # c-ares's code


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

    A name with even one internal address is refused.
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
        found = await self._resolve(host, port, family)
        for answer in found:
            self._wall.check_address(answer["host"], port)
        by_family = (
            [answer for answer in found if answer["family"] == kind]
            for kind in (socket.AF_INET6, socket.AF_INET)
        )
        most = self._limits.max_addresses
        return [answer for answers in by_family for answer in answers[:most]]

    async def close(self) -> None:
        """Close the inner resolver."""
        await self._names.close()

    async def _resolve(
        self, host: str, port: int, family: socket.AddressFamily
    ) -> list[ResolveResult]:
        try:
            async with asyncio.timeout(self._limits.dns_s):
                # The dot keeps the machine's search domains out of it.
                return await self._names.resolve(host + ".", port, family)
        except TimeoutError:
            raise SlowNameServiceError("the name service did not answer") from None
        except OSError as error:
            raise _why_not_found(error) from None


class HttpClient:
    """Sends GET requests. Use it as an async context manager.

    Redirects are not followed, cookies not kept, proxies of the environment not used,
    connections not reused: each request resolves its host again; every resolved address
    passes the wall, and so does every socket before it connects.

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
        """Send one request; redirects and 304 come back as replies without a body."""
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
    """Return the body, or `None` if it exceeds its limits."""
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
            return Failure(
                SourceOutcome.UNREACHABLE, "its name has no address at the moment"
            )
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
            return "the connection was lost in the middle of the page"
        case aiohttp.ServerDisconnectedError() | OSError():
            return "the connection was lost"
        case _:
            return "the server does not answer in valid HTTP"
