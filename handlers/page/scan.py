"""One linear pass over wikitext that finds where each piece of markup begins and ends.

Library parsers are quadratic on unclosed markup; this pass is not, whatever the
input. MediaWiki cuts comments, opaque tags and references out of a page before it
looks at braces and brackets, so a "}}" in a reference cannot end a template around
it; so does this scan, which finds them first. If no closing tag follows, that is
remembered, so it is never searched for again. Pure.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from handlers.model import Span
from handlers.page.markup import Element, Kind, Piece, nest

# --- Headings ---

_MAX_LEVEL = 6
_HEADING = Kind.HEADING  # bound once: enum look-ups are expensive


class Lines:
    """The lines of a page, whose ends a comment may hide."""

    def __init__(self, text: str, comments: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._comments = comments  # start and end of each, in document order
        self._starts = [start for start, _ in comments]

    def heading_at(self, start: int) -> Piece | None:
        """Return the heading that begins with the "=" at `start`, if it is one."""
        line_end = self._end_of_line(start)
        closing = self._end_without_comments(start, line_end)
        line = self._text[start:closing]
        level = min(
            len(line) - len(line.lstrip("=")),
            len(line) - len(line.rstrip("=")),
            (len(line) - 1) // 2,
            _MAX_LEVEL,
        )
        if level < 1:
            return None
        end = min(line_end + 1, len(self._text))
        inner, inner_end = start + level, closing - level
        return (start, -end, _HEADING, inner, inner_end, "", (), ())

    def _end_of_line(self, at: int) -> int:
        while True:
            end = self._text.find("\n", at)
            if end < 0:
                return len(self._text)
            comment = self._comment_around(end)
            if comment is None:
                return end
            _, at = comment

    def _end_without_comments(self, start: int, end: int) -> int:
        while end > start:
            if self._text[end - 1] in " \t":
                end -= 1
            elif comment := self._comment_around(end - 1):
                end, _ = comment
            else:
                break
        return end

    def _comment_around(self, at: int) -> tuple[int, int] | None:
        place = bisect_right(self._starts, at) - 1
        if place < 0 or self._comments[place][1] <= at:
            return None
        return self._comments[place]


# --- Comments, opaque tags and references ---

_OPAQUE_TAGS = frozenset(
    """ce chem graph hiero includeonly inputbox mapframe maplink math nowiki pre score source
    syntaxhighlight templatedata timeline""".split()  # noqa: SIM905 - shorter to read than a list
)
_PLAIN_TAGS = frozenset(
    """abbr b bdi bdo big blockquote br caption categorytree center cite code col
    colgroup data dd del dfn div dl dt em font gallery h1 h2 h3 h4 h5 h6 hr i
    imagemap indicator ins kbd li mark noinclude ol onlyinclude p poem
    q rb rp rt rtc ruby s samp section small span strike strong sub sup table tbody
    td templatestyles tfoot th thead time tr translate tt u ul var wbr""".split()  # noqa: SIM905 - one name a line would fill two screens
)
_PAIRED = frozenset({"ref", "references"})

# Between two "<" each character is checked once, even if a match fails: a comment is
# the only thing with a "<" that a tag may contain.
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
    """What the brace pass must do at a boundary."""

    SKIP = "skip"  # jump over it
    OPEN = "open"  # the content is separate
    CLOSE = "close"


# Start and end of a stretch of text that the brace pass does not read.
Boundary: TypeAlias = tuple[int, int, Edge]

# Bound once: an enum look-up costs as much as the rest of a step.
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
        """Read tags up to opaque content; return where to continue, -1 at the end."""
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
        """Return the attributes of a tag, cached because they are often repeated."""
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
        """Handle a second opener of the same name: the first one was left unclosed."""
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


# --- Braces, brackets and tables ---

# Every alternative starts with a literal, outside its group, so that the search can
# skip text in which none starts. None reads past the next brace, bracket or angle
# bracket, which keeps the pass linear. Links and templates without markup inside are
# matched whole.
_TOKEN = re.compile(
    r"\[\[(?P<plain_link>[^\[\]{}<>\n|]*+\]\])"
    r"|\[\[(?P<piped_link>[^\[\]{}<>\n]*+\]\])"
    r"|\{\{(?P<flat_template>[^{}\[\]<>]*+\}\}(?!\}))"
    r"|\[(?P<open_link>\[(?![\[/]))"
    r"|\{(?P<open_braces>\{++)"
    r"|\}(?P<close_braces>\}++)"
    r"|\](?P<close_brackets>\]*+)"
    r"|\[(?P<open_external>(?=(?i:https?:|ftps?:|mailto:|news:|ircs?:)|//))"
    r"|\n(?P<heading>=)"
    r"|\n[ \t:]*+(?P<open_table>\{\|(?!\}))"
    r"|\n[ \t]*+(?P<close_table>\|\}(?!\}))"
    r"|\|(?P<pipe>)"
)
_FIRST_LINE = re.compile(r"(?P<heading>=)|[ \t:]*+(?P<open_table>\{\|(?!\}))")
_CLOSED_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

_LONGEST_NAME = 300  # titles have at most 255 bytes
# Bound once: an enum look-up costs as much as the rest of a step.
_ARGUMENT = Kind.ARGUMENT
_EXTERNAL_LINK = Kind.EXTERNAL_LINK
_LINK = Kind.LINK
_TABLE = Kind.TABLE
_TEMPLATE = Kind.TEMPLATE


@dataclass(frozen=True, slots=True)
class Scan:
    """The markup of one page.

    `elements` are ordered by where they start, so that the elements inside one follow
    it directly. `unclosed` are the `<ref …>` tags that no `</ref>` closes, or that are
    themselves broken off.
    """

    text: str
    elements: tuple[Element, ...]
    unclosed: tuple[Span, ...]

    @property
    def headings(self) -> tuple[Element, ...]:
        """Return the headings that divide the page into sections."""
        heading = Kind.HEADING
        return tuple([each for each in self.elements if each.kind is heading])


def scan(wikitext: str) -> Scan:
    """Find all markup of `wikitext` in time linear in its length. Never raises."""
    tags = _TagScan(wikitext).run()
    pieces = _BraceScan(wikitext, tags).run()
    unclosed = tuple(sorted(tags.unclosed, key=lambda span: span.start))
    return Scan(wikitext, nest(tags.pieces + pieces), unclosed)


@dataclass(slots=True)
class _Frame:
    """Something that is open: a run of braces, a link, a reference, or the page."""

    kind: Kind | None
    start: int
    count: int = 0  # braces of the run that are not closed yet
    braces_around: int = 0  # of a reference: braces open outside it
    pipes: list[int] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)  # for a link: those around it
    external: tuple[int, int] | None = None  # where "[http" is, and the end of its line


class _BraceScan:
    """The state of one pass over braces, brackets, tables and headings."""

    def __init__(self, text: str, tags: Tags) -> None:
        self._text = text
        self._boundaries = tags.boundaries
        self._lines = Lines(text, tags.comments)
        self._pieces: list[Piece] = []
        self._add = self._pieces.append
        self._names: dict[str, str] = {}
        self._stack = [_Frame(None, 0)]
        self._open_braces = 0  # since the innermost reference began
        self._line_end = -1
        self._handlers: dict[str | None, Callable[[int, int], None]] = {
            "plain_link": self._plain_link,
            "piped_link": self._piped_link,
            "flat_template": self._flat_template,
            "open_link": self._open_link,
            "open_braces": self._open_brace_run,
            "close_braces": self._close_brace_run,
            "close_brackets": self._close_brackets,
            "open_external": self._open_external,
            "heading": self._heading,
            "open_table": self._open_table,
            "close_table": self._close_table,
            "pipe": self._pipe,
        }

    def run(self) -> list[Piece]:
        """Read token by token; none crosses the "<" or ">" of a boundary."""
        handlers = self._handlers
        first = _FIRST_LINE.match(self._text)
        if first:
            handlers[first.lastgroup](*first.span())
        boundaries = iter([*self._boundaries, (len(self._text), 0, _SKIP)])
        next_start, next_end, edge = next(boundaries)
        resume = first.end() if first else 0
        for token in _TOKEN.finditer(self._text, resume):
            start, end = token.span()
            while next_start < start:
                if edge is not _SKIP:
                    self._pass(edge, next_start)
                resume = next_end
                next_start, next_end, edge = next(boundaries)
            if start >= resume:
                handlers[token.lastgroup](start, end)
        return self._pieces

    # --- references ---

    def _pass(self, edge: Edge, start: int) -> None:
        """Enter or leave a reference; what was left open in it is never closed."""
        if edge is _OPEN:
            around = self._open_braces
            self._stack.append(_Frame(_REF, start, braces_around=around))
            self._open_braces = 0
            return
        while self._stack[-1].kind is not _REF:
            self._stack.pop()
        self._open_braces = self._stack.pop().braces_around

    # --- templates and arguments ---

    def _flat_template(self, start: int, end: int) -> None:
        self._template(start, end, self._pipes_in(start, end))

    def _template(self, start: int, end: int, pipes: tuple[int, ...]) -> None:
        inner, inner_end = start + 2, end - 2
        name_end = pipes[0] if pipes else inner_end
        name = self._name(inner, name_end)
        self._add((start, -end, _TEMPLATE, inner, inner_end, name, pipes, ()))

    def _name(self, start: int, end: int) -> str:
        whole = end - start <= _LONGEST_NAME
        raw = self._text[start : end if whole else start + _LONGEST_NAME]
        name = self._names.get(raw)
        if name is None:
            name = self._names[raw] = _normal_name(raw, whole=whole)
        return name

    def _pipes_in(self, start: int, end: int) -> tuple[int, ...]:
        """Return the pipes of something without markup inside."""
        find = self._text.find
        pipes = []
        while (start := find("|", start, end)) >= 0:
            pipes.append(start)
            start += 1
        return tuple(pipes)

    def _open_brace_run(self, start: int, end: int) -> None:
        self._stack.append(_Frame(_TEMPLATE, start, end - start))
        self._open_braces += 1

    def _close_brace_run(self, at: int, end: int) -> None:
        """Match closing braces with the open ones as MediaWiki does: three, then two."""
        while end - at > 1 and self._open_braces:
            self._drop_links()
            frame = self._stack[-1]
            taken = min(end - at, frame.count, 3)
            start = frame.start + frame.count - taken
            pipes = tuple(frame.pipes)
            at += taken
            if taken == 2:  # noqa: PLR2004 - two braces are a template
                self._template(start, at, pipes)
            else:
                piece = (start, -at, _ARGUMENT, start + 3, at - 3, "", pipes, ())
                self._add(piece)
            self._shorten(frame, taken)

    def _shorten(self, frame: _Frame, taken: int) -> None:
        frame.count -= taken
        frame.pipes = []
        frame.external = None
        if frame.count < 2:  # noqa: PLR2004 - a single brace is text
            self._stack.pop()
            self._open_braces -= 1

    def _drop_links(self) -> None:
        """Give up the links left open inside the innermost braces or reference."""
        dropped = []
        while self._stack[-1].kind is _LINK:
            dropped.append(self._stack.pop())
        for frame in reversed(dropped):
            self._stack[-1].pipes.extend(frame.pipes)

    def _pipe(self, start: int, _end: int) -> None:
        frame = self._stack[-1]
        if frame.count:  # elsewhere it separates nothing
            frame.pipes.append(start)
            frame.external = None

    # --- links ---

    def _plain_link(self, start: int, end: int) -> None:
        self._add((start, -end, _LINK, start + 2, end - 2, "", (), ()))

    def _piped_link(self, start: int, end: int) -> None:
        pipes = self._pipes_in(start, end)
        self._add((start, -end, _LINK, start + 2, end - 2, "", pipes, ()))

    def _open_link(self, start: int, end: int) -> None:
        tables = self._stack[-1].tables
        self._stack.append(_Frame(_LINK, start, end - start, tables=tables))

    def _close_brackets(self, at: int, end: int) -> None:
        while at < end:
            frame = self._stack[-1]
            in_link = frame.kind is _LINK
            # MediaWiki pairs links first, so an even run of brackets belongs to links
            # only.
            if frame.external and not (in_link and (end - at) % 2 == 0):
                self._close_external(frame, at)
                at += 1
            elif in_link and end - at > 1:
                self._close_link(at)
                at += 2
            else:
                return

    def _close_link(self, at: int) -> None:
        frame = self._stack.pop()
        start, pipes = frame.start, tuple(frame.pipes)
        self._add((start, -(at + 2), _LINK, start + 2, at, "", pipes, ()))

    def _open_external(self, start: int, _end: int) -> None:
        if self._line_end < start:
            self._line_end = self._text.find("\n", start)
            if self._line_end < 0:
                self._line_end = len(self._text)
        self._stack[-1].external = (start, self._line_end)

    def _close_external(self, frame: _Frame, at: int) -> None:
        start, line_end = frame.external or (at, -1)
        frame.external = None
        if at < line_end:
            self._add((start, -(at + 1), _EXTERNAL_LINK, start + 1, at, "", (), ()))

    # --- tables and headings ---

    def _open_table(self, _start: int, end: int) -> None:
        self._stack[-1].tables.append(end - 2)

    def _close_table(self, _start: int, end: int) -> None:
        at = end - 2
        frame = self._stack[-1]
        if frame.tables:
            start = frame.tables.pop()
            self._add((start, -end, _TABLE, start + 2, at, "", (), ()))
        elif frame.count:
            frame.pipes.append(at)

    def _heading(self, _start: int, end: int) -> None:
        piece = self._lines.heading_at(end - 1)
        if piece:
            self._drop_links()
            self._add(piece)


def _normal_name(raw: str, *, whole: bool) -> str:
    """Normalise a template's name; one that is too long is not a name."""
    if "<!--" in raw:
        raw, _, rest = _CLOSED_COMMENT.sub("", raw).partition("<!--")
        whole = whole or bool(rest)
    if not whole:
        return ""
    name = " ".join(raw.replace("_", " ").split()).lower()
    return name.removeprefix("template:").lstrip()
