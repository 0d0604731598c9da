"""The pages of `sidenote serve`, and the listener, which is a context manager.

Files are found by names that strangers send: such a name never becomes part of a path,
it is compared with the names in the folder, and links are not followed. The database is
asked only now and then, however many readers there are.
"""

import asyncio
import errno
import json
import os
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Iterator,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from urllib.parse import quote, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route, Router

from bot.daemon.status.metrics import CONTENT_TYPE, render_metrics
from bot.daemon.status.reasons import health_problems
from bot.daemon.status.render import (
    Entry,
    Link,
    render_json,
    render_page,
    render_status,
)
from bot.daemon.status.situation import Situation
from bot.daemon.web.connections import Bounds, Connections, allow_files
from bot.daemon.web.guard import HEADERS, REPORT_POLICY, Guard, Mount
from handlers.ports import PermanentError, TemporaryError

_MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class Written:
    """A file in the subfolder of its wiki."""

    path: Path
    written_at: datetime

    @property
    def wiki(self) -> str:
        """Return the wiki it belongs to."""
        return unquote(self.path.parent.name)

    @property
    def address(self) -> str:
        """Return its address relative to the folder's."""
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
    """Files with one extension, in a subfolder for each wiki; it may be missing."""

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
    except OSError:  # it does not exist yet, or no longer
        return []


def read_start(path: Path, most_bytes: int) -> tuple[str, bool]:
    """Return the beginning of a file, and whether it continues."""
    with path.open("rb") as file:
        start = file.read(most_bytes + 1)
    return start[:most_bytes].decode("utf-8", "replace"), len(start) > most_bytes


def read_end(path: Path, most_bytes: int) -> str:
    """Return the end of a file, from the start of a line; empty if it is missing."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most_bytes))
            end = file.read(most_bytes).decode("utf-8", "replace")
    except OSError:
        return ""
    return end.partition("\n")[2] if size > most_bytes else end


class Snapshots:
    """Gives the situation, at most `fresh_s` old.

    Args:
        read: reads it; blocks, and may raise TemporaryError or PermanentError.
        monotonic: a monotonic clock, in seconds.
        fresh_s: for how long a snapshot is used.
    """

    def __init__(
        self,
        read: Callable[[], Situation],
        monotonic: Callable[[], float],
        fresh_s: float = 2.0,
    ) -> None:
        self._read = read
        self._monotonic = monotonic
        self._fresh_s = fresh_s
        self._lock = asyncio.Lock()
        self._last: Situation | None = None
        self._read_at_s = 0.0

    async def take(self) -> Situation:
        """Return the situation.

        Raises:
            TemporaryError: the database is unavailable.
            PermanentError: it cannot be used.
        """
        async with self._lock:
            age_s = self._monotonic() - self._read_at_s
            if self._last is None or age_s > self._fresh_s:
                self._last = await asyncio.to_thread(self._read)
                self._read_at_s = self._monotonic()
            return self._last


_WIKITEXT = ".wikitext"
_MOST_TEXT_BYTES = 2_000_000
_MOST_HISTORY_BYTES = 50_000
_REPORTS = "Every checked article, each claim beside the words of its source."
_SHOWN = "Pages as they would look on the wiki. Nothing was written there."
_KINDS = {".whole.html": "", ".changes.html": " (what changed)"}


@dataclass(frozen=True, slots=True)
class Pages:
    """The answers.

    `reports` holds `….whole.html` and `….changes.html`, `dry_run` what
    `bot.writing.dry_run` writes. `more_metrics` give further metrics of this process,
    `links` lead to what else is served.
    """

    snapshots: Snapshots
    reports: Folder
    dry_run: Folder
    now: Callable[[], datetime]
    more_metrics: tuple[Callable[[], str], ...] = ()
    links: tuple[Link, ...] = ()

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/", self._index),
            Route("/style.css", self._style),
            Route("/refresh.js", self._script),
            Route("/status", self._status),
            Route("/status.json", self._status_json),
            Route("/metrics", self._metrics),
            Route("/healthz", self._health),
            Route("/reports/", self._reports),
            Route("/reports/{wiki}/{name}", self._report),
            Route("/dry-run/", self._shown_list),
            Route("/dry-run/{wiki}/{name}", self._shown),
        ]

    async def _index(self, _: Request) -> Response:
        reports, shown = await asyncio.gather(
            asyncio.to_thread(self.reports.listing),
            asyncio.to_thread(self.dry_run.listing),
        )
        counts = {"reports": reports.total, "shown": shown.total}
        return HTMLResponse(render_page("index.html", **counts, links=self.links))

    async def _style(self, _: Request) -> Response:
        return Response(render_page("status.css"), media_type="text/css")

    async def _script(self, _: Request) -> Response:
        return Response(render_page("refresh.js"), media_type="text/javascript")

    async def _status(self, _: Request) -> Response:
        return HTMLResponse(render_status(await self.snapshots.take()))

    async def _status_json(self, _: Request) -> Response:
        text = render_json(await self.snapshots.take())
        return Response(text, media_type="application/json")

    async def _metrics(self, _: Request) -> Response:
        metrics = render_metrics(await self.snapshots.take())
        text = metrics + "".join(more() for more in self.more_metrics)
        return Response(text, headers={"Content-Type": CONTENT_TYPE})

    async def _health(self, _: Request) -> Response:
        try:
            wrong = health_problems(await self.snapshots.take())
            reasons = tuple(one.what for one in wrong)
        except (PermanentError, TemporaryError) as error:
            reasons = (str(error),)
        fields = {"is_well": not reasons, "reasons": list(reasons)}
        text = json.dumps(fields, ensure_ascii=False) + "\n"
        status = 503 if reasons else 200
        return Response(text, status, media_type="application/json")

    async def _reports(self, _: Request) -> Response:
        return await self._listed("Reports", _REPORTS, self.reports, "/reports/")

    async def _shown_list(self, _: Request) -> Response:
        return await self._listed("Dry run", _SHOWN, self.dry_run, "/dry-run/")

    async def _listed(
        self, title: str, lede: str, folder: Folder, address: str
    ) -> Response:
        found = await asyncio.to_thread(folder.listing)
        entries = [
            Entry(_title(one), one.wiki, f"{address}{one.address}", one.written_at)
            for one in found.files
        ]
        return HTMLResponse(
            render_page(
                "listing.html",
                title=title,
                lede=lede,
                entries=entries,
                at=self.now(),
                left_out=found.left_out,
            )
        )

    async def _report(self, request: Request) -> Response:
        found = await _found(self.reports, request)
        return FileResponse(
            found.path,
            headers={
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": REPORT_POLICY,
            },
        )

    async def _shown(self, request: Request) -> Response:
        found = await _found(self.dry_run, request)
        return HTMLResponse(await asyncio.to_thread(_shown, found))


async def _found(folder: Folder, request: Request) -> Written:
    named = request.path_params
    found = await asyncio.to_thread(folder.find, named["wiki"], named["name"])
    if found is None:
        raise HTTPException(404)
    return found


def _shown(found: Written) -> str:
    text, is_cut = read_start(found.path, _MOST_TEXT_BYTES)
    history = read_end(
        found.path.with_suffix(".history.txt"), _MOST_HISTORY_BYTES
    ).splitlines()
    return render_page(
        "shown.html",
        title=_title(found),
        wiki=found.wiki,
        text=text,
        history=history[::-1],
        is_cut=is_cut,
    )


def _title(found: Written) -> str:
    name = found.path.name
    for ending, label in _KINDS.items():
        if name.endswith(ending):
            return f"{unquote(name.removesuffix(ending))}{label}"
    return unquote(name.removesuffix(_WIKITEXT).removesuffix(".html"))


_BACKLOG = 1024


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
    """Answer requests; the context manager gives the address.

    Args:
        pages: what is answered.
        host: to listen on.
        port: to listen on; 0 takes any.
        names: further host names of this server.
        mounts: what else is answered, outside the guard of the pages.
        bounds: on connections; fewer are open at once if the system allows fewer.

    Raises:
        PermanentError: it is not possible to listen there; the message says why.
    """
    room = allow_files(bounds.most)
    counted = tuple(mount.metrics for mount in mounts)
    links = tuple(link for mount in mounts for link in mount.links)
    own = replace(pages, more_metrics=counted, links=links).routes()
    guarded = Guard(Router(own, redirect_slashes=False), host, names)
    beside = [route for mount in mounts for route in mount.routes]
    app = Router(beside, redirect_slashes=False, default=guarded)
    connections = Connections(app, replace(bounds, most=room), monotonic, HEADERS)
    try:
        server = await asyncio.get_running_loop().create_server(
            connections.connection, host, port, backlog=_BACKLOG
        )
    except OSError as error:
        raise PermanentError(_why_not(error, host, port)) from error
    try:
        async with connections.supervised():
            yield _address(server)
            server.close()
    finally:
        server.close()


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} of {host} is used by another program, perhaps another"
            " Sidenote; stop it, or set `serve_port` to another (0: any)"
        )
    if error.errno == errno.EACCES:
        return (
            f"port {port} may only be used by root; set `serve_port` to one above 1023"
        )
    why = (error.strerror or str(error)).lower()
    return f"cannot listen on {host} ({why}); correct `serve_host`"


def _address(server: asyncio.Server) -> str:
    host, port = server.sockets[0].getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
