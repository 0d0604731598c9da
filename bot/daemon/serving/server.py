"""Listens, for as long as a context is open."""

import asyncio
import errno
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from time import monotonic
from typing import Any

import structlog
from aiohttp import web

from bot.daemon.serving.connections import (
    Bounds,
    Connections,
    allow_files,
    looked_after,
)
from bot.daemon.serving.guarding import HEADERS, PAGE_POLICY, guard
from bot.daemon.serving.mounts import Mount
from bot.daemon.serving.pages import Pages
from handlers.ports import PermanentError

# What is said of requests that are none: to the log, that there was one; to others, no
# more.
# The library would write what it could not read, which may be somebody's token, and the
# address that it came from, and a page of its own insides for each. Its answer would
# repeat what it could not read and name the library's version, without any of our
# headers.


class BrokenRequests(logging.Logger):
    """Takes what the library has to say, and passes on the kind of its error."""

    def __init__(self) -> None:
        super().__init__("bot.daemon.serving", logging.INFO)

    def handle(self, record: logging.LogRecord) -> None:
        """Note one."""
        kind = record.exc_info[0] if record.exc_info else None
        structlog.get_logger().info(
            "request could not be read", kind=kind.__name__ if kind else "unknown"
        )


class Answerer(web.RequestHandler):
    """Answers on a connection; what no application of ours answered, in our own words.

    Args:
        server: that it answers for.
        headers: of such answers.
        given: as the library's own has it.
    """

    __slots__ = ("_headers",)

    def __init__(
        self, server: web.Server, headers: Mapping[str, str], **given: Any
    ) -> None:
        super().__init__(server, **given)
        self._headers = headers

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = HTTPStatus.INTERNAL_SERVER_ERROR,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - it repeats what was sent
    ) -> web.StreamResponse:
        """Note a request that could not be read or answered, and return the answer."""
        super().handle_error(request, status, exc, "")
        answer = self._plain(status)
        answer.force_close()
        return answer

    async def finish_response(
        self, request: Any, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send an answer; that to an unknown Expect is given before we are asked."""
        if isinstance(resp, web.HTTPExpectationFailed):
            resp = self._plain(resp.status)
        return await super().finish_response(request, resp, start_time)

    def _plain(self, status: int) -> web.Response:
        told = f"{status} {HTTPStatus(status).phrase}\n"
        return web.Response(status=status, text=told, headers=self._headers)


_MOST_BODY_BYTES = 1024  # nobody has anything to send
_BACKLOG = 1024
_GRACE_S = 1.0


@asynccontextmanager
async def listening(
    pages: Pages,
    host: str,
    port: int,
    names: Collection[str] = (),
    *,
    mounts: Sequence[Mount] = (),
    bounds: Bounds = Bounds(),  # noqa: B008 - frozen
) -> AsyncIterator[str]:
    """Answer requests, and give the address that this is done at.

    Args:
        pages: what is answered.
        host: to listen on.
        port: to listen on; 0 takes any.
        names: further host names that we are asked for under.
        mounts: what else is answered, outside the guard of the pages.
        bounds: on connections; fewer are open at once where the system allows fewer.

    Raises:
        PermanentError: it is not possible to listen there; the message says why.
    """
    room = allow_files(bounds.most)
    connections = Connections(replace(bounds, most=room), monotonic)
    app = web.Application(
        client_max_size=_MOST_BODY_BYTES,
        middlewares=[connections.watching, guard(host, names)],
    )
    counted = tuple(mount.metrics for mount in mounts)
    doors = tuple(mount.door for mount in mounts if mount.door)
    app.add_routes(replace(pages, more_metrics=counted, doors=doors).routes())
    for mount in mounts:
        app.add_subapp(mount.prefix, mount.app)
    habits: dict[str, Any] = {
        "access_log": None,
        "logger": BrokenRequests(),
        "keepalive_timeout": bounds.idle_s,
    }
    runner = web.AppRunner(
        app, handle_signals=False, shutdown_timeout=_GRACE_S, **habits
    )
    await runner.setup()
    answerer = connections.around(lambda: _answerer(runner, habits))
    try:
        async with _listener(answerer, connections, host, port) as address:
            yield address
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _listener(
    answerer: Callable[[], asyncio.Protocol],
    connections: Connections,
    host: str,
    port: int,
) -> AsyncIterator[str]:
    """Let connections in, each of them guarded."""
    try:
        server = await asyncio.get_running_loop().create_server(
            answerer, host, port, backlog=_BACKLOG
        )
    except OSError as error:
        raise PermanentError(_why_not(error, host, port)) from error
    try:
        async with looked_after(connections):
            yield _address(server)
    finally:
        server.close()


def _answerer(runner: web.AppRunner, habits: Mapping[str, Any]) -> Answerer:
    assert runner.server is not None  # noqa: S101 - it was set up
    headers = {**HEADERS, "Content-Security-Policy": PAGE_POLICY}
    loop = asyncio.get_running_loop()
    return Answerer(runner.server, headers, loop=loop, **habits)


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} of {host} is taken by another program, perhaps another"
            " Sidenote; stop that, or set `serve_port` to another (0: any)"
        )
    if error.errno == errno.EACCES:
        return (
            f"port {port} may only be used by the super-user; set `serve_port` to one"
            " above 1023"
        )
    why = (error.strerror or str(error)).lower()
    return f"it is not possible to listen on {host} ({why}); correct `serve_host`"


def _address(server: asyncio.Server) -> str:
    host, port = server.sockets[0].getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
