"""Repeats a table's cell in each row and column that it spans.

Read line by line, the second row of a bridge would lack its name, and the cells right
of a wide one would stand under the wrong headers. Runs in a child process.
"""

from copy import deepcopy
from itertools import islice

from lxml import etree

_MOST_TABLES = 400
_MOST_ROWS = 60  # that one cell spans
_MOST_COLUMNS = 40
_MOST_COPIES = 5_000  # of a page
_LONGEST = 200  # characters of a cell; a longer one lays out the page
_CELLS = ("td", "th")


def spread_cells(tree: etree._Element) -> None:
    """Put a copy of each cell wherever it spans, and make it narrow."""
    left = _MOST_COPIES
    for table in list(islice(tree.iter("table"), _MOST_TABLES)):
        rows = [row for row in table.iter("tr") if _table_of(row) is table]
        if table.find(".//table") is None:
            left = _spread(rows, left)


def _table_of(row: etree._Element) -> etree._Element | None:
    return next(row.iterancestors("table"), None)


def _spread(rows: list[etree._Element], left: int) -> int:
    """Spread the cells of some rows; return how many more copies may be made."""
    hanging: dict[int, tuple[int, etree._Element]] = {}  # column: rows left, cell
    for row in rows:
        own = [each for each in row if each.tag in _CELLS]
        is_alone = len(own) == 1 and not hanging
        place = 0  # among the row's children
        column = 0
        for cell in own:
            column, place = _fill(row, hanging, column, place)
            wide = min(_span(cell, "colspan"), _MOST_COLUMNS)
            high = min(_span(cell, "rowspan"), _MOST_ROWS)
            is_short = len("".join(cell.itertext())) <= _LONGEST
            copies = (wide * high - 1) if is_short and not is_alone else 0
            place = row.index(cell) + 1
            if not copies or copies > left:
                column += wide
                continue
            left -= copies
            for name in ("colspan", "rowspan"):
                cell.attrib.pop(name, None)
            for at in range(wide):
                if at:
                    row.insert(place, _copy(cell))
                    place += 1
                if high > 1:
                    hanging[column + at] = (high - 1, cell)
            column += wide
        _fill(row, hanging, column, place)
    return left


def _fill(
    row: etree._Element,
    hanging: dict[int, tuple[int, etree._Element]],
    column: int,
    place: int,
) -> tuple[int, int]:
    """Put the cells that span into a row before what comes next in it."""
    while column in hanging and hanging[column][1].getparent() is not row:
        rows, cell = hanging.pop(column)
        if rows > 1:
            hanging[column] = (rows - 1, cell)
        row.insert(place, _copy(cell))
        column, place = column + 1, place + 1
    return column, place


def _copy(cell: etree._Element) -> etree._Element:
    made = deepcopy(cell)
    made.tail = None
    return made


def _span(cell: etree._Element, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return max(1, int(value)) if value.isascii() and value.isdigit() else 1
