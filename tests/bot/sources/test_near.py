from dataclasses import replace
from datetime import UTC, date, datetime

from bot.sources.reader import ArchivedSources
from handlers.model import Origin, SourceOutcome, SourceText
from tests.bot.sources.server import Site, answer
from tests.bot.sources.test_reading_archives import (
    CAPTURED_AT,
    PLAIN,
    availability,
    availability_path,
    raw_path,
    snapshot_url,
)
from tests.bot.sources.tools import FakeNames, reading

DAY = date(2020, 1, 1)


async def test_the_capture_nearest_to_the_day_is_read_and_not_the_live_page(
    site: Site, names: FakeNames
) -> None:
    site.pages["/a"] = answer("today's text")
    site.pages[availability_path(site, "/a", "20200101")] = availability(
        snapshot_url(site, "/a")
    )
    site.pages[raw_path(site, "/a")] = answer("old text")
    source = replace(PLAIN, url=site.url("/a"), access_date=date(2019, 5, 5))

    async with reading(site, names) as sources:
        found = await ArchivedSources(sources).read_near(source, DAY)

    assert found.source == source
    assert found.document == SourceText("old text")
    assert (found.origin, found.read_at) == (Origin.ARCHIVE, CAPTURED_AT)
    assert not site.asked("/a")


async def test_the_copy_that_the_citation_names_comes_first(
    site: Site, names: FakeNames
) -> None:
    site.pages["/kept"] = answer("kept text")
    own = site.url("/kept", "archive.test")
    names.hosts["archive.test"] = ["127.0.0.1"]
    source = replace(
        PLAIN, url=site.url("/a"), archive_url=own, archive_date=date(2019, 6, 7)
    )

    async with reading(site, names) as sources:
        found = await ArchivedSources(sources).read_near(source, DAY)

    assert found.document == SourceText("kept text")
    assert found.read_at == datetime(2019, 6, 7, tzinfo=UTC)
    assert not [one for one in site.requests if one.path.startswith("/available")]


async def test_without_a_capture_the_outcome_says_so(
    site: Site, names: FakeNames
) -> None:
    site.pages["/a"] = answer("today's text")
    site.pages[availability_path(site, "/a", "20200101")] = availability(None)
    source = replace(PLAIN, url=site.url("/a"))

    async with reading(site, names) as sources:
        found = await ArchivedSources(sources).read_near(source, DAY)

    assert found.outcome is SourceOutcome.GONE
    assert found.document is None
