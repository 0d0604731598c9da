"""The shipped demonstration: its data may be redistributed, is dated, and is all used."""

import json
import re
from collections.abc import Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest

from handlers.model import Claim, Page, PageId, Source, Verdict
from handlers.page import parse

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
    licence_note: NotRequired[str]
    attribution: str
    content_type: str
    also: list[str]


class Judgement(TypedDict):
    """What a careful reader says about one claim; the claim is given by its start."""

    article: str
    claim: str
    verdict: str
    reason: str
    row: NotRequired[str]


def read_index() -> list[SourceEntry]:
    entries: list[SourceEntry] = json.loads(
        (DEMO / "sources" / "index.json").read_text("utf-8")
    )
    return entries


def read_judgements() -> list[Judgement]:
    judgements: list[Judgement] = json.loads(
        (DEMO / "judged" / "judgements.json").read_text("utf-8")
    )
    return judgements


@cache
def parsed(title: str, folder: Path = DEMO) -> Page:
    wikitext = (folder / "articles" / f"{title}.wikitext").read_text("utf-8")
    return parse(wikitext, PageId("en.wikipedia.org", title))


@cache
def shipped_addresses() -> set[str]:
    return {
        address for entry in read_index() for address in (entry["url"], *entry["also"])
    }


def ships(source: Source) -> bool:
    return source.url in shipped_addresses()


def demo_claims() -> list[Claim]:
    return [claim for path in ARTICLES for claim in parsed(path.stem).claims]


def claims_of(judgement: Judgement, folder: Path = DEMO / "judged") -> list[Claim]:
    """Find the claims that start with the judged words, in the judged row."""
    return [
        claim
        for claim in parsed(judgement["article"], folder).claims
        if claim.text.startswith(judgement["claim"])
        and judgement.get("row") in (None, claim.row)
    ]


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


def test_a_source_has_a_text_a_licence_a_date_and_an_author() -> None:
    for entry in read_index():
        name = entry["file"]
        text = (DEMO / "sources" / name).read_text("utf-8")
        captured = date.fromisoformat(entry["captured"])

        assert len(text) > 400, name
        assert entry["licence"] in LICENCES, name
        assert entry["attribution"].strip(), name
        assert entry["title"].strip(), name
        assert entry["captured_note"].strip(), name
        assert entry["content_type"] == "text/plain", name
        assert date(2025, 12, 1) <= captured <= date(2026, 1, 30), name


def test_a_licence_is_the_publishers_word_or_that_of_a_federal_site() -> None:
    for entry in read_index():
        host = re.sub(r"^https?://([^/]+).*", r"\1", entry["url"])
        quoted = re.search("CC[- ]BY", entry.get("licence_note", "")) is not None
        federal = host.endswith(".gov") and not host.endswith(
            (".alabama.gov", ".ny.gov")
        )

        if entry["licence"].startswith("Public domain"):
            assert federal, entry["file"]
            assert not quoted, entry["file"]
        else:
            assert quoted, entry["file"]


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


def test_judgements_use_the_verdicts_of_the_program_and_give_reasons() -> None:
    judgements = read_judgements()

    verdicts = {judgement["verdict"] for judgement in judgements}

    assert verdicts == {verdict.value for verdict in Verdict}
    assert all(judgement["reason"].strip() for judgement in judgements)


def test_a_judged_claim_is_a_claim_whose_source_ships() -> None:
    lost = [
        judgement["claim"]
        for judgement in read_judgements()
        if not any(
            ships(one) for claim in claims_of(judgement) for one in claim.sources
        )
    ]

    assert lost == []


def test_at_least_25_claims_cite_a_source_that_ships() -> None:
    checkable = [claim for claim in demo_claims() if any(map(ships, claim.sources))]

    assert len(checkable) >= 25


@pytest.mark.parametrize("article", ARTICLES, ids=lambda path: str(path.stem))
def test_every_article_has_claims_to_check_and_a_citation_that_is_not_read(
    article: Path,
) -> None:
    claims = parsed(article.stem).claims

    checkable = [claim for claim in claims if any(map(ships, claim.sources))]
    unread = [
        source for claim in claims for source in claim.sources if not ships(source)
    ]

    assert len(checkable) >= 8
    assert unread


def test_at_least_5_citations_lead_to_pages_that_do_not_ship() -> None:
    unread = {
        source.key
        for claim in demo_claims()
        for source in claim.sources
        if not ships(source)
    }

    assert len(unread) >= 5


@pytest.mark.parametrize("article", ARTICLES, ids=lambda path: str(path.stem))
def test_every_citation_of_an_article_leads_to_a_source(article: Path) -> None:
    citations = [
        citation
        for claim in parsed(article.stem).claims
        for citation in claim.citations
    ]

    broken = [citation.problem for citation in citations if not citation.sources]

    assert broken == []


@pytest.mark.parametrize("article", ARTICLES, ids=lambda path: str(path.stem))
def test_a_shown_article_says_what_the_judged_one_says(article: Path) -> None:
    def without_references(text: str) -> str:
        _, _, body = text.partition("-->")
        bare = re.sub(r"<ref[^>/]*>.*?</ref>|<ref[^>]*/>", "", body, flags=re.DOTALL)
        return re.sub(r"\{\{(?:r|sfn)\|[^{}]*\}\}", "", bare)

    judged = DEMO / "judged" / "articles" / article.name

    assert without_references(article.read_text("utf-8")) == without_references(
        judged.read_text("utf-8")
    )


def test_most_shown_claims_hold_and_some_fail() -> None:
    shown = [
        judgement["verdict"]
        for judgement in read_judgements()
        if any(map(ships_any, directly_cited(claims_of(judgement, DEMO))))
    ]

    failing = [verdict for verdict in shown if verdict != Verdict.SUPPORTED.value]

    assert len(shown) >= 50
    assert 10 <= len(failing) <= len(shown) / 3


def directly_cited(claims: Iterable[Claim]) -> list[Claim]:
    """Those that a footnote follows: only they were judged beside their source."""
    return [claim for claim in claims if not claim.sentences_before]


def ships_any(claim: Claim) -> bool:
    return any(map(ships, claim.sources))
