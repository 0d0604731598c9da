"""Our own pages with the panel, and their addresses."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from urllib.parse import quote, urlencode

from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount as Prefixed
from starlette.routing import Route, Router

from bot.daemon.status.render import Link
from bot.daemon.web.guard import Guard, Mount
from bot.report.to_html import templates
from bot.surfaces.messages import language_wanted
from gadget.bundle import (
    NOTES,
    PREFIX,
    SOURCE,
    Sources,
    bundle,
    read_messages,
    read_sources,
    stylesheet,
)
from gadget.local_page.articles import Entry, WatchedArticles

# A page's language and its messages.

_RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})
_DIRECTIONS = frozenset({"ltr", "rtl"})


@dataclass(frozen=True, slots=True)
class Shown:
    """How a page is shown: its language, text direction and messages."""

    language: str
    direction: str
    words: Mapping[str, str]

    def say(self, key: str, *values: object) -> str:
        """Return a message, in English if it is not translated."""
        text = self.words.get(PREFIX + key) or _texts()[SOURCE].get(PREFIX + key, key)
        for number, value in enumerate(values, 1):
            text = text.replace(f"${number}", str(value))
        return text


def languages() -> list[str]:
    """Return the languages that have messages."""
    return sorted(set(_texts()) - {NOTES})


def shown(parameters: Mapping[str, str], accepted: str) -> Shown:
    """Return how a page is shown to someone.

    Args:
        parameters: from the address: `lang` and `dir`, for testing.
        accepted: the browser's `Accept-Language`.
    """
    language = parameters.get("lang", "")
    if language not in languages():
        language = language_wanted(accepted)
    direction = parameters.get("dir", "")
    if direction not in _DIRECTIONS:
        direction = "rtl" if language in _RIGHT_TO_LEFT else "ltr"
    return Shown(language, direction, _texts()[language])


@cache
def _texts() -> dict[str, dict[str, str]]:
    return read_messages()


_HERE = "gadget.local_page"
_ENTRY = "local.js"
_STYLES = (
    "cards.css",
    "dialog.css",
    "panel.css",
    "queue.css",
)
_PANEL_LINK = Link(
    "/panel/", "Panel", "The articles as plain text, with the panel beside them"
)
_QUEUE_LINK = Link("/queue", "Review queue", "All notes of a reader, one by one")
_THEMES = frozenset({"night", "day"})
_RIGHT_TO_LEFT_WIKIS = ("ar.", "arz.", "fa.", "he.", "ur.")


def local_pages(
    articles: WatchedArticles,
    *,
    host: str,
    names: Collection[str] = (),
    token: str | None = None,
) -> Sequence[Mount]:
    """Return the pages, to be mounted beside the API that their script uses.

    Args:
        articles: the articles.
        host: to listen on.
        names: further host names of this server.
        token: of the reader at this machine (`signed_in_here`); without it readers sign
            in as usual.
    """
    pages = _Pages(articles, token)
    guarded = [Middleware(Guard, host, names)]
    routes = [
        Prefixed(
            "/panel",
            Router(pages.of_panel(), redirect_slashes=False),
            middleware=guarded,
        ),
        Route("/queue", pages.queue, middleware=guarded),
    ]
    return [Mount(routes, links=(_PANEL_LINK, _QUEUE_LINK))]


class _Pages:
    def __init__(self, articles: WatchedArticles, token: str | None) -> None:
        self._articles = articles
        self._token = token

    def of_panel(self) -> list[Route]:
        return [
            Route("/", self._list),
            Route("/mw.js", _mw),
            Route("/panel.js", _script),
            Route("/codex.css", _codex),
            Route("/style.css", _style),
            Route("/{wiki}/{title:path}", self._article),
        ]

    async def _list(self, request: Request) -> Response:
        return _page(request, "local_list.html", entries=await self._articles.entries())

    async def _article(self, request: Request) -> Response:
        named = request.path_params
        opened = await self._articles.open(named["wiki"], named["title"])
        if opened is None:
            raise HTTPException(404)
        wiki, how = opened.id.wiki, _shown(request)
        config = self._config(how) | {
            "wgServerName": wiki,
            "wgPageName": opened.id.title.replace(" ", "_"),
            "wgTitle": opened.id.title,
            "wgRevisionId": opened.id.revision_id or 0,
            "wgContentLanguage": wiki.partition(".")[0],
        }
        is_rtl = wiki.startswith(_RIGHT_TO_LEFT_WIKIS)
        return _page(
            request,
            "local_article.html",
            opened=opened,
            config=json.dumps(config),
            content_language=config["wgContentLanguage"],
            content_direction="rtl" if is_rtl else "ltr",
        )

    async def queue(self, request: Request) -> Response:
        """Show the review queue, outside the wiki."""
        config = json.dumps(self._config(_shown(request)) | {"wgIsArticle": False})
        return _page(request, "local_queue.html", config=config)

    def _config(self, how: Shown) -> dict[str, object]:
        fields: dict[str, object] = {"wgUserLanguage": how.language}
        if self._token is not None:
            fields |= {
                "sidenoteToken": self._token,
                "sidenoteUser": how.say("local-reader"),
            }
        return fields


def _page(request: Request, name: str, **given: object) -> Response:
    how = _shown(request)
    theme = request.query_params.get("theme", "")
    parameters = {"lang": how.language} if "lang" in request.query_params else {}
    parameters |= {"theme": theme} if theme in _THEMES else {}
    text = (
        _templates()
        .get_template(name)
        .render(
            shown=how,
            theme=parameters.get("theme", ""),
            query=f"?{urlencode(parameters)}" if parameters else "",
            languages=languages(),
            **given,
        )
    )
    return HTMLResponse(text, headers={"Vary": "Accept-Language"})


def _shown(request: Request) -> Shown:
    return shown(request.query_params, request.headers.get("Accept-Language", ""))


def _address(entry: Entry) -> str:
    return f"/panel/{quote(entry.wiki, safe='')}/{quote(entry.title, safe='')}"


async def _mw(_: Request) -> Response:
    return _text(_own("mw.js"), "text/javascript")


async def _script(_: Request) -> Response:
    return _text(_bundled(), "text/javascript")


async def _codex(_: Request) -> Response:
    return _text(_own("codex.css"), "text/css")


async def _style(_: Request) -> Response:
    joined = stylesheet("sidenote-local.css", _STYLES)
    return _text(f"{_own('local.css')}\n{joined}", "text/css")


def _text(text: str, kind: str) -> Response:
    return Response(text, media_type=kind)


@cache
def _bundled() -> str:
    shipped = read_sources()
    scripts = {**shipped.scripts, _ENTRY: _own(_ENTRY)}
    config = {"backend": "", "bot": "Sidenote"}
    return bundle(_ENTRY, config, Sources(scripts, shipped.messages))


@cache
def _own(name: str) -> str:
    return (files(_HERE) / name).read_text("utf-8")


@cache
def _templates() -> Environment:
    made = templates(_HERE)
    made.globals["address"] = _address
    return made
