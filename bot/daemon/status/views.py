"""What is shown, before it is known where: facts and tables under headings. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

Cell: TypeAlias = str | int | datetime | None
"""A point in time is told as how long ago it is, too; `None` is shown as a dash."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is so; with `is_bad`, a person should look at it."""

    name: str
    value: Cell
    note: str = ""
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a caption; the first cell of each names the row.

    One that `is_long` is closed on the page, and left out of the text.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page. `lede` says what a heading does not."""

    anchor: str
    title: str
    facts: tuple[Fact, ...] = ()
    tables: tuple[Table, ...] = ()
    lede: str = ""


def shown_tables(*tables: Table) -> tuple[Table, ...]:
    """Return the tables that have rows."""
    return tuple(table for table in tables if table.rows)
