"""One request to a search service and its answer, limited in size, through aiohttp.

Failures are classified by what all services have in common.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlsplit

import aiohttp

from bot.sources.manners import retry_after_s
from handlers.ports import PermanentError, TemporaryError

_CONNECT_TIMEOUT_S = 10.0
_MAX_BYTES = 4 * 1024 * 1024  # 250 articles of GDELT take a tenth of it
_PIECE_BYTES = 64 * 1024
_RETRY_IN_S = 60.0
_MAX_SHOWN = 200
_HALF = re.compile(r"\\u[dD]")


class RefusedError(PermanentError):
    """The service refuses all our requests: because of the key, address, or account."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent: a GET with `parameters`, or a POST if there is a `body`.

    The repr leaves out whatever may hold a key.
    """

    address: str
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False)  # sent as JSON
    accept: str = "application/json"
    max_bytes: int = _MAX_BYTES
    secret: str = field(default="", repr=False)  # never shown


@dataclass(frozen=True)
class Answer:
    """An answer with any status; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    at: datetime
    secret: str = field(default="", repr=False)

    @property
    def text(self) -> str:
        """The body as text; invalid UTF-8 is replaced."""
        return self.body.decode("utf-8", "replace").removeprefix("\ufeff")

    @property
    def message(self) -> str:
        """The beginning of the body on one line, for a person; "" for a page of HTML."""
        text = self.text[: 10 * _MAX_SHOWN]
        if text.lstrip().startswith("<"):
            return ""
        for secret in {self.secret, quote(self.secret, safe="")} - {""}:
            text = text.replace(secret, "***")
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return line[:_MAX_SHOWN]

    @property
    def wait_s(self) -> float | None:
        """What `Retry-After` asks for; `None` if it says nothing."""
        return retry_after_s(self.headers, self.at)

    @cached_property
    def json(self) -> Any:
        """The body as JSON; `None` if it is not JSON."""
        return read_json(self.text)


def read_json(text: str) -> Any:
    """Return the parsed JSON; `None` if it is not JSON.

    A lone surrogate, which JSON can spell but nothing can store, becomes a "?".
    """
    try:
        value = json.loads(text, strict=False)
        if _HALF.search(text):
            whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
            value = json.loads(whole)
    except (ValueError, RecursionError):
        return None
    return value


class SearchClient:
    """Sends requests. Use it as an async context manager.

    Args:
        user_agent: says who asks, with a way to reach them.
        timeout_s: how long one answer may take in all.
        now: for waits that are given as a time of day.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        timeout_s: float = 20.0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._user_agent = user_agent
        self._timeout_s = timeout_s
        self._now = now
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            # Compressed bodies would need two limits.
            headers={"User-Agent": self._user_agent, "Accept-Encoding": "identity"},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S),
            trust_env=False,
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

    async def ask(self, name: str, request: Request) -> Answer:
        """Send `request` to the service `name` and return its answer.

        Raises:
            TemporaryError: it cannot be reached, or not within the time.
            PermanentError: its answer is too large, it redirects us, or no trusted
                connection can be made.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await self._exchange(name, request)
        except TimeoutError:
            raise TemporaryError(
                f"{name} did not answer within {self._timeout_s:g} s",
                retry_in_s=_RETRY_IN_S,
            ) from None
        except (aiohttp.ClientSSLError, aiohttp.ServerFingerprintMismatch):
            raise RefusedError(
                f"no trusted connection (TLS) to {name} can be made; check its address"
                " and this machine's clock"
            ) from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise TemporaryError(
                f"{name} cannot be reached, or its answer was cut off",
                retry_in_s=_RETRY_IN_S,
            ) from None
        _refuse_redirect(name, answer)
        return answer

    async def _exchange(self, name: str, request: Request) -> Answer:
        if self._session is None:
            raise RuntimeError("the client is used outside its `async with`")
        async with self._session.request(
            "GET" if request.body is None else "POST",
            request.address,
            params=request.parameters,
            json=request.body,
            headers={"Accept": request.accept, **request.headers},
            allow_redirects=False,
        ) as answer:
            body = bytearray()
            async for piece in answer.content.iter_chunked(_PIECE_BYTES):
                body += piece
                if len(body) > request.max_bytes:
                    raise PermanentError(
                        f"{name} answered with more than {request.max_bytes:,} bytes;"
                        " check its address"
                    )
            headers = {key.lower(): value for key, value in answer.headers.items()}
            return Answer(
                answer.status, headers, bytes(body), self._now(), request.secret
            )


def _refuse_redirect(name: str, answer: Answer) -> None:
    if not (
        HTTPStatus.MULTIPLE_CHOICES <= answer.status < HTTPStatus.BAD_REQUEST
        and answer.headers.get("location")
    ):
        return
    try:
        host = urlsplit(answer.headers["location"]).hostname or "elsewhere"
    except ValueError:
        host = "elsewhere"
    raise RefusedError(
        f"{name} has moved ({answer.status}, to {host[:_MAX_SHOWN]!r}); set its new"
        " address with SIDENOTE_SEARCH_ADDRESSES"
    )


BUSY_S = 60.0
DAY_S = 86_400.0
_OUR_FAULT = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_PASSING = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.LOCKED}
)

Failure = PermanentError | TemporaryError


def failure_of(
    name: str, answer: Answer, *, remedy: str, pause_s: float = BUSY_S
) -> Failure | None:
    """Return the failure that an answer's status shows; `None` for a success.

    Args:
        name: of the service.
        answer: with any status.
        remedy: what a person should do if we are refused.
        pause_s: how long to wait if it throttles us without saying how long.
    """
    status = answer.status
    if status == HTTPStatus.OK:
        return None
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return too_often(name, answer, pause_s)
    if status in _OUR_FAULT:
        return RefusedError(f"{name} refuses us ({_status_line(answer)}); {remedy}")
    if status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        wait_s = answer.wait_s if answer.wait_s is not None else BUSY_S
        return TemporaryError(
            f"{name} is out of order or busy ({_status_line(answer)})",
            retry_in_s=wait_s,
        )
    if status == HTTPStatus.PAYMENT_REQUIRED:
        return spent(name, answer, DAY_S)
    return PermanentError(f"{name} rejects our request ({_status_line(answer)})")


def too_often(name: str, answer: Answer, pause_s: float) -> TemporaryError:
    """Return the failure if a service wants to be asked less often."""
    wait_s = answer.wait_s if answer.wait_s is not None else pause_s
    return TemporaryError(
        f"{name} says that we send too many requests ({_status_line(answer)})",
        retry_in_s=wait_s,
    )


def spent(name: str, answer: Answer, wait_s: float) -> TemporaryError:
    """Return the failure if the plan at a service allows no more for now."""
    return TemporaryError(
        f"{name} says that our quota is used up ({_status_line(answer)}); wait, or buy"
        " more",
        retry_in_s=wait_s,
    )


def strange(name: str, answer: Answer) -> TemporaryError:
    """Return the failure if an answer does not come from this service."""
    message = f": {answer.message}" if answer.message else ""
    return TemporaryError(
        f"{name} gave an answer that cannot be read{message}; if that persists, check"
        " its address"
        " in SIDENOTE_SEARCH_ADDRESSES",
        retry_in_s=BUSY_S,
    )


def _status_line(answer: Answer) -> str:
    return (
        f"{answer.status}: {answer.message}" if answer.message else str(answer.status)
    )
