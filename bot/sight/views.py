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
    """Rows under a caption; the first cell of each names the row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page. `lede` says what it is about, where a heading does not.

    With `is_long` it is of use to few, and closed on the page.
    """

    anchor: str
    title: str
    facts: tuple[Fact, ...] = ()
    tables: tuple[Table, ...] = ()
    lede: str = ""
    is_long: bool = False

    @property
    def has_bad(self) -> bool:
        """Tell whether a person should look at anything in it."""
        return any(fact.is_bad for fact in self.facts)


def shown_tables(*tables: Table) -> tuple[Table, ...]:
    """Return the tables that have rows."""
    return tuple(table for table in tables if table.rows)
