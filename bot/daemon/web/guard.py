"""What surrounds every answer: who may ask, how long it may take, what a browser may do.

A page of another site can make a browser on this machine send requests to a server on
loopback, under a name that points here: so only our own names are answered. What is
public is mounted beside the operator's pages, under separate prefixes, and does not
share their guard: neither its names nor its headers nor its time-out.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.daemon.status.render import Link, render_page
from handlers.ports import PermanentError, TemporaryError


@dataclass(frozen=True, slots=True)
class Mount:
    """What else a listener answers, by routes with separate prefixes.

    `metrics` gives what it counts in Prometheus's text format, for the operator's
    `/metrics`. With `links` it has pages for people, and the first page links to them.
    """

    routes: Sequence[BaseRoute]
    metrics: Callable[[], str] = lambda: ""
    links: tuple[Link, ...] = ()


_LONGEST_S = 20.0
_HOST = re.compile(
    r"(?:\[(?P<inner>[0-9a-f:.]+)\]|(?P<name>[0-9a-z._-]+))(?::[0-9]{0,5})?",
    re.ASCII | re.IGNORECASE,
)
_CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
    f" img-src data:; {_CLOSED}"
)
REPORT_POLICY = f"default-src 'none'; style-src 'unsafe-inline'; {_CLOSED}"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": PAGE_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "Server": "Sidenote",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """What every request for the operator's pages passes through (ASGI middleware).

    Args:
        app: answers.
        host: to listen on.
        names: further names of this server.
    """

    def __init__(self, app: ASGIApp, host: str, names: Collection[str] = ()) -> None:
        self._app = ExceptionMiddleware(
            app,
            handlers={
                HTTPException: _refused,
                TemporaryError: _out_of_reach,
                PermanentError: _out_of_reach,
            },
        )
        self._names = own_names(host, names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_begun = False

        async def guarded(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                limit.reschedule(None)  # a long answer may take its time
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            async with asyncio.timeout(_LONGEST_S) as limit:
                await self._answered(scope, receive, guarded)
        except TimeoutError:
            problem = _problem(503, "Too slow", "It took too long; try again.")
        except Exception:  # noqa: BLE001 - one answer must not end the server
            structlog.get_logger().exception(
                "fault while answering", path=scope["path"]
            )
            problem = _problem(
                500, "Error", "This is an error in Sidenote; see its log for details."
            )
        else:
            return
        if not is_begun:
            limit = asyncio.timeout(None)
            async with limit:
                await problem(scope, receive, guarded)

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = requested_name(Headers(scope=scope))
        if name is None or (self._names is not None and name not in self._names):
            why = "This server is not known by that name."
            await _problem(421, "Not here", why)(scope, receive, send)
        else:
            # Inside an application, routers raise what they would otherwise answer
            # themselves.
            await self._app({**scope, "app": self}, receive, send)


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - see Guard
    why = {
        404: "There is nothing at this address.",
        405: "This server is read-only.",
    }.get(error.status_code, "This request cannot be answered.")
    problem = _problem(error.status_code, error.detail, why)
    problem.headers.update(error.headers or {})
    return problem


def _out_of_reach(_: Request, error: Exception) -> Response:
    return _problem(503, "Out of reach", f"{error}.")


def _problem(status: int, title: str, why: str) -> Response:
    return HTMLResponse(render_page("problem.html", title=title, why=why), status)


def own_names(host: str, names: Collection[str]) -> frozenset[str] | None:
    """Return the names that are answered to, in lower case; `None` if all are."""
    ours = {host.lower(), "localhost", "127.0.0.1", "::1"}
    if is_loopback(host) or names:
        return frozenset(ours | {name.lower() for name in names})
    return None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def requested_name(headers: Headers) -> str | None:
    """Return the name that a request is for: its Host header, without the port.

    Empty if there is none, as HTTP/1.0 allows. None if it is not a host and port, so
    that no other parser can read another name in it.
    """
    hosts = headers.getlist("Host")
    return _bare(hosts[0]) if len(hosts) == 1 else None if hosts else ""


def _bare(host: str) -> str | None:
    """Return a host without its port, and an IPv6 address without brackets.

    It is in lower case; None if it is not a host and port.
    """
    found = _HOST.fullmatch(host)
    if found is None:
        return None
    if found["inner"] is None:
        return found["name"].lower()
    try:
        IPv6Address(found["inner"])
    except ValueError:
        return None
    return found["inner"].lower()
