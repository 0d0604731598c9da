"""Web pages, XML and plain text: from bytes to words, as the child process reads them."""

import unicodedata

from bot.sources.extraction.extractor import read_plain
from bot.sources.extraction.html import read_html, read_xml
from bot.sources.extraction.sniff import Kind, sniff
from bot.sources.extraction.text import Extraction
from handlers.model import SourceOutcome
from tests.fuzz.reading import fault_of_ours
from tests.fuzz.target import Target, require, storable

_TYPES = (None, "text/html", "text/html; charset=iso-8859-1", "application/xml")
_MOST_GROWTH = (
    40  # characters of text for each byte of a page: `&#x…;` and joined lists
)
_MOST_CHARS = 3_000_000
_LINE = 500
_URL = "http://a.example/b"


def check(data: bytes) -> None:
    """Bounded text in one normal form, or why there is none."""
    content_type = _TYPES[len(data) % len(_TYPES)]
    kind = sniff(data, content_type).kind
    extraction = _read(kind, data, content_type)
    if extraction is not None:
        sound(extraction, len(data))


def _read(kind: Kind, data: bytes, content_type: str | None) -> Extraction | None:
    try:
        if kind is Kind.HTML:
            return read_html(data, content_type=content_type, url=_URL)
        if kind is Kind.XML:
            return read_xml(data, content_type=content_type)
        if kind is Kind.TEXT:
            return read_plain(data, content_type=content_type)
    except Exception as error:
        if fault_of_ours(error):
            raise
    return None


def sound(extraction: Extraction, size_bytes: int) -> None:
    """Raise where an extraction is not what its class promises."""
    document = extraction.document
    is_read = extraction.outcome is SourceOutcome.READ
    require(
        (document is not None) is is_read, "a document without READ, or none with it"
    )
    require(
        extraction.detail and "\n" not in extraction.detail[:_LINE],
        "no line for a person",
    )
    storable(extraction.detail)
    require(Extraction.from_json(extraction.to_json()) == extraction, "not read back")
    if document is None:
        return
    text = document.text
    storable(document)
    require(text and "\0" not in text, "a text that is none")
    lines = text.split("\n")
    require(all(line == line.strip(" ") for line in lines), "blanks around a line")
    require(unicodedata.is_normalized("NFC", text), "a text in another normal form")
    require(
        len(text) <= min(_MOST_CHARS, 200 + _MOST_GROWTH * size_bytes), "a long text"
    )
    require(
        list(document.page_starts) == sorted(document.page_starts), "pages in disorder"
    )
    require(
        all(0 <= at <= len(text) for at in document.page_starts),
        "a page beyond its end",
    )
    require(
        all(at == 0 or text[at - 1] == "\n" for at in document.page_starts),
        "a page that begins within a line",
    )
    about = (document.title, document.site, document.author, document.published)
    for line in (each for each in about if each is not None):
        require(0 < len(line) <= _LINE and "\n" not in line, "a long or empty line")


TARGET = Target(
    name="web_page",
    promises="bounded text in one normal form, or a named reason why there is none",
    check=check,
    words=(
        b"<!DOCTYPE html>", b"<html lang=en>", b"<head>", b"<title>", b"</title>", b"<body>",
        b"<p>", b"</p>", b"<div>", b"</div>", b"<table>", b"<tr>", b"<td>", b"</table>",
        b"<ul><li>", b"<article>", b"<main>", b"<nav>", b"<script>", b"</script>",
        b'<script type="application/ld+json">', b'{"@type":"NewsArticle","headline":"H"}',
        b'"author":{"name":"A"}', b'"datePublished":"2020-01-01"', b'"@graph":[', b"]}",
        b'<meta charset="utf-8">', b'<meta charset="utf-7">', b'<meta name="author" content="',
        b'<meta property="og:title" content="T">', b'<meta name="citation_author" content="A">',
        b'<time datetime="2020-13-45">', b"<pre>", b"<br>", b"<svg>", b"<math>", b"<template>",
        b"<noscript>", b"<iframe>", b'<input type=password>', b"<![CDATA[", b"]]>", b"<!--",
        b"-->", b"<?xml version='1.0' encoding='utf-16'?>", b"<!ENTITY a 'b'>", b"&a;",
        b"<!DOCTYPE a [", b"]>", b"&#x0;", b"&#xd800;", b"&nbsp;", b"&lt;", b"\0", b"\xff\xfe",
        b"\xfe\xff", b"\xef\xbb\xbf", b"\x1b$B", b"+ADw-", "\u0301\u202e".encode(), b"\xe9",
        b"Some words that make a sentence of its own. " * 4, b'<a href="http://b.example">',
        b"</a>", b"<h1>", b"</h1>", b"<listing>", b"<p>" * 40, b"<div>" * 90, b"style='",
    ),
    seeds=(
        b"<html lang=en><head><title>T - S</title><meta name=author content='A B'>"
        b"<script type='application/ld+json'>{\"@type\":\"NewsArticle\",\"author\":[{\"name\":"
        b"\"A B\"}],\"datePublished\":\"2020-01-02\"}</script></head><body><nav><a href=/>x</a>"
        b"</nav><article><h1>T</h1>" + b"<p>Many words stand in this paragraph of a page.</p>"
        * 8 + b"<table><tr><td>a</td><td>b</td></tr></table></article></body></html>",
        b"<?xml version='1.0'?><rss><channel><title>T</title><item><description>Words of"
        b" it</description></item></channel></rss>",
        b"Plain words of a text file,\nbroken at a fixed width of forty signs\nor so.\n\nMore.",
        "<p>W\u00f6rter".encode("utf-16"), b"<p>caf\xe9 na\xefve " * 9, b"%PDF-", b"",
        "Plain words cafe\u0301 \u1100\u1161 \u202e\u0085\u2028\x0c\x1cof a text.".encode(),
        "<html><title>Cafe\u0301</title><p>Words e\u0301 \ufdd0 \u2028 stand here. ".encode() * 5,
        b'<script type="application/ld+json">{"@type":"Article","headline":"\\ud800 A","author":'
        b'{"@type":"Person","name":"\\udc00\\u0000\\n"},"publisher":{"name":"P\\u2028"},'
        b'"datePublished":"2020-13-45"}</script><p>' + b"Words of this page stand here. " * 9,
        b"<p>We use cookies. Accept all cookies to go on. Cookie settings.</p>" * 3,
        b"<title>404 Not Found</title><p>Sorry, this page was not found.</p>",
        b"<title>Just a moment...</title><p>Checking your browser</p><input type=password>",
        b"<div>" * 300 + b"deep words", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    ),
    longest_s=20.0,
)  # fmt: skip
