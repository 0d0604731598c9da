"""Text from outside on its way to a wiki: no markup is left, whatever it was."""

import html
import re
import unicodedata

from bot.wiki.escaping import (
    NOTHING,
    external_link,
    joined,
    one_line,
    page_link,
    text,
    web_address,
)
from bot.wiki.keys import posts_in
from handlers.page.markup import Kind
from handlers.page.scan import scan
from tests.bot.wiki.markup.makers import KEYS
from tests.fuzz.target import Target, require, storable

_MOST = 500
# No sign that begins anything in wikitext; "&" only as a reference that is whole.
_SAFE = re.compile(r"(?:[^\x00-\x1f\x7f\"#$%&'*/:;<=>?@\[\\\]^_`{|}~!+]|&#\d{1,3};)*")
_WORDS = re.compile(r"(?:RFC|PMID|ISBN)\s+\d|__|~~~|https?://|//")
_ADDRESS = re.compile(r"[!-~]+")
_NOT_IN_ADDRESS = re.compile(r"[\"'<>\[\]{}|\\^`;~]|__|~")


def check(data: bytes) -> None:
    """The words stay, the markup goes."""
    raw = data.decode("utf-8", "surrogateescape")
    _text(raw)
    _address(raw)
    _page_link(raw)
    require(not posts_in(raw, KEYS), "a key that nobody made")


def _text(raw: str) -> None:
    safe = text(raw)
    storable(safe)
    require(_SAFE.fullmatch(safe), f"a sign with a meaning: {safe!r}")
    require(not _WORDS.search(safe), f"a word with a meaning: {safe!r}")
    require(not scan(safe).elements, f"markup: {safe!r}")
    line = one_line(raw)
    plain = html.unescape(safe)
    same = plain == line if len(line) <= _MOST else line.startswith(plain[:-1].rstrip())
    require(same and len(plain) <= _MOST, f"other words: {plain!r}")
    require(one_line(line) == line, "not on one line at once")
    # MediaWiki normalises what it saves: no sign may come to be only then.
    require(_is_normal(safe) and _is_normal(line), f"normalised later: {safe!r}")


def _is_normal(text: str) -> bool:
    return unicodedata.is_normalized("NFC", text)


def _address(raw: str) -> None:
    address = web_address(raw)
    link = external_link(raw, text(raw))
    require((address is None) is (link is None), "a link without an address")
    if address is None or link is None:
        return
    require(_ADDRESS.fullmatch(address), f"no address: {address!r}")
    require(not _NOT_IN_ADDRESS.search(address), f"markup in an address: {address!r}")
    require(address.lower().startswith(("http://", "https://")), "another scheme")
    found = scan(link).elements
    require(
        [(each.kind, each.start, each.end) for each in found]
        == [(Kind.EXTERNAL_LINK, 0, len(link))],
        f"not one link: {link!r}",
    )


def _page_link(raw: str) -> None:
    link = page_link(raw)
    storable(link)
    require(_is_normal(link), f"normalised later: {link!r}")
    if not link.startswith("[["):
        require(not scan(link).elements, f"markup: {link!r}")
        return
    target, bar, shown = link.removeprefix("[[").removesuffix("]]").partition("|")
    require(
        re.match(":[^:]", target) and bar and link.endswith("]]"), f"no link: {link!r}"
    )
    require(not re.search(r"[\[\]{}<>|#\n~]", target), f"markup in a title: {link!r}")
    require(_SAFE.fullmatch(shown), f"markup in words: {link!r}")
    require(len(scan(link).elements) == 1, f"not one link: {link!r}")
    require(joined("", (NOTHING, NOTHING)) == "", "something of nothing")


TARGET = Target(
    name="escaping",
    promises="no sign or word is left that means anything to a wiki; the words stay",
    check=check,
    max_bytes=2_048,
    words=(
        b"[[", b"]]", b"{{", b"}}", b"{{{", b"|", b"=", b"\n", b"\n* ", b"\n==", b"<ref>", b"<!--",
        b"<nowiki>", b"</nowiki>", b"-->", b"~~~~", b"__TOC__", b"''", b"'''", b"RFC 1",
        b"PMID 1", b"ISBN 1", b"RFC\xc2\xa01", b"http://", b"//a.org", b"mailto:", b"&lt;",
        b"&#91;", b"&amp;#91;", b";", b":", b"#", b"Category:A", b"File:A.jpg", b"fr:A", b"%5B",
        b"%", b"{|", b"|}", b"!!", b"||", b"----", b"\0", b"\x7f", b"\xff", "\u0338".encode(),
        "\u226e".encode(), "\uff3b\uff5c".encode(), "\u2028\u202e\u200b".encode(), b"\\",
        "\ufb01\u0130\u1e9e".encode(), "\u3008".encode(), "\u037e".encode(), "\u1fef".encode(),
        "\u200d\u0301".encode(), b"-{", b"}-", b"[sidenote ", b"$name", b"@", b"a.org", b",", b".",
    ),
    seeds=(
        b"[[Category:A]] {{delete}} <ref>x</ref> ~~~~", b"https://a.org/b?c=d#e%20;f__g~h",
        b"Talk:A#b|c", "Ordinary words, with a comma \u2013 and 3.5 %.".encode(), b"fr:A B",
        b"http://u@a.org", b"= a =\n* b", "\u2329\u212b\u0958".encode(), b"[sidenote abc]",
        "a<\u0338b A\u030a \u1fef\u037e".encode(), b":: :Category:A", b"a\nb_c", b"__TOC__",
    ),
)  # fmt: skip
