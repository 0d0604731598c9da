"""A page split at its headings, and pages that are not articles.

The sections, concatenated, give the page again. Pure.
"""

# ruff: noqa: RUF001  (words of other languages are intended)

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from handlers.model import Section, Span
from handlers.page.markup import Element, Kind, plain_text
from handlers.page.scan import Lines, Scan

# --- Sections ---

_HOLDERS = frozenset({Kind.TEMPLATE, Kind.ARGUMENT, Kind.LINK})
_RAW = frozenset({Kind.REF, Kind.REFERENCES, Kind.OPAQUE, Kind.COMMENT})
_START = attrgetter("start")


def held_headings(text: str, elements: Sequence[Element]) -> tuple[int, ...]:
    """Return where the headings inside templates begin, in order.

    MediaWiki counts them in its section numbers, because it splits a page before it
    expands templates; it does not look inside tags such as `<ref>`.
    """
    return tuple(_held(text, elements))


def _held(text: str, elements: Sequence[Element]) -> Iterator[int]:
    lines, raw = None, None
    for holder in _outermost(elements, _HOLDERS):
        at = text.find("\n==", holder.start, holder.end)
        while at >= 0:
            if lines is None or raw is None:
                lines, raw = (
                    Lines(text, _comments(elements)),
                    _outermost(elements, _RAW),
                )
            piece = None if _is_within(at + 1, raw) else lines.heading_at(at + 1)
            if piece and -piece[1] <= holder.end:
                yield at + 1
            at = text.find("\n==", at + 1, holder.end)


def _outermost(elements: Sequence[Element], kinds: frozenset[Kind]) -> list[Element]:
    found: list[Element] = []
    for element in elements:
        if element.kind in kinds and (not found or found[-1].end <= element.start):
            found.append(element)
    return found


def _comments(elements: Sequence[Element]) -> list[tuple[int, int]]:
    return [(each.start, each.end) for each in elements if each.kind is Kind.COMMENT]


def _is_within(at: int, covers: Sequence[Element]) -> bool:
    place = bisect_right(covers, at, key=_START) - 1
    return place >= 0 and at < covers[place].end


def find_sections(scan: Scan) -> tuple[Section, ...]:
    """Return the lead, which may be empty, and a section for each heading."""
    text, headings = scan.text, scan.headings
    held = held_headings(text, scan.elements)
    starts = [0, *(heading.start for heading in headings), len(text)]
    sections = [Section((), 0, Span(*starts[:2]), Span(*starts[:2]))]
    above: list[tuple[int, str]] = []  # level and title of the headings around
    for heading, (start, end) in zip(headings, pairwise(starts[1:]), strict=True):
        level = heading.inner_start - heading.start
        while above and above[-1][0] >= level:
            above.pop()
        title = plain_text(text[heading.inner_start : heading.inner_end])
        above.append((level, title))
        path = tuple(each for _, each in above)
        body = Span(heading.end, end)
        number = len(sections) + bisect_left(held, start)
        section = Section(path, level, Span(start, end), body, number)
        sections.append(section)
    return tuple(sections)


# --- Redirects and disambiguation pages ---

_REDIRECT = re.compile(
    r"\s*+#\s*+(?:redirect|weiterleitung|redirection|redirecci[óo]n|redirecionamento"
    r"|rinvia|rinvio|doorverwijzing|patrz|przekieruj|tam|перенаправление|перенапр"
    r"|перенаправлення|omdirigering|omdiriger|viderestilling|ohjaus|uudelleenohjaus"
    r"|átirányítás|yönlendirme|yönlendir|přesměruj|redireciona|преусмери|đổi|転送"
    r"|リダイレクト|重定向|넘겨주기|تحويل|تغییر_مسیر|הפניה)\s*+:?\s*+\[\[\s*+:?([^\[\]|#\n]*+)",
    re.IGNORECASE,
)
_DISAMBIGUATION = frozenset(
    """disambiguation,disambig,disamb,dab,dbig,hndis,geodis,hndab,geodab,mathdab,mathdis,
    schooldis,numberdis,roaddis,shipdis,tndis,surnamedis,hospitaldis,airport disambig,
    callsigndis,begriffsklärung,homonymie,homonymes,toponymie,patronymie,desambiguación,
    desambig,desambiguação,disambigua,dp,doorverwijspagina,неоднозначность,
    багатозначність,ujednoznacznienie,rozcestník,förgrening,flertydig,peker,egyért,
    anlam ayrımı,消歧义,消歧義,曖昧さ回避,aimai,동음이의,توضيح,ابهام‌زدایی,פירושונים""".replace(
        "\n", ""
    )
    .replace("    ", "")
    .split(",")
)
_NOT_THE_PAGE = ("disambiguation needed", "for disambiguation", "no disambiguation")
_MAGIC_WORD = "__DISAMBIG__"


def redirect_target(wikitext: str) -> str | None:
    """Return the title that the page redirects to; `None` if it is not a redirect."""
    found = _REDIRECT.match(wikitext)
    if not found:
        return None
    return " ".join(found[1].replace("_", " ").split()) or None


def is_disambiguation(wikitext: str, elements: Iterable[Element]) -> bool:
    """Return whether a page only lists pages with the same name."""
    if _MAGIC_WORD in wikitext:
        return True
    names = {element[6] for element in elements}  # few, and faster than by attribute
    return any(map(_marks_disambiguation, names))


def _marks_disambiguation(name: str) -> bool:
    if name in _DISAMBIGUATION:
        return True
    return name.endswith(" disambiguation") and name not in _NOT_THE_PAGE
