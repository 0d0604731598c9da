"""Which running text a place in the wikitext belongs to, and the cells of tables.

A marker in a table cell, an infobox value, a caption or a note supports words there,
not in the paragraph around it. Templates that only format words, such as
`{{nowrap|…}}`, belong to the text around them.

A table is read in one pass over its own cell marks; those inside links, templates,
references and inner tables are skipped. Row and column spans are followed, within
bounds. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from handlers.model import Span
from handlers.page.inline_templates import shows
from handlers.page.markup import Element, Kind, Parameter, parameters_of, trim
from handlers.page.template_names import Role, role_of

# --- Tables ---

# Searching for one set of characters is several times faster than for alternatives.
_MARK = re.compile(
    r"[\n|!](?:(?<=\n)[ \t:]*+(?:(?P<row>\|-++)|(?P<caption>\|\+)|(?P<cell>[|!])(?!\}))"
    r"|(?<=\|)(?P<next>\|)|(?<=!)(?P<next_header>!)|(?<=\|)(?P<attributes>)"
    r"|(?<=\n)(?P<line>))"
)
_SPAN = re.compile(r"\b(col|row)span\s*+=\s*+[\"']?\s*+(\d{1,4})", re.IGNORECASE)
_MAX_COLUMNS_SPANNED = 40
_MAX_COLUMNS = 300  # beyond them row spans are not followed
_MAX_ROWS = 60  # that one cell spans
_MOST_SHOWN = 24  # cells of a row that are kept together
_MOST_LEVELS = 3  # of headers above each other
_MOST_HEADERS = 6  # that name the columns of one cell


class Cell(NamedTuple):
    """A cell; `start:end` is its content in the wikitext, trimmed."""

    start: int
    end: int
    is_header: bool
    row: int  # counts from 0
    row_header: int | None  # index of the cell that names the row
    column_headers: tuple[int, ...]  # indices of the cells that name its columns
    height: int = 1  # rows that it spans


@dataclass(frozen=True, slots=True)
class Table:
    """All cells in document order, and the caption.

    `rows` holds the indices of what readers see in each row, in order of columns: its
    own first cells, and those that span into it. `titles` holds, for each row, the
    index of the heading that stands alone in a row above it.
    """

    cells: tuple[Cell, ...]
    caption: Span | None
    rows: tuple[tuple[int, ...], ...] = ()
    titles: tuple[int | None, ...] = ()

    def cell_at(self, offset: int) -> Cell | None:
        """Return the cell whose content contains `offset` or ends there."""
        place = bisect_right(self.cells, offset, key=lambda cell: cell.start) - 1
        if place >= 0 and offset <= self.cells[place].end:
            return self.cells[place]
        return None

    def first_of(self, row: int) -> Cell:
        """Return the first cell that begins in a row."""
        return self.cells[bisect_left(self.cells, row, key=lambda each: each.row)]

    def own_of(self, row: int) -> list[Cell]:
        """Return the cells that begin in a row, as far as they are in `rows`."""
        shown = (self.cells[at] for at in self.rows[row])
        return [cell for cell in shown if cell.row == row]

    def row_of(self, cell: Cell) -> Sequence[Cell]:
        """Return the cells in the same row."""
        first = bisect_left(self.cells, cell.row, key=lambda each: each.row)
        after = bisect_right(self.cells, cell.row, key=lambda each: each.row)
        return self.cells[first:after]


def table_of(
    text: str, table: Element, elements: Sequence[Element], starts: Sequence[int]
) -> Table:
    """Read one table element of the scan's `elements`, whose starts are `starts`."""
    reader = _Reader(text)
    index = bisect_left(starts, table.start + 1)
    at = table.inner_start
    while at < table.inner_end:
        index = bisect_left(starts, at, index)
        is_inner = index < len(starts) and starts[index] < table.inner_end
        until = starts[index] if is_inner else table.inner_end
        for mark in _MARK.finditer(text, at, until):
            reader.read(mark)
        at = elements[index].end if is_inner else until
    reader.finish(table.inner_end)
    return Table(
        tuple(reader.cells), reader.caption, tuple(reader.rows), tuple(reader.titles)
    )


class _Reader:
    """What is open, and which header each column has so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.cells: list[Cell] = []
        self.rows: list[tuple[int, ...]] = []
        self.titles: list[int | None] = []
        self._title: int | None = None
        self.caption: Span | None = None
        self._start: int | None = None  # of the open cell or caption
        self._opened_at = 0
        self._is_caption = False
        self._is_header = False
        self._may_have_attributes = False
        self._attributes = ""
        self._row = 0
        self._row_begins = 0  # index of its first cell
        self._column = 0
        self._row_columns: list[tuple[int, int]] = []  # first and width, of each cell
        self._heads: dict[int, tuple[int, ...]] = {}  # from the top
        self._goes_on = False  # the row before is one of headers
        self._hanging: dict[int, tuple[int, int]] = {}  # column: last row, cell index

    def read(self, mark: re.Match[str]) -> None:
        kind = mark.lastgroup
        if kind == "line":
            self._may_have_attributes = False
        elif kind == "attributes":
            self._take_attributes(mark)
        elif kind in ("next", "next_header"):
            if self._start is not None and (kind == "next" or self._is_header):
                self._close(mark.start())
                self._open(mark.end())
        else:
            self._begin_line(kind, mark)

    def finish(self, end: int) -> None:
        self._close(end)
        self._end_row()

    def _begin_line(self, kind: str | None, mark: re.Match[str]) -> None:
        self._close(mark.start())
        if kind == "row":
            self._end_row()
            return
        self._is_caption = kind == "caption"
        self._is_header = mark["cell"] == "!"
        self._open(mark.end())

    def _open(self, at: int) -> None:
        self._start = self._opened_at = at
        self._attributes = ""
        self._may_have_attributes = True

    def _take_attributes(self, mark: re.Match[str]) -> None:
        if self._may_have_attributes:
            self._attributes = self._text[self._opened_at : mark.start()][:500]
            if "[[" not in self._attributes:
                self._start = mark.end()
        self._may_have_attributes = False

    def _close(self, end: int) -> None:
        if self._start is None:
            return
        start, end = trim(self._text, self._start, max(end, self._start))
        self._start = None
        if self._is_caption:
            self.caption = Span(start, end)
        else:
            self._place(start, end)

    def _place(self, start: int, end: int) -> None:
        if self._hanging:
            self._skip_hanging()
        width, height = _spans(self._attributes) if self._attributes else (1, 1)
        index = len(self.cells)
        columns = range(self._column, self._column + width)
        heads = dict.fromkeys(at for one in columns for at in self._heads.get(one, ()))
        is_header, row_head = self._is_header, self._row_head()
        height = max(1, min(height, _MAX_ROWS))
        named = tuple(heads)[:_MOST_HEADERS]
        self.cells.append(
            Cell(start, end, is_header, self._row, row_head, named, height)
        )
        if height > 1:
            last_row = self._row + height - 1
            for column in columns:
                self._hanging[column] = (last_row, index)
        self._row_columns.append((self._column, width))
        self._column += width

    def _skip_hanging(self) -> None:
        """Skip the columns of cells from earlier rows that span into this one."""
        while self._column < _MAX_COLUMNS and self._column in self._hanging:
            last_row, _ = self._hanging[self._column]
            if last_row < self._row:
                del self._hanging[self._column]
                return
            self._column += 1

    def _row_head(self) -> int | None:
        """Return what names the row: its first cell, or one that spans into it."""
        last_row, index = self._hanging.get(0, (-1, 0))
        if last_row >= self._row and index < self._row_begins:
            return index
        return self._row_begins if len(self.cells) > self._row_begins else None

    def _end_row(self) -> None:
        row = self.cells[self._row_begins :]
        if not row:
            return
        self.titles.append(self._title)
        is_alone = len(row) == 1 and self._row_columns[0][1] > 1 and not self._hangs()
        is_of_headers = all(cell.is_header for cell in row)
        if len(row) == 1 and self._stands_above(row[0], is_alone=is_alone):
            self._title = self._row_begins
        elif is_of_headers:
            self._title = None if self._heads else self._title
            self._name_columns()
        if is_alone:  # it is in no column
            self.cells[self._row_begins] = row[0]._replace(column_headers=())
        self._goes_on = is_of_headers and bool(self._heads)
        self.rows.append(self._shown_in_row())
        self._row += 1
        self._row_begins = len(self.cells)
        self._row_columns = []
        self._column = 0

    def _hangs(self) -> bool:
        """Return whether a cell of an earlier row spans into this one."""
        return any(last_row >= self._row for last_row, _ in self._hanging.values())

    def _stands_above(self, cell: Cell, *, is_alone: bool) -> bool:
        """Return whether the only cell of a row is a heading for the rows below."""
        if cell.is_header:
            return bool(self._heads) or is_alone
        return is_alone and self._text.startswith("'''", cell.start)

    def _name_columns(self) -> None:
        """Take the row's cells as headers, below those of a row right before it."""
        for offset, (first, width) in enumerate(self._row_columns):
            for column in range(first, first + width):
                above = self._heads.get(column, ()) if self._goes_on else ()
                named = (*above, self._row_begins + offset)
                self._heads[column] = named[-_MOST_LEVELS:]

    def _shown_in_row(self) -> tuple[int, ...]:
        columns = self._row_columns[:_MOST_SHOWN]
        shown = {first: self._row_begins + at for at, (first, _) in enumerate(columns)}
        if self._hanging:
            for column in range(_MOST_SHOWN):
                last_row, index = self._hanging.get(column, (-1, 0))
                if last_row >= self._row and index < self._row_begins:
                    shown[column] = index
        in_order = dict.fromkeys(shown[column] for column in sorted(shown))
        return tuple(in_order)[:_MOST_SHOWN]


def _spans(attributes: str) -> tuple[int, int]:
    """Return how many columns and rows a cell takes up."""
    spans = {side.lower(): int(n) for side, n in _SPAN.findall(attributes)}
    width = max(1, min(spans.get("col", 1), _MAX_COLUMNS_SPANNED))
    return width, spans.get("row", 1)


# --- Hosts ---

_OPENING_SIGNS = frozenset("[|=:'")
_CLOSING_SIGNS = frozenset("]}|'")
_DEEPEST = 12  # levels of links and templates around a word that are examined
_PICTURE = re.compile(
    r"\s*(?:file|image|media|datei|bild|fichier|archivo|imagen|ficheiro|imagem|immagine"
    r"|bestand|plik|файл|изображение|ファイル|画像|文件)\s*:",
    re.IGNORECASE,
)
_CAPTION_NAMES = ("caption", "footer", "légende", "bildunterschrift", "pie")


class HostKind(Enum):
    """What contains the running text."""

    PAGE = "page"
    PARAMETER = "parameter"  # of a template
    CELL = "cell"  # of a table
    CAPTION = "caption"
    NOTE = "note"
    HEADING = "heading"
    HIDDEN = "hidden"  # its words are not shown


@dataclass(frozen=True, slots=True)
class Host:
    """A stretch of running text.

    `element` is the index of the markup that contains it, -1 for the page. `name` is
    the name of a parameter, if it has one; `cell` is set for cells.
    """

    kind: HostKind
    stretch: Span
    element: int
    name: str | None = None
    cell: Cell | None = None


class Hosts:
    """Finds hosts, and caches what it learns about templates and tables."""

    def __init__(
        self, text: str, elements: Sequence[Element], starts: Sequence[int]
    ) -> None:
        self._text = text
        self._elements = elements
        self._starts = starts
        self._page = Host(HostKind.PAGE, Span(0, len(text)), -1)
        self._holders: dict[int, int] = {}  # element: the nearest one that is a host
        self._roots: dict[int, int] = {}  # element: the outermost one around it
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
        """Return where the outermost markup around element `index` begins."""
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
        """Climb to the nearest host; no step is taken twice on a page."""
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
    """Return whether a link shows a picture, whose last parameter is its caption."""
    return _PICTURE.match(text, link.inner_start, link.inner_end) is not None
