"""What surrounds every answer: who may ask, how long it may take, what a browser may do.

A page of another site can make a browser on this machine ask a server on loopback,
under a name that it points here: so only names that are ours are answered. What the
public may ask for is mounted beside the operator's pages, under prefixes of its own,
and takes nothing of their guard: neither its names nor its headers nor its time-out.
"""

import asyncio
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.daemon.status.html import Door, render_problem
from handlers.ports import PermanentError, TemporaryError


def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Mount:
    """An application and the prefix that its paths stand under, such as `/api/v1`.

    An application can be mounted once, and for the life of one listener. `metrics` gives
    what it counts in Prometheus's text format, for the operator's `/metrics`. With a
    `door` it has pages for people, and the first page leads there.
    """

    prefix: str
    app: web.Application
    metrics: Callable[[], str] = _nothing
    door: Door | None = None


def is_mounted(request: web.Request) -> bool:
    """Tell whether an application below that of the listener answers, if only 404."""
    return len(request.match_info.apps) > 1


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
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "Server": "Sidenote",
    "X-Content-Type-Options": "nosniff",
}


def guard(host: str, names: Collection[str], *, of_mount: bool = False) -> Middleware:
    """Return what every request passes through.

    Args:
        host: that is listened on.
        names: further ones that we are asked for under.
        of_mount: whether it is for an application that is mounted, which the guard of
            the operator's pages lets pass.
    """
    allowed = own_names(host, names)

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        if is_mounted(request) is not of_mount:
            return await handler(request)
        name = asked_name(request)
        if name is None or (allowed is not None and name not in allowed):
            answer: web.StreamResponse = _problem(
                421, "Not here", "This server does not go by that name."
            )
        else:
            answer = await _answer(request, handler)
        for name, value in HEADERS.items():
            answer.headers.setdefault(name, value)
        answer.headers.setdefault("Content-Security-Policy", PAGE_POLICY)
        return answer

    return guarded


async def _answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        async with asyncio.timeout(_LONGEST_S):
            return await handler(request)
    except web.HTTPException as refused:
        why = {
            404: "There is nothing at this address.",
            405: "This server is only for reading.",
        }.get(refused.status, "This cannot be answered.")
        told = _problem(refused.status, refused.reason, why)
        if "Allow" in refused.headers:
            told.headers["Allow"] = refused.headers["Allow"]
        return told
    except TimeoutError:
        return _problem(503, "Too slow", "It took too long; try again.")
    except (PermanentError, TemporaryError) as error:
        return _problem(503, "Out of reach", f"{error}.")
    except Exception:  # noqa: BLE001 - one answer must not end the server
        structlog.get_logger().exception("fault while answering", path=request.path)
        return _problem(
            500, "A fault", "This is a fault of Sidenote; its log says more."
        )


def _problem(status: int, title: str, why: str) -> web.Response:
    return web.Response(
        status=status, text=render_problem(title, why), content_type="text/html"
    )


def own_names(host: str, names: Collection[str]) -> frozenset[str] | None:
    """Return the names that are answered to, in lower case; `None` if all are."""
    ours = {host.lower(), "localhost", "127.0.0.1", "::1"}
    if is_loopback(host) or names:
        return frozenset(ours | {name.lower() for name in names})
    return None


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def asked_name(request: web.BaseRequest) -> str | None:
    """Return the name that a request asks under: its Host header, without the port.

    Empty where there is none, as HTTP/1.0 allows. None where it is no host and port, so
    that nothing which reads it in another way can be told another name.
    """
    told = request.headers.getall("Host", [])
    return _bare(told[0]) if len(told) == 1 else None if told else ""


def _bare(host: str) -> str | None:
    """Return a host without its port, and an IPv6 address without brackets.

    It is in lower case; None if it is no host and port.
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
