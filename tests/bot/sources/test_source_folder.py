"""A folder of sources: what stands there, and what somebody supplied, is read."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from bot.daemon.supplied import SuppliedSources, cited_as
from bot.sources.extraction import Extraction, Extractor
from bot.sources.folder import SourceFolder
from handlers.model import (
    Origin,
    PageId,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    UrlStatus,
)
from handlers.page import parse
from handlers.ports import PermanentError
from handlers.sources.addresses import normal_key
from tests.bot.sources.extraction.pdf_files import pdf

FLOOD = "The flood of May 1958 reached the second step of the town hall."
URL = "https://courier.example/flood"
DEMO = Path(__file__).parents[3] / "bot" / "demo" / "sources"


@pytest_asyncio.fixture
async def extractor() -> AsyncIterator[Extractor]:
    async with Extractor(children=1) as running:
        yield running


class CountingExtractor:
    """Takes every body for UTF-8 text, and counts them."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    async def extract(
        self, body: bytes, *, content_type: str | None, url: str
    ) -> Extraction:
        assert content_type is None or "/" in content_type
        assert url
        self.bodies.append(body)
        await asyncio.sleep(0)
        return Extraction(SourceOutcome.READ, "read", SourceText(body.decode()))


def cited(url: str | None = None, **fields: str) -> Source:
    return Source(SourceForm.TEMPLATE, "{{cite web}}", url=url, **fields)  # type: ignore[arg-type] # text fields only


def write_index(folder: Path, *entries: object) -> None:
    (folder / "index.json").write_text(json.dumps(entries), encoding="utf-8")


def entry(**changes: object) -> dict[str, object]:
    return {"url": URL, "file": "flood.txt", "captured": "2024-05-31", **changes}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "flood.txt").write_text(FLOOD, encoding="utf-8")
    write_index(tmp_path, entry())
    return tmp_path


async def test_a_page_is_read_from_disk_with_its_date(
    folder: Path, extractor: Extractor
) -> None:
    source = cited(URL)

    fetch = await SourceFolder(folder, extractor).read(source)

    assert fetch.source == source
    assert fetch.outcome is SourceOutcome.READ
    assert fetch.document.text == FLOOD
    assert fetch.origin is Origin.DISK
    assert fetch.url == URL
    assert fetch.read_at == datetime(2024, 5, 31, tzinfo=UTC)
    assert fetch.content_sha256 is not None
    assert len(fetch.content_sha256) == 64


async def test_web_pages_and_pdfs_are_read(
    tmp_path: Path, extractor: Extractor
) -> None:
    html = f"<html><head><title>Flood</title></head><body><p>{FLOOD}</p></body></html>"
    (tmp_path / "a.html").write_text(html, encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(pdf([[FLOOD]]))
    write_index(
        tmp_path,
        entry(url="https://a.example", file="a.html"),
        entry(url="https://b.example", file="b.pdf", title="Report"),
    )

    sources = SourceFolder(tmp_path, extractor)
    page = (await sources.read(cited("https://a.example"))).document
    report = (await sources.read(cited("https://b.example"))).document

    assert (page.title, page.text) == ("Flood", FLOOD)
    assert (report.title, report.text, report.page_starts) == ("Report", FLOOD, (0,))


@pytest.mark.parametrize(
    "url",
    [
        "http://courier.example/flood",
        "https://www.courier.example/flood/",
        "HTTPS://Courier.Example:443/flood#top",
        "https://courier.example/flood?utm_source=feed&fbclid=x",
        "https://courier.example/%66lood",
        "https://web.archive.org/web/20200102030405/https://courier.example/flood",
        "https://web.archive.org/web/20200102030405id_/http://www.courier.example/flood",
        "http://archive.today/2020.01.02-030405/https://courier.example/flood",
    ],
)
async def test_other_spellings_of_an_address_are_the_same_page(
    folder: Path, url: str
) -> None:
    fetch = await SourceFolder(folder, CountingExtractor()).read(cited(url))

    assert fetch.outcome is SourceOutcome.READ


@pytest.mark.parametrize(
    "url",
    [
        "https://courier.example/flood?page=2",
        "https://courier.example/Flood",
        "https://courier.example:8080/flood",
        "https://m.courier.example/flood",
        "https://courier.example/",
        "https://[broken/flood",
    ],
)
async def test_another_address_is_not_in_the_folder(folder: Path, url: str) -> None:
    fetch = await SourceFolder(folder, CountingExtractor()).read(cited(url))

    assert fetch.outcome is SourceOutcome.NOT_IN_FOLDER
    assert url in fetch.detail
    assert fetch.document is None


async def test_a_page_is_found_by_its_archived_address(folder: Path) -> None:
    source = cited(
        "https://moved.example/x",
        archive_url=f"https://web.archive.org/web/20190101000000/{URL}",
    )

    fetch = await SourceFolder(folder, CountingExtractor()).read(source)

    assert fetch.outcome is SourceOutcome.READ


@pytest.mark.parametrize(
    ("also", "source"),
    [
        ("doi:10.1000/ABC", cited(doi="10.1000/abc")),
        ("https://doi.org/10.1000/abc", cited(doi="10.1000/ABC")),
        ("doi:10.1000/abc", cited("https://dx.doi.org/10.1000/ABC")),
        ("pmc:12345", cited(pmc="PMC12345")),
        ("pmid:99", cited(pmid="99")),
        ("https://b.example/x", cited("http://b.example/x/")),
    ],
    ids=["DOI", "DOI as address", "DOI cited as address", "PMC", "PMID", "address"],
)
async def test_a_page_is_found_by_its_other_names(
    folder: Path, also: str, source: Source
) -> None:
    write_index(folder, entry(also=[also]))

    fetch = await SourceFolder(folder, CountingExtractor()).read(source)

    assert fetch.outcome is SourceOutcome.READ


async def test_a_source_without_any_address_is_offline(folder: Path) -> None:
    source = Source(
        SourceForm.TEXT, "Roe, J. (1961). The Lark Bridge.", isbn="0123456789"
    )

    fetch = await SourceFolder(folder, CountingExtractor()).read(source)

    assert fetch.outcome is SourceOutcome.OFFLINE


async def test_a_file_is_read_once_however_often_it_is_cited(folder: Path) -> None:
    extractor = CountingExtractor()
    sources = SourceFolder(folder, extractor)

    await asyncio.gather(*(sources.read(cited(URL + "#" + str(n))) for n in range(5)))

    assert len(extractor.bodies) == 1


async def test_a_file_that_is_no_text_keeps_its_outcome(
    tmp_path: Path, extractor: Extractor
) -> None:
    (tmp_path / "a.html").write_bytes(b"\x89PNG\r\n\x1a\n")
    write_index(tmp_path, entry(file="a.html"))

    fetch = await SourceFolder(tmp_path, extractor).read(cited(URL))

    assert (fetch.outcome, fetch.detail) == (SourceOutcome.NOT_TEXT, "a PNG image")
    assert fetch.document is None


async def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_it(
    folder: Path, extractor: Extractor
) -> None:
    (folder / "lost.txt").write_text("words")
    write_index(folder, entry(), entry(url="https://x.example/lost", file="lost.txt"))
    sources = SourceFolder(folder, extractor)
    (folder / "lost.txt").unlink()

    lost = await sources.read(cited("https://x.example/lost"))
    found = await sources.read(cited(URL))

    assert lost.outcome is SourceOutcome.UNREACHABLE
    assert "lost.txt cannot be read (No such file" in lost.detail
    assert found.outcome is SourceOutcome.READ


async def test_a_file_is_read_up_to_the_largest_size(folder: Path) -> None:
    with (folder / entry()["file"]).open("wb") as file:  # type: ignore[operator]  # text
        file.truncate(10_000_000_000)

    fetch = await SourceFolder(folder, CountingExtractor(), max_bytes=50_000).read(
        cited(URL)
    )

    assert fetch.outcome is SourceOutcome.TOO_LARGE
    assert "more than 50,000 bytes" in fetch.detail


async def test_the_index_may_begin_with_the_mark_that_some_editors_write(
    folder: Path,
) -> None:
    index = folder / "index.json"
    index.write_text(f"\ufeff{index.read_text('utf-8')}", "utf-8")

    fetch = await SourceFolder(folder, CountingExtractor()).read(cited(URL))

    assert fetch.outcome is SourceOutcome.READ


async def test_without_an_index_files_are_found_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "https%3A%2F%2Fcourier.example%2Fflood.html").write_text(FLOOD)
    (tmp_path / "https%3A%2F%2Fb.example%2Fa%2F%3Fn=1.txt").write_text(FLOOD)
    (tmp_path / "notes.txt").write_text("about these files")

    sources = SourceFolder(tmp_path, CountingExtractor())

    for url in (URL, URL + ".html", "https://b.example/a/?n=1"):
        assert (await sources.read(cited(url))).outcome is SourceOutcome.READ


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("{", "index.json: is not JSON"),
        ("{}", "index.json: is not a list"),
        ("[1]", "entry 1: is not an object"),
        (json.dumps([entry(), entry(url=None)]), "entry 2: 'url' is missing"),
        (json.dumps([entry(url=7)]), "entry 1: 'url' is 7, not text"),
        (json.dumps([entry(file="")]), "entry 1: 'file' is missing"),
        (json.dumps([entry(file="gone.txt")]), "'file' is 'gone.txt', which does not"),
        (
            json.dumps([entry(file="../a.txt")]),
            "'file' is '../a.txt', which lies outside",
        ),
        (json.dumps([entry(file="/etc/passwd")]), "which lies outside"),
        (json.dumps([entry(file="a\0b")]), "'file' is 'a\\x00b', no file name"),
        (json.dumps([entry(captured="May")]), "'captured' is 'May', not a date"),
        (json.dumps([entry(also="x")]), "'also' is not a list of addresses"),
        ("[" * 100_000, "index.json: is not JSON"),
    ],
    ids=lambda value: value[:40],
)
def test_a_broken_index_names_the_entry_and_the_field(
    folder: Path, index: str, message: str
) -> None:
    (folder / "index.json").write_text(index)

    with pytest.raises(PermanentError) as caught:
        SourceFolder(folder, CountingExtractor())

    assert message in str(caught.value)
    assert str(folder) in str(caught.value)


WORDS = "what only the system should know"
_NONE = r"lies outside|(?:no|not a) regular file"
NAMED = "https%3A%2F%2Fcourier.example%2Fflood.txt"


def a_link(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "secret.txt")


def a_link_to_a_link(place: Path, outside: Path) -> None:
    between = place.with_name("between")
    between.symlink_to(outside / "secret.txt")
    place.symlink_to(between.name)


def a_link_through_a_folder(place: Path, outside: Path) -> None:
    place.with_name("there").symlink_to(outside, target_is_directory=True)
    place.symlink_to("there/secret.txt")


def a_link_upwards(place: Path, outside: Path) -> None:
    place.symlink_to(f"../{outside.name}/secret.txt")


def a_link_to_nothing(place: Path, _: Path) -> None:
    place.symlink_to(place.with_name("nothing"))


def a_circle(place: Path, _: Path) -> None:
    place.symlink_to(place)


def a_pipe(place: Path, _: Path) -> None:
    os.mkfifo(place)


def a_device(place: Path, _: Path) -> None:
    place.symlink_to("/dev/zero")


def a_folder(place: Path, _: Path) -> None:
    place.mkdir()


no_file_of_the_folder = pytest.mark.parametrize(
    "put",
    [
        a_link, a_link_to_a_link, a_link_through_a_folder, a_link_upwards,
        a_link_to_nothing, a_circle, a_pipe, a_device, a_folder,
    ],
    ids=lambda put: put.__name__,
)  # fmt: skip


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a place beside the folder, whose name begins as that of the folder."""
    place = tmp_path / "pages of others"
    place.mkdir()
    (place / "secret.txt").write_text(WORDS)
    return place


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    place = tmp_path / "pages"
    place.mkdir()
    return place


@no_file_of_the_folder
async def test_without_an_index_only_files_of_the_folder_itself_are_read(
    pages: Path, outside: Path, put: Callable[[Path, Path], None]
) -> None:
    put(pages / NAMED, outside)
    extractor = CountingExtractor()

    fetch = await SourceFolder(pages, extractor).read(cited(URL))

    assert fetch.outcome is SourceOutcome.NOT_IN_FOLDER
    assert extractor.bodies == []


@no_file_of_the_folder
def test_an_index_may_name_only_files_of_the_folder_itself(
    pages: Path, outside: Path, put: Callable[[Path, Path], None]
) -> None:
    put(pages / "flood.txt", outside)
    write_index(pages, entry())

    with pytest.raises(PermanentError, match=_NONE):
        SourceFolder(pages, CountingExtractor())


@no_file_of_the_folder
def test_the_index_itself_is_a_file_of_the_folder(
    pages: Path, outside: Path, put: Callable[[Path, Path], None]
) -> None:
    put(pages / "index.json", outside)

    with pytest.raises(PermanentError, match=_NONE) as caught:
        SourceFolder(pages, CountingExtractor())

    assert WORDS not in str(caught.value)


@pytest.mark.parametrize("has_index", [True, False])
async def test_a_link_within_the_folder_leads_to_what_it_names(
    pages: Path, tmp_path: Path, *, has_index: bool
) -> None:
    (pages / "kept").mkdir()
    (pages / "kept" / "copy.txt").write_text(FLOOD)
    (pages / NAMED).symlink_to("kept/copy.txt")
    if has_index:
        write_index(pages, entry(file=NAMED))
    (tmp_path / "way in").symlink_to(pages, target_is_directory=True)

    for folder in (pages, tmp_path / "way in"):
        fetch = await SourceFolder(folder, CountingExtractor()).read(cited(URL))
        assert fetch.document == SourceText(FLOOD)


@no_file_of_the_folder
async def test_a_file_exchanged_after_the_check_is_not_read(
    pages: Path, outside: Path, put: Callable[[Path, Path], None]
) -> None:
    (pages / NAMED).write_text(FLOOD)
    extractor = CountingExtractor()
    sources = SourceFolder(pages, extractor)
    (pages / NAMED).unlink()
    put(pages / NAMED, outside)

    fetch = await asyncio.wait_for(sources.read(cited(URL)), 10)

    assert fetch.outcome is SourceOutcome.UNREACHABLE
    assert extractor.bodies == []


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="there is no such folder"):
        SourceFolder(tmp_path / "none", CountingExtractor())


async def test_every_shipped_source_is_read(extractor: Extractor) -> None:
    entries = json.loads((DEMO / "index.json").read_text("utf-8"))

    sources = SourceFolder(DEMO, extractor)
    outcomes = [(await sources.read(cited(each["url"]))).outcome for each in entries]

    assert len(outcomes) >= 20
    assert set(outcomes) == {SourceOutcome.READ}


def test_two_pages_of_one_site_keep_different_keys() -> None:
    assert normal_key("https://a.example/?id=1") != normal_key(
        "https://a.example/?id=2"
    )


NOW = datetime(2026, 3, 1, tzinfo=UTC)
PAGE = """
The tower is 53 metres high.<ref name="smith">{{cite book |title=Towers
|isbn=978-0-306-40615-7}}</ref> It was built in 1911.<ref>{{cite journal |title=Works
|doi=10.1000/Works |url=https://www.example.org/works?utm_source=a}}</ref> It has
a clock.<ref name="smith" />
"""
CLAIMS = parse(PAGE, PageId("en.wikipedia.org", "Tower")).claims


class NothingElse:
    async def read(self, source: Source) -> SourceFetch:
        return SourceFetch(source, SourceOutcome.GONE, "it is not there")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("smith", "isbn:978-0-306-40615-7"),
        (" smith ", "isbn:978-0-306-40615-7"),
        ("http://example.org/works/", "https://www.example.org/works?utm_source=a"),
        ("doi:10.1000/works", "https://www.example.org/works?utm_source=a"),
        ("https://doi.org/10.1000/works", "https://www.example.org/works?utm_source=a"),
    ],
)
def test_a_citation_is_found_by_its_name_or_address(name: str, key: str) -> None:
    assert cited_as(CLAIMS, name) == {key}


@pytest.mark.parametrize("name", ["Smith", "https://example.org/", "", "works"])
def test_no_other_citation_is_taken_for_it(name: str) -> None:
    assert cited_as(CLAIMS, name) == frozenset()


@pytest.mark.parametrize(
    "body",
    [
        b"The tower is 53 metres high, and has a clock.",
        pdf([["The tower is 53 metres high, and has a clock."]]),
    ],
)
async def test_what_was_supplied_is_read_in_the_place_of_the_source(
    body: bytes,
) -> None:
    book, article = (claim.sources[0] for claim in CLAIMS[:2])
    async with Extractor(children=1) as extractor:
        sources = SuppliedSources(NothingElse(), extractor, {book.key: body}, NOW)

        fetch = await sources.read(book)

        assert fetch.document.text.startswith("The tower is 53 metres high")
        assert (fetch.origin, fetch.read_at) == (Origin.SUPPLIED, NOW)
        assert (await sources.read(article)).outcome is SourceOutcome.GONE


async def test_a_picture_is_no_text() -> None:
    [book, *_] = CLAIMS[0].sources
    async with Extractor(children=1) as extractor:
        bodies = {book.key: b"\x89PNG\r\n\x1a\n" + bytes(40)}
        sources = SuppliedSources(NothingElse(), extractor, bodies, NOW)

        fetch = await sources.read(book)

    assert (fetch.outcome, fetch.origin) == (SourceOutcome.NOT_TEXT, None)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("status", "text"),
    [(UrlStatus.LIVE, "today"), (UrlStatus.DEAD, "then"), (None, "then")],
)
async def test_of_two_copies_of_a_page_the_one_that_is_cited_is_read(
    tmp_path: Path, order: int, status: UrlStatus | None, text: str
) -> None:
    archived = f"https://web.archive.org/web/20190401000000/{URL}"
    (tmp_path / "now.txt").write_text("today")
    (tmp_path / "old.txt").write_text("then")
    entries = [
        {"url": URL, "file": "now.txt", "captured": "2026-01-01"},
        {"url": archived, "file": "old.txt", "captured": "2019-04-01"},
    ]
    (tmp_path / "index.json").write_text(json.dumps(entries[::order]))
    folder = SourceFolder(tmp_path, CountingExtractor())
    source = replace(cited(URL), archive_url=archived, url_status=status)

    found = await folder.read(source)

    assert found.document == SourceText(text)
    assert found.key == (archived if text == "then" else URL)
    assert (await folder.read(cited(URL))).document == SourceText("today")
