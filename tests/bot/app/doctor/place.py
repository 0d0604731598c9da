"""A whole set-up on loopback that nothing is wrong with, for tests to break a part of."""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pymysql
from aiohttp import web

from bot.app.doctor.examination import SelectedTests, chosen, examine, hider, only_of
from bot.app.doctor.trial import Examination, Group, Installation, State
from bot.app.wiring.demo import BOT, BOT_TOKEN
from bot.demo.loopback.event_server import EventServer
from bot.demo.loopback.wiki.serving import free_port
from bot.settings import Settings
from tests.bot.search.opensearch import standin
from tests.bot.sources.server import Site, answer, serving
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.rig.language_model import Asked, ModelServer, Script, completion, http
from tests.rig.language_model import serving as serving_model
from tests.rig.search.serving import SearchServer
from tests.rig.search.shelf import Shelved
from tests.rig.served import Served

MODEL, KEY = "horse-1", "sk-the-right-key-of-the-model"
SEARCH_KEY = "the-right-key-of-the-search"
SECRET = "a-secret-of-more-than-sixteen-bytes"  # noqa: S105 - of loopback
ALL = frozenset({"intake", "work", "publish", "serve"})
_PAGE = Shelved(
    "https://news.example.org/wikipedia",
    "Wikipedia is an encyclopedia that anybody can edit",
    "Wikipedia is an encyclopedia that anybody can edit.",
    date(2026, 3, 16),
)


@dataclass
class Place:
    """The servers, and the settings that go with them."""

    folder: Path
    feed: EventServer
    model: ModelServer
    search: SearchServer
    archive: Site
    cluster: standin.Cluster
    wiki: str = "127.0.0.1:1"
    now: Any = lambda: datetime.now(UTC)
    environment: dict[str, str] = field(default_factory=dict)
    file: Path | None = None
    gadget: Mapping[str, str] = field(default_factory=dict)

    def settings(self, **changed: Any) -> Settings:
        """Return settings that fit the servers, but for what is changed."""
        own = {
            "wiki": f"http://{self.wiki}",
            "contact": "tester@example.org",
            "data_dir": self.folder,
            "cache_max_bytes": 1_000_000,
            "bot_account": BOT,
            "bot_login": f"{BOT}@sidenote",
            "bot_password": BOT_TOKEN,
            "bot_secret": SECRET,
            "posting": "live",
            "posting_pause_s": 0,
            "verifier": "lexical",
            "stream": self.feed.address,
            "internal_addresses": (self.wiki, f"127.0.0.1:{self.archive.port}"),
            "archive_service": f"http://127.0.0.1:{self.archive.port}/available",
            "searches": "searxng, brave",
            "search_addresses": self.search.addresses,
            "brave_key": SEARCH_KEY,
            "language_model_address": self.model.address,
            "language_model_name": MODEL,
            "language_model_key": KEY,
            "opensearch_address": self.cluster.address,
            "serve_port": free_port(),
        }
        return Settings(**{**own, **changed})

    async def examine(
        self, *groups: Group, roles: frozenset[str] = ALL, **changed: Any
    ) -> list[Examination]:
        """Examine it, or only some groups of things, with some settings changed."""
        installation = Installation(
            self.settings(**changed),
            roles,
            settings_file=self.file,
            environment=self.environment,
            now=self.now,
            gadget_pages=lambda _backend, _bot: self.gadget,
            own_addresses=tuple,
        )
        wanted = SelectedTests(frozenset(groups))
        trials, _ = chosen(installation, wanted)
        return list(
            only_of(await examine(trials, hider(installation)), installation, wanted)
        )


@asynccontextmanager
async def open_place(folder: Path) -> AsyncIterator[Place]:
    """Serve all but a wiki and a MariaDB."""
    async with AsyncExitStack() as stack:
        cluster = stack.enter_context(standin.running(standin.Cluster()))
        archive = Site(
            {
                "/available?url=example.com": answer(
                    '{"archived_snapshots": {}}', content_type="application/json"
                )
            }
        )
        feed = await stack.enter_async_context(EventServer())
        feed.publish({"meta": {"id": "1", "dt": _ago(minutes=5)}, "title": "A"})
        yield Place(
            folder,
            feed,
            await stack.enter_async_context(serving_model(model_answers())),
            await stack.enter_async_context(SearchServer([_PAGE], key=SEARCH_KEY)),
            await stack.enter_async_context(serving(archive)),
            cluster,
        )


def model_answers(content: str = '{"legs": 4}') -> Script:
    """Return how a language model answers that takes one key and has one name."""

    async def script(request: Asked, writer: Any) -> None:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            response = http("401 Unauthorized", b'{"error": {"message": "no"}}')
        elif request.line.startswith("GET"):
            response = http("200 OK", json.dumps({"data": [{"id": MODEL}]}).encode())
        elif request.body["model"] != MODEL:
            response = http("404 Not Found", b'{"error": {"message": "no such model"}}')
        else:
            response = http("200 OK", completion(content, sent=request))
        writer.write(response)
        await writer.drain()

    return script


class SmallWiki(Served):
    """Answers whatever is asked from `answers`, or with a page of HTML."""

    def __init__(self, answers: dict[str, Any] | None = None) -> None:
        super().__init__(port=0)
        self.answers = answers
        self.moved = ""

    @property
    def host(self) -> str:
        """The host with its port."""
        return self.root.removeprefix("http://")

    def routes(self) -> list[web.AbstractRouteDef]:
        """Return what is served."""
        return [web.route("*", "/{path:.*}", self._answer)]

    async def _answer(self, _: web.Request) -> web.Response:
        if self.moved:
            raise web.HTTPMovedPermanently(self.moved)
        if self.answers is None:
            return web.Response(text="<!DOCTYPE html>", content_type="text/html")
        return web.json_response({"query": self.answers})


MakeUser = Callable[..., str]
"""Makes a user with `rights` and `options`; returns the address of the database."""


@contextmanager
def users_of(socket: str, name: str) -> Iterator[MakeUser]:
    """Make users of the MariaDB at a socket, for one of its databases."""
    users: list[str] = []
    with closing(pymysql.connect(user="root", unix_socket=socket)) as server:

        def make(rights: str, options: str = "") -> str:
            user = f"u{len(users)}"
            users.append(user)
            with server.cursor() as cursor:
                cursor.execute(
                    f"CREATE USER {user}@localhost IDENTIFIED BY 'pw-of-{user}' {options}"
                )
                cursor.execute(f"GRANT {rights} ON {name}.* TO {user}@localhost")
            return (
                f"mysql+pymysql://{user}:pw-of-{user}@localhost/{name}"
                f"?unix_socket={socket}"
            )

        yield make
        with server.cursor() as cursor:
            for user in users:
                cursor.execute(f"DROP USER {user}@localhost")


@contextmanager
def blocked(host: str) -> Iterator[None]:
    """Have the bot blocked on a wiki."""
    admin = Person(host, ADMIN).log_in(ADMIN_PASSWORD)
    admin.post("block", user=BOT, reason="It posts nonsense", expiry="never")
    try:
        yield
    finally:
        admin.post("unblock", user=BOT)


GENERAL = {"sitename": "Small", "generator": "MediaWiki 1.43.0"}


def fault(found: list[Examination], name: str) -> Examination:
    """Return what was found wrong, or to be looked at, under a name."""
    wrong = {State.BROKEN, State.WARNING}
    [one] = [each for each in found if name in each.name and each.state in wrong]
    assert one.remedy.endswith((".", "'", "FILE")) or ": " in one.remedy, one
    return one


def _ago(**span: float) -> str:
    return (datetime.now(UTC) - timedelta(**span)).isoformat()
