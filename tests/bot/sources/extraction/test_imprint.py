"""What a page states about itself, and what it does not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml.html import HTMLParser

from bot.sources.extraction.html import read_html
from bot.sources.extraction.metadata import read_imprint
from bot.sources.extraction.text import Extraction, read
from handlers.model import Author, DocumentKind, Imprint, SourceOutcome, SourceText


def imprint_of(*head: str) -> Imprint:
    page = f"<html><head>{''.join(head)}</head><body><p>Words.</p></body></html>"
    return read_imprint(etree.fromstring(page, HTMLParser()))


def tag(name: str, value: str) -> str:
    return f'<meta name="{name}" content="{value}">'


def linked(*nodes: object) -> str:
    body = json.dumps(nodes[0] if len(nodes) == 1 else list(nodes))
    return f'<script type="application/ld+json">{body}</script>'


def test_the_tags_of_a_scholarly_publisher_give_a_whole_journal_citation() -> None:
    found = imprint_of(
        tag("citation_title", "Ants that mimic scents"),
        tag("citation_author", "Casacci, Luca"),
        tag("citation_author", "Barbero, Francesca"),
        tag("citation_journal_title", "Insects"),
        tag("citation_publisher", "MDPI"),
        tag("citation_publication_date", "2021/5/3"),
        tag("citation_doi", "10.3390/insects12050001"),
        tag("citation_volume", "12"),
        tag("citation_issue", "5"),
        tag("citation_firstpage", "101"),
        tag("citation_lastpage", "110"),
        tag("citation_language", "en"),
    )

    assert found == Imprint(
        kind=DocumentKind.JOURNAL,
        title="Ants that mimic scents",
        authors=(
            Author("Casacci, Luca", "Casacci", "Luca"),
            Author("Barbero, Francesca", "Barbero", "Francesca"),
        ),
        work="Insects",
        publisher="MDPI",
        published="2021-05-03",
        language="en",
        doi="10.3390/insects12050001",
        volume="12",
        issue="5",
        pages="101–110",
    )


def test_linked_data_gives_a_news_citation() -> None:
    found = imprint_of(
        '<meta property="og:site_name" content="The Harbour Times">',
        linked(
            {
                "@context": "https://schema.org",
                "@type": "NewsArticle",
                "headline": "Clock stopped by storm",
                "datePublished": "2011-05-06T08:00:00Z",
                "author": [
                    {"name": "Ada Penrose", "givenName": "Ada", "familyName": "Penrose"}
                ],
                "publisher": {"@type": "Organization", "name": "Harbour Media"},
            }
        ),
    )

    assert found == Imprint(
        kind=DocumentKind.NEWS,
        title="Clock stopped by storm",
        authors=(Author("Ada Penrose", "Penrose", "Ada"),),
        site="The Harbour Times",
        publisher="Harbour Media",
        published="2011-05-06",
    )


def test_what_an_article_is_part_of_is_read_through_its_issue() -> None:
    found = imprint_of(
        linked(
            {
                "@type": "ScholarlyArticle",
                "name": "On clocks",
                "sameAs": "https://doi.org/10.1000/182",
                "isPartOf": {
                    "@type": "PublicationIssue",
                    "issueNumber": "4",
                    "isPartOf": {
                        "@type": ["PublicationVolume", "Periodical"],
                        "volumeNumber": 7,
                        "name": "Horology",
                    },
                },
            }
        )
    )

    assert (found.work, found.volume, found.issue) == ("Horology", "7", "4")
    assert (found.doi, found.kind) == ("10.1000/182", DocumentKind.JOURNAL)


def test_of_two_statements_nobody_can_say_which_is_the_pages() -> None:
    first = {"@type": "NewsArticle", "headline": "One"}
    second = {"@type": "NewsArticle", "headline": "Two"}

    assert imprint_of(linked(first, second)) == Imprint()


def test_an_article_among_the_statements_of_its_site_is_found() -> None:
    graph = {
        "@graph": [
            {"@type": "Organization", "name": "Site"},
            {"@type": "WebPage", "name": "Page"},
            {"@type": "Article", "headline": "Article"},
        ]
    }

    found = imprint_of(linked(graph))

    assert found.title == "Article"
    assert found.kind is None


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("citation_doi", "not a doi", "doi"),
        ("citation_doi", "10.1/too short a prefix", "doi"),
        ("citation_isbn", "978-0-306-40615-8", "isbn"),  # wrong check digit
        ("citation_isbn", "030640615X", "isbn"),
        ("citation_publication_date", "last spring", "published"),
        ("citation_publication_date", "2021/13/40", "published"),
        ("citation_volume", "a volume of many words and more", "volume"),
        ("citation_language", "English (UK)", "language"),
        ("citation_title", "x" * 501, "title"),
    ],
)
def test_a_value_of_another_form_is_left_out(name: str, value: str, field: str) -> None:
    assert getattr(imprint_of(tag(name, value)), field) is None


@pytest.mark.parametrize(
    "isbn", ["978-0-306-40615-7", "9780306406157", "0-306-40615-2", "080442957X"]
)
def test_a_valid_isbn_makes_a_book(isbn: str) -> None:
    found = imprint_of(tag("citation_isbn", isbn))

    assert (found.isbn, found.kind) == (isbn, DocumentKind.BOOK)


@pytest.mark.parametrize(
    ("written", "iso"),
    [("2021", "2021"), ("2021-05", "2021-05"), ("2021/05/31", "2021-05-31")],
)
def test_a_date_stays_as_precise_as_it_was_stated(written: str, iso: str) -> None:
    assert imprint_of(tag("citation_date", written)).published == iso


@pytest.mark.parametrize(
    ("written", "authors"),
    [
        ("By Jane Doe", (Author("Jane Doe"),)),
        ("Doe, Jane", (Author("Doe, Jane"),)),  # a comma can part anything here
        ("https://www.facebook.com/jane", ()),
        ("jane@example.org", ()),
        ("12345", ()),
    ],
)
def test_an_author_of_a_plain_page_is_a_name_or_nothing(
    written: str, authors: tuple[Author, ...]
) -> None:
    assert imprint_of(tag("author", written)).authors == authors


@pytest.mark.parametrize(
    "script",
    [
        "{",
        "[" * 100_000,
        "null",
        '"text"',
        '{"@type": {"a": 1}}',
        '{"@type": "Article", "author": [[[]]], "isPartOf": "x", "headline": {}}',
        '{"@type": "Article", "author": true, "inLanguage": [1], "isbn": 5e999}',
        '{"@graph": {"@graph": {}}}',
    ],
)
def test_hostile_linked_data_states_nothing(script: str) -> None:
    found = imprint_of(f'<script type="application/ld+json">{script}</script>')

    assert found == Imprint()


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8)
    | st.sampled_from(["Article", "Book", "NewsArticle"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["@type", "@graph", "author", "name", "isPartOf", "headline",
                         "identifier", "sameAs", "datePublished", "publisher", "isbn"]),
        inner, max_size=5),
    max_leaves=12,
))  # fmt: skip
def test_no_statement_makes_it_raise_and_none_is_lost_on_the_way(value: object) -> None:
    found = imprint_of(
        linked(value).replace("</", "<\\/").replace("<\\/script>", "</script>")
    )

    document = SourceText("Words.", imprint=found)
    assert Extraction.from_json(read(document).to_json()).document == document


def test_a_page_gives_its_imprint_with_its_text() -> None:
    page = (
        "<html><head><title>T</title>"
        + tag("citation_journal_title", "Insects")
        + "</head><body><article>"
        + "<p>The clock was built in 1874 by Ada Penrose.</p>" * 5
        + "</article></body></html>"
    )

    found = read_html(page.encode(), content_type="text/html", url="https://a.example/")

    assert found.outcome is SourceOutcome.READ
    assert found.document.imprint.kind is DocumentKind.JOURNAL


@pytest.mark.parametrize(
    "imprint", ["[]", '{"kind": "poem"}', '{"kind": null, "authors": [1]}', '{"a": 1}']
)
def test_a_child_that_was_taken_over_cannot_pass_nonsense(imprint: str) -> None:
    sane = read(SourceText("Words.")).to_json().decode()
    fields = json.loads(sane)
    fields["document"]["imprint"] = json.loads(imprint)

    with pytest.raises(ValueError):  # noqa: PT011 - any
        Extraction.from_json(json.dumps(fields).encode())


def _day_of(body: str) -> str | None:
    page = f"<html><head></head><body>{body}</body></html>"
    return read_imprint(etree.fromstring(page, HTMLParser())).published


_MINE = '<time datetime="2026-10-04">4 October</time>'
_OTHER = '<time datetime="2026-11-01">1 November</time>'


@pytest.mark.parametrize(
    ("body", "day"),
    [
        (f"<h1>Lorries</h1><p>By A. Palm {_MINE}</p><h2>More</h2>{_OTHER}", "2026-10-04"),
        (_MINE.replace("<time", '<time itemprop="datePublished"') + _OTHER, "2026-10-04"),
        (f"<h1>Lorries</h1><p>Words.</p><h2>More news</h2>{_OTHER}", None),
        (f"<h1>Lorries</h1><aside>{_OTHER}</aside>", None),
        (f"{_OTHER}<h1>Lorries</h1><p>Words.</p>", None),
        (f"<h1>Lorries</h1>{_MINE}<h1>Flood</h1>{_OTHER}", None),
    ],
)  # fmt: skip
def test_the_time_of_a_byline_is_the_pages_own_and_that_of_other_pages_is_not(
    body: str, day: str | None
) -> None:
    assert _day_of(body) == day
