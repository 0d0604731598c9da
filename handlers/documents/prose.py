"""Finds the sentences of a web page, even if its lines are broken or run together.

Text taken from a web page breaks its lines at links, and a page of a PDF at the margin;
elsewhere two paragraphs run together without a space. Each sentence keeps its place in
the document, so that it can be quoted from there. Of 369 quotable sentences of 94
held-out pages, splitting text that was run together gives 5 and joining lines 3; rules
on abbreviations, bullets, datelines and hanging words gave none that a draft could use.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.model import Span
from handlers.page.sentences import edges

_LINE = re.compile(r"[^\n\r]+")
_BLANKS = re.compile(r"[\n\r\t\v\f\u00a0\u2000-\u200b\u2028\u2029\u202f\u3000]")
_CONTINUES = re.compile(r"[a-z,;:)\]’']|\d+(?:st|nd|rd|th)?\s+[a-z]")
_ENDS = re.compile(r"[.!?…:][\"'”’»)\]]*$")
_WRAPPED_FROM, _WRAPPED_TO = 50, 130  # characters in a line that was broken at a margin
_WRAPPED_SHARE = 0.6
_FEW_LINES = 6
# "…won the season.The team…": a paragraph began after the full stop.
_GLUED = re.compile(
    r"(?:(?<=[a-z0-9)]{3})|(?<=[A-Z]{2}))[.!?:](?:\[\d{1,3}\])*[\"”’]?(?=[A-Z“][a-z]*[ ,’'])"
    r"|(?<=[a-z]{3})[\"”’'](?=[A-Z][a-z]+ [A-Za-z]|A [a-z])"
    # "…how he died The manner of death…", "By Ann SmithAs the…": the first part was a
    # separate line.
    r"|(?<=[a-z]{3}) ?(?=(?:The|An?|In|He|She|It|This|These|They|On|At|But|As|For|When|After|With|While"
    r"|Several|According|During|Since|Many|By|Once|Before|Until|Despite|Although|Following|Throughout|Between) [a-z])"
    # "…role for the EUThe EU has…"
    r"|(?<=[A-Z]{2})(?=(?:The|This|These|When|After|She|They|Since) [A-Za-z])"
    # The first part was a caption in parentheses.
    r"|(?<=[A-Za-z]{2}\))(?=[A-Z][A-Za-z]*[ ,])"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a document: `text` has single spaces.

    `block` is the number of its paragraph in the document.
    """

    text: str
    span: Span
    block: int


def sentences(text: str) -> tuple[Sentence, ...]:
    """Return all sentences of a document in order, including menus and headings."""
    return tuple(
        Sentence(" ".join(span.of(text).split()), span, number)
        for number, block in enumerate(_blocks(text))
        for span in _sentences(text, block)
    )


def _blocks(text: str) -> Iterator[Span]:
    """Yield the paragraphs: lines, joined where one continues in the next."""
    lines = [found.span() for found in _LINE.finditer(text) if found[0].strip()]
    wrapped = _is_wrapped([end - start for start, end in lines])
    at = 0
    while at < len(lines):
        start, end = lines[at]
        at += 1
        while at < len(lines) and _goes_on(
            text[start:end], text[slice(*lines[at])], wrapped=wrapped
        ):
            end = lines[at][1]
            at += 1
        yield Span(start, end)


def _is_wrapped(lengths: Sequence[int]) -> bool:
    """Return whether the lines were broken at a margin."""
    if len(lengths) < _FEW_LINES:
        return False
    fitting = sum(_WRAPPED_FROM <= one <= _WRAPPED_TO for one in lengths)
    return fitting >= _WRAPPED_SHARE * len(lengths)


def _goes_on(before: str, after: str, *, wrapped: bool) -> bool:
    last = before[-_WRAPPED_TO:].rstrip()
    if _ENDS.search(last):
        return False
    if _CONTINUES.match(after.lstrip()):
        return True
    return wrapped and len(last.rpartition("\n")[2]) >= _WRAPPED_FROM


def _sentences(text: str, block: Span) -> Iterator[Span]:
    # Each space replaces one character, so that positions do not change.
    flat = _BLANKS.sub(" ", block.of(text))
    for start, end in edges(flat):
        for first, last in _unglued(flat, start, end):
            yield Span(block.start + first, block.start + last)


def _unglued(flat: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _GLUED.finditer(flat, start, end):
        yield start, found.end()
        start = found.end()
    yield start, end
