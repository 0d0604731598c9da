"""The shipped demonstration: its data may be redistributed, is dated, and is all used."""

import json
import re
from datetime import date
from pathlib import Path
from typing import TypedDict

import pytest

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "bot" / "demo"
ARTICLES = sorted((DEMO / "articles").glob("*.wikitext"))
LICENCES = (
    "Public domain (work of the United States government, 17 U.S.C. § 105)",
    "CC BY 4.0",
    "CC BY-SA 4.0",
)
MAX_DEMO_BYTES = 1_500_000


class SourceEntry(TypedDict):
    """One page text of `sources/index.json`."""

    url: str
    file: str
    title: str
    captured: str
    captured_note: str
    licence: str
    attribution: str
    content_type: str
    also: list[str]


def read_index() -> list[SourceEntry]:
    entries: list[SourceEntry] = json.loads(
        (DEMO / "sources" / "index.json").read_text("utf-8")
    )
    return entries


def entry_id(entry: SourceEntry) -> str:
    return entry["file"]


def test_at_least_three_articles_ship() -> None:
    assert len(ARTICLES) >= 3


@pytest.mark.parametrize("article", ARTICLES, ids=lambda path: str(path.stem))
def test_an_article_opens_with_its_origin_licence_and_changes(article: Path) -> None:
    text = article.read_text("utf-8")

    notice, end, _ = text.partition("-->")
    notice = " ".join(notice.split())

    assert end
    assert text.startswith("<!--")
    assert "https://en.wikipedia.org/wiki/" in notice
    assert "CC BY-SA 4.0" in notice
    assert "citations put back by the Sidenote project" in notice
    assert "not necessarily the one the article carries" in notice


@pytest.mark.parametrize("article", ARTICLES, ids=lambda path: str(path.stem))
def test_the_attribution_page_names_every_article_with_its_link(article: Path) -> None:
    attribution = (DEMO / "ATTRIBUTION.md").read_text("utf-8")

    address = "https://en.wikipedia.org/wiki/" + article.stem.replace(" ", "_")

    assert address in attribution


@pytest.mark.parametrize("entry", read_index(), ids=entry_id)
def test_a_source_has_a_text_a_licence_a_date_and_an_author(entry: SourceEntry) -> None:
    text = (DEMO / "sources" / entry["file"]).read_text("utf-8")

    captured = date.fromisoformat(entry["captured"])

    assert len(text) > 400
    assert entry["licence"] in LICENCES
    assert entry["attribution"].strip()
    assert entry["title"].strip()
    assert entry["captured_note"].strip()
    assert entry["content_type"] == "text/plain"
    assert date(2025, 12, 1) <= captured <= date(2026, 1, 30)


@pytest.mark.parametrize("entry", read_index(), ids=entry_id)
def test_a_source_in_the_public_domain_comes_from_a_federal_site(
    entry: SourceEntry,
) -> None:
    host = re.sub(r"^https?://([^/]+).*", r"\1", entry["url"])

    federal = host.endswith(".gov") and not host.endswith((".alabama.gov", ".ny.gov"))

    assert federal or not entry["licence"].startswith("Public domain")


def test_every_source_is_cited_by_an_article() -> None:
    articles = "\n".join(path.read_text("utf-8") for path in ARTICLES)

    uncited = [entry["url"] for entry in read_index() if entry["url"] not in articles]

    assert uncited == []


def test_no_address_is_listed_twice() -> None:
    addresses = [
        address for entry in read_index() for address in (entry["url"], *entry["also"])
    ]

    assert len(addresses) == len(set(addresses))


def test_every_text_in_the_folder_is_in_the_index() -> None:
    listed = {entry["file"] for entry in read_index()}

    shipped = {path.name for path in (DEMO / "sources").iterdir()} - {"index.json"}

    assert shipped == listed


def test_source_texts_carry_no_markup_of_the_tool_that_captured_them() -> None:
    texts = {
        entry["file"]: (DEMO / "sources" / entry["file"]).read_text("utf-8")
        for entry in read_index()
    }

    marked = [name for name, text in texts.items() if re.search(r"\]\(http|!\[", text)]

    assert marked == []


def test_the_demonstration_stays_small() -> None:
    size_bytes = sum(path.stat().st_size for path in DEMO.rglob("*") if path.is_file())

    assert size_bytes < MAX_DEMO_BYTES
