"""The tag pass: comments, opaque tags and references, taken out first.

MediaWiki cuts these out of a page before it looks at braces and brackets, so a
"}}" in a reference cannot end a template around it. One pass over the "<" of a
page; that no closing tag follows is remembered, never looked for again. Pure.
"""

import html
import re
from enum import Enum
from typing import NamedTuple, TypeAlias

from handlers.model import Span
from handlers.page.scanning.elements import Kind, Piece

_OPAQUE_TAGS = frozenset(
    """ce chem graph hiero inputbox mapframe maplink math nowiki pre score source
    syntaxhighlight templatedata timeline""".split()  # noqa: SIM905 - shorter to read than a list
)
_PLAIN_TAGS = frozenset(
    """abbr b bdi bdo big blockquote br caption categorytree center cite code col
    colgroup data dd del dfn div dl dt em font gallery h1 h2 h3 h4 h5 h6 hr i
    imagemap includeonly indicator ins kbd li mark noinclude ol onlyinclude p poem
    q rb rp rt rtc ruby s samp section small span strike strong sub sup table tbody
    td templatestyles tfoot th thead time tr translate tt u ul var wbr""".split()  # noqa: SIM905 - one name a line would fill two screens
)
_PAIRED = frozenset({"ref", "references"})

# Between two "<" each character is looked at once, whatever fails: a comment is
# the only thing with a "<" that a tag may hold.
_ANY_TAG = re.compile(
    r"<(?:(?P<comment>!--)"
    r"|(?P<slash>/?)(?P<name>[A-Za-z][A-Za-z0-9]*+)"
    r"(?P<rest>[\s/][^<>]*+(?:<!--[^<>]*+(?<=--)>[^<>]*+)*+)?>"
    r"|(?P<broken>(?i:ref)(?=[\s/])))"
)
_ATTRIBUTE = re.compile(
    r"(?<![\w:-])(?P<key>[\w:-]++)\s*+=\s*+"
    r"(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'|(?P<bare>[^\s\"'][^\s\"']*+)"
    r"|[\"'](?P<unclosed>[^\"']*+))"
)
_INNER_COMMENT = re.compile(r"<!--[^<>]*+>")


class Edge(Enum):
    """What the brace pass has to do at a boundary."""

    SKIP = "skip"  # jump over it
    OPEN = "open"  # what is inside stands by itself
    CLOSE = "close"


# Start and end of a stretch of text that the brace pass does not read.
Boundary: TypeAlias = tuple[int, int, Edge]

# Bound once: looking a member up in its enum costs as much as the rest of a step.
_SKIP = Edge.SKIP
_OPEN = Edge.OPEN
_CLOSE = Edge.CLOSE
_COMMENT = Kind.COMMENT
_OPAQUE = Kind.OPAQUE
_REF = Kind.REF
_REF_REUSE = Kind.REF_REUSE
_REFERENCES = Kind.REFERENCES
_TAG = Kind.TAG


class Tags(NamedTuple):
    """What the tag pass found; boundaries and comments in document order."""

    pieces: list[Piece]
    boundaries: list[Boundary]
    comments: list[tuple[int, int]]
    unclosed: list[Span]


class _Opener(NamedTuple):
    """A <ref> or <references> that waits for its closing tag."""

    name: str
    start: int
    end: int
    rest: str


def scan_tags(text: str) -> Tags:
    """Find all comments and tags of `text`."""
    return _TagScan(text).run()


class _TagScan:
    """The state of one tag pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: list[Piece] = []
        self._boundaries: list[Boundary] = []
        self._comments: list[tuple[int, int]] = []
        self._unclosed: list[Span] = []
        self._waiting: list[_Opener] = []  # at most one of each name
        self._never_closed: set[str] = set()
        self._attributes: dict[str, tuple[tuple[str, str], ...]] = {}  # of each rest

    def run(self) -> Tags:
        at = 0
        while at >= 0:
            at = self._read_from(at)
        self._give_up(0)
        self._boundaries.sort()
        return Tags(self._pieces, self._boundaries, self._comments, self._unclosed)

    def _read_from(self, at: int) -> int:
        """Read tags up to one with opaque content; return where to go on, or -1."""
        for tag in _ANY_TAG.finditer(self._text, at):
            name = tag["name"]
            if name is None:
                if tag["comment"]:
                    return self._comment(tag)
                self._unclosed.append(Span(*tag.span()))
                continue
            name = name.lower()
            if name in _PAIRED:
                self._paired(name, tag)
            elif name in _OPAQUE_TAGS:
                resume = self._opaque(name, tag)
                if resume >= 0:
                    return resume
            elif name in _PLAIN_TAGS:
                self._plain(name, tag)
        return -1

    def _comment(self, tag: re.Match[str]) -> int:
        start, inner = tag.span()
        inner_end = self._text.find("-->", inner)
        end = inner_end + 3
        if inner_end < 0:
            inner_end = end = len(self._text)
        self._pieces.append((start, -end, _COMMENT, inner, inner_end, "", (), ()))
        self._boundaries.append((start, end, _SKIP))
        self._comments.append((start, end))
        return end

    def _opaque(self, name: str, tag: re.Match[str]) -> int:
        start, inner = tag.span()
        closer = None
        if not (tag["slash"] or _closes_itself(tag) or name in self._never_closed):
            closer = re.compile(rf"</(?i:{name})\s*+>").search(self._text, inner)
            if closer is None:
                self._never_closed.add(name)
        if closer is None:
            self._plain(name, tag)
            return -1
        inner_end, end = closer.span()
        self._pieces.append((start, -end, _OPAQUE, inner, inner_end, name, (), ()))
        self._boundaries.append((start, end, _SKIP))
        return end

    def _plain(self, name: str, tag: re.Match[str]) -> None:
        start, end = tag.span()
        self._pieces.append((start, -end, _TAG, start + 1, end - 1, name, (), ()))

    def _paired(self, name: str, tag: re.Match[str]) -> None:
        if tag["slash"]:
            self._close(name, tag)
            return
        start, end = tag.span()
        rest = (tag["rest"] or "").rstrip()
        if rest.endswith("/"):
            self._reuse(name, start, end, rest[:-1])
        else:
            self._give_up_until(name)
            self._waiting.append(_Opener(name, start, end, rest))

    def _reuse(self, name: str, start: int, end: int, rest: str) -> None:
        kind = _REF_REUSE if name == "ref" else _REFERENCES
        given = self._given(rest)
        self._pieces.append((start, -end, kind, end, end, name, (), given))
        self._boundaries.append((start, end, _SKIP))

    def _close(self, name: str, tag: re.Match[str]) -> None:
        place = self._place_of(name)
        if place < 0:
            self._plain(name, tag)
            return
        self._give_up(place + 1)
        _, start, inner, rest = self._waiting.pop()
        inner_end, end = tag.span()
        kind = _REF if name == "ref" else _REFERENCES
        given = self._given(rest)
        self._pieces.append((start, -end, kind, inner, inner_end, name, (), given))
        self._boundaries.append((start, inner, _OPEN))
        self._boundaries.append((inner_end, end, _CLOSE))

    def _given(self, rest: str) -> tuple[tuple[str, str], ...]:
        """Return the attributes of a tag; reuses repeat those of others."""
        given = self._attributes.get(rest)
        if given is None:
            given = self._attributes[rest] = _attributes(rest)
        return given

    def _place_of(self, name: str) -> int:
        for place, opener in enumerate(self._waiting):
            if opener.name == name:
                return place
        return -1

    def _give_up_until(self, name: str) -> None:
        """A second opener of the same name: the first one was left unclosed."""
        if self._waiting and (place := self._place_of(name)) >= 0:
            self._give_up(place)

    def _give_up(self, place: int) -> None:
        while len(self._waiting) > place:
            name, start, end, _ = self._waiting.pop()
            if name == "ref":
                self._unclosed.append(Span(start, end))


def _closes_itself(tag: re.Match[str]) -> bool:
    return (tag["rest"] or "").rstrip().endswith("/")


def _attributes(rest: str) -> tuple[tuple[str, str], ...]:
    """Read the attributes of a tag: in double, single or no quotes."""
    if not rest:
        return ()
    if "<" in rest:
        rest = _INNER_COMMENT.sub(" ", rest)
    return tuple(
        (found["key"].lower(), _attribute_value(found))
        for found in _ATTRIBUTE.finditer(rest)
    )


def _attribute_value(found: re.Match[str]) -> str:
    value = found[found.lastgroup or 0]
    return " ".join(html.unescape(value).split())
