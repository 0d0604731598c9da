"""Addresses: that of a quote on its page, and one without what follows readers."""

from urllib.parse import unquote

import pytest

from handlers.citations.quote_links import (
    host_of,
    quote_href,
    quote_page,
    safe_href,
    source_href,
    text_fragment,
    with_fragment,
)
from handlers.model import SourceText
from handlers.sources.addresses import untracked
from tests.builders import evidence, fetch, source


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a?b=c&d=e#f",
        "http://example.org:8080/",
        "HTTPS://EXAMPLE.ORG/",
        "https://example.org/Zürich",
        "https://web.archive.org/web/2011/http://x.org/",
    ],
)
def test_an_address_of_the_web_is_a_link(url: str) -> None:
    assert safe_href(url) == url


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:msgbox(1)",
        "file:///etc/passwd",
        "ftp://example.org/",
        "//example.org/",
        "/relative",
        "https:",
        "https:///path",
        "https:example.org",
        "https://trusted.org@evil.org/",
        "https://example.org/\nx",
        "https://example.org/ x",
        "https://example.org\\@evil.org/",
        'https://example.org/"onmouseover="alert(1)',
        "https://example.org:99999/",
        "https://[::1/",
        "https://example.org/\ud800",
        "view-source:https://example.org/",
        "blob:https://example.org/x",
    ],
)
def test_any_other_address_is_only_text(url: str | None) -> None:
    assert safe_href(url) is None


def test_a_host_is_named_without_its_www() -> None:
    assert host_of("https://www.Weather.gov/x") == "weather.gov"
    assert host_of("javascript:alert(1)") is None


def test_a_short_quote_is_named_whole() -> None:
    assert text_fragment("rated EF3 in May") == ":~:text=rated%20EF3%20in%20May"


def test_a_long_quote_is_named_by_its_first_and_last_words() -> None:
    words = [f"w{number}" for number in range(30)]

    fragment = text_fragment(" ".join(words))

    assert fragment == (":~:text=w0%20w1%20w2%20w3%20w4,w25%20w26%20w27%20w28%20w29")


def test_characters_with_a_meaning_in_the_directive_are_encoded() -> None:
    fragment = text_fragment("EF-3, up & running #1 50%")

    assert fragment == ":~:text=EF%2D3%2C%20up%20%26%20running%20%231%2050%25"


def test_neither_end_of_a_quote_reaches_over_a_line() -> None:
    fragment = text_fragment("A heading\n\nThe first of all words\nThe end")

    assert fragment == ":~:text=A%20heading,The%20end"


@pytest.mark.parametrize("words", ["", " \n "])
def test_no_words_make_no_directive(words: str) -> None:
    assert with_fragment("https://x.org/", words) == "https://x.org/"


def test_a_lone_surrogate_does_not_break_the_directive() -> None:
    assert text_fragment("a\ud800b") == ":~:text=a%3Fb"


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("https://x.org/a", "https://x.org/a#:~:text=hi"),
        ("https://x.org/a#top", "https://x.org/a#top:~:text=hi"),
        ("https://x.org/a#:~:text=old", "https://x.org/a#:~:text=hi"),
    ],
)
def test_a_fragment_that_is_there_already_is_kept(url: str, whole: str) -> None:
    assert with_fragment(url, "hi") == whole


def test_a_quote_on_a_page_of_a_pdf_leads_to_that_page() -> None:
    read = fetch(url="https://x.org/a.pdf#view=fit")

    assert quote_href(evidence(page=7), read) == "https://x.org/a.pdf#page=7"


def test_a_quote_is_on_the_page_that_it_begins_on_not_on_that_of_its_passage() -> None:
    found = evidence(page=1)
    starts = (0, found.span.start, found.span.end)
    read = fetch(
        url="https://x.org/a.pdf",
        document=SourceText(text=found.passage.text, page_starts=starts),
    )

    assert quote_page(found, read) == 2
    assert quote_href(found, read) == "https://x.org/a.pdf#page=2"


def test_a_quote_leads_to_where_its_text_came_from() -> None:
    read = fetch(url="https://web.archive.org/web/2011/https://x.org/")

    href = quote_href(evidence("The tornado lifted north of Eoline"), read)

    assert href is not None
    assert unquote(href) == f"{read.url}#:~:text=The tornado lifted north of Eoline"


@pytest.mark.parametrize("url", [None, "javascript:alert(1)"])
def test_a_quote_from_nowhere_safe_has_no_link(url: str | None) -> None:
    assert quote_href(evidence(), fetch(url=url)) is None


@pytest.mark.parametrize(
    ("fields", "href"),
    [
        ({"doi": "10.1000/a<b>"}, "https://doi.org/10.1000/a%3Cb%3E"),
        ({"archive_url": "https://archive.org/x"}, "https://archive.org/x"),
        ({"arxiv": "2508.03728"}, "https://arxiv.org/abs/2508.03728"),
        ({"isbn": "978-0-306-40615-7"}, None),
        ({"url": "javascript:alert(1)", "doi": "10.1/x"}, "https://doi.org/10.1/x"),
    ],
)
def test_a_source_is_found_by_address_or_identifier(
    fields: dict[str, str], href: str | None
) -> None:
    cited = source(**{"url": None, **fields})

    assert source_href(cited) == href


@pytest.mark.parametrize(
    ("row", "first", "last"),
    [
        ("Old Pellan | 14 | 20", "Old Pellan", "20"),
        ("2 | Old Pellan | 14 | 3 | 20", "Old Pellan", "20"),
        ("7 | 14 | 20", "7", "20"),
    ],
)
def test_a_row_of_a_table_is_named_by_its_cells(
    row: str, first: str, last: str
) -> None:
    directive = unquote(text_fragment(row)).removeprefix(":~:text=")

    assert directive.split(",") == [first, last]


def test_a_row_that_ends_with_its_only_name_is_found_by_it_alone() -> None:
    assert text_fragment("7 | Torvik") == ":~:text=Torvik"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://e.org/a?id=1&utm_source=x", "https://e.org/a?id=1"),
        ("https://e.org/a?utm_source=x&fbclid=1#top", "https://e.org/a"),
        ("https://e.org/a?q=%20b&empty=&flag", "https://e.org/a?q=%20b&empty=&flag"),
        ("https://e.org/a?page=utm_source", "https://e.org/a?page=utm_source"),
        ("", ""),
    ],
)
def test_only_tracking_and_the_fragment_go(address: str, kept: str) -> None:
    assert untracked(address) == kept
