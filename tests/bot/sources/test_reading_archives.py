import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from bot.sources.copies import availability_url, wanted_date
from handlers.model import (
    Origin,
    Source,
    SourceForm,
    SourceOutcome,
    SourceText,
    UrlStatus,
)
from tests.bot.sources.server import Site, answer, redirect
from tests.bot.sources.tools import FakeExtractor, FakeNames, reading

CAPTURE = "20200102030405"
CAPTURED_AT = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
PLAIN = Source(SourceForm.TEMPLATE, "{{cite web}}")
CITED_LIVE = replace(PLAIN, url_status=UrlStatus.LIVE)


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
    source = replace(
        CITED_LIVE, url=site.url("/a"), archive_url=snapshot_url(site, "/a")
    )
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
    path = availability_path(site, "/a", "20200101")
    site.pages[path] = availability(snapshot_url(site, "/a"))
    site.pages[raw_path(site, "/a")] = answer("old text")
    source = replace(PLAIN, url=site.url("/a"), access_date=date(2020, 1, 1))

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.READ
    assert (found.origin, found.read_at) == (Origin.ARCHIVE, CAPTURED_AT)
    assert len(site.asked(path)) == 1


async def test_a_dead_host_is_read_from_the_archive(
    site: Site, names: FakeNames
) -> None:
    source = replace(
        CITED_LIVE,
        url=site.url("/a", "dead.test"),
        archive_url=site.url(f"/web/{CAPTURE}/http://dead.test/a", "wayback.test"),
    )
    site.pages[f"/web/{CAPTURE}id_/http://dead.test/a"] = answer("old text")

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.READ
    assert "dead host" in found.detail


@pytest.mark.parametrize(
    ("archive_is_there", "outcome"),
    [(True, SourceOutcome.GONE), (False, SourceOutcome.UNREACHABLE)],
)
async def test_a_host_is_called_dead_only_while_the_archive_can_be_reached(
    site: Site, names: FakeNames, archive_is_there: bool, outcome: SourceOutcome
) -> None:
    source = replace(PLAIN, url=site.url("/a", "dead.test"), archive_url=None)
    question = availability_url(
        site.url("/available", "wayback.test"), source.url or "", wanted_date(source)
    )
    site.pages[question.partition(str(site.port))[2]] = answer(
        '{"archived_snapshots": {}}', content_type="application/json"
    )

    async with reading(site, names) as sources:
        if not archive_is_there:
            del names.hosts["wayback.test"]
        found = await sources.read(source)

    assert found.outcome is outcome
    assert found.detail.startswith("dead host")


async def test_where_every_place_fails_the_first_outcome_stays_and_all_are_told(
    site: Site, names: FakeNames
) -> None:
    site.pages["/a"] = answer("", "403 x")
    site.pages[raw_path(site, "/a")] = answer("", "503 x")
    site.pages[availability_path(site, "/a")] = availability(None)
    source = replace(
        CITED_LIVE, url=site.url("/a"), archive_url=snapshot_url(site, "/a")
    )

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
    source = replace(
        CITED_LIVE, url=site.url("/a"), archive_url=snapshot_url(site, "/a")
    )

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
    source = replace(CITED_LIVE, url=site.url("/a"), archive_url=snapshot)

    async with reading(site, names) as sources:
        found = await sources.read(source)

    assert found.outcome is SourceOutcome.ROBOTS
    assert ("archived copy" in found.detail) is archived


@pytest.mark.parametrize(
    "status", [None, *(one for one in UrlStatus if one is not UrlStatus.LIVE)]
)
async def test_an_address_that_no_longer_serves_the_source_is_not_read_first(
    site: Site, names: FakeNames, status: UrlStatus | None
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


async def test_where_the_archived_copy_cannot_be_read_the_live_page_is(
    site: Site, names: FakeNames
) -> None:
    site.pages["/a"] = answer("text")
    source = replace(PLAIN, url=site.url("/a"), archive_url=snapshot_url(site, "/a"))

    async with reading(site, names, ask_wayback=False) as sources:
        found = await sources.read(source)

    assert (found.origin, found.document) == (Origin.LIVE, SourceText("text"))


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
