import asyncio
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.sources.extraction import Extraction, Extractor
from handlers.model import (
    Origin,
    Source,
    SourceForm,
    SourceOutcome,
    SourceText,
)
from tests.bot.sources.server import Site, answer, hang, redirect
from tests.bot.sources.tools import SMALL, START, FakeExtractor, FakeNames, reading

PLAIN = Source(SourceForm.TEMPLATE, "{{cite web}}")


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


async def test_a_site_that_says_we_ask_too_often_is_left_in_peace(
    site: Site, names: FakeNames, tmp_path: Path
) -> None:
    site.pages["/a"] = answer("no", "429 Too Many Requests", retry_after="600")
    site.pages["/b"] = answer("text", content_type="text/plain")

    async with reading(site, names, cache_folder=tmp_path) as sources:
        first = await sources.read(replace(PLAIN, url=site.url("/a")))
        second = await sources.read(replace(PLAIN, url=site.url("/b")))
        elsewhere = await sources.read(replace(PLAIN, url=site.url("/b", "pub2.test")))
    async with reading(site, names, cache_folder=tmp_path) as sources:
        later = await sources.read(replace(PLAIN, url=site.url("/b")))

    assert "asks to wait 600 s" in first.detail
    assert second.outcome is SourceOutcome.REFUSED
    assert "so it was not asked" in second.detail
    assert elsewhere.outcome is SourceOutcome.READ
    assert later.outcome is SourceOutcome.READ


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


async def test_only_so_many_bodies_wait_for_the_extractor(
    site: Site, names: FakeNames
) -> None:
    extractor = SlowExtractor()
    urls = [site.url(f"/{number}") for number in range(6)]
    site.pages = {f"/{number}": answer("text") for number in range(6)}

    limits = replace(SMALL, max_sources=2)
    async with reading(site, names, extractor, limits=limits) as sources:
        found = await asyncio.gather(
            *(sources.read(replace(PLAIN, url=url)) for url in urls)
        )

    assert {one.outcome for one in found} == {SourceOutcome.READ}
    assert extractor.most_at_once <= 2


class SlowExtractor(FakeExtractor):
    def __init__(self) -> None:
        super().__init__()
        self._at_once = 0
        self.most_at_once = 0

    async def extract(
        self, body: bytes, *, content_type: str | None, url: str
    ) -> Extraction:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        await asyncio.sleep(0.05)
        self._at_once -= 1
        return await super().extract(body, content_type=content_type, url=url)


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


async def test_the_real_extractor_reads_a_page_and_tells_a_shell_from_it(
    site: Site, names: FakeNames
) -> None:
    sentence = "The tornado destroyed the church and damaged forty houses in the town. "
    article = (
        f"<html lang=en><title>Storm</title><article><p>{sentence * 12}</p></article>"
    )
    html = {"content_type": "text/html; charset=utf-8"}
    site.pages["/a"] = answer(article, **html)
    note = "You need to enable JavaScript to run this app."
    shell = (
        f"<html><noscript>{note}</noscript><div id=root></div><script src=x></script>"
    )
    site.pages["/b"] = answer(shell, **html)

    async with Extractor() as extractor, reading(site, names, extractor) as sources:
        article_found = await sources.read(replace(PLAIN, url=site.url("/a")))
        shell_found = await sources.read(replace(PLAIN, url=site.url("/b")))

    assert sentence.strip() in article_found.document.text
    assert shell_found.outcome is SourceOutcome.EMPTY_SHELL
