"""The local pages without a browser: who is answered, with what, and how it is escaped."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from time import monotonic

import aiohttp
import pytest
from yarl import URL

from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from bot.records.accounts import ReaderSession, SignIn
from bot.records.watches import ActiveWatch, WatcherKind
from bot.store import StoredCheck
from bot.wiki.pages import NoSuchPageError, WikiPage
from gadget.local_page import WatchedArticles, local_pages, signed_in_here
from gadget.local_page.pages import languages, shown
from handlers.model import PageId
from handlers.ports import PermanentError
from tests.bot.daemon.status.situations import situation

WIKI = "en.wikipedia.org"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script>\"'&amp;/x"
_TEXT = """\
The {{x}} <img src=x onerror=alert(1)> stands.<ref>{{cite web|url=javascript:alert(1)|title=<b>T</b>}}</ref>

== <script>alert(2)</script> "head" ==
* item &lt;script&gt; <ref>{{cite web|url=https://a.example/"onmouseover="x|title=Y}}</ref>
"""


@dataclass(frozen=True)
class Watches:
    pages: tuple[str, ...]

    def all(self) -> tuple[ActiveWatch, ...]:
        return (
            ActiveWatch(WIKI, "User:A/Sidenote", WatcherKind.USER, "A", self.pages),
        )


@dataclass(frozen=True)
class Checks:
    watches: Watches
    checked: frozenset[str] = field(default=frozenset())

    def last_check(self, wiki: str, title: str) -> StoredCheck | None:
        return object() if wiki == WIKI and title in self.checked else None  # type: ignore[return-value]  # only whether


class Counts:
    async def counts(self, wiki: str, titles: Sequence[str]) -> dict[str, int]:
        return {title: 2 for title in titles if wiki == WIKI}


class Wiki:
    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        if title == "Gone":
            raise NoSuchPageError("there is none")
        assert revision_id is None
        return WikiPage(PageId(WIKI, title), _TEXT, notes=("A <i>note</i>.",))


@asynccontextmanager
async def _served(token: str | None = None) -> AsyncIterator[str]:
    checks = Checks(Watches((HOSTILE, "Gone", "New")), frozenset({HOSTILE}))
    articles = WatchedArticles(checks, Counts(), lambda _: Wiki())
    mounts = local_pages(articles, host="127.0.0.1", token=token)
    folder = Folder(Path("/nowhere"), ".html")
    pages = Pages(Snapshots(situation, monotonic), folder, folder, lambda: NOON)
    async with listening(pages, "127.0.0.1", 0, mounts=mounts) as address:
        yield address


async def _ask(
    address: str, headers: Mapping[str, str] | None = None
) -> tuple[int, str, Mapping[str, str]]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(URL(address, encoded=True), headers=headers) as answer,
    ):
        return answer.status, await answer.text(), answer.headers


def _article(title: str) -> str:
    return f"/panel/{WIKI}/{URL.build(path=title).raw_path.replace('/', '%2F')}"


async def test_nothing_of_an_article_or_its_title_becomes_markup() -> None:
    async with _served("the-token") as address:
        _, listed, _ = await _ask(f"{address}/panel/")
        href = re.findall(r'href="(/panel/en[^"]+)"', listed)
        status, text, headers = await _ask(address + href[0])

    assert status == 200
    for page in (listed, text):
        assert "<script>alert" not in page
        assert "<img" not in page
    assert "javascript:" not in text
    assert 'onmouseover="' not in text
    assert text.count("<script") == 2  # our own
    assert "A &lt;i&gt;note" in text
    assert (
        "default-src 'none'; style-src 'self'; script-src 'self'"
        in (headers["Content-Security-Policy"])
    )


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/panel/", {}, 200),
        ("/queue", {}, 200),
        ("/panel/", {"Host": "evil.example"}, 421),
        (_article("Gone"), {}, 404),
        (_article("Never watched"), {}, 404),
        (f"/panel/de.wikipedia.org/{HOSTILE}", {}, 404),
        ("/panel/nothing", {}, 404),
    ],
)
async def test_only_what_is_watched_is_shown_and_only_under_our_name(
    path: str, headers: dict[str, str], status: int
) -> None:
    async with _served() as address:
        answered, text, got = await _ask(address + path, headers)

    assert answered == status
    assert got["Cache-Control"] == "no-store"
    assert "<script>alert" not in text


async def test_the_token_is_handed_out_only_where_there_is_one() -> None:
    async with _served("the-token") as address:
        _, local, _ = await _ask(f"{address}/queue")
        _, listed, _ = await _ask(f"{address}/panel/")
    async with _served() as address:
        _, public, _ = await _ask(f"{address}/queue")

    assert "the-token" in local
    assert "the-token" not in listed
    assert "sidenoteToken" not in public


async def test_articles_that_are_still_being_checked_say_so() -> None:
    async with _served() as address:
        _, text, _ = await _ask(f"{address}/panel/")

    assert text.count("Being checked") == 2
    assert "Notes: 2" in text
    assert "still being checked" in text


class Sessions:
    def __init__(self) -> None:
        self.opened: list[tuple[str, ReaderSession]] = []
        self.begun: list[SignIn] = []

    def begin(self, sign_in: SignIn) -> None:
        self.begun.append(sign_in)

    def open(self, state: str, token_sha256: str, session: ReaderSession) -> bool:
        assert state == self.begun[-1].state
        self.opened.append((token_sha256, session))
        return True


def test_nobody_is_signed_in_unasked_where_others_can_reach_us() -> None:
    sessions = Sessions()

    with pytest.raises(PermanentError, match="serve_host"):
        signed_in_here(sessions, WIKI, "Reader", NOON, host="0.0.0.0")  # noqa: S104
    token = signed_in_here(sessions, WIKI, "Reader", NOON, host="127.0.0.1")

    ((hashed, session),) = sessions.opened
    assert session.user == "Reader"
    assert len(token) > 40
    assert token not in hashed


@pytest.mark.parametrize(
    ("query", "accepted", "expected"),
    [
        ({}, "", ("en", "ltr")),
        ({}, "fr-CA,fr;q=0.9,en;q=0.8", ("fr", "ltr")),
        ({}, "en;q=0.1, ar-EG;q=0.9", ("ar", "rtl")),
        ({}, "xx, ;;;q=9, de;q=0", ("en", "ltr")),
        ({"lang": "de", "dir": "rtl"}, "fr", ("de", "rtl")),
        ({"lang": "<x>", "dir": "<y>"}, "es", ("es", "ltr")),
        ({"lang": "qqq"}, "", ("en", "ltr")),
    ],
)
def test_the_language_is_the_readers(
    query: dict[str, str], accepted: str, expected: tuple[str, str]
) -> None:
    how = shown(query, accepted)

    assert (how.language, how.direction) == expected


def test_each_page_has_its_words_in_every_language() -> None:
    for language in languages():
        how = shown({"lang": language}, "")
        assert "$" not in how.say("local-notes", 3)
        assert (how.say("local-pages") != "Checked articles") == (language != "en")


def test_each_token_and_class_of_codex_that_the_script_uses_is_here() -> None:
    codex = (files("gadget.local_page") / "codex.css").read_text("utf-8")
    used = "".join(
        one.read_text("utf-8")
        for folder in ("script", "local_page")
        for one in Path(str(files("gadget"))).joinpath(folder).rglob("*")
        if one.suffix in {".js", ".css"} and one.name != "codex.css"
    )
    tokens = set(re.findall(r"var\(\s*(--[a-z-]+)\s*\)", used))
    defined = set(re.findall(r"(--[a-z-]+):", codex)) | set(
        re.findall(r"(--[a-z-]+):", used)
    )
    classes = set(re.findall(r"\bcdx-[a-z_-]+[a-z]", used))
    known = set(re.findall(r"\.(cdx-[a-z_-]+)", codex))

    assert sorted(tokens - defined) == []
    assert sorted(classes - known) == []
