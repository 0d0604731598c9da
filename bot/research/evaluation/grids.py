"""A table as a paper prints it: published rows, and ours beside them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row; rows of one `group` stand below its name."""

    label: str
    cells: tuple[str, ...]
    group: str = ""
    is_ours: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A whole table, with a line of what it is; `remarks` stand below, each by a name."""

    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[GridRow, ...]
    remarks: tuple[tuple[str, str], ...] = ()
