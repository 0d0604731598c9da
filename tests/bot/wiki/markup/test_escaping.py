"""Nothing from outside becomes markup, and everybody sees what it said."""

import html
import re
import unicodedata

import mwparserfromhell
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mwparserfromhell.nodes import HTMLEntity, Text, Wikilink

from bot.surfaces.messages import templates
from bot.wiki import escaping
from bot.wiki.escaping import WikiSafe
from tests.bot.wiki.markup.corpora import hostile_texts

_SIGNS = "[]{}<>|=*#:;'~_&/!-\\\"\n\t `^$%@+?.,()\u0338\u200b\u00a0\u037e"
_WORDS = ("RFC 1", "ISBN 9780306406157", "PMID 3", "http://a.b", "nowiki", "-->", "x")
_hostile = st.lists(
    st.one_of(st.sampled_from(_SIGNS), st.sampled_from(_WORDS), st.characters()),
    max_size=60,
).map("".join)


def assert_plain(safe: str, raw: str) -> None:
    nodes = mwparserfromhell.parse(safe).nodes
    assert {type(node) for node in nodes} <= {Text, HTMLEntity}, raw
    assert not re.search(r"~~~|__|//|''|\n|(?:RFC|PMID|ISBN)\s", safe), raw
    assert not set(safe) & set("[]{}<>|='~_!*`\"\\$"), raw
    assert unicodedata.is_normalized("NFC", safe), raw


def test_no_hostile_text_becomes_markup_and_all_can_be_read() -> None:
    texts = hostile_texts()

    for raw in texts:
        safe = escaping.text(raw)

        assert_plain(safe, raw)
        text = html.unescape(safe)
        assert escaping.one_line(raw).startswith(text.removesuffix("…")), raw
    assert len(texts) > 3_000


@settings(deadline=None)
@given(_hostile)
def test_no_mixture_of_signs_becomes_markup(raw: str) -> None:
    safe = escaping.text(raw)

    assert_plain(safe, raw)
    assert html.unescape(safe) == escaping.one_line(raw)


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("It opened in 1998, on time.", "It opened in 1998, on time."),
        ("a well-known site", "a well-known site"),
        ("3.14 and 1,000 (both)", "3.14 and 1,000 (both)"),
        ("see www.example.org", "see www&#46;example&#46;org"),
        ("--", "&#45;&#45;"),
        ("RFC 2119", "&#82;FC 2119"),
        ("ISBN\u00a0978", "&#73;SBN 978"),
        ("x\u200by\u202ez", "xyz"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("\u037e", "&#59;"),
        ("<\u0338", "\u226e"),
        ("\ud800", ""),
    ],
)
def test_what_means_nothing_stays_readable(raw: str, safe: str) -> None:
    assert escaping.text(raw) == safe


def test_a_long_text_is_cut_at_a_word() -> None:
    assert escaping.text("one two three", most=10) == "one two…"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://a.example/b?c=d&e=1#f", "https://a.example/b?c=d&e=1#f"),
        (
            "https://a.example/[[x]]|{{y}}",
            "https://a.example/%5B%5Bx%5D%5D%7C%7B%7By%7D%7D",
        ),
        ("https://a.example/~~~~", "https://a.example/%7E%7E%7E%7E"),
        ("https://a.example/__TOC__", "https://a.example/%5F%5FTOC%5F%5F"),
        ("https://a.example/''x''", "https://a.example/%27%27x%27%27"),
        ("https://a.example/100%", "https://a.example/100%25"),
        ("https://a.example/&#93;x", "https://a.example/&#93%3Bx"),
        ("javascript:alert(1)", None),
        ("https://user@a.example/", None),
        ("https://a.example/ x", None),
        ("https://a.example/\nx", None),
        ("https://[::1]/", None),
        ("https://a]b/", None),
        ("//a.example/", None),
        ("https:///", None),
    ],
)
def test_only_plain_addresses_of_the_web_are_linked(
    url: str, address: str | None
) -> None:
    assert escaping.web_address(url) == address


@settings(deadline=None)
@given(_hostile)
def test_an_address_cannot_end_its_link(raw: str) -> None:
    link = escaping.external_link(f"https://a.example/{raw}", WikiSafe("label"))

    if link is not None:
        assert link.endswith(" label]")
        assert link.count("[") == link.count("]") == 1
        assert not re.search(r"[{}|<>']|~~~|__|;", link)
        assert len(link.split()) == 2


@settings(deadline=None)
@given(_hostile)
def test_a_title_cannot_end_its_link(raw: str) -> None:
    link = escaping.page_link(f"Oslo{raw}")

    nodes = mwparserfromhell.parse(link).nodes
    if link.startswith("[["):
        assert [type(node) for node in nodes] == [Wikilink]
        target = link[2:].partition("|")[0]
        assert not re.search(r"''|~~~|__|[{}<>&]", target)
    else:
        assert_plain(link, raw)


@pytest.mark.parametrize(
    ("title", "link"),
    [
        ("Oslo", "[[:Oslo|Oslo]]"),
        ("Category:Bridges", "[[:Category:Bridges|Category&#58;Bridges]]"),
        ("AT&T", "[[:AT%26T|AT&#38;T]]"),
        ("Foo ''bar''", "[[:Foo %27%27bar%27%27|Foo &#39;&#39;bar&#39;&#39;]]"),
        ("a|b", "a&#124;b"),
        ("", ""),
    ],
)
def test_a_page_is_linked_whatever_it_is_called(title: str, link: str) -> None:
    assert escaping.page_link(title) == link


def test_what_fills_a_text_is_not_filled_again() -> None:
    filled = escaping.filled("$one and $two", one=WikiSafe("$two"), two=WikiSafe("2"))

    assert filled == "$two and 2"


@pytest.mark.parametrize("put_in", ["raw", "raw | safe", "raw ~ ''", "[raw] | join"])
def test_no_template_lets_markup_through(put_in: str) -> None:
    template = templates().from_string(f"<< name >> << {put_in} >>")
    raw = "[[Category:X]] {{y}} ~~~~"

    shown = template.render(name=WikiSafe("'''Me'''"), raw=raw)

    assert shown == f"'''Me''' {escaping.text(raw)}"
