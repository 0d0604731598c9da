"""A dump of a wiki: pages out of XML, packed or not, however the file is read."""

import bz2

from bot.research.sweep.dump_pages import BrokenPage, DumpPage, Expanding, cut, read
from tests.fuzz.target import Target, require, storable

_PIECE = 13
_MOST_TITLE = 1_000


def check(data: bytes) -> None:
    """The same pages in any pieces; each is a page or says what is broken."""
    raw = list(cut([data]))
    pieces = [data[at : at + _PIECE] for at in range(0, len(data), _PIECE)]
    require(_whole(raw) == _whole(list(cut(pieces))), "pages depend on the pieces")
    for each in raw:
        page = read(each) if isinstance(each, bytes) else each
        storable(page)
        require(len(page.title) <= _MOST_TITLE, "a long title")
        require(
            not isinstance(each, bytes) or each.count(b"<page>") == 1,
            "two pages in one",
        )
        if isinstance(page, DumpPage):
            require(not page.revised_at or page.revised_at.tzinfo, "a time of nowhere")
        require(isinstance(page, BrokenPage) or page.namespace >= -2, "no namespace")
    for one in cut(Expanding(iter([data]))):
        storable(read(one) if isinstance(one, bytes) else one)


def _whole(found: list[bytes | BrokenPage]) -> list[bytes | BrokenPage]:
    """Leave out what is broken: how often it is reported depends on how much is seen."""
    return [each for each in found if isinstance(each, bytes)]


_PAGE = (
    b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en">\n<siteinfo>'
    b"<base>https://en.wikipedia.org/wiki/A</base></siteinfo>\n<page>\n<title>Oslo</title>"
    b'<ns>0</ns><id>4</id><redirect title="B"/><revision><id>9</id><timestamp>'
    b'2026-11-01T10:00:00Z</timestamp><model>wikitext</model><text bytes="5" '
    b'xml:space="preserve">Words &lt;ref&gt;x&lt;/ref&gt;</text></revision></page>\n</mediawiki>'
)

TARGET = Target(
    name="dump",
    promises="the same pages in any pieces, each a page that can be stored or one that says why",
    check=check,
    words=(
        b"<page>", b"</page>", b"<title>", b"</title>", b"<ns>0</ns>", b"<id>4</id>", b"<revision>",
        b"</revision>", b"<text>", b"</text>", b'<text deleted="deleted" />', b"<redirect/>",
        b"<timestamp>2026-11-01T10:00:00Z</timestamp>", b"&lt;", b"&#xD800;", b"&#0;", b"&a;",
        b"<!DOCTYPE a [<!ENTITY a 'b'>]>", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?x?>", b"\xff",
        b"\0", b"<a>" * 20, b"9" * 40, b"-5", b"BZh91AY&SY", b"\x17\x72\x45\x38\x50\x90", b"<pag",
    ),
    seeds=(
        _PAGE, _PAGE * 2, bz2.compress(_PAGE), bz2.compress(_PAGE)[:-9],
        bz2.compress(_PAGE) * 2, _PAGE.replace(b"</page>", b""), _PAGE[:-60],
        _PAGE.replace(b"&lt;", b"<"), b"<page></page>",
        _PAGE.replace(b"Oslo", b"O" * 1_200), _PAGE.replace(b"00:00Z", b"00:00"),
        _PAGE.replace(b"</page>", b"") + _PAGE, _PAGE.replace(b"<ns>0", b"<ns>-2"),
        _PAGE.replace(b'<text bytes="5"', b'<text deleted="deleted"'),
    ),
)  # fmt: skip
