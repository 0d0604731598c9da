"""A check that is to be made afresh asks for each page again, and only once."""

from pathlib import Path

from handlers.model import Source, SourceForm
from handlers.ports import RenewingReader
from tests.bot.sources.server import Site, answer
from tests.bot.sources.tools import FakeNames, reading


async def test_no_page_from_before_counts(
    site: Site, names: FakeNames, tmp_path: Path
) -> None:
    site.pages["/a"] = answer("old", etag='"1"')
    cited = Source(SourceForm.URL, "x", url=site.url("/a"))

    async with reading(site, names, cache_folder=tmp_path / "kept") as sources:
        await sources.read(cited)
        site.pages["/a"] = answer("new", etag='"2"')
        cached = await sources.read(cited)
        assert isinstance(sources, RenewingReader)
        check = sources.without_cache()
        found = [await check.read(cited), await check.read(cited)]

    assert cached.document.text == "old"
    texts = [one.document.text for one in found if one.document]
    assert texts == ["new", "new"]
    requests = site.asked("/a")
    assert len(requests) == 2
    assert requests[1].headers["if-none-match"] == '"1"', (
        "its site may say it is the same"
    )
