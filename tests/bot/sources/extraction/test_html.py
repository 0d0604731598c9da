import pytest

from bot.sources.extraction.html import read_html, read_xml
from bot.sources.extraction.text import Extraction
from handlers.model import Author, Imprint, SourceOutcome, SourceText

SENTENCES = (
    "The flood of May 1958 reached the second step of the town hall and stayed there.",
    "Eleven houses on Mill Lane were lost, and the footbridge was found two miles off.",
    "The county paid for a new bridge, which was opened on 3 May of the year after.",
    "A mark on the wall of the brewery still shows how high the water stood that day.",
)


def page(body: str, head: str = "") -> bytes:
    return (
        f'<!doctype html><html lang="en-GB"><head><title>The flood</title>{head}</head>'
        f"<body>{body}</body></html>"
    ).encode()


def story(sentences: tuple[str, ...] = SENTENCES, more: str = "") -> str:
    return f"<article><h1>The flood</h1>{paragraphs(sentences)}{more}</article>"


def paragraphs(sentences: tuple[str, ...]) -> str:
    return "".join(f"<p>{sentence}</p>" for sentence in sentences)


def read(
    body: bytes, content_type: str | None = "text/html; charset=utf-8"
) -> Extraction:
    return read_html(
        body, content_type=content_type, url="https://courier.example/flood"
    )


def text_of(body: bytes) -> str:
    extraction = read(body)
    assert extraction.document is not None, extraction
    return extraction.document.text


def test_main_text_is_read_without_menus_and_footers() -> None:
    body = page(
        '<nav><a href="/">Front page</a> <a href="/news">News</a></nav>'
        + story()
        + "<footer><p>All rights reserved.</p></footer>"
    )

    lines = text_of(body).split("\n")

    assert lines == ["The flood", *SENTENCES]


def test_what_the_page_says_about_itself_is_kept() -> None:
    head = (
        '<meta property="og:title" content="The flood of 1958">'
        '<meta property="og:site_name" content="The Larkfield Courier">'
        '<meta name="author" content="Mara Quill">'
        '<meta property="article:published_time" content="2018-05-03T08:00:00+02:00">'
    )

    document = read(page(story(), head)).document

    assert document == SourceText(
        text=document.text,
        languages=document.languages,
        title="The flood of 1958",
        site="The Larkfield Courier",
        author="Mara Quill",
        published="2018-05-03",
        language="en-GB",
        imprint=Imprint(
            title="The flood of 1958",
            site="The Larkfield Courier",
            authors=(Author("Mara Quill"),),
            published="2018-05-03",
        ),
    )


def test_tables_and_lists_are_kept_row_by_row() -> None:
    table = (
        "<table><tr><th>Year</th><th>Height</th></tr>"
        "<tr><td>1958</td><td>4.12 m</td></tr></table>"
        "<ul><li>Mill Lane was under water</li><li>Church Road was not</li></ul>"
    )

    lines = text_of(page(story(more=table))).split("\n")

    assert lines[-4:] == [
        "Year | Height",
        "1958 | 4.12 m",
        "Mill Lane was under water",
        "Church Road was not",
    ]


def test_the_whole_page_is_read_where_the_main_text_leaves_most_of_it_out() -> None:
    boxes = "".join(
        f'<div class="sidebar-widget"><span>Record {n}: {sentence}</span></div>'
        for n, sentence in enumerate(SENTENCES * 4)
    )

    text = text_of(page(f'<div class="footer-like">{boxes}</div>' + "<p>Records.</p>"))

    assert text.count("Record ") == 16


def test_preformatted_reports_become_paragraphs() -> None:
    report = (
        "<h1>Report</h1><pre>STORM REPORT\n\nA tornado touched down near the river and"
        " moved to the\nnortheast, where it caused damage to several homes.\n\n"
        "Peak winds:   110 mph\n</pre>"
    )

    lines = text_of(page(story(more=report))).split("\n")

    assert lines[-2:] == [
        "A tornado touched down near the river and moved to the northeast, where it"
        " caused damage to several homes.",
        "Peak winds: 110 mph",
    ]


def test_text_is_clean_whatever_the_page_holds() -> None:
    dirty = (
        "The cafe\u0301 was\x00 <b>open\u00a0on</b>\u200b Sundays &#0;&#xD800; again."
    )

    text = text_of(page(story((*SENTENCES, dirty))))

    assert "The café was open on Sundays" in text
    assert "\x00" not in text
    text.encode("utf-8")


@pytest.mark.parametrize("depth", [300, 1500])
def test_text_below_250_levels_is_read(depth: int) -> None:
    body = page("<div>" * depth + paragraphs(SENTENCES) + "</div>" * depth)

    assert SENTENCES[3] in text_of(body)


def test_text_below_the_parsers_limit_is_not_passed_over_in_silence() -> None:
    hidden = paragraphs(SENTENCES * 3)
    body = page(paragraphs(SENTENCES) + "<div>" * 2500 + hidden)

    extraction = read(body)

    assert extraction.outcome is SourceOutcome.INCOMPLETE
    assert extraction.document is None
    assert "nested too deeply" in extraction.detail


def test_long_values_and_scripts_do_not_pass_for_hidden_text() -> None:
    noise = "<p>" + "markup inside a value " * 200 + "</p>"
    body = page(
        f"<div data-props='{noise}'></div><script>var a = \"{noise}\";</script>"
        f"<style>/* {noise} */</style><!-- {noise} -->"
        f"<select><option>{noise}</option></select>" + story()
    )

    assert read(body).outcome is SourceOutcome.READ


def test_a_declaration_in_the_page_does_not_undo_its_decoding() -> None:
    body = (
        b'<?xml version="1.0" encoding="iso-8859-1"?><html><head>'
        b'<meta charset="iso-8859-1"></head><body><p>'
        + "Die Brücke über den Fluß wurde geöffnet.".encode()
        + b"</p></body></html>"
    )

    assert "Die Brücke über den Fluß wurde geöffnet." in text_of(body)


def test_an_endless_text_is_too_large() -> None:
    body = page("<p>" + "word " * 800_000 + "</p>")

    assert read(body).outcome is SourceOutcome.TOO_LARGE


def test_a_page_without_a_word_is_an_empty_shell() -> None:
    extraction = read(page("<img src='a.png'>").replace(b"The flood", b""))

    assert extraction.outcome is SourceOutcome.EMPTY_SHELL


def test_xml_is_read_without_its_entities() -> None:
    body = (
        b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "expanded">'
        b'<!ENTITY f SYSTEM "file:///etc/passwd">]>'
        b"<article><title>Flood</title><p>It rose &x; fast.</p><p>&f; <![CDATA[Two"
        b" < three.]]></p></article>"
    )

    extraction = read_xml(body, content_type="application/xml")

    assert extraction.document.text == "Flood\nIt rose fast.\nTwo < three."


@pytest.mark.parametrize(
    ("stated", "language"),
    [
        ("zh-Hant-TW", "zh-Hant-TW"),
        ("de_CH", "de_CH"),
        ("ca-valencia-x-a", "ca-valencia-x-a"),
        ("e", None),
        ("the language of this page", None),
        ("aa" + "_11" * 100_000 + "!", None),
        ("aa" + "-11" * 100_000, None),
    ],
)
def test_only_the_tag_of_a_language_is_one(stated: str, language: str | None) -> None:
    given = page(story()).replace(b'lang="en-GB"', f'lang="{stated}"'.encode())

    document = read(given).document

    assert document.language == language
