"""Articles of other Wikipedias are read in their own terms, and judged by nobody in English.

The articles in `wikis` are made up for these tests, in our own words (CC0).
"""

from datetime import date
from pathlib import Path

import pytest

from handlers.citations import check_citations
from handlers.model import (
    Claim,
    Page,
    PageId,
    Source,
    SourceOutcome,
    TagKind,
    UrlStatus,
    Verdict,
)
from handlers.page import parse
from handlers.ports import Tools
from tests.builders import fetch
from tests.fakes import FakeSources, FakeVerifier

WIKIS = Path(__file__).with_name("wikis")
LANGUAGES = ("ar", "de", "es", "fr")


def article(language: str, wiki: str | None = None) -> Page:
    text = (WIKIS / f"{language}.wikitext").read_text("utf-8")
    return parse(text, PageId(wiki or f"{language}.wikipedia.org", "Clock"))


def with_source(page: Page, host: str) -> tuple[Claim, Source]:
    """Return the claim that cites a host alone or first, right after it, and the source."""
    return next(
        (claim, source)
        for claim in page.claims
        for source in claim.sources[:1]
        if source.url and host in source.url and len(claim.text) > 10
        if not claim.sentences_before
    )


@pytest.mark.parametrize(
    ("language", "host", "text", "fields"),
    [
        (
            "de",
            "amt.example",
            "Sie wurde am 3. März 1889 eingeweiht.",
            {
                "title": "Die Hafenuhr",
                "authors": ("Anna Brandt",),
                "work": "Stadtamt Ostmoor",
                "published": "2019-05-01",
                "access_date": date(2020, 7, 14),
                "archive_date": date(2020, 7, 14),
                "archive_url": "https://web.archive.org/web/2020/https://amt.example/hafenuhr",
                "url_status": UrlStatus.DEAD,
                "language": "de",
            },
        ),
        (
            "de",
            "buch.example",
            "Der Turm kostete 1.250.000 Mark, z. B. für die Glocken.",
            {
                "title": "Türme am Meer",
                "authors": ("Jürgen Groß",),
                "work": "Nordverlag",
                "published": "1998",
                "isbn": "978-3-16-148410-0",
                "pages": "45–47",
                "access_date": date(2021, 2, 1),
            },
        ),
        (
            "fr",
            "mairie.example",
            "Elle est inaugurée le 3 mars 1889.",
            {
                "title": "L'horloge du port",
                "authors": ("Anne Laurent",),
                "work": "Mairie d'Estmare",
                "published": "1er mai 2019",
                "access_date": date(2020, 7, 14),
                "archive_date": date(2020, 7, 14),
                "url_status": UrlStatus.DEAD,
                "language": "fr",
            },
        ),
        (
            "fr",
            "livre.example",
            "La tour coûte 1250000 francs.",
            {
                "title": "Tours de la mer",
                "authors": ("Jules Girard",),
                "isbn": "978-2-07-036822-8",
                "pages": "45-47",
                "published": "1998",
            },
        ),
        (
            "es",
            "alcaldia.example",
            "Se inauguró el 3 de marzo de 1889.",
            {
                "title": "El reloj del puerto",
                "authors": ("Ana Ruiz",),
                "work": "Alcaldía de Estemar",
                "access_date": date(2020, 7, 14),
                "archive_date": date(2020, 7, 14),
                "url_status": UrlStatus.DEAD,
                "language": "es",
            },
        ),
        (
            "es",
            "libro.example",
            "La torre costó 1 250 000 pesetas.",
            {"title": "Torres del mar", "pages": "45-47", "published": "1998"},
        ),
        (
            "es",
            "faro.example",
            "La prensa habló de un rayo.",
            {"title": "Un rayo en el puerto", "work": "El Faro"},
        ),
        (
            "ar",
            "baladiya.example",
            "افتُتح البرج في 3 مارس 1889.",
            {
                "title": "ساعة الميناء",
                "authors": ("سلمى حداد",),
                "work": "بلدية المرسى",
                "access_date": date(2020, 7, 14),
                "archive_date": date(2020, 7, 14),
                "url_status": UrlStatus.DEAD,
                "language": "ar",
            },
        ),
        (
            "ar",
            "kitab.example",
            "كلّف البرج 1٬250٬000 دينار، وشارك في بنائه عمال من المدينة.",
            {
                "title": "أبراج البحر",
                "authors": ("يوسف منصور",),
                "isbn": "978-977-416-000-4",
                "pages": "45–47",
            },
        ),
        (
            "ar",
            "manara.example",
            "تقول الصحف ذلك.",
            {
                "title": "صاعقة في الميناء",
                "work": "المنارة",
                "published": "2 يونيو 1921",
            },
        ),
    ],
)
def test_citations_are_read_with_the_templates_of_the_wiki(
    language: str, host: str, text: str, fields: dict[str, object]
) -> None:
    claim, source = with_source(article(language), host)

    assert claim.text == text
    assert {name: getattr(source, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("language", "tags"),
    [
        (
            "ar",
            [(TagKind.CITATION_NEEDED, "مايو 2020"), (TagKind.DEAD_LINK, "يناير 2022")],
        ),
        # {{Belege fehlen}} is about a section, not about a sentence.
        ("de", [(TagKind.DEAD_LINK, "2022-01")]),
        ("es", [(TagKind.CITATION_NEEDED, "mayo de 2020"), (TagKind.DEAD_LINK, None)]),
        ("fr", [(TagKind.CITATION_NEEDED, "mai 2020")]),
    ],
)
def test_tags_are_read_with_the_templates_of_the_wiki(
    language: str, tags: list[tuple[TagKind, str | None]]
) -> None:
    claims = article(language).claims

    assert [(tag.kind, tag.dated) for one in claims for tag in one.tags] == tags


@pytest.mark.parametrize(
    ("language", "quotation"),
    [("fr", "Elle sonne toujours en retard."), ("es", "Siempre da la hora tarde.")],
)
def test_a_quotation_leads_by_its_short_citation_to_the_book(
    language: str, quotation: str
) -> None:
    quoted = next(one for one in article(language).claims if one.text == quotation)

    [source] = quoted.sources
    assert source.isbn
    assert source.published == "1998"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_article_in_another_language_gets_no_verdict_from_the_english_judge(
    language: str,
) -> None:
    page = article(language)
    sources = {source.key: source for one in page.claims for source in one.sources}
    fetches = [fetch(source) for source in sources.values()]
    judge = FakeVerifier({one.text: Verdict.CONTRADICTED for one in page.claims})
    tools = Tools(FakeSources(fetches), judge)

    checks = [one async for one in check_citations(page, tools)]
    english = article(language, "en.wikipedia.org")
    judged = [one async for one in check_citations(english, tools)]

    assert all(check.verdict is None for check in checks)
    outcomes = {(one.outcome, one.detail) for check in checks for one in check.fetches}
    assert outcomes == {
        (SourceOutcome.FOREIGN_LANGUAGE, "the article is not in English")
    }
    # The same words on the English Wikipedia are judged: the wiki makes the difference.
    assert Verdict.CONTRADICTED in {check.verdict for check in judged}
