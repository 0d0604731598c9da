from pathlib import Path

import pytest

from bot.sources.fetch import Fetcher
from bot.sources.http import Failure, Fetched
from bot.sources.settings import CacheLimits, Politeness
from handlers.model import SourceOutcome
from tests.bot.sources.server import Answer, Site, answer, redirect
from tests.bot.sources.tools import FakeNames, rig

FORBID_ALL = "User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    "rules",
    [
        "",
        "User-agent: *\nDisallow:\n",
        "User-agent: *\nDisallow: /private\n",
        "User-agent: *\nDisallow: /\nAllow: /a\n",
        "User-agent: SidenoteTest\nAllow: /\n\nUser-agent: *\nDisallow: /\n",
        "User-agent: OtherBot\nDisallow: /\n",
        "\ufeffUser-agent: *\nDisallow: /*.pdf$\n",
        "<html><body>Not a robots.txt</body></html>",
        "\udcff\udcfe: nothing\n",
        "User-agent: *\n" + "Disallow: /" + "*x" * 4000 + "$\n",
    ],
)
async def test_a_page_that_robots_txt_leaves_open_is_read(
    site: Site, fetcher: Fetcher, rules: str
) -> None:
    site.pages["/robots.txt"] = answer(rules.encode("utf-8", "surrogateescape"))
    site.pages["/a"] = answer("text")

    assert isinstance(await fetcher.fetch(site.url("/a")), Fetched)


@pytest.mark.parametrize(
    "rules",
    [
        FORBID_ALL,
        "User-agent: sidenotetest\nDisallow: /a\n\nUser-agent: *\nAllow: /\n",
        "User-agent: *\nDisallow: /*a$\n",
        "\ufeffUser-agent: *\r\nDisallow: /\r\n",
    ],
)
async def test_a_page_that_robots_txt_forbids_is_not_asked_for(
    site: Site, fetcher: Fetcher, rules: str
) -> None:
    assert "pub.test" in await _refused(site, fetcher, answer(rules))


@pytest.mark.parametrize(
    "robots",
    [
        answer("", "500 x"),
        answer("", "503 x"),
        answer("", "429 x"),
        answer(b"#" * 600_000),
        answer("x", content_encoding="compress"),
        answer("User-agent: a\n" * 2000 + "Disallow: /x\n" * 2000),
    ],
    ids=["500", "503", "429", "too large", "odd encoding", "quadratic to parse"],
)
async def test_a_site_whose_robots_txt_cannot_be_read_is_left_alone(
    site: Site, fetcher: Fetcher, robots: bytes
) -> None:
    detail = await _refused(site, fetcher, robots)

    assert detail.startswith("could not read robots.txt: ")


async def _refused(site: Site, fetcher: Fetcher, robots: bytes) -> str:
    """Return why a page is not asked for."""
    site.pages |= {"/robots.txt": robots, "/a": answer("text")}

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.ROBOTS
    assert site.asked("/a") == []
    return reply.detail


@pytest.mark.parametrize("status", ["401 x", "403 x", "404 x", "410 x"])
async def test_a_site_without_robots_txt_is_open(
    site: Site, fetcher: Fetcher, status: str
) -> None:
    site.pages["/robots.txt"] = answer(FORBID_ALL, status)
    site.pages["/a"] = answer("text")

    assert isinstance(await fetcher.fetch(site.url("/a")), Fetched)


async def test_a_site_that_does_not_answer_is_unreachable_and_not_forbidden(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/robots.txt"] = b""

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.UNREACHABLE
    assert reply.detail.endswith("(asked for robots.txt)")
    assert site.asked("/a") == []


@pytest.mark.parametrize("robots", [answer("", "503 x"), answer("", "429 x"), b""])
async def test_a_robots_txt_that_could_not_be_read_is_not_held_against_a_site_all_day(
    site: Site, names: FakeNames, robots: bytes
) -> None:
    site.pages["/robots.txt"] = robots
    site.pages["/a"] = answer("text")
    polite = Politeness(host_delay_s=0.0, throttle_s=800.0)
    async with rig(site, names, politeness=polite) as web:
        assert isinstance(await web.fetcher.fetch(site.url("/a")), Failure)
        del site.pages["/robots.txt"]
        web.time.now_s += 800
        assert isinstance(await web.fetcher.fetch(site.url("/a")), Failure)
        web.time.now_s += 101
        assert isinstance(await web.fetcher.fetch(site.url("/a")), Fetched)


async def test_rules_are_never_older_than_a_day_however_long_pages_are_kept(
    site: Site, names: FakeNames, tmp_path: Path
) -> None:
    site.pages["/robots.txt"] = answer("")
    site.pages["/a"] = site.pages["/b"] = answer("text")
    weeks = CacheLimits(max_age_s=1e6)
    async with rig(site, names, folder=tmp_path, cache=weeks) as web:
        await web.fetcher.fetch(site.url("/a"))
        site.pages["/robots.txt"] = answer(FORBID_ALL)
        web.time.now_s += 86_400
        found = await web.fetcher.fetch(site.url("/b"))

    assert found.outcome is SourceOutcome.ROBOTS


async def test_robots_txt_is_asked_once_a_run_and_for_each_site_of_a_chain(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = redirect(site.url("/b", "pub2.test"))
    site.pages["/b"] = answer("text")

    await fetcher.fetch(site.url("/a"))
    await fetcher.fetch(site.url("/a?again"))

    hosts = [request.headers["host"] for request in site.asked("/robots.txt")]
    assert hosts == [f"pub.test:{site.port}", f"pub2.test:{site.port}"]


@pytest.mark.parametrize(
    ("moved", "outcome"),
    [
        (answer(FORBID_ALL), SourceOutcome.ROBOTS),
        (answer("User-agent: *\nAllow: /\n"), None),
        (redirect("http://10.0.0.1/robots.txt"), None),
        (redirect("/moved.txt"), None),
    ],
    ids=["forbids", "allows", "leads inside", "circle"],
)
async def test_a_robots_txt_that_moved_is_followed_within_limits(
    site: Site, fetcher: Fetcher, moved: Answer, outcome: SourceOutcome | None
) -> None:
    site.pages["/robots.txt"] = redirect("/moved.txt")
    site.pages["/moved.txt"] = moved
    site.pages["/a"] = answer("text")

    reply = await fetcher.fetch(site.url("/a"))

    assert getattr(reply, "outcome", None) is outcome


@pytest.mark.parametrize(
    ("wished", "waited_s"), [("3", 3.0), ("0.2", 1.0), ("86400", 10.0), ("nan", 1.0)]
)
async def test_a_crawl_delay_is_honoured_up_to_a_maximum(
    site: Site, names: FakeNames, wished: str, waited_s: float
) -> None:
    site.pages["/robots.txt"] = answer(f"User-agent: *\nCrawl-delay: {wished}\n")
    site.pages["/a"] = answer("text")

    async with rig(site, names, politeness=Politeness(host_delay_s=1.0)) as web:
        await web.fetcher.fetch(site.url("/a"))

    assert web.time.slept == [waited_s]


async def test_a_service_for_programs_is_asked_without_robots_txt(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/robots.txt"] = answer(FORBID_ALL)
    site.pages["/api"] = answer("{}")

    reply = await fetcher.fetch_service(site.url("/api"))

    assert isinstance(reply, Fetched)
    assert site.asked("/robots.txt") == []
