"""What is answered at which address."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote

from aiohttp import web

from bot.daemon.serving.folders import Folder, Written, read_end, read_start
from bot.daemon.serving.guarding import REPORT_POLICY
from bot.daemon.serving.looks import Looks
from bot.daemon.status.metrics import CONTENT_TYPE, render_metrics
from bot.daemon.status.situation import ailments
from bot.daemon.status.to_html import (
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
from bot.daemon.status.to_json import render_json
from handlers.ports import PermanentError, TemporaryError

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
