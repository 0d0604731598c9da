"""One linear pass over wikitext: where each piece of markup begins and ends.

Library parsers are quadratic on unclosed markup; this pass is not, whatever the
input. It understands no more than is needed to tell pieces apart: comments,
opaque tags, references, templates, links, tables and headings. Pure.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from handlers.model import Span
from handlers.page.scanning.elements import Element, Kind, Piece, nest
from handlers.page.scanning.heading_lines import Lines
from handlers.page.scanning.tag_scan import Edge, Tags, scan_tags

__all__ = ["Element", "Kind", "Scan", "scan"]

# Every alternative starts with a literal, outside its group, for then the search
# skips what starts none. None reads past the next brace, bracket or angle, which
# keeps the pass linear. Links and templates without markup inside are taken whole.
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
# Bound once: looking a member up in its enum costs as much as the rest of a step.
_ARGUMENT = Kind.ARGUMENT
_EXTERNAL_LINK = Kind.EXTERNAL_LINK
_LINK = Kind.LINK
_OPEN = Edge.OPEN
_REF = Kind.REF
_SKIP = Edge.SKIP
_TABLE = Kind.TABLE
_TEMPLATE = Kind.TEMPLATE


@dataclass(frozen=True, slots=True)
class Scan:
    """The markup of one page.

    `elements` are in document order of their start, so that the elements inside
    one follow it without a gap. `unclosed` are the `<ref …>` tags that no
    `</ref>` closes, or that are themselves broken off.
    """

    text: str
    elements: tuple[Element, ...]
    unclosed: tuple[Span, ...]

    @property
    def headings(self) -> tuple[Element, ...]:
        """Return the headings that part the page into sections."""
        heading = Kind.HEADING
        return tuple([each for each in self.elements if each.kind is heading])


def scan(wikitext: str) -> Scan:
    """Find all markup of `wikitext` in time linear in its length. Never raises."""
    tags = scan_tags(wikitext)
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
    tables: list[int] = field(default_factory=list)  # a link has those around it
    external: tuple[int, int] | None = None  # "[http" and the end of its line


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
        """Read token by token; none reaches across the "<" or ">" of a boundary."""
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
        """Enter or leave a reference; what was left open in it stays open for ever."""
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
        if frame.count:  # elsewhere it parts nothing
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
            # MediaWiki pairs links first, so an even run is theirs alone.
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
    """Normalise a template's name; one that is too long is no name."""
    if "<!--" in raw:
        raw, _, rest = _CLOSED_COMMENT.sub("", raw).partition("<!--")
        whole = whole or bool(rest)
    if not whole:
        return ""
    name = " ".join(raw.replace("_", " ").split()).lower()
    return name.removeprefix("template:").lstrip()
