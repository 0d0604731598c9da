"""A small web on loopback: two papers, a service that finds their pages, a model.

All of it runs in a thread of its own, since browsers are driven in the first one. The
model knows three articles and refuses all else, as if there were none.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from html import escape

from aiohttp import web

from bot.demo.loopback.wiki.serving import free_port
from tests.bot.models.roles.playing import (
    Answer,
    Play,
    Player,
    fact,
    section_id,
    statement_id,
    step,
)
from tests.rig.language_model import Asked, completion, http, says, serving
from tests.rig.search.asked import Fault
from tests.rig.search.serving import SearchServer
from tests.rig.search.shelf import Shelved

BRIDGE, LIGHTHOUSE, PERSON = "Harbour Bridge", "Skarholm Lighthouse", "Clara Stone"
_START_S = 20.0
# Two sites, as no name joins the addresses; the first one is the wiki's.
_HOSTS = ("127.0.0.2", "127.0.0.3")


@dataclass(frozen=True)
class News:
    """A page of one of the papers; `{day}` and `{month}` in it are those of the page."""

    paper: int  # by its place in `_HOSTS`
    path: str
    title: str
    text: str
    days_ago: int

    @property
    def day(self) -> date:
        return datetime.now(UTC).date() - timedelta(days=self.days_ago)

    @property
    def month(self) -> str:
        return f"{self.day:%B %Y}"

    @property
    def dated_text(self) -> str:
        day = f"{self.day.day} {self.month}"
        return self.text.format(day=day, month=self.month)

    @property
    def quote(self) -> str:
        return self.dated_text.partition("\n")[0]

    @property
    def html(self) -> str:
        title, lines = escape(self.title), map(escape, self.dated_text.split("\n"))
        return (
            f'<!DOCTYPE html><html lang="en"><head><title>{title}</title><meta'
            f' property="article:published_time" content="{self.day}T08:00:00Z">'
            f"</head><body><article><h1>{title}</h1><p>{'</p><p>'.join(lines)}</p>"
            "</article></body></html>"
        )


CLOSED = News(
    0,
    "/lorries",
    "Harbour Bridge closed to lorries",
    "Harbour Bridge in Port Example was closed to lorries on {day} after engineers found"
    " cracks in two of its girders.\nDrivers of lorries are sent over the northern"
    " crossing.",
    9,
)
BANNED = News(
    1,
    "/cracks",
    "Cracks found in bridge",
    "Port Example closed Harbour Bridge to lorries on {day}, for engineers have found"
    " two cracked girders.\nThe road over the river stays open to cars and buses.",
    9,
)
COUNTED = News(
    0,
    "/count",
    "Traffic on Harbour Bridge grows",
    "Harbour Bridge carries 15,400 vehicles a day.\nThat is what the council found when"
    " it counted them on both sides of the river.",
    5,
)
CROSSED = News(
    1,
    "/cars",
    "More cars in Port Example",
    "Some 15,400 vehicles a day crossed Harbour Bridge in the autumn count, a record for"
    " the town.\nOther roads were not counted.",
    4,
)
STAFF = News(
    0,
    "/staff",
    "More people for the light",
    "Since {month}, Skarholm Lighthouse employs 15 people.\nThe harbour board has paid"
    " them so far.",
    6,
)
HIRED = News(
    1,
    "/hired",
    "Three hired on Skarholm",
    "Skarholm Lighthouse has 15 people who work there, after the harbour board hired"
    " three in {month}.\nThey begin at once.",
    6,
)
LENS = News(
    1,
    "/lens",
    "A new lens for Skarholm",
    "The old lens of Skarholm Lighthouse was taken down on {day}, and engineers from"
    " Northam put a new one in its place.\nShips had asked for it.",
    7,
)
SAME_LENS = News(
    0,
    "/light",
    "Skarholm sees further",
    "Since {day}, Skarholm Lighthouse has had a new lens, for the last one had cracked."
    "\nIts light is seen from afar.",
    7,
)
MINISTER = News(
    0,
    "/minister",
    "Stone becomes minister",
    "Clara Stone became transport minister of Port Example on {day}.\nHer predecessor"
    " had resigned.",
    8,
)
NAMED = News(
    1,
    "/cabinet",
    "A new cabinet",
    "On {day}, Port Example named Clara Stone its transport minister.\nThe cabinet has"
    " nine members.",
    8,
)
_PAGES = (
    *(CLOSED, BANNED, COUNTED, CROSSED),
    *(STAFF, HIRED, LENS, SAME_LENS, MINISTER, NAMED),
)

_LENS_DAY = f"{LENS.day.day} {LENS.month}"
_NEW_LENS = f"{LIGHTHOUSE} got a new lens on {_LENS_DAY}."
INSERTED = f"It got a new lens on {_LENS_DAY}."


@dataclass(frozen=True)
class Web:
    """Settings with which the program finds it, and what it was asked."""

    settings: Mapping[str, str]
    search: SearchServer
    port: int

    def address(self, page: News) -> str:
        return f"http://{_HOSTS[page.paper]}:{self.port}{page.path}"


@contextmanager
def serve_web(pages: Sequence[News] = _PAGES) -> Iterator[Web]:
    """Serve all of it from a thread until the end; `pages` are what the papers have."""
    began, ending = threading.Event(), asyncio.Event()
    found: list[Web] = []

    async def stay() -> None:
        async with _opened(pages) as served:
            found.append(served)
            began.set()
            await ending.wait()

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=(stay(),))
    thread.start()
    try:
        assert began.wait(_START_S), "the web of the test did not start"
        yield found[0]
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()
        loop.close()


@asynccontextmanager
async def _opened(pages: Sequence[News]) -> AsyncIterator[Web]:
    port = free_port()
    papers = [f"{host}:{port}" for host in _HOSTS]
    shelved = [
        Shelved(
            f"http://{papers[one.paper]}{one.path}", one.title, one.dated_text, one.day
        )
        for one in pages
    ]
    search = SearchServer(shelved)
    search.fail("serper", Fault.TOO_OFTEN)  # and the next service steps in
    async with _papers(port, pages), search, serving(_model) as model:
        settings = {
            "searches": "serper>searxng",
            "serper_key": search.stand.key,
            "search_addresses": search.addresses,
            "internal_addresses": ",".join(papers),
            "host_delay_s": "0",
            "language_model_address": model.address,
            "language_model_name": "scripted",
        }
        named = {f"SIDENOTE_{name.upper()}": one for name, one in settings.items()}
        yield Web(named, search, port)


@asynccontextmanager
async def _papers(port: int, pages: Sequence[News]) -> AsyncIterator[None]:
    served = {(f"{_HOSTS[one.paper]}:{port}", one.path): one.html for one in pages}

    async def serve(request: web.Request) -> web.Response:
        page = served.get((request.host, request.path))
        if page is None:
            return web.Response(status=404)
        return web.Response(text=page, content_type="text/html")

    app = web.Application()
    app.router.add_get("/{page}", serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    try:
        for host in _HOSTS:
            await web.TCPSite(runner, host, port).start()
        yield
    finally:
        await runner.cleanup()


# --- the model -----------------------------------------------------------------


async def _model(request: Asked, writer: asyncio.StreamWriter) -> None:
    about = request.parts.get("article") or request.parts.get(
        "title of the article", ""
    )
    if not any(one in about for one in (BRIDGE, LIGHTHOUSE, PERSON)):
        await says(None, refusal="I know three articles alone.")(request, writer)
        return
    writer.write(http("200 OK", completion(_answer(request), sent=request)))
    await writer.drain()


def _answer(request: Asked) -> str:
    schema = request.body["response_format"]["json_schema"]["schema"]
    if "edits" in schema["properties"]:
        return json.dumps({"edits": list(_edits(request))})
    roles: dict[str, Play] = {"navigator": _next, "extractor": _facts}
    return Player(roles).content(request)


def _next(request: Asked) -> Answer:
    if any(one.startswith("document d1") for one in request.parts):
        return step(step="open", document="d1")
    if request.parts["queries so far"] == "(none)":
        about = request.parts["article"]
        subjects = (BRIDGE, LIGHTHOUSE, PERSON)
        return step(step="ask", query=next(one for one in subjects if one in about))
    return step(step="stop")


def _facts(request: Asked) -> Answer:
    text = request.parts["document: part 1"]
    known = [
        (one, fact)
        for one in _PAGES
        for fact in _FACTS
        if one.quote in text and fact[0] in one.quote
        if fact[1] in request.parts["sections of the article"]
    ]
    return {"facts": [_ruled(request, *one) for one in known], "leads": []}


def _ruled(request: Asked, page: News, fields: tuple[str, str, str]) -> dict[str, str]:
    """Say what a page has for the article: an update found before, or one of its own."""
    about, heading, outdated = fields
    sentence = _NEW_LENS if about == "lens" else page.quote
    for found in request.parts["updates found before"].splitlines():
        if about in found:
            number = found.partition(":")[0]
            return fact(quote=page.quote, fact=sentence, ruling="same", target=number)
    if outdated:
        target = statement_id(request, outdated)
        return fact(quote=page.quote, fact=sentence, ruling="replaces", target=target)
    section = section_id(request, heading)
    return fact(quote=page.quote, fact=sentence, ruling="new", section=section)


# What tells a fact, the section for it, and what it replaces there.
_FACTS = (
    ("lorries", "History", ""),
    ("15,400", "Traffic", "12,000 vehicles"),
    ("15 people", "Upkeep", "12 people"),
    ("lens", "Upkeep", ""),
    ("minister", "Career", ""),
)


def _edits(request: Asked) -> Iterator[dict[str, object]]:
    for label, words in request.parts.items():
        if label.startswith("fact of "):
            steps = _edit(words)
            yield {"update": label.removeprefix("fact of "), "steps": steps}


def _edit(words: str) -> list[dict[str, str]]:
    if "15 people" in words:
        return [
            {"do": "replace", "words": "May 2024", "new": STAFF.month},
            {"do": "replace", "words": "12 people", "new": "15 people"},
        ]
    if "lens" not in words:
        return []
    last = "Its walls were painted in 1998."
    return [{"do": "insert", "words": last, "new": f" {INSERTED}"}]
