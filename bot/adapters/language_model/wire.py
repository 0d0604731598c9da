"""The way to the model's server: nothing more goes out, and no more comes in, than due.

The `openai` client would send what it finds in the environment and tell the server
about this machine, follow redirects with the key, and hold an answer of any size.
So its requests pass through here: only named headers go out, the key is added here
alone (the client itself never has it), and an answer that grows too large breaks off.
"""

import ssl
from collections.abc import AsyncIterator

import httpx2

_SENT = frozenset({"host", "content-type", "content-length", "accept"})
_NOT_PACKED = "identity"


class AnswerTooLargeError(Exception):
    """The server sent more bytes than any answer can have."""


class PackedAnswerError(Exception):
    """The server packed its answer although it was asked not to."""


def http_client(
    *, key: str, user_agent: str, max_bytes: int, timeout_s: float, at_once: int
) -> httpx2.AsyncClient:
    """Return a client that keeps to all this; close it after use."""
    return httpx2.AsyncClient(
        transport=_Guarded(key, user_agent, max_bytes, at_once),
        timeout=timeout_s,
        follow_redirects=False,
        trust_env=False,
    )


class _Guarded(httpx2.AsyncBaseTransport):
    def __init__(self, key: str, user_agent: str, max_bytes: int, at_once: int) -> None:
        self._key = key
        self._user_agent = user_agent
        self._max_bytes = max_bytes
        self._inner = httpx2.AsyncHTTPTransport(
            verify=ssl.create_default_context(),
            trust_env=False,
            retries=0,
            limits=httpx2.Limits(max_connections=at_once),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        kept = [
            (name, value)
            for name, value in request.headers.multi_items()
            if name.lower() in _SENT
        ]
        headers = httpx2.Headers(
            [*kept, ("user-agent", self._user_agent), ("accept-encoding", _NOT_PACKED)]
        )
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        # A request of its own: the client reads notes to itself in the old one's headers.
        bare = httpx2.Request(
            request.method,
            request.url,
            headers=headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        response = await self._inner.handle_async_request(bare)
        if response.headers.get("content-encoding", _NOT_PACKED) != _NOT_PACKED:
            await response.aclose()
            raise PackedAnswerError
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - narrows the type
        response.stream = _Bounded(response.stream, self._max_bytes)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, max_bytes: int) -> None:
        self._inner = inner
        self._left = max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            self._left -= len(piece)
            if self._left < 0:
                raise AnswerTooLargeError
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
