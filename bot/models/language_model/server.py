"""One request to the model's server and its answer; the adapter for `openai`."""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI

from bot.models.language_model.budget import ModelSettings
from bot.models.language_model.prompt import Message
from bot.models.language_model.replies import (
    FailedTryError,
    HttpAnswer,
    NotAnsweredError,
)
from handlers.ports import ModelUnusableError

_SENT = frozenset({"host", "content-type", "content-length", "accept"})
_NOT_PACKED = "identity"


class AnswerTooLargeError(Exception):
    """The server sent more bytes than any answer can have."""


class PackedAnswerError(Exception):
    """The server compressed its answer although it was asked not to."""


def http_client(
    *, key: str, user_agent: str, max_bytes: int, timeout_s: float, at_once: int
) -> httpx2.AsyncClient:
    """Return a client with these limits; close it after use.

    The `openai` client would send what it finds in the environment, describe this
    machine to the server, follow redirects with the key, and hold an answer of any
    size. So its requests pass through this one: only named headers are sent, the key is
    added only here (the client never has it), and an answer that grows too large is cut
    off.
    """
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
        sent = [
            (name, value)
            for name, value in request.headers.multi_items()
            if name.lower() in _SENT
        ]
        headers = httpx2.Headers(
            [*sent, ("user-agent", self._user_agent), ("accept-encoding", _NOT_PACKED)]
        )
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        # A new request: the client keeps internal notes in the headers of the old one.
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


_NOT_HERE = "added by the transport"  # the client is never given the key
_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class Post:
    """A server for chat completions. Close it after use."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        # OPENAI_LOG would make it print what is sent.
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._client = AsyncOpenAI(
            api_key=_NOT_HERE,
            admin_api_key="",
            base_url=settings.address,
            max_retries=0,
            http_client=http_client(
                key=settings.key,
                user_agent=settings.user_agent,
                max_bytes=settings.max_answer_bytes,
                timeout_s=settings.retry.timeout_s,
                at_once=settings.at_once,
            ),
        )

        # Imported on first use, because that can take longer than an answer may.
        self._completions = self._client.chat.completions.with_raw_response

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def post(
        self, messages: Sequence[Message], parameters: dict[str, Any]
    ) -> HttpAnswer:
        """Send one request and return the answer, whatever its status.

        Raises:
            FailedTryError: no complete answer came back.
            NotAnsweredError: it is too large, or compressed.
            ModelUnusableError: no trusted connection can be made.
        """
        timeout_s = self._settings.retry.timeout_s
        with self._explained():
            try:
                async with asyncio.timeout(timeout_s):
                    return await self._send(messages, parameters)
            except TimeoutError as error:
                raise self._too_slow() from error

    async def _send(
        self, messages: Sequence[Message], parameters: dict[str, Any]
    ) -> HttpAnswer:
        try:
            raw = await self._completions.create(
                model=self._settings.name,
                messages=list(messages),  # type: ignore[arg-type]  # roles as plain text
                **parameters,
            )
        except APIStatusError as error:
            answer = error.response
        else:
            answer = raw.http_response
        return HttpAnswer(answer.status_code, dict(answer.headers), answer.content)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except AnswerTooLargeError as error:
            raise NotAnsweredError(
                f"the answer has more than {self._settings.max_answer_bytes:,} bytes"
            ) from error
        except PackedAnswerError as error:
            raise NotAnsweredError(
                "the answer was compressed, which was not asked for"
            ) from error
        except APIConnectionError as error:
            raise self._unconnected(error) from error
        except ssl.SSLError as error:
            raise self._untrusted() from error

    def _unconnected(self, error: APIConnectionError) -> Exception:
        cause = error.__cause__
        if _holds(error, ssl.SSLCertVerificationError):
            return self._untrusted()
        if isinstance(cause, httpx2.TimeoutException):
            return self._too_slow(was_sent=not isinstance(cause, _NEVER_SENT))
        if isinstance(cause, _NEVER_SENT):
            return FailedTryError("cannot be reached", may_be_billed=False)
        return FailedTryError("cut off its answer", may_be_billed=True)

    def _too_slow(self, *, was_sent: bool = True) -> FailedTryError:
        return FailedTryError(
            f"did not answer within {self._settings.retry.timeout_s:g} s",
            may_be_billed=was_sent,
        )

    def _untrusted(self) -> ModelUnusableError:
        return ModelUnusableError(
            f"no trusted connection (TLS) to {self._settings.address} can be made; check"
            " SIDENOTE_LANGUAGE_MODEL_ADDRESS and this machine's clock"
        )


def _holds(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Return whether an error of type `kind` is among the causes of `error`."""
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False
