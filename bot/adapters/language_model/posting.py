"""One request to the model's server and its answer; the adapter of `openai`."""

import asyncio
import logging
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI

from bot.adapters.language_model.failures import (
    FailedTryError,
    HttpAnswer,
    NotAnsweredError,
)
from bot.adapters.language_model.prompt import Message
from bot.adapters.language_model.settings import ModelSettings
from bot.adapters.language_model.wire import (
    AnswerTooLargeError,
    PackedAnswerError,
    http_client,
)
from handlers.ports import ModelUnusableError

_NOT_HERE = "added by the transport"  # the client is never given the key
_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class Post:
    """A server that takes chat completions. Close it after use."""

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
                timeout_s=settings.patience.timeout_s,
                at_once=settings.at_once,
            ),
        )

        # Imported on first use, which can take longer than an answer may.
        self._completions = self._client.chat.completions.with_raw_response

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def post(
        self, messages: Sequence[Message], parameters: dict[str, Any]
    ) -> HttpAnswer:
        """Send one request and return the answer, whatever its status.

        Raises:
            FailedTryError: no whole answer came back.
            NotAnsweredError: it is too large, or packed.
            ModelUnusableError: no trusted connection can be made.
        """
        timeout_s = self._settings.patience.timeout_s
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
            raise NotAnsweredError("the answer came packed, unasked") from error
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
        return FailedTryError("broke off its answer", may_be_billed=True)

    def _too_slow(self, *, was_sent: bool = True) -> FailedTryError:
        return FailedTryError(
            f"did not answer within {self._settings.patience.timeout_s:g} s",
            may_be_billed=was_sent,
        )

    def _untrusted(self) -> ModelUnusableError:
        return ModelUnusableError(
            f"no trusted connection (TLS) to {self._settings.address} can be made; check"
            " SIDENOTE_LANGUAGE_MODEL_ADDRESS and this machine's clock"
        )


def _holds(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Tell whether `kind` is among the causes of `error`."""
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False
