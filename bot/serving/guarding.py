"""What surrounds every answer: who may ask, how long it may take, what a browser may do.

A page of another site can make a browser on this machine ask a server on loopback, under
a name that it points here: so only names that are ours are answered.
"""

import asyncio
from collections.abc import Collection
from ipaddress import ip_address

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.serving.mounts import is_mounted
from bot.sight.to_html import render_problem
from handlers.ports import PermanentError, TemporaryError

_LONGEST_S = 20.0
_CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
    f" img-src data:; {_CLOSED}"
)
REPORT_POLICY = f"default-src 'none'; style-src 'unsafe-inline'; {_CLOSED}"
_HEADERS = {
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
        if allowed is not None and bare(request.host) not in allowed:
            answer: web.StreamResponse = _problem(
                421, "Not here", "This server does not go by that name."
            )
        else:
            answer = await _answer(request, handler)
        for name, value in _HEADERS.items():
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


def bare(host: str) -> str:
    """Return a Host header without its port, and an IPv6 address without brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
