from pathlib import Path

import pytest

from bot.sources.http import Failure, Fetched
from bot.sources.settings import CacheLimits
from tests.bot.sources.server import Site, answer, redirect
from tests.bot.sources.tools import FakeNames, rig

ALWAYS_ASK = CacheLimits(max_age_s=0.0)


@pytest.mark.parametrize(
    ("headers", "condition"),
    [
        ({"etag": '"v1"'}, ("if-none-match", '"v1"')),
        (
            {"last_modified": "Mon, 02 Feb 2026 00:00:00 GMT"},
            ("if-modified-since", "Mon, 02 Feb 2026 00:00:00 GMT"),
        ),
    ],
)
async def test_an_unchanged_page_is_not_sent_again(
    site: Site,
    names: FakeNames,
    folder: Path,
    headers: dict[str, str],
    condition: tuple[str, str],
) -> None:
    site.pages["/a"] = redirect("/b")
    site.pages["/b"] = answer("text", content_type="text/plain", **headers)

    async with rig(site, names, folder=folder, cache=ALWAYS_ASK) as web:
        first = await web.fetcher.fetch(site.url("/a"))
        site.pages["/b"] = answer(status="304 Not Modified")
        web.time.now_s += 60
        second = await web.fetcher.fetch(site.url("/a"))

    assert isinstance(first, Fetched)
    assert second.body == b"text"
    assert second.content_type == "text/plain"
    assert (second.fetched_at - first.fetched_at).total_seconds() == 60
    [_, again] = site.asked("/b")
    assert condition in again.headers.items()
    assert "if-none-match" not in site.asked("/a")[1].headers


async def test_a_changed_page_replaces_the_kept_one(
    site: Site, names: FakeNames, folder: Path
) -> None:
    site.pages["/a"] = answer("old", etag='"1"')

    async with rig(site, names, folder=folder, cache=ALWAYS_ASK) as web:
        await web.fetcher.fetch(site.url("/a"))
        site.pages["/a"] = answer("new", etag='"2"')
        second = await web.fetcher.fetch(site.url("/a"))
        await web.fetcher.fetch(site.url("/a"))

    assert second.body == b"new"
    assert site.asked("/a")[2].headers["if-none-match"] == '"2"'


async def test_a_young_page_is_used_without_asking(
    site: Site, names: FakeNames, folder: Path
) -> None:
    site.pages["/a"] = answer("text")

    for _ in range(2):
        async with rig(site, names, folder=folder) as web:
            reply = await web.fetcher.fetch(site.url("/a"))

    assert isinstance(reply, Fetched)
    assert len(site.requests) == 2  # robots.txt and the page


@pytest.mark.parametrize(
    ("page", "times_asked"),
    [
        (answer("", "404 x"), 1),
        (answer("", "503 x"), 1),
        (answer("x", content_length="9"), 2),
    ],
    ids=["gone", "server error", "broken connection"],
)
async def test_a_failure_is_remembered_if_a_server_reported_it(
    site: Site, names: FakeNames, folder: Path, page: bytes, times_asked: int
) -> None:
    site.pages["/a"] = page

    for _ in range(2):
        async with rig(site, names, folder=folder) as web:
            reply = await web.fetcher.fetch(site.url("/a"))

    assert isinstance(reply, Failure)
    assert len(site.asked("/a")) == times_asked


async def test_what_robots_txt_forbids_is_decided_again(
    site: Site, names: FakeNames, folder: Path
) -> None:
    site.pages["/robots.txt"] = answer("User-agent: *\nDisallow: /\n")
    site.pages["/a"] = answer("text")

    async with rig(site, names, folder=folder, cache=ALWAYS_ASK) as web:
        first = await web.fetcher.fetch(site.url("/a"))
    site.pages["/robots.txt"] = answer("User-agent: *\nDisallow: /b\n")
    async with rig(site, names, folder=folder, cache=ALWAYS_ASK) as web:
        second = await web.fetcher.fetch(site.url("/a"))

    assert isinstance(first, Failure)
    assert isinstance(second, Fetched)
