"""Pages: the scan, the claims and what a reader sees of them."""

from time import process_time
from zlib import crc32

from handlers.model import Page, PageId, Span
from handlers.page import parse
from handlers.page.article import article_of, stated
from handlers.page.markup import Element, Kind
from handlers.page.scan import scan
from tests.fuzz.target import Target, require
from tests.wikitext_bombs import BOMBS

_ID = PageId("en.wikipedia.org", "Example")
_LONG = 12_000  # characters of an input that is repeated
_PER_CHAR_S = 0.4e-3  # of processor time, forty times what real articles take
_ONE_IN = 32  # inputs are also read many times over
_ENDS = {
    Kind.COMMENT: ("<!--", ""),
    Kind.REF: ("<", ">"),
    Kind.REF_REUSE: ("<", ">"),
    Kind.TEMPLATE: ("{{", "}}"),
    Kind.ARGUMENT: ("{{{", "}}}"),
    Kind.LINK: ("[[", "]]"),
    Kind.EXTERNAL_LINK: ("[", "]"),
    Kind.TABLE: ("{|", "|}"),
    Kind.TAG: ("<", ">"),
}


def check(data: bytes) -> None:
    """Spans are exact and in bounds; time is linear."""
    text = data.decode("utf-8", "replace")
    page = parse(text, _ID)
    _elements(text, scan(text).elements)
    _page(text, page)
    article_of(page)
    for each in stated(page):
        _inside(text, each.span)
    if text and crc32(data) % _ONE_IN == 0:
        _in_time(text)


def _elements(text: str, elements: tuple[Element, ...]) -> None:
    for each in elements:
        require(
            0
            <= each.start
            <= each.inner_start
            <= each.inner_end
            <= each.end
            <= len(text),
            f"an element out of bounds: {each}",
        )
        begin, end = _ENDS.get(each.kind, ("", ""))
        whole = text[each.start : each.end]
        require(
            whole.startswith(begin) and whole.endswith(end), f"not at its place: {each}"
        )
        require(
            all(text[at] == "|" and each.start < at < each.end for at in each.pipes),
            f"a pipe that is none: {each}",
        )
        if each.parent >= 0:
            outer = elements[each.parent]
            require(
                outer.start <= each.start and each.end <= outer.end,
                "not inside its parent",
            )


def _page(text: str, page: Page) -> None:
    require(page.wikitext == text, "the wikitext changed")
    joined = "".join(section.span.of(text) for section in page.sections)
    require(joined == text, "the sections are not the page")
    for claim in page.claims:
        _inside(text, claim.span)
        require(
            claim.text and claim.text == claim.text.strip(), "a claim without words"
        )
        for citation in claim.citations:
            _inside(text, citation.marker)
            require(citation.marker.of(text)[0] in "<{[h", "a marker that is none")
    spans = [each.span for each in page.unattached] + [each.span for each in page.tags]
    for span in spans:
        _inside(text, span)


def _inside(text: str, span: Span) -> None:
    require(0 <= span.start < span.end <= len(text), f"a span out of bounds: {span}")


def _in_time(text: str) -> None:
    """Read the input many times over: whoever is quadratic in it is seen."""
    long = text * (_LONG // len(text) + 1)
    began = process_time()
    parse(long, _ID)
    spent = process_time() - began
    require(
        spent < 1.0 + _PER_CHAR_S * len(long), f"{spent:.1f} s for {len(long)} signs"
    )


TARGET = Target(
    name="wikitext",
    promises="spans exact and in bounds, time linear, every claim found again",
    check=check,
    words=(
        b"<ref>", b"</ref>", b"<ref name=a>", b"<ref name=a />", b'<ref name="b" group=n/>',
        b"{{", b"}}", b"{{{", b"}}}", b"[[", b"]]", b"|", b"=", b"\n{|\n", b"\n|-\n", b"\n|}\n",
        b"\n!", b"\n|", b"||", b"\n== h ==\n", b"\n* ", b"\n# ", b"\n: ", b"<!--", b"-->",
        b"<nowiki>", b"</nowiki>", b"<references>", b"</references>", b"{{reflist|refs=",
        b"{{cite web|url=http://a.org|title=T", b"{{sfn|A|2000}}", b"{{rp|3}}", b"{{cn}}",
        b"{{efn|", b"{{refn|name=a|", b"{{r|a}}", b"{{Infobox x\n|a=", b"[http://a.org b]",
        b"http://a.org ", b"''", b"'''", b"<br>", b"<gallery>\nFile:a.jpg|", b"</gallery>",
        b"[[File:a.jpg|thumb|", b"{{quote|", b"{{ubl|", b"&nbsp;", b"&#x41;", b"<math>",
        b"Words are here. ", b"It is so.", b"#REDIRECT [[A]]", b"__TOC__", b"\n\n", b"</",
        "\u00e9\u4e00\u202e".encode(), b"{{archive url|", b"{{dead link|date=May 2020}}",
        b"{{convert|5|km|mi}}", b"{{sfnm|1a1=A|1y=2000|2a1=B|2y=2001b}}", b"{{harvs|last=A|year=2000}}",
        b"{{birth date|1950|2|30}}", b"{{height|ft=5|in=7}}", b"{{frac|1|2}}", b"{{as of|2020|13}}",
        b"{{val|1.5|u=m}}", b"{{spell|5}}", b"|pop_ref=<ref>a</ref>", b"|pop=", b' rowspan=3 colspan="99999" |',
        b"9" * 40, b"{{lang|de|W}}", b"{{US$|5|year=2000}}", b"{{ndash}}", b"{{circa|1900}}",
    ),
    seeds=(
        b"It is so.<ref>{{cite web|url=http://a.org|title=T|date=1 May 2020}}</ref>\n\n"
        b"== H ==\nMore.<ref name=a>B, p. 3. http://b.org</ref> Again,<ref name=a />{{rp|4}}"
        b" and {{sfn|C|2001|p=5}}.\n{{reflist|refs=<ref name=c>D</ref>}}\n"
        b"* {{cite book|last=C|year=2001|title=E|isbn=1}}",
        b"{{Infobox settlement\n|name=Oslo\n|pop=700,000<ref>x http://c.org</ref>}}\n{|\n"
        b"|+ c\n! a !! b\n|-\n| 1 || 2<ref>y</ref>\n|}\n{{efn|A note.<ref>z</ref>}}",
        b"It has {{convert|5.5|-|7,0|km|mi|abbr=on}} and {{frac|1|2}}, {{height|m=1.8}}; {{as of|2020|5"
        b"|lc=y}} {{US$|5 million}} {{birth date and age|1950|2|3}} {{ship|HMS|A|1900|6}} {{val|3|u=m}}"
        b" {{marriage|A|1990|2000}} {{spellnum|12}} {{lang|de|Wort}} {{circa|1900}}.<ref>a</ref>",
        b"A.{{sfnm|1a1=Lee|1y=2001|1p=3|2a1=Kim|2y=2005}} B.{{harvs|txt|last=Lee|year=2001|year2=2005}}"
        b" C.{{sfn|Kim|ref=x}}\n* {{cite book|last1=Lee, A.|first2=B|last2=Kim|date=May 2001|doi=10.1/a"
        b"|archive-url=http://web.archive.org/web/2020/http://b.org|ref={{harvid|Kim|2005}}}}",
        b"{{Infobox x\n|pop=700\n|pop_year=2020\n|pop_ref=<ref>a</ref>}}\n{|\n! a !! rowspan=2 | b\n|-\n"
        b'| rowspan="2" | 1 || colspan=2 | 2<ref>y</ref>\n|-\n| 3<ref>z</ref> || 4\n|}\n"Quoted?" "So." Dr. A',
        b"#REDIRECT [[A]]", b"{{disambiguation}}\n* [[A]] is a.",
        *(bomb(3).encode() for bomb in BOMBS.values()),
    ),
)  # fmt: skip
