from datetime import UTC, datetime

import pytest

from bot.daemon.supplied import SuppliedSources, cited_as
from bot.sources.extraction import Extractor
from handlers.model import Origin, PageId, Source, SourceFetch, SourceOutcome
from handlers.page import parse
from tests.bot.sources.extraction.pdf_files import pdf

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

        assert fetch.document is not None
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
