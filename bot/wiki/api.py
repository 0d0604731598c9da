"""Asks a wiki's API, through mwclient; the only module that imports it.

mwclient by itself would retry for minutes, follow redirects and read answers of any
size. Here each request is made once, in a thread that nobody waits for longer than the
limit, and every failure becomes one of our two errors.
"""

import asyncio
import io
import socket
import unicodedata
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
)
from concurrent.futures import Future
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import quote

import mwclient
import requests
from mwclient.errors import MwClientError
from pydantic import ValidationError

from bot.wiki.address import WikiAddress
from bot.wiki.answers import Answer, ApiError, ListAnswer, Reply, one_line
from handlers.ports import AwayError, PermanentError, TemporaryError, UnansweredError

_T = TypeVar("_T")
_R = TypeVar("_R", bound=Reply)
_MAX_BYTES = 32 * 1024 * 1024  # 2 MiB of wikitext, every character escaped, and room
_CONNECT_TIMEOUT_S = 5.0
_MAX_LAG_S = 5  # Wikimedia asks that programs wait while its databases are behind
_RETRY_IN_S = 30.0
_LOST_RETRY_S = 5.0  # of one request, as far as is known; the caller doubles it
_LONGEST_RETRY_S = 3600.0
_SHORT_LIVED = frozenset({"maxlag", "readonly", "ratelimited"})


class RefusedError(PermanentError):
    """The wiki will not answer this; `code` is its API's error code."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class LagError(AwayError):
    """The databases of the wiki lag, and it asks us to wait."""


class WikiApi:
    """One wiki's API, asked one question at a time."""

    def __init__(
        self, address: WikiAddress, *, user_agent: str, timeout_s: float
    ) -> None:
        self._address = address
        self._user_agent = user_agent
        self._timeout_s = timeout_s
        self._turn = asyncio.Lock()
        self._site: Any = None

    async def query(self, **parameters: str | int) -> Answer:
        """Return the answer to `action=query` with these parameters.

        Raises:
            PermanentError: there is no such wiki, or it will not answer this.
            TemporaryError: the wiki cannot be reached or is busy now.
        """
        return await self.call("query", Answer, parameters)

    async def call(
        self,
        action: str,
        form: type[_R],
        parameters: Mapping[str, str | int],
        *,
        in_body: bool = False,
    ) -> _R:
        """Return the answer to any action that changes nothing.

        Args:
            action: its name.
            form: what the answer looks like.
            parameters: of the action; `maxlag` and the like are added here.
            in_body: send them in the body, which server logs do not show.

        Raises:
            RefusedError: the wiki will not answer this.
            PermanentError: there is no such wiki.
            TemporaryError: the wiki cannot be reached or is busy now.
        """
        method = "POST" if in_body else "GET"
        async with self._turn:
            site = self._site or self._connect()
            self._site = None  # not used again by an abandoned thread

            def ask() -> _R:
                raw = self._ask(site, action, method, parameters)
                with self._explained():
                    return form.model_validate(raw)

            answer = await self._in_time(ask)
            self._site = site
        if answer.error is not None:
            raise self._refused(answer.error.without_tokens(parameters))
        return answer

    def _connect(self) -> Any:
        session = requests.Session()
        session.headers["User-Agent"] = self._user_agent
        session.hooks["response"] = [self._receive]
        return mwclient.Site(
            self._address.host,
            path=self._address.path,
            scheme=self._address.scheme,
            pool=session,
            do_init=False,
            max_retries=0,
            retry_timeout=0,
            connection_options={
                "timeout": (
                    min(_CONNECT_TIMEOUT_S, self._timeout_s),
                    self._timeout_s,
                ),
                "allow_redirects": False,
            },
        )

    async def _in_time(self, ask: Callable[[], _T]) -> _T:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await _in_thread(ask)
        except TimeoutError as error:
            raise self._too_slow() from error

    def _ask(
        self, site: Any, action: str, method: str, parameters: Mapping[str, str | int]
    ) -> Any:
        with self._explained():
            return site.raw_api(
                action,
                method,
                retry_on_error=False,
                formatversion=2,
                maxlag=_MAX_LAG_S,
                **parameters,
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        api = self._address.api
        try:
            yield
        except requests.Timeout as error:
            raise self._too_slow() from error
        except requests.exceptions.SSLError as error:
            raise PermanentError(
                f"no trusted connection (TLS) to {self._address.host} can be made; check"
                " the wiki's name, this machine's clock, and whether the wiki speaks"
                " only http"
            ) from error
        except requests.ConnectionError as error:
            raise self._unreachable(error) from error
        except requests.RequestException as error:
            raise self._broken_off(type(error).__name__) from error
        except (MwClientError, ValidationError, RecursionError) as error:
            raise PermanentError(
                f"{api} did not answer as a MediaWiki API does; check the wiki's name,"
                " and its script path if that is not /w/"
            ) from error

    def _too_slow(self) -> TemporaryError:
        return UnansweredError(
            f"{self._address.api} did not answer within {self._timeout_s:g} s; check"
            " the wiki's name and your connection, or try again later",
            retry_in_s=_LOST_RETRY_S,
        )

    def _broken_off(self, how: str) -> TemporaryError:
        return UnansweredError(
            f"the answer of {self._address.api} was cut off ({how}); try again",
            retry_in_s=_LOST_RETRY_S,
        )

    def _unreachable(self, error: requests.ConnectionError) -> Exception:
        cause = _cause(error)
        if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME:
            return PermanentError(
                f"there is no host named {self._address.host}; check the wiki's name"
                " (such as en.wikipedia.org) and your connection"
            )
        if isinstance(cause, ConnectionResetError):  # the server may have died
            return self._broken_off("the connection was closed")
        why = getattr(cause, "strerror", None) or "the connection was lost"
        return AwayError(
            f"{self._address.api} cannot be reached ({why.lower()}); check the wiki's"
            " name and your connection, or try again later",
            retry_in_s=_LOST_RETRY_S,
        )

    def _receive(self, response: requests.Response, **_: Any) -> requests.Response:
        """Read what the server sent before the libraries do: all of it or none."""
        failure = self._status_failure(response)
        if failure is not None:
            response.close()
            raise failure
        whole = requests.Response()
        whole.status_code = response.status_code
        whole.url, whole.request = response.url, response.request
        whole.encoding = "utf-8"  # as JSON always is; requests would guess
        body = self._body(response)
        if body.lstrip().startswith(b"{") and not body.rstrip().endswith(b"}"):
            # A server that does not give the length of its answer, and stopped.
            raise self._broken_off("half of a JSON text")
        whole.raw = io.BytesIO(body)
        return whole

    def _body(self, response: requests.Response) -> bytes:
        body = bytearray()
        for piece in response.iter_content(64 * 1024):
            body += piece
            if len(body) > _MAX_BYTES:
                response.close()
                raise PermanentError(
                    f"{self._address.api} sent more than {_MAX_BYTES:,} bytes, which no"
                    " page can have; check the wiki's name"
                )
        return bytes(body)

    def _status_failure(self, response: requests.Response) -> Exception | None:
        status, api = response.status_code, self._address.api
        if "X-Database-Lag" in response.headers:
            return _later(f"{api} is behind with its database", response, LagError)
        if status == HTTPStatus.OK:
            return None
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return _later(f"{api} asks for fewer requests (429)", response)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            what = f"{api} is out of order ({status})"
            return _later(what, response, UnansweredError)
        return PermanentError(self._refusal(response))

    def _refusal(self, response: requests.Response) -> str:
        status, api = response.status_code, self._address.api
        if response.is_redirect:
            target = one_line(response.headers.get("Location", ""))
            return f"{api} has moved to {target}; use that address"
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            return (
                f"{api} refused the request ({status}); the wiki may be private, or ask"
                " for a way to reach you: set `contact` in the settings"
            )
        return (
            f"there is no API at {api} ({status}); check the wiki's name, and its script"
            " path if that is not /w/"
        )

    def _refused(self, error: ApiError) -> Exception:
        message = f"{self._address.api} answered {error.code}: {error.info}"
        if error.code in _SHORT_LIVED:
            wait_s = min(max(error.lag or _RETRY_IN_S, 5.0), _LONGEST_RETRY_S)
            kind = LagError if error.code == "maxlag" else AwayError
            return kind(f"{message}; try again later", retry_in_s=wait_s)
        if error.code.startswith("internal_api_error"):
            return UnansweredError(
                f"{message}; try again later", retry_in_s=_RETRY_IN_S
            )
        if error.code == "readapidenied":
            message = (
                f"{self._address.host} is a private wiki: its pages can be read only"
                " after a login, which Sidenote does not do"
            )
        return RefusedError(message, code=error.code)


def _later(
    what: str, response: requests.Response, kind: type[AwayError] = AwayError
) -> AwayError:
    stated = response.headers.get("Retry-After", "")
    wait_s = float(stated[:6]) if stated.isdecimal() else _RETRY_IN_S
    return kind(
        f"{what}; try again later",
        retry_in_s=min(max(wait_s, 1.0), _LONGEST_RETRY_S),
    )


def _cause(error: BaseException) -> BaseException:
    """Return the operating system's error underneath what the libraries raised."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, OSError) and not isinstance(
            found, requests.RequestException
        ):
            return found
        found = found.__cause__ or found.__context__
    return error


async def _in_thread(call: Callable[[], _T]) -> _T:
    """Run `call` in a separate thread that does not keep the program from ending."""
    future: Future[_T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - handed to the waiting task
            future.set_exception(error)
        else:
            future.set_result(result)

    Thread(target=run, name="wiki", daemon=True).start()
    return await asyncio.wrap_future(future)


Parameters = Mapping[str, str | int]
_A = TypeVar("_A", bound=ListAnswer)

MANY = "\x1f"  # before and between values that may hold a "|"
_AT_ONCE = 50  # how many titles an ordinary account may name in one request
_ADDRESS_CHARS = 5_000  # servers refuse requests whose first line is much longer
_MAX_TITLE_BYTES = 350  # 255, and a namespace in letters of any script
_NEVER_IN_TITLES = frozenset("|<>[]{}#\x7f\ufffd")


async def answers(
    api: WikiApi, parameters: Parameters, *, most: int, in_body: bool = False
) -> AsyncGenerator[ListAnswer, None]:
    """Yield the parts of the answer to `action=query`, at most `most` of them.

    A wiki is taken to have more only while each of its answers names a new place to
    continue from.

    Raises:
        PermanentError: the wiki continues beyond that, or in a circle.
        TemporaryError: it cannot be reached or is busy now.
    """
    parts = answers_in(api, ListAnswer, parameters, most=most, in_body=in_body)
    async with aclosing(parts):
        async for part in parts:
            yield part


async def answers_in(
    api: WikiApi,
    form: type[_A],
    parameters: Parameters,
    *,
    most: int,
    in_body: bool = False,
) -> AsyncGenerator[_A, None]:
    """Do the same for answers of another form."""
    places: set[tuple[tuple[str, str | int], ...]] = set()
    place: dict[str, str | int] = {}
    for _ in range(most):
        answer = await api.call("query", form, {**parameters, **place}, in_body=in_body)
        yield answer
        place = answer.continuation
        if not place:
            return
        key = tuple(sorted(place.items()))
        if key in places:
            raise PermanentError(
                "the wiki's answer continues in a circle, from"
                f" {one_line(str(key[0][1]))!r} to the same; ask its operators"
            )
        places.add(key)
    raise PermanentError(
        f"the wiki's answer does not end within {most:,} parts, which is more than"
        " is read of a list"
    )


def in_parts(values: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield values, each once, in batches that fit one request."""
    part: list[str] = []
    length = 0
    for value in dict.fromkeys(values):
        size = len(quote(value, safe="")) + 3
        if part and (len(part) == _AT_ONCE or length + size > _ADDRESS_CHARS):
            yield tuple(part)
            part, length = [], 0
        part.append(value)
        length += size
    if part:
        yield tuple(part)


def title_form(title: str) -> str | None:
    """Return a title in the Unicode form that wikis use; `None` if it is invalid.

    An invalid one would be read as several titles, or as part of one.
    """
    try:
        size = len(title.encode())
    except UnicodeEncodeError:
        return None
    if not title.strip(" _") or size > _MAX_TITLE_BYTES:
        return None
    if _NEVER_IN_TITLES & set(title) or any(char < " " for char in title):
        return None
    return unicodedata.normalize("NFC", title)


def wiki_time(at: datetime) -> str:
    """Return a time in the only form that every wiki accepts; fractions are dropped."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def only(name: str, namespaces: Collection[int]) -> dict[str, str]:
    """Return the parameter for namespaces; no parameter if there are none."""
    return {name: "|".join(map(str, sorted(namespaces)))} if namespaces else {}
