"""All documents of a folder are handed over, listed or not."""

import json
from pathlib import Path

import pytest

from bot.search.index.collections import DocumentsFolder
from bot.sources.extraction import Extraction
from handlers.model import Origin, SourceOutcome, SourceText
from handlers.ports import PermanentError

URL = "https://courier.example/flood?utm_source=x&id=3"


class Plain:
    """Takes every body for UTF-8 text."""

    async def extract(
        self, body: bytes, *, content_type: str | None, url: str
    ) -> Extraction:
        assert content_type is None or "/" in content_type
        assert url
        return Extraction(SourceOutcome.READ, "read", SourceText(body.decode()))


def _folder(path: Path, max_bytes: int = 100) -> DocumentsFolder:
    return DocumentsFolder(path, Plain(), max_bytes=max_bytes)


async def test_listed_documents_have_their_addresses_and_titles(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.txt").write_text("The flood.", "utf-8")
    (tmp_path / "other.txt").write_text("Not listed.", "utf-8")
    entry = {"url": URL, "file": "a.txt", "captured": "2024-05-31", "title": "Flood"}
    (tmp_path / "index.json").write_text(json.dumps([entry]), "utf-8")

    [fetch], has_more = await _folder(tmp_path).fetches(5)

    assert not has_more
    assert fetch.url == "https://courier.example/flood?id=3"
    assert fetch.document
    assert (fetch.document.title, fetch.document.text) == ("Flood", "The flood.")
    assert fetch.origin is Origin.DISK
    assert str(fetch.read_at)[:10] == "2024-05-31"


async def test_files_without_an_address_are_known_by_their_names(
    tmp_path: Path,
) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "Flood 1.txt").write_text("One.", "utf-8")
    (tmp_path / "long.txt").write_text("x" * 101, "utf-8")
    (tmp_path / "z.txt").write_text("Two.", "utf-8")

    fetches, has_more = await _folder(tmp_path).fetches(2)

    assert has_more
    assert [one.outcome for one in fetches] == [
        SourceOutcome.TOO_LARGE,
        SourceOutcome.READ,
    ]
    [read] = [one.document for one in fetches if one.document]
    assert read.title == "z.txt"


async def test_a_folder_that_is_empty_or_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="has no documents; put texts"):
        await _folder(tmp_path).fetches(5)
    with pytest.raises(PermanentError, match="no such folder of documents"):
        _folder(tmp_path / "none")
