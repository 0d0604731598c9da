"""Where a page sends its readers, and where a lost page leads."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from bot.sources.extraction import Extractor
from handlers.model import Origin, Source, SourceForm, SourceOutcome
from tests.bot.sources.server import Site, answer, redirect
from tests.bot.sources.tools import FakeNames, reading

PLAIN = Source(SourceForm.TEMPLATE, "{{cite web}}")
STORY = "The hall was opened by the mayor of the town, after four years of work. " * 9
NOTICE = "<p>This page has moved. You will be taken there in a moment.</p>"
CAPTURE = "20200102030405"


@pytest_asyncio.fixture
async def extractor() -> AsyncIterator[Extractor]:
    async with Extractor(children=1) as running:
        yield running


def html(head: str, body: str = NOTICE) -> bytes:
    page = f"<html lang=en><head><title>Hall</title>{head}</head><body>{body}</body></html>"
    return answer(page, content_type="text/html; charset=utf-8")


def refresh(content: str) -> bytes:
    return html(f'<meta http-equiv="Refresh" content="{content}">')


def story() -> bytes:
    return html("", f"<article><p>{STORY}</p></article>")


@pytest.mark.parametrize(
    "content",
    ["0; url=/new", "5;URL='/new'", "0;/new", "0, url=/new", " 1 ; Url = new "],
)
async def test_a_page_that_moved_by_meta_refresh_is_read_where_it_is(
    site: Site, names: FakeNames, extractor: Extractor, content: str
) -> None:
    site.pages["/old"], site.pages["/new"] = refresh(content), story()

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/old")))

    assert found.outcome is SourceOutcome.READ
    assert (found.origin, found.url) == (Origin.LIVE, site.url("/new"))


@pytest.mark.parametrize(
    "head",
    [
        '<meta http-equiv="refresh" content="300; url=/new">',
        '<meta http-equiv="refresh" content="5">',
        '<meta http-equiv="refresh" content="5; url=/old">',
        '<noscript><meta http-equiv="refresh" content="0; url=/new"></noscript>',
    ],
)
async def test_a_page_that_only_renews_itself_is_read(
    site: Site, names: FakeNames, extractor: Extractor, head: str
) -> None:
    site.pages["/old"] = html(head, f"<article><p>{STORY}</p></article>")

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/old")))

    assert found.outcome is SourceOutcome.READ
    assert site.asked("/new") == []


async def test_a_meta_refresh_passes_the_address_wall(
    site: Site, names: FakeNames, extractor: Extractor
) -> None:
    site.pages["/old"] = refresh("0; url=http://169.254.169.254/latest")

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/old")))

    assert found.outcome is SourceOutcome.FORBIDDEN_ADDRESS


async def test_a_circle_of_meta_refreshes_ends(
    site: Site, names: FakeNames, extractor: Extractor
) -> None:
    site.pages["/a"], site.pages["/b"] = refresh("0; url=/b"), refresh("0; url=/a")

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/a")))

    assert found.document is None
    assert len(site.asked("/a")) == 1


async def test_an_archived_notice_leads_to_what_was_archived(
    site: Site, names: FakeNames, extractor: Extractor
) -> None:
    site.pages[f"/web/{CAPTURE}id_/{site.url('/old')}"] = refresh("0; url=/new")
    site.pages[f"/web/{CAPTURE}id_/{site.url('/new')}"] = story()
    archived = site.url(f"/web/{CAPTURE}/{site.url('/old')}", "wayback.test")

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, archive_url=archived))

    assert (found.outcome, found.origin) == (SourceOutcome.READ, Origin.ARCHIVE)


@pytest.mark.parametrize(
    "front",
    [
        "/",
        "/index.html",
        "/en/",
        "/en-gb/index.php",
        "/?utm_source=a",
        "/home",
        "/?error=404",
        "/?page=not-found",
    ],
)
@pytest.mark.parametrize("how", ["redirect", "refresh"])
async def test_a_lost_page_is_not_judged_by_the_front_page(
    site: Site, names: FakeNames, extractor: Extractor, front: str, how: str
) -> None:
    leads = redirect(front) if how == "redirect" else refresh(f"0; url={front}")
    site.pages["/2019/story-812"], site.pages[front] = leads, story()

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/2019/story-812")))

    assert found.outcome is SourceOutcome.SOFT_404
    assert found.document is None
    assert found.visit is not None
    assert found.visit.seen.value == "front page"


async def test_nor_by_that_of_its_section(
    site: Site, names: FakeNames, extractor: Extractor
) -> None:
    site.pages["/news/2019/story-812"] = redirect("/news/")
    site.pages["/news/"] = story()

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/news/2019/story-812")))

    assert found.outcome is SourceOutcome.SOFT_404


async def test_nor_by_the_front_page_of_another_site(
    site: Site, names: FakeNames, extractor: Extractor
) -> None:
    site.pages["/2019/story-812"] = redirect(site.url("/", "pub2.test"))
    site.pages["/"] = story()

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/2019/story-812")))

    assert found.outcome is SourceOutcome.SOFT_404


@pytest.mark.parametrize("query", ["q=terrorism", "p=14042"])
async def test_a_page_that_a_query_names_is_no_front_page(
    site: Site, names: FakeNames, extractor: Extractor, query: str
) -> None:
    site.pages["/2019/story-812"] = redirect(f"/?{query}")
    site.pages[f"/?{query}"] = story()

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/2019/story-812")))

    assert found.outcome is SourceOutcome.READ


@pytest.mark.parametrize(
    ("cited", "found_at"),
    [
        ("/story-812", "/2026/story-812"),
        ("/", "/en/"),
        ("/story-812", "/?p=812"),
        ("/story-812/amp", "/story-812"),
        ("/news/index.html", "/news/"),
    ],
)
async def test_a_page_that_moved_is_read(
    site: Site, names: FakeNames, extractor: Extractor, cited: str, found_at: str
) -> None:
    site.pages[cited], site.pages[found_at] = redirect(found_at), story()

    async with reading(site, names, extractor) as sources:
        found = await sources.read(replace(PLAIN, url=site.url(cited)))

    assert found.outcome is SourceOutcome.READ
