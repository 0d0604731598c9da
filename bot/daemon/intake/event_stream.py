"""Reads server-sent events: the connection, the frames in its bytes, the event in each.

aiohttp makes the connection; `sseclient` provides the event and the grammar of a line.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from sseclient import Event
from yarl import URL

from bot.records.changes import Position
from bot.sources.manners import retry_after_s
from handlers.ports import PermanentError, TemporaryError


@dataclass(frozen=True, slots=True)
class Start:
    """Start after a position, else from a time, else with the next event."""

    position: Position | None = None
    since: datetime | None = None


class TooManyStreamsError(TemporaryError):
    """The server allows our address no further connection at the moment."""


class StartRefusedError(PermanentError):
    """The server rejects this start; it may accept another."""


# --- Frames ---

_MARK = b"\xef\xbb\xbf"  # byte order mark, allowed once at the very beginning
_BLANK = b"\n\n"
_BLANKS = re.compile(_BLANK)  # splits in half the time of bytes.split
_STORED_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class CutFrame:
    """The beginning of a frame that was too large to keep."""

    beginning: bytes


class Framer:
    """Takes the bytes of one connection in order.

    Args:
        max_bytes: of one frame. A larger one is skipped.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._held = bytearray()  # an unfinished frame, line ends made "\n"
        self._head: bytes | None = b""  # the first bytes, while they may be the mark
        self._after_cr = False
        self._skipping = False
        self._cut: list[CutFrame] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the frames that `chunk` completes, lines separated by line feeds.

        Discard an unfinished frame at the end of a connection.
        """
        text = self._normal(self._after_mark(chunk))
        if not text:
            return []
        if self._skipping:
            return self._skip(text)
        return self._split(text)

    def take_cut(self) -> list[CutFrame]:
        """Return the frames skipped since the last call."""
        cut, self._cut = self._cut, []
        return cut

    def _after_mark(self, chunk: bytes) -> bytes:
        if self._head is None:
            return chunk
        head = self._head + chunk
        if len(head) < len(_MARK) and _MARK.startswith(head):
            self._head = head
            return b""
        self._head = None
        return head.removeprefix(_MARK)

    def _normal(self, chunk: bytes) -> bytes:
        """Turn each line end into one line feed; one split by a chunk counts once."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" not in chunk:
            return chunk
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _split(self, text: bytes) -> list[bytes]:
        held = self._held
        if held:
            ends = _BLANK in text or (held.endswith(b"\n") and text.startswith(b"\n"))
            if not ends:
                held += text
                self._bound()
                return []
            text = bytes(held) + text
            held.clear()
        frames = _BLANKS.split(text)
        held += frames.pop()
        whole = self._whole(frames)
        self._bound()  # last, so that cut frames keep their place in the order
        return whole

    def _whole(self, frames: list[bytes]) -> list[bytes]:
        whole = []
        for frame in frames:
            lines = frame.lstrip(b"\n") if frame.startswith(b"\n") else frame
            if len(lines) > self._max_bytes:
                self._cut.append(CutFrame(lines[:_STORED_BYTES]))
            elif lines:
                whole.append(lines)
        return whole

    def _bound(self) -> None:
        # One line feed may precede the frame, and one is half of its end.
        if len(self._held) > self._max_bytes + 2:
            beginning = bytes(self._held[: _STORED_BYTES + 1]).lstrip(b"\n")
            self._cut.append(CutFrame(beginning[:_STORED_BYTES]))
            del self._held[:-1]
            self._skipping = True

    def _skip(self, text: bytes) -> list[bytes]:
        seam = bytes(self._held) + text
        _, found, after = seam.partition(_BLANK)
        if not found:
            self._held[:] = seam[-1:]
            return []
        self._held.clear()
        self._skipping = False
        return self._split(after) if after else []


_MESSAGE = "message"
_MAX_WAIT_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Frame:
    """What the lines of a frame say.

    `last_id` is `None` if they give none; `event` is `None` if they hold no data, as
    comments do. `wait_ms` is the wait that the server wants before a reconnection.
    """

    event: Event | None
    last_id: str | None = None
    wait_ms: int | None = None


def read_frame(frame: bytes) -> Frame:
    """Read the lines of a frame; bytes that are not UTF-8 become U+FFFD."""
    data: list[str] = []
    kind, last_id, wait_ms = _MESSAGE, None, None
    for line in frame.decode("utf-8", "replace").split("\n"):
        name, value = Event.sse_line_pattern.match(line).group("name", "value")
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value or _MESSAGE
        elif name == "id" and "\0" not in value:
            last_id = value
        elif name == "retry" and value.isascii() and value.isdecimal():
            wait_ms = int(value[:_MAX_WAIT_DIGITS])
    event = Event("\n".join(data), kind, last_id, wait_ms) if data else None
    return Frame(event, last_id, wait_ms)


# --- The answer of the server ---

EVENT_STREAM = "text/event-stream"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LONGEST_WAIT_S = 3_600.0
_SHOWN_CHARS = 200
_NOT_YET = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)


def redirect_of(url: URL, status: int, headers: Mapping[str, str]) -> URL | None:
    """Return where a redirect leads; `None` if the answer is no redirect.

    Raises:
        TemporaryError: it leads nowhere.
        PermanentError: it leads to another server, which is not trusted.
    """
    if status not in _REDIRECTS:
        return None
    try:
        target = url.join(URL(headers["Location"]))
    except (KeyError, ValueError):
        raise TemporaryError(
            f"{url.host} redirects ({status}) without saying where",
            retry_in_s=0,
        ) from None
    if (target.scheme, target.host, target.port) != (url.scheme, url.host, url.port):
        raise PermanentError(
            f"{url.host} sends us to {target.host or target.scheme} ({status}); if that is right, set"
            " the address of the stream to it"
        )
    return target


def check(
    url: URL, status: int, headers: Mapping[str, str], beginning: str, now: datetime
) -> None:
    """Return if the answer is a stream of events; `beginning` is that of its text.

    Raises:
        StartRefusedError: the server does not take the start (400).
        TemporaryError: it may be a stream later.
        PermanentError: the server refuses us, or there is no such stream.
    """
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if status == HTTPStatus.OK and kind == EVENT_STREAM:
        return
    message = f"{url.host} answered {status}"
    words = " ".join(beginning.split())[:_SHOWN_CHARS]
    if status == HTTPStatus.BAD_REQUEST:
        raise StartRefusedError(f"{message}: {words}")
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise PermanentError(
            f"{message}; Wikimedia wants a User-Agent with a contact: set SIDENOTE_CONTACT"
        )
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        raise PermanentError(f"{message}; check the address of the stream")
    if status < HTTPStatus.BAD_REQUEST:
        message = f"{message} with {kind or 'nothing'} instead of events"
    wait_s = retry_after_s({name.lower(): text for name, text in headers.items()}, now)
    is_early = status in _NOT_YET or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    if status >= HTTPStatus.BAD_REQUEST and not is_early:
        raise PermanentError(f"{message}: {words}")
    is_too_many = status == HTTPStatus.TOO_MANY_REQUESTS
    failure = TooManyStreamsError if is_too_many else TemporaryError
    raise failure(message, retry_in_s=min(wait_s or 0.0, _LONGEST_WAIT_S))


# --- The connection ---

_MAX_REDIRECTS = 3
_BUFFER_BYTES = 128 * 1024  # half of what one read of the socket gives at most
_BUSY_BYTES = 32 * 1024  # a read of this size means that more is waiting
_CALM_PIECES = 2  # smaller reads, after which the stream counts as live
_BEGINNING_BYTES = 1_000
_BROKEN = (aiohttp.ClientError, HttpProcessingError, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """Where the events come from, and how we identify ourselves.

    `address` ends before the names of the streams, such as
    `https://stream.wikimedia.org/v2/stream/`. `user_agent` gives a contact.
    """

    address: str
    streams: tuple[str, ...]
    user_agent: str
    connect_s: float = 10.0
    answer_s: float = 30.0  # from the request to the head of the answer
    settle_s: float = 0.5  # how long small pieces may accumulate


class EventStreams:
    """Opens streams of events, one at a time. Use it as an async context manager."""

    def __init__(
        self,
        settings: StreamSettings,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self._session: aiohttp.ClientSession | None = None
        self._one = asyncio.Lock()  # Wikimedia's etiquette: one connection

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            headers={
                "User-Agent": self._settings.user_agent,
                "Accept": EVENT_STREAM,
                "Accept-Encoding": "identity",
                "Cache-Control": "no-cache",
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=self._settings.connect_s
            ),
            read_bufsize=_BUFFER_BYTES,
            auto_decompress=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    @asynccontextmanager
    async def connect(self, start: Start) -> AsyncIterator["StreamConnection"]:
        """Open the stream from `start` on.

        Raises:
            StartRefusedError: the server rejects `start`.
            TemporaryError: it cannot be reached now, or asks to come again later.
            PermanentError: it refuses us, or sends us to another server.
        """
        async with self._one:
            response = await self._open(self._address(start), start)
            try:
                yield StreamConnection(response, self._settings.settle_s, self._sleep)
            finally:
                response.close()

    def _address(self, start: Start) -> URL:
        url = URL(self._settings.address.rstrip("/")) / ",".join(self._settings.streams)
        if start.position is None and start.since is not None:
            since = start.since.astimezone(UTC).isoformat(timespec="milliseconds")
            return url % {"since": since.replace("+00:00", "Z")}
        return url

    async def _open(self, url: URL, start: Start) -> aiohttp.ClientResponse:
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._request(url, start)
            try:
                target = redirect_of(url, response.status, response.headers)
                if target is None:
                    is_stream = response.content_type == EVENT_STREAM and response.ok
                    beginning = "" if is_stream else await _beginning_of(response)
                    now = datetime.now(UTC)
                    check(url, response.status, response.headers, beginning, now)
                    return response
            except BaseException:
                response.close()
                raise
            response.close()
            url = target
        raise TemporaryError(f"{url.host} redirects in a circle", retry_in_s=0)

    async def _request(self, url: URL, start: Start) -> aiohttp.ClientResponse:
        assert self._session is not None, "used outside of its block"  # noqa: S101
        resumed = (
            {}
            if start.position is None
            else {"Last-Event-ID": start.position.last_event_id}
        )
        try:
            async with asyncio.timeout(self._settings.answer_s):
                return await self._session.get(
                    url, headers=resumed, allow_redirects=False
                )
        except _BROKEN as error:
            raise TemporaryError(
                f"{url.host} cannot be reached ({_words(error)})", retry_in_s=0
            ) from error


class StreamConnection:
    """An open stream."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        settle_s: float,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._response = response
        self._settle_s = settle_s
        self._sleep = sleep
        self._small_pieces = 0  # in a row

    async def read(self) -> bytes:
        """Return the next bytes, `b""` at the end. Cancelling it loses nothing.

        Raises:
            TemporaryError: the connection is broken.
        """
        if self._small_pieces >= _CALM_PIECES:
            self._small_pieces = (
                0  # if the wait is cancelled, the next read is immediate
            )
            await self._settle()
            self._small_pieces = _CALM_PIECES - 1
        try:
            chunk = await self._response.content.readany()
        except _BROKEN as error:
            raise TemporaryError(
                f"the connection was lost ({_words(error)})", retry_in_s=0
            ) from error
        is_small = len(chunk) < _BUSY_BYTES
        self._small_pieces = self._small_pieces + 1 if is_small else 0
        return chunk

    async def _settle(self) -> None:
        connection = self._response.connection
        transport = connection.transport if connection is not None else None
        if transport is None or transport.is_closing():
            return
        transport.pause_reading()
        try:
            await self._sleep(self._settle_s)
        finally:
            transport.resume_reading()


async def _beginning_of(response: aiohttp.ClientResponse) -> str:
    try:
        async with asyncio.timeout(1):
            return (await response.content.read(_BEGINNING_BYTES)).decode(
                "utf-8", "replace"
            )
    except _BROKEN:
        return ""


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error)[:200] or type(error).__name__
