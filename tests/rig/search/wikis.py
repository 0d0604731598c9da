"""A few small wikis on loopback: articles in several languages, and their items.

They answer what the searches ask of MediaWiki's API (`formatversion=2`): an article's
item, its other language versions, its revisions at a time, and Wikibase's
`wbgetentities`. Like Wikimedia's wikis they require a User-Agent and `maxlag`. For
anything more, there is a real MediaWiki.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote

from aiohttp import web

from tests.rig.served import Served

_MANY = "\x1f"


@dataclass(frozen=True, slots=True)
class Article:
    """A page with its texts and when each was saved, the oldest first.

    `sisters` are the titles of other language versions by wiki.
    """

    revisions: Sequence[tuple[datetime, str]] = ()
    item: str = ""
    sisters: Mapping[str, str] = field(default_factory=dict)


class WikiServer(Served):
    """Serves `wikis`: articles by title, by the name of their wiki; and `entities`.

    Use it as an async context manager. A wiki in `lagging` says that it is busy, one in
    `broken` answers with an HTML page.
    """

    def __init__(self, *, port: int = 0) -> None:
        super().__init__(port=port)
        self.wikis: dict[str, dict[str, Article]] = {}
        self.entities: dict[str, Mapping[str, Any]] = {}
        self.lagging: set[str] = set()
        self.broken: set[str] = set()
        self.requests: list[tuple[str, Mapping[str, str]]] = []  # wiki, parameters

    def address(self, wiki: str) -> str:
        """Return where a wiki is; an article's title may follow it."""
        return f"{self.root}/{wiki}/wiki/"

    def routes(self) -> Iterable[web.AbstractRouteDef]:
        """Return what is served."""
        return (web.route("*", "/{wiki}/api.php", self._serve),)

    async def _serve(self, request: web.Request) -> web.Response:
        wiki = request.match_info["wiki"]
        query = dict(request.query)
        self.requests.append((wiki, query))
        if wiki in self.broken:
            return web.Response(text="<html>Wikimedia Error</html>", status=503)
        if "Sidenote" not in request.headers.get("User-Agent", ""):
            return web.Response(text="Please set a user-agent", status=403)
        if wiki in self.lagging and "maxlag" in query:
            return web.json_response(_LAG, headers={"Retry-After": "5"})
        if query.get("action") == "wbgetentities":
            return web.json_response(self._entities(query))
        page = self._page(wiki, query)
        return web.json_response({"batchcomplete": True, "query": {"pages": [page]}})

    def _page(self, wiki: str, query: Mapping[str, str]) -> dict[str, Any]:
        title = query.get("titles", "").removeprefix(_MANY)
        article = self.wikis.get(wiki, {}).get(title)
        if article is None:
            return {"ns": 0, "title": title, "missing": True}
        page: dict[str, Any] = {"pageid": 1 + len(title), "ns": 0, "title": title}
        properties = query.get("prop", "").split("|")
        if "pageprops" in properties and article.item:
            page["pageprops"] = {"wikibase_item": article.item}
        if "langlinks" in properties:
            page["langlinks"] = [
                {"lang": name, "url": self._page_address(name, there), "title": there}
                for name, there in article.sisters.items()
            ]
        if "revisions" in properties:
            page["revisions"] = list(_revisions(article, query))
        return page

    def _page_address(self, wiki: str, title: str) -> str:
        return self.address(wiki) + quote(title.replace(" ", "_"))

    def _entities(self, query: Mapping[str, str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in query.get("ids", "").split("|"):
            entity = self.entities.get(name)
            if entity is None:
                return {"error": {"code": "no-such-entity", "info": f"no {name}"}}
            kept = {
                part: entity[part] for part in ("claims", "labels") if part in entity
            }
            properties = query.get("props", "").split("|")
            inner = {part: value for part, value in kept.items() if part in properties}
            found[name] = {"type": "item", "id": name, **inner}
        return {"entities": found, "success": 1}


def _revisions(article: Article, query: Mapping[str, str]) -> Sequence[dict[str, Any]]:
    """Return revisions as `rvstart`, `rvend`, `rvdir` and `rvlimit` choose them."""
    start = query.get("rvstart")
    end = query.get("rvend")
    is_newer = query.get("rvdir") == "newer"
    rows = []
    for number, (at, text) in enumerate(article.revisions, start=1):
        timestamp = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        low, high = (start, end) if is_newer else (end, start)
        if (low is None or low <= timestamp) and (high is None or timestamp <= high):
            slot = {"contentmodel": "wikitext", "content": text}
            rows.append(
                {"revid": number, "timestamp": timestamp, "slots": {"main": slot}}
            )
    rows = rows if is_newer else rows[::-1]
    limit = query.get("rvlimit", "max")
    return rows if limit == "max" else rows[: int(limit)]


_LAG = {
    "error": {
        "code": "maxlag",
        "info": "Waiting for db1: 7.1 seconds lagged.",
        "lag": 7.1,
        "type": "db",
    }
}
