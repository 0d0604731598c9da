"""Which running text a place in the wikitext belongs to.

A marker in a table cell, an infobox value, a caption or a note vouches for words
there, not for the paragraph around. Templates that only dress up words, such as
`{{nowrap|…}}`, belong to the text around them. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from handlers.model import Span
from handlers.page.citing.template_names import Role, role_of
from handlers.page.claiming.inline import shows
from handlers.page.claiming.tables import Cell, Table, table_of
from handlers.page.scanning.elements import Element, Kind
from handlers.page.scanning.parameters import Parameter, parameters_of, trim

_OPENING_SIGNS = frozenset("[|=:'")
_CLOSING_SIGNS = frozenset("]}|'")
_DEEPEST = 12  # how deep links and templates around a word are looked for
_PICTURE = re.compile(
    r"\s*(?:file|image|media|datei|bild|fichier|archivo|imagen|ficheiro|imagem|immagine"
    r"|bestand|plik|файл|изображение|ファイル|画像|文件)\s*:",
    re.IGNORECASE,
)
_CAPTION_NAMES = ("caption", "footer", "légende", "bildunterschrift", "pie")


class HostKind(Enum):
    """What holds the running text."""

    PAGE = "page"
    PARAMETER = "parameter"  # of a template
    CELL = "cell"  # of a table
    CAPTION = "caption"
    NOTE = "note"
    HEADING = "heading"
    HIDDEN = "hidden"  # shows no words


@dataclass(frozen=True, slots=True)
class Host:
    """A stretch of running text.

    `element` is the index of the markup that holds it, -1 for the page. `name` is
    that of a parameter that has one; `cell` is present for cells.
    """

    kind: HostKind
    stretch: Span
    element: int
    name: str | None = None
    cell: Cell | None = None


class Hosts:
    """Finds hosts, and remembers what it learns of templates and tables."""

    def __init__(
        self, text: str, elements: Sequence[Element], starts: Sequence[int]
    ) -> None:
        self._text = text
        self._elements = elements
        self._starts = starts
        self._page = Host(HostKind.PAGE, Span(0, len(text)), -1)
        self._holders: dict[int, int] = {}  # element: the nearest that is a host
        self._roots: dict[int, int] = {}  # element: the outermost around it
        self._tables: dict[int, Table] = {}
        self._notes: dict[int, Host] = {}
        self._parameters: dict[int, tuple[Parameter, ...]] = {}

    def host_of(self, start: int) -> Host:
        """Return the host of the markup that begins at `start`."""
        index = bisect_left(self._starts, start)
        if index == len(self._starts):
            return self._page
        element = self._elements[index]
        if element.parent < 0 or element.start != start:
            return self._page
        holder = self._holder_of(element.parent)
        return self._host(holder, start) if holder >= 0 else self._page

    def outermost(self, index: int) -> int:
        """Return where the markup on the page begins that element `index` is in."""
        passed = []
        while index not in self._roots and self._elements[index].parent >= 0:
            passed.append(index)
            index = self._elements[index].parent
        root = self._roots.get(index, index)
        self._roots.update(dict.fromkeys(passed, root))
        return self._elements[root].start

    def whole_markup(self, start: int, end: int, host: Host) -> Span:
        """Widen a range to whole links and templates, and to bold and italic marks."""
        text = self._text
        if text[start - 1 : start] in _OPENING_SIGNS:
            start = self._edges(start, host)[0]
            while text.endswith("''", host.stretch.start, start):
                start -= 2 if not text.endswith("'''", host.stretch.start, start) else 3
        if text[end : end + 1] in _CLOSING_SIGNS:
            end = self._edges(end - 1, host)[1]
            while text.startswith("''", end):
                end += 2 if not text.startswith("'''", end) else 3
        return Span(start, end)

    def _edges(self, at: int, host: Host) -> tuple[int, int]:
        """Return where the outermost markup within `host` begins and ends around `at`."""
        start, end = at, at + 1
        index = bisect_right(self._starts, at) - 1
        for _ in range(_DEEPEST):
            if index < 0 or index == host.element:
                break
            element = self._elements[index]
            if element.end > at:
                start, end = element.start, element.end
            index = element.parent
        return start, end

    def table(self, index: int) -> Table:
        """Return the cells of the table that is element `index`."""
        if index not in self._tables:
            self._tables[index] = table_of(
                self._text, self._elements[index], self._elements, self._starts
            )
        return self._tables[index]

    def parameters(self, index: int) -> tuple[Parameter, ...]:
        """Return the parameters of the template that is element `index`."""
        if index not in self._parameters:
            self._parameters[index] = parameters_of(self._text, self._elements[index])
        return self._parameters[index]

    def _holder_of(self, index: int) -> int:
        """Climb to the nearest host; each step is taken once for the whole page."""
        passed = []
        while index >= 0 and index not in self._holders:
            passed.append(index)
            if self._is_host(self._elements[index]):
                break
            index = self._elements[index].parent
        found = self._holders.get(index, index)
        self._holders.update(dict.fromkeys(passed, found))
        return found

    def _is_host(self, element: Element) -> bool:
        if element.kind is Kind.TEMPLATE:
            return not shows(element.name)
        if element.kind is Kind.LINK:
            return _is_picture(self._text, element)
        return element.kind not in (Kind.REFERENCES, Kind.EXTERNAL_LINK, Kind.TAG)

    def _host(self, index: int, at: int) -> Host:
        element = self._elements[index]
        kind = element.kind
        if kind is Kind.TEMPLATE:
            return self._template_host(index, at)
        if kind is Kind.TABLE:
            return self._table_host(index, at)
        if kind is Kind.LINK:
            place = bisect_right(element.pipes, at) - 1
            start = element.pipes[place] + 1 if place >= 0 else element.inner_start
            return Host(HostKind.CAPTION, Span(start, element.inner_end), index)
        if kind is Kind.REF:
            return self._note_host(index)
        inner = Span(element.inner_start, element.inner_end)
        if kind is Kind.HEADING:
            return Host(HostKind.HEADING, inner, index)
        return Host(HostKind.HIDDEN, inner, index)

    def _note_host(self, index: int) -> Host:
        """Return the host of a note, which is trimmed once for all marks in it."""
        if index not in self._notes:
            _, _, _, start, end, *_ = self._elements[index]
            inner = Span(*trim(self._text, start, end))
            self._notes[index] = Host(HostKind.NOTE, inner, index)
        return self._notes[index]

    def _template_host(self, index: int, at: int) -> Host:
        given = self.parameters(index)
        place = bisect_right(given, at, key=lambda each: each.start) - 1
        if place < 0:
            return Host(HostKind.HIDDEN, Span(at, at), index)
        name, start, end = given[place]
        if role_of(self._elements[index].name) is Role.NOTE:
            kind = HostKind.NOTE
        elif any(word in name.lower() for word in _CAPTION_NAMES):
            kind = HostKind.CAPTION
        else:
            kind = HostKind.PARAMETER
        shown_name = None if name.isdigit() else name
        return Host(kind, Span(start, end), index, shown_name)

    def _table_host(self, index: int, at: int) -> Host:
        table = self.table(index)
        cell = table.cell_at(at)
        if cell:
            stretch = Span(cell.start, cell.end)
            return Host(HostKind.CELL, stretch, index, cell=cell)
        caption = table.caption
        if caption and caption.start <= at < caption.end:
            return Host(HostKind.CAPTION, caption, index)
        return Host(HostKind.HIDDEN, Span(at, at), index)


def _is_picture(text: str, link: Element) -> bool:
    """Tell whether a link shows a picture, whose last parameter is its caption."""
    return _PICTURE.match(text, link.inner_start, link.inner_end) is not None
