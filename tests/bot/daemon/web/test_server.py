"""The status server, asked for real on loopback."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette import routing
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from yarl import URL

from bot.app.wiring.serving import open_server
from bot.daemon.status.situation import Situation
from bot.daemon.web.guard import Guard, Mount
from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from bot.records.posts import Append, Post
from bot.settings import Settings
from bot.store import open_store
from bot.writing.dry_run import LocalPages
from handlers.ports import PermanentError, TemporaryError
from tests.bot.daemon.status.filled import fill
from tests.bot.daemon.status.situations import SOUND, situation
from tests.bot.store.runs import NOON, WIKI, hour
from tests.rig.databases import ready_sqlite

NO_HOSTS = (
    "127.0.0.1:80@evil.example",
    "localhost:80@evil.example",
    "evil.example@127.0.0.1",
    "localhost:evil",
    "localhost:80:80",
    "localhost/evil.example",
    "localhost, evil.example",
    "localhost:123456",
    "[::1]evil.example",
    "[::1]:80@evil.example",
    "[localhost]",
    "[::1",
    "",
)
_SECRET = "the account's own secret, long enough"  # noqa: S105 - not one


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A data folder in which a daemon has worked, with a dry run and a report."""
    folder = tmp_path_factory.mktemp("data")
    values = Settings.model_validate(
        {
            "data_dir": folder,
            "serve_port": 0,
            "bot_account": "ExampleBot",
            "bot_secret": _SECRET,
            "bot_password": _SECRET,
            "bot_watchlist_token": _SECRET,
            "database": ready_sqlite(folder / "s.sqlite"),
        }
    )
    with open_store(values.database_url) as store:
        fill(store)
    _leave(folder / "dry-run", "User:A/B\u202e <b>", "'''<script>alert(1)</script>'''")
    reports = folder / "reports" / WIKI
    reports.mkdir(parents=True)
    (reports / "Light%20house.whole.html").write_text("<h1>Report</h1>", "utf-8")
    (folder / "reports" / "secret.html").write_text("not of a wiki", "utf-8")
    (reports / "leads.html").symlink_to(folder / "s.sqlite")
    (folder / "reports" / "up").symlink_to(folder, target_is_directory=True)
    (folder / "outside.html").write_text("root: of another folder", "utf-8")
    (reports / ".hidden.html").write_text("unfinished", "utf-8")
    return values


def _leave(folder: Path, title: str, text: str) -> None:
    pages = LocalPages(folder, now=lambda: NOON)
    for number in (1, 2):
        summary = f"Summary {number} <i>"
        post = Post("0" * 64, WIKI, title, "report", Append(text), summary, NOON)
        pages.show(post, text, "the page excludes bots" if number == 2 else "")


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class SearchClient:
    """Asks one server."""

    session: aiohttp.ClientSession
    address: str

    async def __call__(self, path: str, method: str = "GET", **more: object) -> Answer:
        address = URL(self.address + path, encoded=True)
        async with self.session.request(method, address, **more) as answer:  # type: ignore[arg-type]
            text = await answer.text()
            return Answer(answer.status, text, answer.headers)


@asynccontextmanager
async def _asking(address: str) -> AsyncIterator[SearchClient]:
    async with aiohttp.ClientSession() as session:
        yield SearchClient(session, address)


@pytest.fixture
async def ask(settings: Settings) -> AsyncIterator[SearchClient]:
    with open_store(settings.database_url) as store:
        async with open_server(settings, store) as address, _asking(address) as asker:
            yield asker


@pytest.mark.parametrize(
    ("path", "kind", "holds"),
    [
        ("/", "text/html", "1 report of articles"),
        ("/status", "text/html", "Why is nothing posted?"),
        ("/status.json", "application/json", '"schema_version": 1'),
        ("/metrics", "text/plain", "# HELP sidenote_queue_pages "),
        ("/style.css", "text/css", "--paper"),
        ("/refresh.js", "text/javascript", "use strict"),
        ("/reports/", "text/html", "Light house"),
        ("/dry-run/", "text/html", "User:A/B"),
        (f"/reports/{WIKI}/Light%2520house.whole.html", "text/html", "<h1>Report"),
    ],
)
async def test_each_address_is_answered_and_walled_in(
    ask: SearchClient, path: str, kind: str, holds: str
) -> None:
    answer = await ask(path)

    assert answer.status == HTTPStatus.OK
    assert holds in answer.text
    assert answer.headers["Content-Type"].startswith(kind)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Server"] == "Sidenote"
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy or path.startswith("/reports/e")
    head = await ask(path, "HEAD")
    assert (head.status, head.text) == (HTTPStatus.OK, "")


async def test_no_secret_is_reported_anywhere(ask: SearchClient) -> None:
    for path in ("/", "/status", "/status.json", "/metrics"):
        assert _SECRET not in (await ask(path)).text
    assert "set, not shown" in (await ask("/status")).text


async def test_a_page_of_a_dry_run_is_shown_as_text_with_its_history(
    ask: SearchClient,
) -> None:
    listing = (await ask("/dry-run/")).text
    start = listing.index('href="/dry-run/e') + len('href="')
    answer = await ask(listing[start : listing.index('"', start)])

    assert answer.status == HTTPStatus.OK
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    assert "<script" not in answer.text
    assert "<b>" not in answer.text
    assert "Summary 2 &lt;i&gt;; held back: the page excludes bots" in answer.text
    assert answer.text.index("Summary 2") < answer.text.index("Summary 1")


@pytest.mark.parametrize(
    "path",
    [
        f"/reports/{WIKI}/../../s.sqlite",
        f"/reports/{WIKI}/..%2f..%2fs.sqlite",
        f"/reports/{WIKI}/%2e%2e%2f%2e%2e%2fs.sqlite",
        f"/reports/{WIKI}/..%5c..%5cs.sqlite",
        f"/reports/{WIKI}/%252e%252e%252fs.sqlite",
        f"/reports/{WIKI}/leads.html",
        f"/reports/{WIKI}/.hidden.html",
        f"/reports/{WIKI}/Light%2520house.whole.html%00",
        f"/reports/{WIKI}/Light%2520house.whole.html/",
        f"/reports/{WIKI}/%ff%fe.html",
        f"/reports/{WIKI}/" + "a" * 4000,
        "/reports/../s.sqlite",
        "/reports/..%2f/s.sqlite",
        "/reports/../reports/../../etc/passwd",
        "/reports/up/s.sqlite",
        "/reports/up/outside.html",
        "/reports/./secret.html",
        "/reports//secret.html",
        "/reports/%2e/secret.html",
        "/reports/secret.html",
        "/reports/%2fetc/passwd",
        "/dry-run/%2e%2e/s.sqlite",
        "/dry-run/..;/s.sqlite",
        f"/dry-run/{WIKI}/C:%5cx.wikitext",
        f"/dry-run/{WIKI}/..%c0%af..%c0%afs.sqlite",
        "//etc/passwd",
        "/status/..%2f",
        "/<script>alert(1)</script>",
    ],
)
async def test_nothing_outside_the_folders_is_given(
    ask: SearchClient, path: str
) -> None:
    answer = await ask(path)

    assert answer.status in {HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST}
    assert "SQLite format" not in answer.text
    assert "root:" not in answer.text
    assert "<script>" not in answer.text


async def test_it_is_only_for_reading(ask: SearchClient) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        answer = await ask("/status", method)
        assert answer.status == HTTPStatus.METHOD_NOT_ALLOWED
        assert "GET" in answer.headers["Allow"]
        assert answer.headers["Content-Security-Policy"].startswith(
            "default-src 'none'"
        )


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:80", HTTPStatus.OK),
        ("127.0.0.1", HTTPStatus.OK),
        ("[::1]:1", HTTPStatus.OK),
        ("rebound.example.org", HTTPStatus.MISDIRECTED_REQUEST),
        ("localhost.example.org", HTTPStatus.MISDIRECTED_REQUEST),
        *((host, HTTPStatus.MISDIRECTED_REQUEST) for host in NO_HOSTS),
    ],
)
async def test_a_page_of_another_site_cannot_ask_under_its_own_name(
    ask: SearchClient, host: str, status: HTTPStatus
) -> None:
    assert (await ask("/status", headers={"Host": host})).status == status


async def test_a_server_that_goes_by_any_name_takes_none_that_is_no_host(
    tmp_path: Path,
) -> None:
    async def found(_: Request) -> Response:
        return Response()

    guarded = Guard(Router([Route("/", found)]), "192.0.2.1")
    mount = Mount([routing.Mount("/", app=guarded)])
    folder = Folder(tmp_path, ".html")
    pages = Pages(Snapshots(situation, lambda: 0.0), folder, folder, lambda: NOON)
    async with (
        listening(pages, "127.0.0.1", 0, mounts=[mount]) as address,
        _asking(address) as ask,
    ):
        assert (await ask("/", headers={"Host": "any.example:80"})).status == 200
        for host in NO_HOSTS:
            answer = await ask("/", headers={"Host": host})
            assert answer.status == HTTPStatus.MISDIRECTED_REQUEST, host


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01 my-token\r\n\r\n",
        b"GET /my-token HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nA: my-token\0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: my-token\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nmy-token\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: my-token\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nExpect: my-token\r\n\r\n",
        b"GET /" + b"my-token" * 9_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT my-token HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /status HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        b"\r\nmy-token\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\n\r\n\x16my-token\r\n\r\n",
    ],
    ids=[
        "no HTTP", "version", "zero", "two hosts", "no header", "length", "expect",
        "long", "connect", "chunk", "upgrade",
    ],
)  # fmt: skip
async def test_whoever_sends_what_cannot_be_read_learns_nothing_of_it(
    tmp_path: Path, sent: bytes
) -> None:
    async with _served(tmp_path, situation()) as ask:
        port = URL(ask.address).port
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        reply = await reader.readuntil(b"\r\n\r\n")
        with suppress(TimeoutError):  # where the connection stays open
            reply += await asyncio.wait_for(reader.read(), 0.5)
        writer.close()

    for head in reply.split(b"HTTP/1.1 ")[1:]:
        assert b"server: sidenote\r\n" in head.lower()
        assert b"x-content-type-options: nosniff\r\n" in head.lower()
    # An expectation that is not known may be passed over.
    assert reply.startswith(b"HTTP/1.1 4") or b"Expect" in sent
    for word in (b"uvicorn", b"Python", b"my-token"):
        assert word not in reply


async def test_a_proxy_may_ask_under_a_name_that_is_set(settings: Settings) -> None:
    named = settings.model_copy(update={"serve_names": ("sidenote.example.org",)})
    with open_store(named.database_url) as store:
        async with open_server(named, store) as address, _asking(address) as ask:
            answer = await ask("/", headers={"Host": "Sidenote.example.org"})
            other = await ask("/", headers={"Host": "other.example.org"})

    assert answer.status == HTTPStatus.OK
    assert other.status == HTTPStatus.MISDIRECTED_REQUEST


async def test_a_port_that_is_taken_is_reported_with_the_remedy(
    settings: Settings,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        busy = settings.model_copy(update={"serve_port": port})
        with (
            open_store(busy.database_url) as store,
            pytest.raises(PermanentError) as caught,
        ):
            async with open_server(busy, store):
                pass

    assert f"port {port} of 127.0.0.1 is used" in str(caught.value)
    assert "serve_port" in str(caught.value)


# --- a server of its own ------------------------------------------------------


@asynccontextmanager
async def _served(
    tmp_path: Path, *situations: Situation | Exception
) -> AsyncIterator[SearchClient]:
    """Serve one look after the other; the last stays."""
    left: Iterator[Situation | Exception] = iter(situations)
    kept = {"last": situations[0]}

    def read_situation() -> Situation:
        kept["last"] = next(left, kept["last"])
        if isinstance(kept["last"], Exception):
            raise kept["last"]
        return kept["last"]

    folder = Folder(tmp_path, ".html")
    pages = Pages(
        Snapshots(read_situation, lambda: 0.0, fresh_s=-1),
        folder,
        folder,
        lambda: datetime.now(UTC),
    )
    async with listening(pages, "127.0.0.1", 0) as address, _asking(address) as asker:
        yield asker


async def test_health_is_lost_with_the_lag_and_with_the_database(
    tmp_path: Path,
) -> None:
    late = replace(SOUND.feeds[0], newest_at=hour(-2))
    away = TemporaryError("the database is locked by another program", retry_in_s=5)
    situations = (situation(), situation(feeds=(late,)), away, situation())
    async with _served(tmp_path, *situations) as ask:
        answers = [await ask("/healthz") for _ in situations]
        assert (await ask("/status")).status == HTTPStatus.OK

    assert [one.status for one in answers] == [200, 503, 503, 200]
    assert "behind; the limit is" in answers[1].text
    assert "locked by another program" in answers[2].text


async def test_a_database_that_is_away_is_reported_in_one_line(tmp_path: Path) -> None:
    async with _served(tmp_path, PermanentError("the disk is full")) as ask:
        for path in ("/status", "/status.json", "/metrics"):
            answer = await ask(path)
            assert answer.status == HTTPStatus.SERVICE_UNAVAILABLE
            assert "the disk is full." in answer.text


async def test_a_fault_of_ours_shows_nothing_of_itself(tmp_path: Path) -> None:
    async with _served(tmp_path, ValueError("inner <workings>")) as ask:
        answer = await ask("/status")

    assert answer.status == HTTPStatus.INTERNAL_SERVER_ERROR
    assert "inner" not in answer.text
    assert "error in Sidenote" in answer.text


async def test_a_crowd_costs_the_database_one_query() -> None:
    reads = []

    def read_situation() -> Situation:
        reads.append(1)
        return situation()

    clock = [0.0]
    crowd = Snapshots(read_situation, lambda: clock[0], fresh_s=2)

    await asyncio.gather(*(crowd.take() for _ in range(50)))
    assert len(reads) == 1
    clock[0] = 2.1
    await crowd.take()
    assert len(reads) == 2


async def test_the_metrics_of_the_server_can_be_scraped(ask: SearchClient) -> None:
    families = list(text_string_to_metric_families((await ask("/metrics")).text))

    names = {family.name for family in families}
    assert {
        "sidenote_build_info",
        "sidenote_posts",
        "sidenote_feed_lag_seconds",
    } < names
    assert len(names) == len(families)


async def test_a_request_line_without_end_is_cut_off(ask: SearchClient) -> None:
    host, port = ask.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /" + b"a" * 20_000)
    await writer.drain()

    reply = await reader.read(100)
    writer.close()

    assert reply.startswith((b"HTTP/1.0 400", b"HTTP/1.1 400"))
