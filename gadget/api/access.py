"""Who may send requests: to a name of ours, from an allowed page, within limits.

This wraps the operations as ASGI middleware. It also adds the common headers to every
answer, counts answers for the operator, and answers when something fails.
"""

import asyncio
import traceback
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import structlog
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.daemon.web.guard import requested_name
from bot.surfaces.messages import message
from gadget.api.problems import Refusal, fault, response, too_many
from gadget.limits import Buckets, Places, client_of
from handlers.model import Message as Text

_USUAL = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origins:
    """The allowed origins: those of wikis, and our own.

    `names` are the host names that we answer to, None if unknown; a page is our own
    only under a name of ours, since another site can point its own name at this
    machine.

    Browsers may send requests only from pages of these. An Origin is compared as a
    whole: no pattern, no prefix, no wildcard. `null`, which any sandboxed frame can
    send, is never allowed.
    """

    allowed: frozenset[str]
    names: frozenset[str] | None

    def allows(self, origin: str, *, scheme: str, host: str, name: str) -> bool:
        """Return whether a page of `origin` may send requests.

        Args:
            origin: as the browser sends it.
            scheme: of the request.
            host: its Host header.
            name: the same without the port.
        """
        if origin in self.allowed:
            return True
        is_ours = self.names is not None and name in self.names
        return is_ours and origin == f"{scheme}://{host}"


def origin_of(address: str) -> str | None:
    """Return an address's origin in the form used by browsers; None if it has none."""
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _USUAL or not parts.hostname or "@" in parts.netloc:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    shown = "" if port in {None, _USUAL[parts.scheme]} else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def host_of(address: str) -> frozenset[str]:
    """Return the host name of an address, if it has one."""
    name = urlsplit(address).hostname if origin_of(address) else None
    return frozenset([name] if name else ())


def origins_of_wikis(wikis: Iterable[str], loopback: Collection[str]) -> frozenset[str]:
    """Return the origins of these wikis' pages.

    A wiki with a mobile site, such as en.m.wikipedia.org, has that origin, too. Only
    wikis that we access without TLS, as on this machine, are read without it.

    Args:
        wikis: their hosts, with a port if it is not the default.
        loopback: those of them accessed without TLS.
    """
    found: set[str] = set()
    for wiki in wikis:
        hosts = [wiki, *_mobile(wiki)]
        found |= {f"https://{host}" for host in hosts}
        if wiki in loopback:
            found.add(f"http://{wiki}")
    return frozenset(found)


def _mobile(wiki: str) -> list[str]:
    """Return the mobile site of a Wikimedia wiki."""
    first, _, rest = wiki.partition(".")
    if rest in _FAMILIES:
        return [f"{first}.m.{rest}"]
    if wiki in _SINGLE:
        return ["m." + rest] if first == "www" else []
    return []


_FAMILIES = frozenset(
    {
        "wikipedia.org",
        "wikibooks.org",
        "wikimedia.org",
        "wikinews.org",
        "wikiquote.org",
        "wikisource.org",
        "wikiversity.org",
        "wikivoyage.org",
        "wiktionary.org",
    }
)
_SINGLE = frozenset({"www.wikidata.org", "www.mediawiki.org"})


# Answers are counted for the operator's metrics: by route, never by client.

_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})


class Measures:
    """What one process has answered since it started.

    Args:
        streams: the places for clients of an event stream.
    """

    def __init__(self, streams: Places) -> None:
        self._registry = CollectorRegistry()
        self._answers = Counter(
            "sidenote_api_requests",
            "Requests to the panel's API that this process answered.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._times = Histogram(
            "sidenote_api_request_seconds",
            "How long they took, event streams not included.",
            ("route",),
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        Gauge(
            "sidenote_api_event_streams",
            "Open event streams.",
            registry=self._registry,
        ).set_function(streams.__len__)

    def answered(self, route: str, method: str, status: int, took_s: float) -> None:
        """Count an answer."""
        known = method if method in _METHODS else "other"
        self._answers.labels(route, known, str(status)).inc()
        if not route.endswith("/events"):
            self._times.labels(route).observe(took_s)

    def text(self) -> str:
        """Return all of it in Prometheus's text format."""
        return generate_latest(self._registry).decode()


_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_CLOSED = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _CLOSED,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_MOST_LINES = 12
_FAULTS = 500
_REFUSALS = 400


class Entrance:
    """Admits requests to a name of ours, from an allowed page.

    The log gets route and status, never who asked, for what, or from where. For an
    internal error it gets the kind and the lines of code, but not the message, which
    may hold what somebody sent.

    Args:
        app: answers.
        origins: the allowed ones; None if people come directly.
        trusts_proxy: whether a proxy of ours gives the scheme of the request.
        measures: counts the answers.
        monotonic: a monotonic clock, in seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        origins: Origins | None,
        trusts_proxy: bool,
        measures: Measures,
        monotonic: Callable[[], float],
    ) -> None:
        self._app = app
        self._origins = origins
        self._trusts_proxy = trusts_proxy
        self._measures = measures
        self._monotonic = monotonic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        began_s = self._monotonic()
        status = 0
        method = scope["method"]
        scope = {**scope, "method": "GET"} if _is_head(scope) else scope
        scope.pop("route", None)  # that of the mount

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers["Vary"] = "Origin, Authorization, Accept-Encoding"
                headers["Server"] = "Sidenote"
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, sent)
        except Refusal as refusal:
            await response(refusal)(scope, receive, sent)
        except Exception as error:  # noqa: BLE001 - one answer must not end the server
            _log_fault(_route(scope), error)
            if status:
                raise ConnectionAbortedError from None  # the answer has begun
            await response(fault())(scope, receive, sent)
        route, took_s = _route(scope), self._monotonic() - began_s
        self._measures.answered(route, method, status, took_s)
        _log_answer(route, method, status, took_s)

    def _check(self, scope: Scope) -> None:
        """Admit a request.

        Raises:
            Refusal: it is for another server, or its page is not allowed.
        """
        if self._origins is None:
            return
        headers = Headers(scope=scope)
        name = requested_name(headers)
        names = self._origins.names
        if name is None or (names is not None and name not in names):
            raise Refusal(421, "This server is not known by that name.")
        given = headers.getlist("Origin")
        if not given:
            if scope["method"] not in _READS:
                raise Refusal(403, "Send the header Origin, as browsers do.")
            return
        proxied = headers.getlist("X-Forwarded-Proto") if self._trusts_proxy else []
        scheme = proxied[-1].strip().lower() if proxied else scope["scheme"]
        host = headers.get("Host", "")
        if len(given) > 1 or not self._origins.allows(
            given[0], scheme=scheme, host=host, name=name
        ):
            detail = (
                "Pages of this origin may not use this API. The operator can allow it"
                " in `gadget_origins`."
            )
            raise Refusal(403, Text("refusal-origin", detail))


def _is_head(scope: Scope) -> bool:
    """Return whether to answer as GET, without the body; event streams have no HEAD."""
    return bool(scope["method"] == "HEAD") and not scope["path"].endswith("/events")


def _route(scope: Scope) -> str:
    """Return the route of an address: names that strangers send are not counted."""
    route = scope.get("route")
    path = getattr(route, "path", None)
    return f"{scope.get('root_path', '')}{path}" if path else "unknown"


def _log_answer(route: str, method: str, status: int, took_s: float) -> None:
    log: Any = structlog.get_logger()
    say = log.info if _REFUSALS <= status < _FAULTS else log.debug
    if status >= _FAULTS:
        say = log.warning
    say(
        "api answered",
        route=route,
        method=method,
        status=status,
        took_ms=round(took_s * 1000),
    )


def _log_fault(route: str, error: BaseException) -> None:
    lines = traceback.extract_tb(error.__traceback__)[-_MOST_LINES:]
    structlog.get_logger().error(
        "fault while answering",
        route=route,
        kind=type(error).__name__,
        lines=[f"{line.filename}:{line.lineno} {line.name}" for line in lines],
    )


def take(buckets: Buckets, client: str) -> None:
    """Count a request.

    Raises:
        Refusal: there were too many.
    """
    wait_s = buckets.wait_s(client)
    if wait_s:
        raise too_many(wait_s)


def address_of(connection: HTTPConnection, *, trusts_proxy: bool) -> str:
    """Return the key that stands for the client's address."""
    remote = connection.client.host if connection.client else None
    forwarded = connection.headers.getlist("X-Forwarded-For")
    return client_of(remote, forwarded, trusts_proxy=trusts_proxy)


_OF_TEXTS = "/supplied-texts"
_TEXT_TIMES = 768  # in addition to other bodies: 12 MiB


class Limits:
    """Limits how often an address may ask, and how much it may send.

    A text that a reader supplies for a source may be longer than other bodies.

    Args:
        app: answers.
        rate: counts the requests of each address.
        trusts_proxy: whether a proxy of ours gives the address.
        most_body_bytes: of what arrives, whatever the headers say.
        body_s: how long a body may take.
    """

    def __init__(
        self,
        app: ASGIApp,
        rate: Buckets,
        trusts_proxy: bool,
        most_body_bytes: int = 16 * 1024,
        body_s: float = 10.0,
    ) -> None:
        self._app = app
        self._rate = rate
        self._trusts_proxy = trusts_proxy
        self._most_body_bytes = most_body_bytes
        self._body_s = body_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        connection = HTTPConnection(scope)
        try:
            take(self._rate, address_of(connection, trusts_proxy=self._trusts_proxy))
        except Refusal as refusal:
            await response(refusal)(scope, receive, send)
            return
        await self._app(scope, self._bounded(connection, receive), send)

    def _bounded(self, connection: HTTPConnection, receive: Receive) -> Receive:
        headers = connection.headers
        # Only signed-in readers can supply texts: nobody else may send that much.
        is_of_text = (
            connection.scope["path"].endswith(_OF_TEXTS) and "Authorization" in headers
        )
        read = 0
        is_read = False
        most, longest_s = self._most_body_bytes, self._body_s
        if is_of_text:
            most, longest_s = most * _TEXT_TIMES, longest_s * 2
        until_s = asyncio.get_running_loop().time() + longest_s
        announced = headers.get("Content-Length", "")

        async def bounded() -> Message:
            nonlocal read, is_read
            if is_read:
                return await receive()
            if announced.isdecimal() and int(announced[:20]) > most:
                raise _too_large(most)
            try:
                async with asyncio.timeout_at(until_s):
                    part = await receive()
            except TimeoutError:
                raise Refusal(408, message("refusal-too-slow")) from None
            read += len(part.get("body", b""))
            is_read = not part.get("more_body", False)
            if read > most:
                raise _too_large(most)
            return part

        return bounded


def _too_large(most: int) -> Refusal:
    return Refusal(413, message("refusal-too-large", most))
