"""Which sources are withheld from the judge for their language."""

from dataclasses import replace
from pathlib import Path

import pytest

import bot
from bot.daemon.check import parse_page
from handlers.citations import check_citations
from handlers.citations.passages import readable
from handlers.model import (
    Imprint,
    LanguageShare,
    Page,
    PageId,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Verdict,
)
from handlers.ports import Tools
from tests.builders import citation, claim, fetch, source, unread
from tests.fakes import FakeSources, FakeVerifier

DEMO = Path(bot.__file__).parent / "demo"
NAMES = {"en": "English", "es": "Spanish", "fr": "French"}


def read(
    chars: int = 4000,
    template: str | None = None,
    page: str | None = None,
    imprint: str | None = None,
    **shares: float,
) -> SourceFetch:
    """Return a source of some length, the shares of its languages, and what is stated."""
    document = SourceText(
        "x" * chars,
        language=page,
        imprint=Imprint(language=imprint),
        languages=tuple(
            LanguageShare(code, NAMES[code], share) for code, share in shares.items()
        ),
    )
    return fetch(source(language=template), document=document)


def is_withheld(given: SourceFetch) -> bool:
    found = readable(given, "en.wikipedia.org")
    assert (found.outcome is SourceOutcome.FOREIGN_LANGUAGE) == (found.document is None)
    assert found.withheld is (given.document if found.document is None else None)
    return found.document is None


@pytest.mark.parametrize(
    "stated",
    [
        {},
        {"template": "es"},
        {"page": "en"},
        {"template": "English"},
        {"template": "en-GB", "page": "en", "imprint": "en"},
    ],
)
def test_a_long_text_in_spanish_is_withheld_whatever_is_stated(
    stated: dict[str, str],
) -> None:
    given = read(es=0.97, en=0.02, **stated)  # type: ignore[arg-type] # texts by name

    assert is_withheld(given)
    assert readable(given, "en.wikipedia.org").detail == "the source is in Spanish"


@pytest.mark.parametrize("stated", ["es", "Spanish", "fr", "de-AT", "日本語"])
def test_an_english_text_is_judged_whatever_is_stated(stated: str) -> None:
    assert not is_withheld(read(template=stated, page=stated, en=0.99))
    assert not is_withheld(read(chars=300, template=stated, en=0.99))


@pytest.mark.parametrize(
    ("chars", "english", "withheld"),
    [
        (4000, 0.5, False),  # an English text among Spanish menus
        (20_000, 0.1, False),  # 2,000 characters of English are enough prose
        (4000, 0.2, True),  # a Spanish text among English menus
    ],
)
def test_a_mixed_page_is_judged_where_it_holds_enough_english(
    chars: int, english: float, withheld: bool
) -> None:
    assert is_withheld(read(chars, es=0.99 - english, en=english)) is withheld


@pytest.mark.parametrize(
    ("template", "page", "text", "withheld"),
    [
        (None, None, {"es": 0.9}, False),  # a name or a title, for all we know
        ("Spanish", None, {"es": 0.9}, True),
        ("es", None, {}, True),
        (None, "es", {}, True),
        ("es", "en", {"es": 0.9}, True),  # a form's lang="en" round a Spanish text
        ("es", "en", {}, False),
        ("en", "es", {"es": 0.9}, True),
        (None, "es-419", {"es": 0.9}, True),
        ("Spanish, English", None, {}, False),
        ("en-US", None, {"es": 0.9}, False),
        ("mul", None, {"es": 0.9}, False),
        (None, "und", {"es": 0.9}, False),
    ],
)
def test_a_short_text_is_withheld_only_where_more_speaks_for_it_than_its_words(
    template: str | None, page: str | None, text: dict[str, float], withheld: bool
) -> None:
    assert is_withheld(read(100, template, page, **text)) is withheld


def test_a_text_whose_words_say_nothing_is_decided_by_what_is_stated() -> None:
    assert is_withheld(read(template="Finnish"))
    assert (
        readable(read(template="Finnish"), "en.wikipedia.org").detail
        == "the source is in “Finnish”"
    )
    assert not is_withheld(read())


@pytest.mark.parametrize("language", ["de", "fr", "es", "ar"])
def test_an_article_in_another_language_is_not_judged_on_an_english_wiki(
    language: str,
) -> None:
    file = DEMO / "languages" / f"{language}.wikitext"
    page = parse_page(file.read_text("utf-8"), PageId("en.wikipedia.org", "Tornado"))
    found = readable(read(en=0.99), page.id.wiki, page.language)

    assert page.language == language
    assert len([one for one in page.claims if not one.sentences_before]) == 3
    assert found.outcome is SourceOutcome.FOREIGN_LANGUAGE
    assert found.detail == "the article is not in English"


def test_an_english_article_is_judged_and_so_is_one_too_short_to_tell() -> None:
    file = DEMO / "articles" / "Parasitic ant.wikitext"
    page = parse_page(file.read_text("utf-8"), PageId("en.wikipedia.org", "Ant"))
    short = parse_page("Der Bau begann.<ref>http://a.example</ref>", page.id)

    assert page.language == "en"
    for one in (page, short):
        given = read(en=0.99)
        assert readable(given, one.id.wiki, one.language) is given


def test_what_was_not_read_stays_as_it_is() -> None:
    given = unread(SourceOutcome.GONE, of=source(language="es"))

    assert readable(given, "en.wikipedia.org") is given


async def test_a_claim_that_cites_a_foreign_source_alone_gets_no_verdict() -> None:
    spanish = source(url="https://a.example/es")
    english = source(url="https://b.example/en")
    foreign = read(es=0.99)
    fetches = [
        replace(foreign, source=spanish),
        fetch(english),
    ]
    claims = (
        claim("A", citations=(citation(spanish),)),
        claim("B", citations=(citation(spanish, english),)),
        claim("C", citations=(citation(english, spanish),)),
    )
    page = Page(PageId("en.wikipedia.org", "Bridge"), "", (), claims, (), ())
    judge = FakeVerifier({"B": Verdict.SUPPORTED, "C": Verdict.NOT_SUPPORTED})

    found = {
        one.claim.text: one
        async for one in check_citations(page, Tools(FakeSources(fetches), judge))
    }

    assert found["A"].verdict is None
    assert found["A"].verification is None
    assert found["A"].fetches[0].outcome is SourceOutcome.FOREIGN_LANGUAGE
    assert found["A"].fetches[0].withheld == foreign.document
    assert found["B"].verdict is Verdict.SUPPORTED
    assert found["C"].verdict is None  # the Spanish one may say it
