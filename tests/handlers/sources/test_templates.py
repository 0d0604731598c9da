"""A filled citation template holds what the page states, and reads back the same."""

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import mwparserfromhell
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.model import (
    Author,
    DocumentKind,
    Imprint,
    Origin,
    PageId,
    Source,
    SourceFetch,
    SourceText,
    UrlStatus,
)
from handlers.page import parse
from handlers.sources.templates import escaped_value, fill
from tests.handlers.citations.better_world import text

WIKI = "en.wikipedia.org"
URL = "https://harbour.example/clock"


def page_stating(imprint: Imprint, **changes: object) -> SourceFetch:
    document = SourceText("Words.", title="The page's own title", imprint=imprint)
    return text("Words.", URL, document=document, **changes)


def fields_of(template: str) -> dict[str, str]:
    """What mwparserfromhell reads in the template, references undone."""
    [found] = mwparserfromhell.parse(template).filter_templates(recursive=False)
    assert str(found) == template
    fields = {str(one.name): unescape(str(one.value)) for one in found.params}
    assert len(fields) == len(found.params), "no parameter stands twice"
    return {"": str(found.name), **{name: one.strip() for name, one in fields.items()}}


def source_in(template: str) -> Source:
    """What our own reading of a page makes of the template."""
    page = parse(
        f"A sentence that is cited.<ref>{template}</ref>", PageId(WIKI, "Test")
    )
    [claim] = page.claims
    [source] = claim.sources
    return source


def test_a_journal_article_gives_every_field_that_it_states() -> None:
    imprint = Imprint(
        kind=DocumentKind.JOURNAL,
        title="Ants that mimic scents",
        authors=(Author("Casacci, Luca", "Casacci", "Luca"), Author("Ant Group")),
        site="MDPI",
        work="Insects",
        publisher="MDPI AG",
        published="2021-05-03",
        language="de-DE",
        doi="10.3390/insects12050001",
        volume="12",
        issue="5",
        pages="101–110",
    )

    assert fill(page_stating(imprint), WIKI) == (
        "{{cite journal |last=Casacci |first=Luca |author2=Ant Group |date=2021-05-03"
        f" |url={URL} |title=Ants that mimic scents |journal=Insects |volume=12 |issue=5"
        " |pages=101–110 |language=de |doi=10.3390/insects12050001"
        " |access-date=2026-11-20}}"
    )


@pytest.mark.parametrize(
    ("kind", "name", "place"),
    [
        (None, "cite web", {"website": "Site", "publisher": "House"}),
        (DocumentKind.NEWS, "cite news", {"work": "Work"}),
        (DocumentKind.JOURNAL, "cite journal", {"journal": "Work"}),
        (DocumentKind.BOOK, "cite book", {"publisher": "House"}),
        (
            DocumentKind.CONFERENCE,
            "cite conference",
            {"book-title": "Work", "publisher": "House"},
        ),
        (DocumentKind.REPORT, "cite report", {"publisher": "House"}),
        (DocumentKind.THESIS, "cite thesis", {"publisher": "House"}),
    ],
)
def test_the_page_says_which_template_it_is(
    kind: DocumentKind | None, name: str, place: dict[str, str]
) -> None:
    imprint = Imprint(kind=kind, site="Site", work="Work", publisher="House")

    fields = fields_of(fill(page_stating(imprint), WIKI))

    assert fields == {
        "": f"{name} ",
        "url": URL,
        "title": "The page's own title",
        **place,
        "access-date": "2026-11-20",
    }


def test_what_nothing_identifies_gets_no_citation() -> None:
    on_disk = text("Words.", "file:///srv/bridge.txt", document=SourceText("Words."))
    titled = replace(on_disk, document=SourceText("Words.", title="The bridge"))

    assert fill(on_disk, WIKI) == ""
    assert fields_of(fill(titled, WIKI))["title"] == "The bridge"


def test_what_is_not_stated_is_left_out() -> None:
    bare = replace(page_stating(Imprint()), document=SourceText("Words."), read_at=None)

    assert fill(bare, WIKI) == f"{{{{cite web |url={URL}}}}}"


def test_guesses_of_the_extractor_are_no_statements() -> None:
    guessed = SourceText("Words.", site="harbour", author="Doe", published="2020-01-01")

    fields = fields_of(fill(text("Words.", URL, document=guessed), WIKI))

    assert set(fields) == {"", "url", "access-date"}


def test_a_journal_article_without_its_journal_is_a_web_page() -> None:
    filled = fill(page_stating(Imprint(kind=DocumentKind.JOURNAL)), WIKI)

    assert filled.startswith("{{cite web ")


@pytest.mark.parametrize(
    ("stated", "written"),
    [
        ("2021-05-03", "2021-05-03"),
        ("2021-05", "2021"),  # the templates refuse this form
        ("2021", "2021"),
        ("1492-10-12", "1492"),  # an ISO date of the Julian calendar is refused, too
        (None, None),
    ],
)
def test_a_date_is_written_as_the_templates_take_it(
    stated: str | None, written: str | None
) -> None:
    fields = fields_of(fill(page_stating(Imprint(published=stated)), WIKI))

    assert fields.get("date") == written


@pytest.mark.parametrize(
    ("language", "wiki", "written"),
    [
        ("en-GB", WIKI, None),
        ("de", WIKI, "de"),
        ("de", "de.wikipedia.org", None),
        ("en", "file", "en"),
    ],
)
def test_the_wikis_own_language_goes_without_saying(
    language: str, wiki: str, written: str | None
) -> None:
    fields = fields_of(fill(page_stating(Imprint(language=language)), wiki))

    assert fields.get("language") == written


def test_more_authors_than_are_shown_are_named() -> None:
    authors = tuple(Author(f"Author {number}") for number in range(9))

    fields = fields_of(fill(page_stating(Imprint(authors=authors)), WIKI))

    assert fields["author8"] == "Author 7"
    assert fields["display-authors"] == "etal"
    assert "author9" not in fields


def test_a_text_from_the_archive_names_the_capture_as_a_reader_opens_it() -> None:
    captured = page_stating(
        Imprint(),
        origin=Origin.ARCHIVE,
        read_at=datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC),
    )
    raw = f"https://web.archive.org/web/20200102030405id_/{URL}"
    from_archive = replace(captured, url=raw)

    fields = fields_of(fill(from_archive, WIKI, url_status=UrlStatus.DEVIATED))

    assert fields["url"] == URL
    assert fields["archive-url"] == f"https://web.archive.org/web/20200102030405/{URL}"
    assert fields["archive-date"] == "2020-01-02"
    assert fields["url-status"] == "deviated"
    assert "access-date" not in fields


def test_a_capture_that_was_found_as_such_is_cited_by_its_page() -> None:
    capture = f"https://web.archive.org/web/20200102030405/{URL}"
    fetch = page_stating(Imprint(), origin=Origin.ARCHIVE)
    found = replace(fetch, url=capture, source=replace(fetch.source, url=capture))

    assert fields_of(fill(found, WIKI))["url"] == URL


@pytest.mark.parametrize(
    "url",
    ["ftp://a.example/", "javascript:alert(1)", "https://u@a.example/", "https://["],
)
def test_an_address_that_is_none_of_the_web_is_left_out(url: str) -> None:
    assert "url=" not in fill(replace(page_stating(Imprint()), url=url), WIKI)


# --- whatever a page says -----------------------------------------------------

HOSTILE = [
    "a | b=c | url=https://evil.example",
    "}} {{delete}} [[Category:X]] <ref>x</ref>",
    "{{{1|}}} {| table |}",
    "</nowiki><script>alert(1)</script><!-- x",
    "'''bold''' ''it'' ~~~~ __NOTOC__ -{zh}-",
    "one\ntwo\r\n* three\t# four",
    "&lt;b&gt; &amp; &#124; &nbsp;x",
    "https://evil.example/ [https://evil.example x]",
    "* list",
    ": indent",
    "== heading ==",
    "\x00\x7f'\"`UNIQ--nowiki-0-QINU`\"'\x7f",
    "#REDIRECT [[X]]",
    "|",
    "=",
    "e\u0301 \u202e right",
]
# Mostly signs that mean something, so that they meet often.
WORDS = st.text(
    st.sampled_from("|{}[]<>&=#;:/'~_*-!\n ab1") | st.characters(codec="utf-8"),
    min_size=1,
    max_size=40,
)


def shown(stated: str) -> str:
    """The value as a reader of the page would see it: on one line, no controls."""
    kept = "".join(
        sign
        for sign in unicodedata.normalize("NFC", stated)
        if unicodedata.category(sign) != "Cc" or sign in "\t\n\v\f\r\x85"
        if sign not in "\ufffe\uffff"
    )
    return " ".join(kept.split())


@given(WORDS)
@example(HOSTILE[0])
def test_a_value_reads_back_as_it_was(stated: str) -> None:
    fields = fields_of(fill(page_stating(Imprint(title=stated, site="Site")), WIKI))

    assert fields.get("title", "") == (shown(stated) or "The page's own title"[:0])
    assert fields["website"] == "Site"


@pytest.mark.parametrize("stated", HOSTILE)
def test_a_hostile_value_reads_back_as_it_was(stated: str) -> None:
    imprint = Imprint(
        kind=DocumentKind.JOURNAL,
        title=stated,
        authors=(Author(stated), Author(stated, stated, stated)),
        work=f"x{stated}",
        published="2020",
        doi=stated,
    )

    filled = fill(page_stating(imprint), WIKI)

    fields = fields_of(filled)
    for name in ("title", "author", "last2", "first2", "doi"):
        assert fields[name] == shown(stated)
    assert fields["journal"] == shown(f"x{stated}")
    assert not mwparserfromhell.parse(filled).filter_tags()
    assert not mwparserfromhell.parse(filled).filter_wikilinks()
    assert not mwparserfromhell.parse(filled).filter_comments()


@given(WORDS, WORDS)
def test_our_own_reading_of_a_page_finds_the_same(title: str, name: str) -> None:
    imprint = Imprint(title=f"T{title}", authors=(Author(f"A{name}"),))

    source = source_in(fill(page_stating(imprint), WIKI))

    assert source.template == "cite web"
    assert source.url == URL
    assert source.title == shown(f"T{title}")
    assert source.authors == (shown(f"A{name}"),)


@pytest.mark.parametrize("signs", ["[[", "]]", "{{", "}}}", "''", "'''''"])
def test_our_own_reading_keeps_signs_that_are_meant_as_such(signs: str) -> None:
    source = source_in(fill(page_stating(Imprint(title=f"a {signs} b")), WIKI))

    assert source.title == f"a {signs} b"


@given(st.lists(st.sampled_from(["|", "}}", "{{", "[", "]", "<", ">", '"', "''", " ",
                                 "~~~~", "__NOTOC__", "&lt;", "ü", "€", "a", "/", "?x=1&y=2"])))  # fmt: skip
def test_an_address_stays_one_and_inert(parts: list[str]) -> None:
    url = f"https://a.example/{''.join(parts)}z"

    filled = fill(replace(page_stating(Imprint()), url=url), WIKI)

    written = filled.partition("|url=")[2].partition(" |")[0]
    assert not set(written) & set("|{}[]<>\"' ;")
    assert "__" not in written
    assert "~~~" not in written
    assert source_in(filled).url == written


@given(WORDS)
def test_nothing_in_a_value_is_left_that_means_something(stated: str) -> None:
    escaped = escaped_value(stated)

    assert not set(escaped) & set("|{}[]<>\n")
    assert "''" not in escaped
    assert "~~~" not in escaped
    assert "__" not in escaped
    assert "://" not in escaped


_BOOK = Imprint(
    kind=DocumentKind.BOOK,
    title="Towers of the sea",
    authors=(Author("Girard, Anne", "Girard", "Anne"), Author("Harbour Board")),
    publisher="North",
    published="1998",
    language="la",
    isbn="978-3-16-148410-0",
)


@pytest.mark.parametrize(
    ("wiki", "web", "book"),
    [
        (
            "de.wikipedia.org",
            "{{Internetquelle |autor=Anne Girard, Harbour Board |datum=1998",
            "{{Literatur |Autor=Anne Girard, Harbour Board |Datum=1998 |Online=",
        ),
        (
            "fr.m.wikipedia.org",
            "{{Lien web |nom=Girard |prénom=Anne |auteur2=Harbour Board |date=1998",
            "{{Ouvrage |nom=Girard |prénom=Anne |auteur2=Harbour Board |date=1998"
            " |lire en ligne=",
        ),
        (
            "es.wikipedia.org",
            "{{cita web |apellidos=Girard |nombre=Anne |autor2=Harbour Board |fecha=1998",
            "{{cita libro |apellidos=Girard |nombre=Anne |autor2=Harbour Board",
        ),
        (
            "ar.wikipedia.org",
            "{{استشهاد ويب |الأخير=Girard |الأول=Anne |مؤلف2=Harbour Board |تاريخ=1998",
            "{{استشهاد بكتاب |الأخير=Girard |الأول=Anne |مؤلف2=Harbour Board",
        ),
        ("nn.wikipedia.org", "{{cite web |last=Girard", "{{cite book |last=Girard"),
        ("de.example.org", "{{cite web |last=Girard", "{{cite book |last=Girard"),
    ],
)
@pytest.mark.parametrize("kind", [DocumentKind.BOOK, None])
def test_a_wiki_gets_its_own_templates_and_reads_back_the_same(
    wiki: str, web: str, book: str, kind: DocumentKind | None
) -> None:
    filled = fill(page_stating(replace(_BOOK, kind=kind)), wiki)

    fields_of(filled)
    assert filled.startswith(book if kind else web)
    source = source_in(filled)
    assert (source.title, source.url) == ("Towers of the sea", URL)
    assert source.published == "1998"
    assert source.language == "la"
    assert source.authors[0] == "Anne Girard" or source.authors == (
        "Anne Girard, Harbour Board",
    )
    assert source.access_date is not None


@pytest.mark.parametrize("wiki", ["de", "fr", "es", "ar"])
@pytest.mark.parametrize("kind", [None, *DocumentKind])
def test_an_archived_copy_reads_back_the_same_on_every_wiki(
    wiki: str, kind: DocumentKind | None
) -> None:
    copy = f"https://web.archive.org/web/20200714000000/{URL}"
    imprint = replace(_BOOK, kind=kind, work="Sea")
    fetch = replace(page_stating(imprint), url=copy, origin=Origin.ARCHIVE)

    source = source_in(
        fill(fetch, f"{wiki}.wikipedia.org", url_status=UrlStatus.DEVIATED)
    )

    assert (source.url, source.archive_url) == (URL, copy)
    assert source.archive_date is not None
    assert source.title == "Towers of the sea"
