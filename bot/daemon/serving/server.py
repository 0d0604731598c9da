"""The pages of `sidenote serve`, and the listener, open for as long as a context is.

Files are found by names that strangers send: such a name never becomes part of a path,
it is compared with what stands in the folder, and links are not followed. The database
is asked at most once in a while, however many readers there are.
"""

import asyncio
import errno
import json
import logging
import os
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote, unquote

import structlog
from aiohttp import web

from bot.daemon.serving.connections import (
    Bounds,
    Connections,
    allow_files,
    looked_after,
)
from bot.daemon.serving.guard import HEADERS, PAGE_POLICY, REPORT_POLICY, Mount, guard
from bot.daemon.status.html import (
    Door,
    Entry,
    Shown,
    render_index,
    render_listing,
    render_shown,
    render_status,
    script,
    style,
)
from bot.daemon.status.json_document import render_json
from bot.daemon.status.metrics import CONTENT_TYPE, render_metrics
from bot.daemon.status.situation import Situation, ailments
from handlers.ports import PermanentError, TemporaryError

_MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class Written:
    """A file of a folder, below the folder of its wiki."""

    path: Path
    written_at: datetime

    @property
    def wiki(self) -> str:
        """Return the wiki that it is of."""
        return unquote(self.path.parent.name)

    @property
    def address(self) -> str:
        """Return the part of its address below that of the folder."""
        return (
            f"{quote(self.path.parent.name, safe='')}/{quote(self.path.name, safe='')}"
        )


@dataclass(frozen=True, slots=True)
class Listing:
    """The newest files of a folder, and how many more there are."""

    files: tuple[Written, ...]
    left_out: int

    @property
    def total(self) -> int:
        """Return how many there are in all."""
        return len(self.files) + self.left_out


@dataclass(frozen=True, slots=True)
class Folder:
    """Files with one ending, in a folder for each wiki; it may be missing."""

    place: Path
    suffix: str

    def listing(self) -> Listing:
        """Return the files, the newest first."""
        found = sorted(self._all(), key=lambda one: one.written_at, reverse=True)
        return Listing(tuple(found[:_MOST_LISTED]), max(0, len(found) - _MOST_LISTED))

    def find(self, wiki: str, name: str) -> Written | None:
        """Return the file of this name, if there is one."""
        folder = next((one for one in _folders(self.place) if one.name == wiki), None)
        if folder is None:
            return None
        return next((one for one in self._of(folder) if one.path.name == name), None)

    def _all(self) -> Iterator[Written]:
        for folder in _folders(self.place):
            yield from self._of(folder)

    def _of(self, folder: os.DirEntry[str]) -> Iterator[Written]:
        for one in _entries(Path(folder.path)):
            is_ours = one.name.endswith(self.suffix) and not one.name.startswith(".")
            if is_ours and one.is_file(follow_symlinks=False):
                changed = one.stat(follow_symlinks=False).st_mtime
                yield Written(Path(one.path), datetime.fromtimestamp(changed, UTC))


def _folders(place: Path) -> Iterator[os.DirEntry[str]]:
    for one in _entries(place):
        if one.is_dir(follow_symlinks=False) and not one.name.startswith("."):
            yield one


def _entries(place: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return list(found)
    except OSError:  # it is not there yet, or no longer
        return []


def read_start(path: Path, most_bytes: int) -> tuple[str, bool]:
    """Return the beginning of a file, and whether it goes on."""
    with path.open("rb") as file:
        start = file.read(most_bytes + 1)
    return start[:most_bytes].decode("utf-8", "replace"), len(start) > most_bytes


def read_end(path: Path, most_bytes: int) -> str:
    """Return the end of a file, from the beginning of a line; nothing if it is away."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most_bytes))
            end = file.read(most_bytes).decode("utf-8", "replace")
    except OSError:
        return ""
    return end.partition("\n")[2] if size > most_bytes else end


class Looks:
    """Gives the situation, at most `fresh_s` old.

    Args:
        look: takes a look; blocks, and may raise TemporaryError or PermanentError.
        monotonic: a clock that never goes back, in seconds.
        fresh_s: for how long a look counts.
    """

    def __init__(
        self,
        look: Callable[[], Situation],
        monotonic: Callable[[], float],
        fresh_s: float = 2.0,
    ) -> None:
        self._look = look
        self._monotonic = monotonic
        self._fresh_s = fresh_s
        self._turn = asyncio.Lock()
        self._seen: Situation | None = None
        self._seen_at = 0.0

    async def take(self) -> Situation:
        """Return the situation.

        Raises:
            TemporaryError: the database is away.
            PermanentError: it cannot be used.
        """
        async with self._turn:
            age_s = self._monotonic() - self._seen_at
            if self._seen is None or age_s > self._fresh_s:
                self._seen = await asyncio.to_thread(self._look)
                self._seen_at = self._monotonic()
            return self._seen


_WIKITEXT = ".wikitext"
_MOST_TEXT_BYTES = 2_000_000
_MOST_HISTORY_BYTES = 50_000
_REPORTS = "Each checked article, every claim beside the words of its source."
_SHOWN = "Pages as they would stand on the wiki. Nothing of this was written there."
_KINDS = {".whole.html": "", ".changes.html": " (what changed)"}


@dataclass(frozen=True, slots=True)
class Pages:
    """The answers.

    `reports` holds `….whole.html` and `….changes.html`, `dry_run` what
    `bot.writing.local_pages` leaves. `more_metrics` give further ones of this process,
    `doors` lead to what else is served.
    """

    looks: Looks
    reports: Folder
    dry_run: Folder
    now: Callable[[], datetime]
    more_metrics: tuple[Callable[[], str], ...] = ()
    doors: tuple[Door, ...] = ()

    def routes(self) -> list[web.RouteDef]:
        """Return what is answered at which address."""
        return [
            web.get("/", self._index),
            web.get("/style.css", self._style),
            web.get("/refresh.js", self._script),
            web.get("/status", self._status),
            web.get("/status.json", self._status_json),
            web.get("/metrics", self._metrics),
            web.get("/healthz", self._health),
            web.get("/reports/", self._reports),
            web.get("/reports/{wiki}/{name}", self._report),
            web.get("/dry-run/", self._shown_list),
            web.get("/dry-run/{wiki}/{name}", self._shown),
        ]

    async def _index(self, _: web.Request) -> web.Response:
        reports, shown = await asyncio.gather(
            asyncio.to_thread(self.reports.listing),
            asyncio.to_thread(self.dry_run.listing),
        )
        return _html(
            render_index(reports=reports.total, shown=shown.total, doors=self.doors)
        )

    async def _style(self, _: web.Request) -> web.Response:
        return web.Response(text=style(), content_type="text/css")

    async def _script(self, _: web.Request) -> web.Response:
        return web.Response(text=script(), content_type="text/javascript")

    async def _status(self, _: web.Request) -> web.Response:
        return _html(render_status(await self.looks.take()))

    async def _status_json(self, _: web.Request) -> web.Response:
        text = render_json(await self.looks.take())
        return web.Response(text=text, content_type="application/json")

    async def _metrics(self, _: web.Request) -> web.Response:
        looked = render_metrics(await self.looks.take())
        text = looked + "".join(more() for more in self.more_metrics)
        return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})

    async def _health(self, _: web.Request) -> web.Response:
        try:
            reasons = ailments(await self.looks.take())
        except (PermanentError, TemporaryError) as error:
            reasons = (str(error),)
        told = {"is_well": not reasons, "reasons": list(reasons)}
        return web.Response(
            status=503 if reasons else 200,
            text=json.dumps(told, ensure_ascii=False) + "\n",
            content_type="application/json",
        )

    async def _reports(self, _: web.Request) -> web.Response:
        return await self._listed("Reports", _REPORTS, self.reports, "/reports/")

    async def _shown_list(self, _: web.Request) -> web.Response:
        return await self._listed("Dry run", _SHOWN, self.dry_run, "/dry-run/")

    async def _listed(
        self, title: str, lede: str, folder: Folder, address: str
    ) -> web.Response:
        found = await asyncio.to_thread(folder.listing)
        entries = [
            Entry(_title(one), one.wiki, f"{address}{one.address}", one.written_at)
            for one in found.files
        ]
        return _html(
            render_listing(title, lede, entries, at=self.now(), left_out=found.left_out)
        )

    async def _report(self, request: web.Request) -> web.StreamResponse:
        found = await _found(self.reports, request)
        return web.FileResponse(
            found.path,
            headers={
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": REPORT_POLICY,
            },
        )

    async def _shown(self, request: web.Request) -> web.Response:
        found = await _found(self.dry_run, request)
        return _html(await asyncio.to_thread(_shown, found))


async def _found(folder: Folder, request: web.Request) -> Written:
    named = request.match_info
    found = await asyncio.to_thread(folder.find, named["wiki"], named["name"])
    if found is None:
        raise web.HTTPNotFound
    return found


def _shown(found: Written) -> str:
    text, is_cut = read_start(found.path, _MOST_TEXT_BYTES)
    history = read_end(
        found.path.with_suffix(".history.txt"), _MOST_HISTORY_BYTES
    ).splitlines()
    newest = tuple(reversed(history))
    return render_shown(Shown(_title(found), found.wiki, text, newest, is_cut))


def _title(found: Written) -> str:
    name = found.path.name
    for ending, told in _KINDS.items():
        if name.endswith(ending):
            return f"{unquote(name.removesuffix(ending))}{told}"
    return unquote(name.removesuffix(_WIKITEXT).removesuffix(".html"))


def _html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html")


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
