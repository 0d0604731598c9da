"""The reader on a real MediaWiki, and on servers that fail in every way we know."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from json import dumps

import pytest
from aiohttp import web

from bot.adapters.wiki_page import WikiPage
from bot.adapters.wiki_reader import WikiReader
from handlers.ports import (
    AwayError,
    PermanentError,
    TemporaryError,
    UnansweredError,
)
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.pages import CLOCK, CLOCK_SECOND

_AGENT = "SidenoteTests/0 (loopback only)"
_CLOCK = "Harbour Clock of Eastmere"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


# --- a real wiki ------------------------------------------------------------


@pytest.fixture
def reader(wiki: Wiki) -> WikiReader:
    return WikiReader(wiki.host, user_agent=_AGENT, timeout_s=60)


@pytest.mark.mediawiki
async def test_the_current_revision_comes_with_its_identity(
    reader: WikiReader, wiki: Wiki
) -> None:
    page = await reader.page("harbour_Clock of Eastmere")

    assert page.wikitext == CLOCK.rstrip("\n")
    assert (page.id.wiki, page.id.title) == (wiki.host, _CLOCK)
    assert page.id.revision_id == wiki.revisions[_CLOCK][-1]
    assert page.id.revised_at == datetime(2024, 5, 3, 10, 20, 30, tzinfo=UTC)
    assert page.id.page_id
    assert (page.redirect_to, page.redirected_from, page.notes) == (None, None, ())


@pytest.mark.mediawiki
@pytest.mark.parametrize("title", [_CLOCK, "harbour Clock_of Eastmere ", ""])
async def test_a_pinned_revision_is_read_with_its_own_time(
    reader: WikiReader, wiki: Wiki, title: str
) -> None:
    second = wiki.revisions[_CLOCK][1]

    page = await reader.page(title, second)

    assert page.wikitext == CLOCK_SECOND.rstrip("\n")
    assert page.id.revision_id == second
    assert page.id.revised_at == datetime(2024, 5, 2, 10, 20, 30, tzinfo=UTC)


@pytest.mark.mediawiki
async def test_letters_of_every_script_survive(reader: WikiReader) -> None:
    page = await reader.page("Café Zürich 🕰")

    assert page.wikitext == "A café; “Zürich” — 東京 🕰 <ref>Menü</ref>"


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("title", "target"),
    [
        ("Eastmere Clock", _CLOCK),
        ("Ada Penrose", f"{_CLOCK}#History"),
        ("Old clock", _CLOCK),
    ],
    ids=["redirect", "redirect to a section", "double redirect"],
)
async def test_a_redirect_is_followed_and_told(
    reader: WikiReader, title: str, target: str
) -> None:
    page = await reader.page(title)

    assert page.wikitext == CLOCK.rstrip("\n")
    assert (page.id.title, page.redirected_from, page.redirect_to) == (
        _CLOCK,
        title,
        target,
    )
    assert page.notes == (f"“{title}” redirects to “{target}”; that page was read.",)


@pytest.mark.mediawiki
async def test_a_pinned_redirect_is_read_itself(reader: WikiReader, wiki: Wiki) -> None:
    [revision] = wiki.revisions["Eastmere Clock"]

    page = await reader.page("Eastmere Clock", revision)

    assert page.wikitext == f"#REDIRECT [[{_CLOCK}]]"


@pytest.mark.mediawiki
async def test_a_revision_may_be_named_with_a_redirect_to_its_page(
    reader: WikiReader, wiki: Wiki
) -> None:
    page = await reader.page("Old clock", wiki.revisions[_CLOCK][0])

    assert (page.id.title, page.redirected_from) == (_CLOCK, "Old clock")


@pytest.mark.mediawiki
async def test_a_page_that_is_no_article_is_read_with_a_note(
    reader: WikiReader,
) -> None:
    page = await reader.page("Talk:Eastmere")

    assert page.notes == ("This is not an article but a page of the namespace “Talk”.",)


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("Harbor Clock", f"has no page “Harbor Clock” .*did you mean “{_CLOCK}”"),
        ("Penrose Lame", "did you mean “Penrose Lane”"),
        ("Sunken pier", r"\(or it was deleted\)"),
        ("Qqqqq", "has no page “Qqqqq” .*check its spelling"),
        ("Lost way", "redirects to “A page that nobody wrote”, which does not exist"),
        ("Here and there", "redirects in a circle"),
        ("Own tail", "redirects in a circle"),
        ("MediaWiki:Common.js", "is javascript, not wikitext"),
        ("Special:Version", "is made by the wiki itself"),
        ("Talk:", "cannot be a title"),
        ("../etc", "cannot be a title"),
        ("de:Berlin|x", "cannot be a title"),
        ("a\x1fb", "cannot be a title"),
        ("a\ud800", "cannot be a title"),
        ("{{PAGENAME}}", "cannot be a title"),
        (" _ ", "no title was given"),
        ("#History", "cannot be a title|knows no page"),
        ("é" * 128, "is too long for a title"),
        ("'; DROP TABLE page; --", "has no page"),
        ("Google:Berlin", "leads from .* to another wiki"),
    ],
)
async def test_a_title_that_gives_no_article_is_told_with_the_remedy(
    reader: WikiReader, title: str, message: str
) -> None:
    with pytest.raises(PermanentError, match=message) as caught:
        await reader.page(title)

    assert str(caught.value).isprintable()


@pytest.mark.mediawiki
async def test_a_section_after_the_title_is_no_obstacle(reader: WikiReader) -> None:
    page = await reader.page(f"{_CLOCK}#History")

    assert page.id.title == _CLOCK


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("title", "revision", "message"),
    [
        (_CLOCK, ("Penrose Lane", 0), "to “Penrose Lane”, not to “Harbour Clock"),
        ("Qqqqq", ("Penrose Lane", 0), "belongs to “Penrose Lane”, not to “Qqqqq”"),
        ("Locked room", ("Locked room", 1), "was hidden by"),
        ("Sunken pier", ("Sunken pier", 0), "or its page was deleted"),
    ],
    ids=["another page's", "no such page", "hidden", "deleted"],
)
async def test_a_revision_that_cannot_be_read_is_told_with_the_remedy(
    reader: WikiReader, wiki: Wiki, title: str, revision: tuple[str, int], message: str
) -> None:
    of, number = revision

    with pytest.raises(PermanentError, match=message):
        await reader.page(title, wiki.revisions[of][number])


@pytest.mark.mediawiki
async def test_a_revision_that_never_was_is_told(reader: WikiReader) -> None:
    with pytest.raises(PermanentError, match="has no revision 999999"):
        await reader.page(_CLOCK, 999_999)


@pytest.mark.mediawiki
async def test_pages_can_be_asked_for_at_the_same_time(reader: WikiReader) -> None:
    titles = [_CLOCK, "Penrose Lane", "Eastmere", "Café Zürich 🕰"]

    pages = await asyncio.gather(*map(reader.page, titles))

    assert [page.id.title for page in pages] == titles


# --- a wiki that fails ------------------------------------------------------

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def _serving(handler: _Handler) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        yield f"{host}:{port}"
    finally:
        await runner.cleanup()


@dataclass(frozen=True)
class _Answer:
    """What a server says to every request."""

    body: object = ""  # sent as it is if text or bytes, else as JSON
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        body = self.body if isinstance(self.body, str | bytes) else dumps(self.body)
        body = body.encode() if isinstance(body, str) else body
        return web.Response(body=body, status=self.status, headers=self.headers)


def _error(code: str, **more: object) -> _Answer:
    return _Answer({"error": {"code": code, "info": "Why.", **more}})


async def _read(answer: _Answer) -> WikiPage:
    async def handler(_request: web.Request) -> web.Response:
        return answer.response()

    async with _serving(handler) as host:
        return await WikiReader(host, user_agent=_AGENT, timeout_s=60).page("X")


@pytest.mark.parametrize(
    ("answer", "message", "retry_in_s"),
    [
        (_error("maxlag", lag=7.5), "maxlag", 7.5),
        (_error("readonly"), "readonly: Why", 30),
        (_error("internal_api_error_DBQueryError"), "DBQueryError", 30),
        (_Answer("{}", 200, {"X-Database-Lag": "9"}), "behind with its database", 30),
        (_Answer("", 429, {"Retry-After": "120"}), "fewer requests", 120),
        (_Answer("", 429, {"Retry-After": "9" * 99}), "fewer requests", 3600),
        (_Answer("", 429, {"Retry-After": "Fri, 1 Jan"}), "fewer requests", 30),
        (_Answer("<html>", 503), r"out of order \(503\)", 30),
    ],
)
async def test_a_busy_wiki_is_told_with_the_time_to_wait(
    answer: _Answer, message: str, retry_in_s: float
) -> None:
    with pytest.raises(TemporaryError, match=message) as caught:
        await _read(answer)

    assert caught.value.retry_in_s == retry_in_s
    assert "http://127.0.0.1" in str(caught.value)
    assert "try again later" in str(caught.value)
    # What a wiki does not say of itself may be for this page alone.
    may_be_the_page = "order" in message or "DBQueryError" in message
    assert isinstance(caught.value, AwayError)
    assert isinstance(caught.value, UnansweredError) == may_be_the_page


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<html>Hotel wifi", id="HTML"),
        pytest.param("", id="nothing"),
        pytest.param("[" * 100_000, id="nested JSON"),
        pytest.param("[]", id="a list"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
        pytest.param({"query": {"pages": {"1": {}}}}, id="an old form"),
        pytest.param({"error": "no"}, id="an error without a code"),
        pytest.param(
            '{"query": {"pages": [{"title": "X", "revisions": [{"revid": 1,'
            ' "slots": {"main": {"content": "\\ud800"}}}]}]}}',
            id="half a letter",
        ),
    ],
)
async def test_an_answer_that_is_no_wikis_is_told_with_the_remedy(body: object) -> None:
    with pytest.raises(PermanentError, match="did not answer as a MediaWiki API does"):
        await _read(_Answer(body))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (_Answer({}), "knows no page “X”"),
        (_Answer("", 404), r"there is no API at .*\(404\)"),
        (_Answer("", 204), r"there is no API at .*\(204\)"),
        (_Answer("", 403), r"refused the request \(403\).*`contact`"),
        (
            _Answer("", 301, {"Location": "http://169.254.1.1"}),
            "moved to http://169.254",
        ),
        (_error("readapidenied"), "is a private wiki"),
        (_error("\x1b[2J" + "odd\n" * 999), r"answered \[2Jodd odd"),
    ],
)
async def test_a_server_that_refuses_is_told_with_the_remedy(
    answer: _Answer, message: str
) -> None:
    with pytest.raises(PermanentError, match=message) as caught:
        await _read(answer)

    assert str(caught.value).isprintable()
    assert "127.0.0.1" in str(caught.value)


async def test_words_of_a_hostile_wiki_cannot_reach_the_terminal_unfolded() -> None:
    page = {
        "title": "X\x1b[31m\n\u202e",
        "pageid": 1,
        "revisions": [{"revid": 3, "slots": {"main": {"content": "text"}}}],
    }

    read = await _read(_Answer({"query": {"pages": [page]}}))

    assert read.id.title == "X[31m"


@pytest.mark.parametrize(
    "slots", [{}, {"main": {"textmissing": True}}], ids=["no slot", "no text"]
)
async def test_a_text_that_the_wiki_has_lost_is_told(slots: object) -> None:
    page = {"title": "X", "pageid": 1, "revisions": [{"revid": 3, "slots": slots}]}

    with pytest.raises(PermanentError, match="has lost the text of revision 3 of “X”"):
        await _read(_Answer({"query": {"pages": [page]}}))


async def test_an_answer_of_no_stated_length_that_stops_half_way_is_worth_another_try() -> (
    None
):
    with pytest.raises(TemporaryError, match="broke off"):
        await _read(_Answer('{"query": {"pages": [{"title": "X", "rev'))


async def test_an_answer_without_end_is_cut_off_by_its_size() -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b" " * 1_000_000)
        except ConnectionError:
            return response

    async with _serving(endless) as host:
        with pytest.raises(PermanentError, match="sent more than 33,554,432 bytes"):
            await WikiReader(host, user_agent=_AGENT, timeout_s=120).page("X")


async def test_an_answer_that_drips_is_given_up_and_the_next_is_read() -> None:
    calls = 0

    async def slow_once(request: web.Request) -> web.StreamResponse:
        nonlocal calls
        calls += 1
        if calls > 1:
            return _error("readonly").response()
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b" ")
                await asyncio.sleep(0.1)
        except ConnectionError:
            return response

    async with _serving(slow_once) as host:
        reader = WikiReader(host, user_agent=_AGENT, timeout_s=3)
        began_s = time.monotonic()

        with pytest.raises(TemporaryError, match=r"did not answer within 3 s"):
            await reader.page("X")

        assert time.monotonic() - began_s < 30
        with pytest.raises(TemporaryError, match="readonly"):
            await reader.page("X")


async def test_a_connection_that_breaks_off_is_worth_another_try() -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_length = 1000
        await response.prepare(request)
        await response.write(b"{")
        assert request.transport
        request.transport.close()
        return response

    async with _serving(broken) as host:
        with pytest.raises(UnansweredError, match="broke off"):
            await WikiReader(host, user_agent=_AGENT).page("X")


async def test_a_port_where_nobody_listens_is_told_with_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(
        AwayError,
        match=rf"http://127.0.0.1:{port}/w/api.php cannot be reached \(connection refused\)",
    ) as told:
        await WikiReader(f"127.0.0.1:{port}", user_agent=_AGENT).page("X")

    assert not isinstance(told.value, UnansweredError), "it is no page's fault"


async def test_a_server_that_dies_of_a_question_is_told_from_one_that_is_not_there() -> (
    None
):
    async def die(request: web.Request) -> web.StreamResponse:
        assert request.transport
        request.transport.abort()
        return web.Response()

    async with _serving(die) as host:
        with pytest.raises(UnansweredError, match="broke off"):
            await WikiReader(host, user_agent=_AGENT).page("X")


async def test_a_host_that_does_not_exist_is_told_by_its_name() -> None:
    reader = WikiReader("nowhere.invalid", user_agent=_AGENT, timeout_s=10)

    # Without any name server the same question stays open, hence two failures.
    with pytest.raises((PermanentError, TemporaryError), match=r"nowhere\.invalid"):
        await reader.page("X")


async def test_a_server_without_tls_is_told() -> None:
    async def plain(_request: web.Request) -> web.Response:
        return _error("unused").response()

    async with _serving(plain) as host:
        with pytest.raises(PermanentError, match=r"connection \(TLS\) to 127.0.0.1"):
            await WikiReader(f"https://{host}", user_agent=_AGENT).page("X")


async def test_who_asks_is_said_in_the_user_agent_and_nothing_is_posted() -> None:
    seen: list[tuple[str, str, str]] = []

    async def noting(request: web.Request) -> web.Response:
        query = request.query
        seen.append((request.method, request.headers["User-Agent"], query["maxlag"]))
        return web.json_response(
            {"query": {"pages": [{"title": "X", "missing": True}]}}
        )

    async with _serving(noting) as host:
        with pytest.raises(PermanentError, match="has no page"):
            await WikiReader(host, user_agent=_AGENT).page("X")

    assert set(seen) == {("GET", _AGENT, "5")}
