"""Feeds on loopback, served as sites serve them: with ETags, and 304 if unchanged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape

from aiohttp import web

from tests.rig.served import Served


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in a site's feed; `text` is HTML."""

    address: str
    title: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class FeedPage:
    """An answer of a site; `etag` and `changed` name its state, "" for none."""

    body: bytes
    content_type: str = "application/rss+xml; charset=utf-8"
    etag: str = ""
    changed: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def rss(entries: Sequence[Entry], *, language: str = "en-gb") -> str:
    """Return a feed in RSS 2.0, with texts as escaped HTML, as on most sites."""
    items = "".join(
        f"<item><title>{escape(one.title)}</title><link>{escape(one.address)}</link>"
        f"<description>{escape(one.text)}</description>"
        f"<pubDate>{format_datetime(one.at)}</pubDate>"
        f'<guid isPermaLink="false">{number}</guid></item>'
        for number, one in enumerate(entries)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>'
        '<title>News</title><link>http://127.0.0.1/</link><atom:link rel="self"'
        f' href="http://127.0.0.1/feed"/><language>{language}</language>{items}'
        "</channel></rss>"
    )


def atom(entries: Sequence[Entry], *, language: str = "en") -> str:
    """Return a feed in Atom 1.0."""
    found = "".join(
        f'<entry><title type="text">{escape(one.title)}</title>'
        f'<link rel="enclosure" href="http://127.0.0.1/sound.mp3"/>'
        f'<link rel="alternate" href="{escape(one.address)}"/>'
        f"<id>tag:127.0.0.1,2024:{number}</id>"
        f"<updated>{one.at.isoformat()}</updated>"
        f'<summary type="html">{escape(one.text)}</summary></entry>'
        for number, one in enumerate(entries)
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{language}">'
        f"<title>News</title>{found}</feed>"
    )


class FeedServer(Served):
    """Serves `pages` by their paths. Use it as an async context manager."""

    def __init__(self, *, port: int = 0) -> None:
        super().__init__(port=port)
        self.pages: dict[str, FeedPage] = {}
        self.requests: list[tuple[str, Mapping[str, str]]] = []  # paths and headers

    def address(self, path: str) -> str:
        """Return where the feed of a path is."""
        return f"{self.root}{path}"

    def routes(self) -> Iterable[web.AbstractRouteDef]:
        """Return what is served."""
        return (web.get("/{path:.*}", self._serve),)

    async def _serve(self, request: web.Request) -> web.Response:
        fields = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append((request.path, fields))
        page = self.pages.get(request.path)
        if page is None:
            return web.Response(status=404, text="no such feed")
        headers = dict(page.headers)
        if page.etag:
            headers["ETag"] = page.etag
        if page.changed:
            headers["Last-Modified"] = page.changed
        if _is_known(page, fields):
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = page.content_type
        return web.Response(status=page.status, body=page.body, headers=headers)


def _is_known(page: FeedPage, headers: Mapping[str, str]) -> bool:
    """Return whether the client has this state; by ETag if both sides have one."""
    if page.etag and "if-none-match" in headers:
        return headers["if-none-match"] == page.etag
    return bool(page.changed) and headers.get("if-modified-since") == page.changed
