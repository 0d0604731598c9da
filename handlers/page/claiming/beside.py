"""What stands beside a cell or value: its headers, its row, the values it is about.

A marker alone in the "Ref." column vouches for its row, and one alone in
`population_footnotes` for the values of `population_…`. Pure.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from handlers.model import Span
from handlers.page.claiming.hosts import Host, HostKind, Hosts
from handlers.page.claiming.render import prose_of
from handlers.page.claiming.tables import Cell
from handlers.page.scanning.elements import Element
from handlers.page.scanning.parameters import Parameter

_WORD = re.compile(r"\w")
_FOOTNOTE_SUFFIX = re.compile(
    r"(?<![ _-])[ _-]*(?:footnotes?|refs?|references?|notes?|sources?|cite|citations?)\d*+$",
    re.IGNORECASE,
)
_MOST_BESIDE = 12  # cells or values that are put together
_LONGEST_BESIDE = 200  # characters of each


@dataclass(frozen=True, slots=True)
class Beside:
    """The words that stand in for a cell or value without words of its own."""

    words: str
    span: Span
    about: str | None  # header of the row, or the name that the values share


class Headers:
    """Renders headers, rows and values; remembers those it has rendered."""

    def __init__(
        self,
        text: str,
        elements: Sequence[Element],
        starts: Sequence[int],
        hosts: Hosts,
    ) -> None:
        self._text = text
        self._elements = elements
        self._starts = starts
        self._hosts = hosts
        self._plain: dict[tuple[int, int], str] = {}
        self._by_name: dict[int, list[Parameter]] = {}
        self._rows: dict[tuple[int, int], Beside | None] = {}

    def row(self, host: Host) -> str | None:
        """Return the header of the row, or the name of the parameter."""
        if host.cell is None:
            return " ".join(host.name.replace("_", " ").split()) if host.name else None
        return self._header(host.element, host.cell.row_header)

    def column(self, host: Host) -> str | None:
        """Return the header of the column."""
        if host.cell is None:
            return None
        return self._header(host.element, host.cell.column_header)

    def beside(self, host: Host) -> Beside | None:
        """Return the words that a host without words is about; `None` if none are."""
        if host.kind is HostKind.CELL and host.cell:
            key = (host.element, host.cell.row)
            if key not in self._rows:
                self._rows[key] = self._row(host.element, host.cell)
            return self._rows[key]
        if host.kind is HostKind.PARAMETER and host.name:
            return self._values(host.element, host.name)
        return None

    def _row(self, table: int, cell: Cell) -> Beside | None:
        row = self._hosts.table(table).row_of(cell)[:_MOST_BESIDE]
        parts = []
        for each in row:
            words = self._words(each.start, each.end)
            if words:
                header = self._header(table, each.column_header)
                parts.append(f"{header}: {words}" if header else words)
        about = self._header(table, cell.row_header)
        return _beside(parts, row[0].start, row[-1].end, about)

    def _values(self, template: int, name: str) -> Beside | None:
        stem = _FOOTNOTE_SUFFIX.sub("", name)
        if not stem or stem == name:
            return None
        named = self._named(template, stem, name)
        parts = []
        for each in named:
            words = self._words(each.start, each.end)
            if words:
                parts.append(f"{each.name.replace('_', ' ')}: {words}")
        if not parts:
            return None
        return _beside(parts, named[0].start, named[-1].end, stem.replace("_", " "))

    def _named(self, template: int, stem: str, but: str) -> list[Parameter]:
        """Return the first parameters that begin with `stem` and have a value."""
        if template not in self._by_name:
            given = self._hosts.parameters(template)
            self._by_name[template] = sorted(given, key=_name_of)
        by_name = self._by_name[template]
        first = bisect_left(by_name, stem, key=_name_of)
        found = [
            each
            for each in by_name[first : first + _MOST_BESIDE]
            if each.name.startswith(stem) and each.name != but and each.end > each.start
        ]
        return sorted(found, key=attrgetter("start"))

    def _header(self, table: int, index: int | None) -> str | None:
        if index is None:
            return None
        cell = self._hosts.table(table).cells[index]
        return self._words(cell.start, cell.end) or None

    def _words(self, start: int, end: int) -> str:
        """Return the plain text of a range on one line; empty if it has no word."""
        plain = self._plain.get((start, end))
        if plain is None:
            prose = prose_of(self._text, Span(start, end), self._elements, self._starts)
            plain = " ".join(prose.text[:_LONGEST_BESIDE].split())
            plain = plain if _WORD.search(plain) else ""
            self._plain[start, end] = plain
        return plain


def _name_of(parameter: Parameter) -> str:
    return parameter.name


def _beside(
    parts: Sequence[str], start: int, end: int, about: str | None
) -> Beside | None:
    return Beside("; ".join(parts), Span(start, end), about) if parts else None
