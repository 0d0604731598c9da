import asyncio
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from handlers.model import (
    Origin,
    Source,
    SourceForm,
    SourceOutcome,
    SourceText,
    UrlStatus,
)
from tests.bot.sources.server import Site, answer, hang, redirect
from tests.bot.sources.tools import START, FakeExtractor, FakeNames, reading

CAPTURE = "20200102030405"
CAPTURED_AT = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
PLAIN = Source(SourceForm.TEMPLATE, "{{cite web}}")


def snapshot_url(site: Site, path: str, form: str = "") -> str:
    return site.url(f"/web/{CAPTURE}{form}/{site.url(path)}", "wayback.test")


def raw_path(site: Site, path: str) -> str:
    return f"/web/{CAPTURE}id_/{site.url(path)}"


def availability_path(site: Site, path: str, timestamp: str = "") -> str:
    quoted = site.url(path).replace(":", "%3A").replace("/", "%2F")
    return f"/available?url={quoted}" + (f"&timestamp={timestamp}" if timestamp else "")


def availability(url: str | None) -> bytes:
    closest = {"status": "200", "available": True, "url": url, "timestamp": CAPTURE}
    return answer(
        json.dumps({"archived_snapshots": {"closest": closest} if url else {}})
    )


async def test_a_live_page_is_read(site: Site, names: FakeNames) -> None:
    site.pages["/a"] = redirect("/b")
    site.pages["/b"] = answer("text", content_type="text/plain")
    source = replace(PLAIN, url=site.url("/a"))

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.source is source
    assert found.outcome is SourceOutcome.READ
    assert found.document == SourceText("text")
    assert (found.origin, found.url) == (Origin.LIVE, site.url("/b"))
    assert (found.read_at, found.http_status) == (START, 200)
    assert len(found.content_sha256 or "") == 64


async def test_the_extractor_gets_the_bytes_and_type_as_served(
    site: Site, names: FakeNames
) -> None:
    site.pages["/a"] = answer(b"caf\xc3\xa9", content_type="text/html; charset=x-lie")
    extractor = FakeExtractor()

    async with reading(site, names, extractor) as sources:
        await sources.read(replace(PLAIN, url=site.url("/a")))

    assert extractor.bodies == [
        (site.url("/a"), "text/html; charset=x-lie", b"caf\xc3\xa9")
    ]


async def test_many_readers_of_one_source_share_one_request(
    site: Site, names: FakeNames
) -> None:
    site.pages["/a"] = answer("text")
    first = replace(PLAIN, url=site.url("/a"))
    second = replace(first, raw="{{cite news}}", access_date=date(2020, 1, 1))
    extractor = FakeExtractor()

    async with reading(site, names, extractor) as sources:
        found = await asyncio.gather(*(sources.read(s) for s in [first, second] * 10))
        again = await sources.read(first)

    assert len(site.asked("/a")) == len(extractor.bodies) == 1
    assert [one.source for one in found[:2]] == [first, second]
    assert again.document == SourceText("text")


async def test_a_reader_that_stops_waiting_takes_nothing_from_the_others(
    site: Site, names: FakeNames
) -> None:
    site.pages["/a"] = answer("text")
    source = replace(PLAIN, url=site.url("/a"))

    async with reading(site, names) as sources:
        impatient = asyncio.create_task(sources.read(source))
        patient = asyncio.create_task(sources.read(source))
        await asyncio.sleep(0)
        impatient.cancel()
        found = await patient

    assert found.outcome is SourceOutcome.READ
    assert len(site.asked("/a")) == 1


async def test_leaving_ends_what_is_still_being_read(
    site: Site, names: FakeNames
) -> None:
    is_asked = asyncio.Event()

    async def hang_and_tell(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        is_asked.set()
        await hang(reader, writer)

    site.pages["/a"] = hang_and_tell

    async with reading(site, names) as sources:
        waiting = asyncio.create_task(sources.read(replace(PLAIN, url=site.url("/a"))))
        await is_asked.wait()

    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize(
    ("page", "outcome"),
    [
        (answer("", "404 x"), SourceOutcome.GONE),
        (answer("", "403 x"), SourceOutcome.REFUSED),
        (answer("", "500 x"), SourceOutcome.UNREACHABLE),
        (answer("a login"), SourceOutcome.LOGIN_WALL),
        (answer("cookies"), SourceOutcome.COOKIE_WALL),
        (answer("a robot?"), SourceOutcome.BOT_CHECK),
        (answer("a shell"), SourceOutcome.EMPTY_SHELL),
        (answer("not found"), SourceOutcome.SOFT_404),
    ],
    ids=lambda value: value.name if isinstance(value, SourceOutcome) else "",
)
async def test_where_the_live_page_fails_the_citations_own_archive_is_read(
    site: Site, names: FakeNames, page: bytes, outcome: SourceOutcome
) -> None:
    site.pages["/a"] = page
    site.pages[raw_path(site, "/a")] = answer("old text")
    source = replace(PLAIN, url=site.url("/a"), archive_url=snapshot_url(site, "/a"))
    extractor = FakeExtractor({site.url("/a"): outcome})

    async with reading(site, names, extractor) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.READ
    assert found.document == SourceText("old text")
    assert (found.origin, found.read_at) == (Origin.ARCHIVE, CAPTURED_AT)
    assert "live page: " in found.detail


async def test_without_an_archive_of_its_own_the_nearest_snapshot_is_asked_for(
    site: Site, names: FakeNames
) -> None:
    asked = availability_path(site, "/a", "20200101")
    site.pages[asked] = availability(snapshot_url(site, "/a"))
    site.pages[raw_path(site, "/a")] = answer("old text")
    source = replace(PLAIN, url=site.url("/a"), access_date=date(2020, 1, 1))

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.READ
    assert (found.origin, found.read_at) == (Origin.ARCHIVE, CAPTURED_AT)
    assert len(site.asked(asked)) == 1


async def test_a_dead_host_is_read_from_the_archive(
    site: Site, names: FakeNames
) -> None:
    source = replace(
        PLAIN,
        url=site.url("/a", "dead.test"),
        archive_url=site.url(f"/web/{CAPTURE}/http://dead.test/a", "wayback.test"),
    )
    site.pages[f"/web/{CAPTURE}id_/http://dead.test/a"] = answer("old text")

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.READ
    assert "dead host" in found.detail


async def test_where_every_place_fails_the_first_outcome_stays_and_all_are_told(
    site: Site, names: FakeNames
) -> None:
    site.pages["/a"] = answer("", "403 x")
    site.pages[raw_path(site, "/a")] = answer("", "503 x")
    site.pages[availability_path(site, "/a")] = availability(None)
    source = replace(PLAIN, url=site.url("/a"), archive_url=snapshot_url(site, "/a"))

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert (found.outcome, found.http_status) == (SourceOutcome.REFUSED, 403)
    assert found.detail == (
        "the server answered 403 (refuses access); "
        "archived copy: the server answered 503 (has an error); "
        "Wayback Machine: it has no snapshot of the page"
    )
    assert (found.origin, found.document, found.read_at) == (None, None, None)


@pytest.mark.parametrize(
    "body", [b"", b"<html>busy</html>", b"[" * 60_000, b"\xff" * 10, b"a" * 100_000]
)
async def test_an_archive_service_that_answers_nonsense_harms_nothing(
    site: Site, names: FakeNames, body: bytes
) -> None:
    site.pages[availability_path(site, "/a")] = answer(body)

    async with reading(site, names) as sources:
        found = await sources.read(replace(PLAIN, url=site.url("/a")))

    assert found.outcome is SourceOutcome.GONE


@pytest.mark.parametrize(
    ("page", "outcome"),
    [
        (answer("x", content_type="image/png"), SourceOutcome.NOT_TEXT),
        (answer("x", content_length="999999999"), SourceOutcome.TOO_LARGE),
        (redirect("http://10.0.0.1/"), SourceOutcome.FORBIDDEN_ADDRESS),
    ],
)
async def test_what_an_archive_cannot_mend_is_not_looked_for_there(
    site: Site, names: FakeNames, page: bytes, outcome: SourceOutcome
) -> None:
    site.pages["/a"] = page
    source = replace(PLAIN, url=site.url("/a"), archive_url=snapshot_url(site, "/a"))

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.outcome is outcome
    assert {request.path for request in site.requests} == {"/robots.txt", "/a"}


@pytest.mark.parametrize(("rules", "archived"), [("200 x", False), ("503 x", True)])
async def test_robots_txt_keeps_us_from_the_archive_only_where_it_forbids(
    site: Site, names: FakeNames, rules: str, archived: bool
) -> None:
    site.pages["/robots.txt"] = answer("User-agent: *\nDisallow: /a\n", rules)
    snapshot = "https://archive.example/a"
    source = replace(PLAIN, url=site.url("/a"), archive_url=snapshot)

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.ROBOTS
    assert ("archived copy" in found.detail) is archived


@pytest.mark.parametrize("status", [s for s in UrlStatus if s is not UrlStatus.LIVE])
async def test_an_address_that_no_longer_serves_the_source_is_not_read_first(
    site: Site, names: FakeNames, status: UrlStatus
) -> None:
    site.pages["/a"] = answer("somebody else's text")
    site.pages[raw_path(site, "/a")] = answer("old text")
    source = replace(
        PLAIN,
        url=site.url("/a"),
        archive_url=snapshot_url(site, "/a"),
        url_status=status,
    )

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.document == SourceText("old text")
    assert site.asked("/a") == []


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (UrlStatus.DEAD, SourceOutcome.READ),
        (UrlStatus.USURPED, SourceOutcome.GONE),
        (UrlStatus.UNFIT, SourceOutcome.GONE),
        (UrlStatus.DEVIATED, SourceOutcome.GONE),
    ],
)
async def test_only_an_address_that_was_merely_dead_is_tried_in_the_end(
    site: Site, names: FakeNames, status: UrlStatus, outcome: SourceOutcome
) -> None:
    site.pages["/a"] = answer("text")
    source = replace(PLAIN, url=site.url("/a"), url_status=status)

    async with reading(site, names) as sources:
        found = await sources.read(source)
    async with reading(site, names, ask_wayback=False) as sources:
        without_archives = await sources.read(source)

    assert found.outcome is outcome
    assert without_archives.outcome is outcome


async def test_a_snapshot_that_leads_out_of_the_archive_is_not_taken_for_old(
    site: Site, names: FakeNames
) -> None:
    site.pages[raw_path(site, "/a")] = redirect(site.url("/now"))
    site.pages["/now"] = answer("new text")
    source = replace(PLAIN, archive_url=snapshot_url(site, "/a"))

    async with reading(site, names, ask_wayback=False) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.UNREACHABLE
    assert "out of the archive" in found.detail


async def test_a_rough_snapshot_is_dated_by_the_capture_it_leads_to(
    site: Site, names: FakeNames
) -> None:
    original = site.url("/a")
    site.pages[f"/web/2020id_/{original}"] = redirect(raw_path(site, "/a"))
    site.pages[raw_path(site, "/a")] = answer("old text")
    rough = site.url(f"/web/2020/{original}", "wayback.test")

    async with reading(site, names) as sources:
        found = await sources.read(replace(PLAIN, url=rough))

    assert (found.origin, found.read_at) == (Origin.ARCHIVE, CAPTURED_AT)


async def test_another_archive_is_read_as_it_is_and_dated_by_the_citation(
    site: Site, names: FakeNames
) -> None:
    site.pages["/x1"] = answer("old text")
    source = replace(
        PLAIN,
        url=site.url("/gone"),
        archive_url=site.url("/x1", "pub2.test"),
        archive_date=date(2019, 8, 7),
    )

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.origin is Origin.ARCHIVE
    assert found.read_at == datetime(2019, 8, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("identifiers", "path"),
    [
        ({"doi": "10.1000/x(1)<2>"}, "/doi/10.1000/x(1)%3C2%3E"),
        ({"doi": "https://doi.org/10.1000/x"}, "/doi/10.1000/x"),
        ({"pmc": "123", "doi": "10.1000/x"}, "/pmc/PMC123/"),
        ({"pmc": "PMC123"}, "/pmc/PMC123/"),
        ({"pmid": "456"}, "/pmid/456"),
        ({"arxiv": "2401.01234v2", "pmid": "456"}, "/abs/2401.01234v2"),
        ({"arxiv": "hep-th/9901001"}, "/abs/hep-th/9901001"),
    ],
)
async def test_an_identifier_leads_to_its_page(
    site: Site, names: FakeNames, identifiers: dict[str, str], path: str
) -> None:
    site.pages[path] = answer("text")

    async with reading(site, names) as sources:
        found = await sources.read(replace(PLAIN, **identifiers))  # type: ignore[arg-type]  # all are text

    assert found.outcome is SourceOutcome.READ
    assert len(site.asked(path)) == 1


@pytest.mark.parametrize(
    "source",
    [
        PLAIN,
        replace(PLAIN, isbn="978-3-16-148410-0"),
        replace(PLAIN, doi="../../admin", pmid="1 or 1", pmc="x", arxiv="//evil.test"),
    ],
    ids=["nothing", "book", "no real identifiers"],
)
async def test_a_source_without_an_address_is_offline(
    site: Site, names: FakeNames, source: Source
) -> None:
    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.OFFLINE
    assert found.detail
    assert site.requests == []


async def test_a_second_run_reads_from_the_folder(
    site: Site, names: FakeNames, folder: Path
) -> None:
    site.pages["/a"] = answer("text")
    source = replace(PLAIN, url=site.url("/a"))

    for _ in range(2):
        async with reading(site, names, cache_folder=folder) as sources:
            found = await sources.read(source)

    assert found.document == SourceText("text")
    assert (found.origin, found.read_at) == (Origin.LIVE, START)
    assert len(site.asked("/a")) == 1
