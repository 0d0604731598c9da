"""The cells of a table with the headers that say what they are about.

One pass over the table's own cell marks; those inside links, templates, references
and inner tables are skipped. Row and column spans are followed, within bounds. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from handlers.model import Span
from handlers.page.scanning.elements import Element
from handlers.page.scanning.parameters import trim

# One set of characters is searched several times faster than alternatives.
_MARK = re.compile(
    r"[\n|!](?:(?<=\n)[ \t:]*+(?:(?P<row>\|-++)|(?P<caption>\|\+)|(?P<cell>[|!])(?!\}))"
    r"|(?<=\|)(?P<next>\|)|(?<=!)(?P<next_header>!)|(?<=\|)(?P<attributes>)"
    r"|(?<=\n)(?P<line>))"
)
_SPAN = re.compile(r"\b(col|row)span\s*+=\s*+[\"']?\s*+(\d{1,4})", re.IGNORECASE)
_MAX_COLUMNS_SPANNED = 40
_MAX_COLUMNS = 300  # beyond them row spans are not followed


class Cell(NamedTuple):
    """A cell; `start:end` is its content in the wikitext, trimmed."""

    start: int
    end: int
    is_header: bool
    row: int  # counts from 0
    row_header: int | None  # index of the cell that names the row
    column_header: int | None  # index of the cell that names the column


@dataclass(frozen=True, slots=True)
class Table:
    """All cells in document order, and the caption."""

    cells: tuple[Cell, ...]
    caption: Span | None

    def cell_at(self, offset: int) -> Cell | None:
        """Return the cell whose content `offset` is in or right behind."""
        place = bisect_right(self.cells, offset, key=lambda cell: cell.start) - 1
        if place >= 0 and offset <= self.cells[place].end:
            return self.cells[place]
        return None

    def row_of(self, cell: Cell) -> Sequence[Cell]:
        """Return the cells that stand in the same row."""
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
    return Table(tuple(reader.cells), reader.caption)


class _Reader:
    """What is open, and which header each column has so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.cells: list[Cell] = []
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
        self._heads: dict[int, int] = {}
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
        head = self._heads.get(self._column)
        self.cells.append(
            Cell(start, end, self._is_header, self._row, self._row_head(), head)
        )
        if height > 1:
            last_row = self._row + height - 1
            for column in range(self._column, self._column + width):
                self._hanging[column] = (last_row, index)
        self._row_columns.append((self._column, width))
        self._column += width

    def _skip_hanging(self) -> None:
        """Move past the cells of earlier rows that reach into this one."""
        while self._column < _MAX_COLUMNS and self._column in self._hanging:
            last_row, _ = self._hanging[self._column]
            if last_row < self._row:
                del self._hanging[self._column]
                return
            self._column += 1

    def _row_head(self) -> int | None:
        """Return what names the row: its first cell, or one that reaches into it."""
        last_row, index = self._hanging.get(0, (-1, 0))
        if last_row >= self._row and index < self._row_begins:
            return index
        return self._row_begins if len(self.cells) > self._row_begins else None

    def _end_row(self) -> None:
        row = self.cells[self._row_begins :]
        if not row:
            return
        if all(cell.is_header for cell in row):
            for offset, (first, width) in enumerate(self._row_columns):
                for column in range(first, first + width):
                    self._heads[column] = self._row_begins + offset
        self._row += 1
        self._row_begins = len(self.cells)
        self._row_columns = []
        self._column = 0


def _spans(attributes: str) -> tuple[int, int]:
    """Return how many columns and rows a cell takes up."""
    spans = {side.lower(): int(n) for side, n in _SPAN.findall(attributes)}
    width = max(1, min(spans.get("col", 1), _MAX_COLUMNS_SPANNED))
    return width, spans.get("row", 1)
