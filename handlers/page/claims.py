"""The claims of a page: the words that each group of citations supports.

Marks (citations and cleanup tags) are assigned to the running text that contains them:
a paragraph, list item, cell, value, caption or note; `sentences` then decides which
words belong to which mark. A marker alone in the "Ref." column supports its row, as does
one on the name of a row; one in a cell that spans rows supports each of them, and one
alone in `population_footnotes` the values of `population_…`. A claim names the words
that readers see in it and that are not known here. A reference to which no words belong
is listed with the reason. Pure.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import NamedTuple

from handlers.model import (
    Citation,
    CitationForm,
    Claim,
    ClaimKind,
    MissingKind,
    MissingPiece,
    Section,
    Span,
    Tag,
    TagKind,
    UnattachedReason,
    UnattachedReference,
)
from handlers.page.inline_templates import is_quotation, shown_keys
from handlers.page.markup import Element, Kind, Parameter
from handlers.page.paragraphs import Block, Flow, PageFlow, Shape
from handlers.page.prose import Gap, Prose, prose_of
from handlers.page.scan import Scan
from handlers.page.sentences import (
    FULL_STOPS,
    Piece,
    earlier_of,
    edges,
    introduced,
    pieces_of,
)
from handlers.page.tables import Cell, Host, HostKind, Hosts

# --- Marks ---

_MOST_TAGS = 20  # inside one reference


class Mark(NamedTuple):
    """A citation, or a tag that asks for one; `at` is where its words end."""

    at: int
    start: int
    sign: Citation | Tag

    @property
    def end(self) -> int:
        """Return where the citation or tag ends in the wikitext."""
        sign = self.sign
        return (sign.marker if isinstance(sign, Citation) else sign.span).end


class Marks:
    """All marks of a page.

    `by_host` holds them in document order, with the host and section of each group.
    """

    def __init__(
        self,
        hosts: Hosts,
        page: PageFlow,
        citations: Sequence[Citation],
        tags: Sequence[Tag],
    ) -> None:
        self._hosts = hosts
        self._page = page
        self._tags = sorted(tags, key=_start_of)
        self._tag_starts = [tag.span.start for tag in self._tags]
        self._loose = self._loose_by_host()
        self.by_host = self._by_host(self._in_order(citations))

    def loose(self, host: Host, section: Section, block: Block) -> Sequence[Tag]:
        """Return the tags of a block that ask for no citation."""
        tags = self._loose.get(_key(host, section))
        if not tags:
            return ()
        first = bisect_left(tags, block.start, key=_start_of)
        return tags[first : bisect_left(tags, block.end, first, key=_start_of)]

    def beside(self, host: Host, section: Section) -> Sequence[Tag]:
        """Return all tags of a host that ask for no citation."""
        return self._loose.get(_key(host, section), ())

    def signs(self, marks: Sequence[Mark]) -> tuple[tuple[Citation, ...], list[Tag]]:
        """Return the citations of a group and the tags in and between them."""
        starts = self._tag_starts
        begin = bisect_left(starts, min([mark.start for mark in marks]))
        if begin == bisect_left(starts, max([mark.end for mark in marks])):
            return tuple([m.sign for m in marks if isinstance(m.sign, Citation)]), []
        citations = []
        tags = []
        for _, _, sign in marks:
            if isinstance(sign, Tag):
                tags.append(sign)
            else:
                citations.append(sign)
                tags.extend(self._tags_in(sign.marker.start, sign.marker.end))
        return tuple(citations), tags

    def _tags_in(self, start: int, end: int) -> Sequence[Tag]:
        first = bisect_left(self._tag_starts, start)
        last = bisect_left(self._tag_starts, end, first)
        return self._tags[first : min(last, first + _MOST_TAGS)]

    def _in_order(self, citations: Sequence[Citation]) -> list[Mark]:
        starts = [each.marker.start for each in citations]
        marks = list(map(Mark, starts, starts, citations))
        marks.extend(
            Mark(tag.span.end, tag.span.start, tag)
            for tag in self._tags
            if tag.kind is TagKind.CITATION_NEEDED
        )
        marks.sort(key=itemgetter(1))
        return marks

    def _by_host(self, marks: Sequence[Mark]) -> list[tuple[Host, Section, list[Mark]]]:
        """Group the marks in the same text, or in the same section of the page."""
        found: dict[tuple[int, int], tuple[Host, Section, list[Mark]]] = {}
        last: tuple[Host, Section, list[Mark]] | None = None
        for mark in marks:
            start = mark[1]
            host, section = self._hosts.host_of(start), self._page.section_of(start)
            if last is None or host is not last[0] or section is not last[1]:
                last = found.setdefault(_key(host, section), (host, section, []))
            last[2].append(mark)
        return list(found.values())

    def _loose_by_host(self) -> dict[tuple[int, int], list[Tag]]:
        """Group the tags that ask for no citation by the text that contains them."""
        found: dict[tuple[int, int], list[Tag]] = {}
        for tag in self._tags:
            if tag.kind is not TagKind.CITATION_NEEDED:
                start = tag.span.start
                host, section = self._hosts.host_of(start), self._page.section_of(start)
                found.setdefault(_key(host, section), []).append(tag)
        return found


def in_order(tags: Sequence[Tag]) -> Iterator[Tag]:
    """Yield the tags in order of place, each once."""
    seen: set[int] = set()
    for tag in sorted(tags, key=lambda each: each.span.start):
        if tag.span.start not in seen:
            seen.add(tag.span.start)
            yield tag


def _start_of(tag: Tag) -> int:
    return tag.span.start


def _key(host: Host, section: Section) -> tuple[int, int]:
    """Identify a host; the page's own text is one host for each section."""
    stretch = section.span if host.kind is HostKind.PAGE else host.stretch
    return host.element, stretch.start


# --- Headers, rows and the values beside a marker ---

_WORD = re.compile(r"\w")
_LETTER = re.compile(r"[^\W\d_]{2}")
_DIGITS = re.compile(r"(?<!km)(?<![_ ]m)\d+")  # no part of a unit
_FILE = re.compile(r"\.\w{3,4}$")
_FOOTNOTE_SUFFIX = re.compile(
    r"(?<![ _-])[ _-]*(?:footnotes?|refs?|references?|notes?|sources?|cite|citations?)\d*+$",
    re.IGNORECASE,
)
_MOST_BESIDE = 12  # values that are combined
_LONGEST_PIECE = 60  # characters of a template that name it
_MOST_MISSING = 9  # pieces of a claim that are named
_RANK = re.compile(r"(?:\d{1,3}\.?)?")
_LONGEST_BESIDE = 200  # characters of each


@dataclass(frozen=True, slots=True)
class Beside:
    """The words used for a cell or value that has no words itself."""

    words: str
    span: Span
    about: str | None  # header of the row, or the name that the values share
    missing: tuple[MissingPiece, ...] = ()
    parts: int = 1  # cells or values


class _Words(NamedTuple):
    """The words of a header, cell or value on one line, and what they lack."""

    text: str
    missing: tuple[MissingPiece, ...]


class Headers:
    """Renders headers, rows and values, and caches them."""

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
        self._plain: dict[tuple[int, int], _Words] = {}
        self._by_name: dict[int, list[Parameter]] = {}
        self._by_number: dict[int, dict[tuple[str, ...], list[Parameter]]] = {}
        self._rows: dict[tuple[int, int], Beside | None] = {}
        self._below: dict[int, dict[int | None, list[int]]] = {}

    def row(self, host: Host) -> str | None:
        """Return the header of the row, or the name of the parameter."""
        if host.cell is None:
            return self._parameter(host)
        return self._header(host.element, host.cell.row_header)

    def _parameter(self, host: Host) -> str | None:
        """Return the name of a parameter, after what the others of its number name.

        "popular_vote3" is that of "nominee3", and "data1" is what "label1" says.
        """
        if not host.name:
            return None
        name = " ".join(host.name.replace("_", " ").split())
        number = _DIGITS.findall(host.name)
        if not number or host.kind is not HostKind.PARAMETER:
            return name
        others = self._numbered(host.element).get(tuple(number), [])
        for each in others[:_MOST_BESIDE]:
            words = self._words(each.start, each.end).text
            names = _LETTER.search(words) and not _FILE.search(words)
            if names and each.name != host.name:
                return f"{words}, {name}"
        return name

    def _numbered(self, template: int) -> dict[tuple[str, ...], list[Parameter]]:
        """Return the parameters by the digits in their names."""
        if template not in self._by_number:
            by_number: dict[tuple[str, ...], list[Parameter]] = {}
            for each in self._hosts.parameters(template):
                is_short = each.start < each.end <= each.start + _LONGEST_BESIDE
                if is_short and (number := tuple(_DIGITS.findall(each.name))):
                    by_number.setdefault(number, []).append(each)
            self._by_number[template] = by_number
        return self._by_number[template]

    def column(self, host: Host) -> str | None:
        """Return the header of the column."""
        if host.cell is None:
            return None
        return self._column(host.element, host.cell)

    def missing(self, host: Host) -> tuple[MissingPiece, ...]:
        """Return what the headers of a cell lack."""
        cell = host.cell
        if cell is None:
            return ()
        heads = (cell.row_header, *cell.column_headers)
        cells = self._hosts.table(host.element).cells
        named = [self._cell_words(cells[at]) for at in heads if at is not None]
        return tuple(piece for words in named for piece in words.missing)

    def line(self, host: Host) -> str | None:
        """Return everything in the row of a cell, with the column headers."""
        if host.kind is not HostKind.CELL or host.cell is None:
            return None
        found = self._line(host.element, host.cell.row)
        return found.words if found else None

    def beside(self, host: Host) -> list[Beside]:
        """Return the words that a host without words is about.

        These are the rows of a cell, several if it spans them, or the values that share
        the beginning of a parameter's name.
        """
        if host.kind is HostKind.CELL and host.cell:
            return self._lines(host.element, host.cell)
        if host.kind is HostKind.PARAMETER and host.name:
            values = self._values(host.element, host.name)
            return [values] if values else []
        return []

    def named_rows(self, host: Host, marked: Set[tuple[int, int]]) -> list[Beside]:
        """Return the rows that a cell with a mark names; none if it names none.

        Values with marks of their own are left out; where another cell holds only
        marks, they are the row's, and those on its name are for the name.

        Args:
            host: the cell.
            marked: table and beginning of each cell with marks.
        """
        cell, table = host.cell, host.element
        if cell is None or not self._names_row(table, cell):
            return []
        cells, rows = self._hosts.table(table).cells, self._hosts.table(table).rows
        for each in (cells[at] for at in rows[cell.row]):
            is_marked = (table, each.start) in marked
            if is_marked and not self._cell_words(each).text:
                return []
        rows_named = self._rows_of(table, cell)
        found = (self._row(table, row, marked, of=cell) for row in rows_named)
        return [line for line in found if line and line.parts > 1]

    def rows_under(self, host: Host, marked: Set[tuple[int, int]]) -> list[Beside]:
        """Return what a mark on a header, or on the caption of a table, is for.

        Of each row that is the value below the header; the whole row if the header
        stands above the names of rows, alone above some rows, or is the caption. Values
        with marks of their own are left out.
        """
        table, cell = host.element, host.cell
        read = self._hosts.table(table)
        at = None if cell is None else bisect_left(read.cells, cell)
        found = []
        for row in self._by_header(table).get(at, ())[: _MOST_UNDER + 1]:
            cells = [read.cells[each] for each in read.rows[row]]
            below = [each for each in cells if at in each.column_headers]
            names_rows = any(each.row_header is None for each in below)
            is_whole = at is None or names_rows or read.titles[row] == at
            of = None if is_whole else below
            found.append(self._row(table, row, marked, below=of))
        return [line for line in found if line and line.parts > 1]

    def _by_header(self, table: int) -> dict[int | None, list[int]]:
        """Return the rows below each header of a table; those of all it is `None`."""
        if table not in self._below:
            below: dict[int | None, dict[int, None]] = {None: {}}
            read = self._hosts.table(table)
            for row, shown in enumerate(read.rows):
                cells = [read.cells[each] for each in shown]
                if all(each.is_header for each in cells):
                    continue
                heads = {None, read.titles[row]}
                for at in heads.union(*(each.column_headers for each in cells)):
                    below.setdefault(at, {})[row] = None
            self._below[table] = {at: list(rows) for at, rows in below.items()}
        return self._below[table]

    def _names_row(self, table: int, cell: Cell) -> bool:
        """Return whether it is the first cell with words, or a header.

        A mere number before it counts the rows.
        """
        if cell.is_header or cell.row_header is None:
            return True
        first, *others = self._hosts.table(table).rows[cell.row]
        cells = self._hosts.table(table).cells
        is_second = bool(others) and cells[others[0]].start == cell.start
        return (
            is_second
            and _RANK.fullmatch(self._cell_words(cells[first]).text) is not None
        )

    def others_spanned(self, host: Host) -> list[tuple[str | None, str | None]]:
        """Return header and line of the further rows that a cell spans."""
        cell = host.cell
        if cell is None or cell.height == 1 or cell.row_header is None:
            return []
        found = self._lines(host.element, cell)[1:]
        return [(line.about, line.words) for line in found]

    def _lines(self, table: int, cell: Cell) -> list[Beside]:
        rows = self._rows_of(table, cell)
        return [line for row in rows if (line := self._line(table, row))]

    def _rows_of(self, table: int, cell: Cell) -> list[int]:
        """Return the rows of a cell; headings between them are none."""
        read = self._hosts.table(table)
        spanned = range(cell.row + 1, min(cell.row + cell.height, len(read.rows)))
        own = ((row, read.own_of(row)) for row in spanned)
        return [
            cell.row,
            *(row for row, cells in own if not all(one.is_header for one in cells)),
        ]

    def _line(self, table: int, row: int) -> Beside | None:
        key = (table, row)
        if key not in self._rows:
            self._rows[key] = self._row(table, row)
        return self._rows[key]

    def _row(
        self,
        table: int,
        row: int,
        marked: Set[tuple[int, int]] = frozenset(),
        of: Cell | None = None,
        below: Sequence[Cell] | None = None,
    ) -> Beside | None:
        """Combine a row; if `of` names it, without the `marked` cells beside that.

        Only its name and the cells `below` a header, if they are given.
        """
        read = self._hosts.table(table)
        cells = [read.cells[at] for at in read.rows[row]]
        if below is not None:
            cells = [one for one in cells if one.row_header is None or one in below]
        parts = []
        missing: list[MissingPiece] = []
        for each in cells:
            if (table, each.start) in marked and each != of:
                continue
            words = self._cell_words(each)
            missing += words.missing
            if words.text:
                header = self._column(table, each)
                parts.append(f"{header}: {words.text}" if header else words.text)
        first = read.first_of(row)
        last = next((each for each in reversed(cells) if each.row == row), first)
        head = first if first.row_header is None else read.cells[first.row_header]
        about = self._cell_words(of or head).text or None
        title = self._header(table, read.titles[row])
        return _beside(
            parts, first.start, last.end, about, missing=missing, title=title
        )

    def _values(self, template: int, name: str) -> Beside | None:
        stem = _FOOTNOTE_SUFFIX.sub("", name)
        if not stem or stem == name:
            return None
        named = self._named(template, stem, name)
        parts = []
        missing: list[MissingPiece] = []
        for each in named:
            words = self._words(each.start, each.end)
            missing += words.missing
            if words.text:
                parts.append(f"{each.name.replace('_', ' ')}: {words.text}")
        if not parts:
            return None
        about = stem.replace("_", " ")
        return _beside(parts, named[0].start, named[-1].end, about, missing=missing)

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

    def _column(self, table: int, cell: Cell) -> str | None:
        """Return what is above a cell: "Length, 1990", or of all that it spans."""
        named = (self._header(table, at) for at in cell.column_headers)
        return ", ".join(filter(None, named)) or None

    def _header(self, table: int, index: int | None) -> str | None:
        if index is None:
            return None
        return self._cell_words(self._hosts.table(table).cells[index]).text or None

    def _cell_words(self, cell: Cell) -> _Words:
        return self._words(cell.start, cell.end, is_cell=True)

    def _words(self, start: int, end: int, *, is_cell: bool = False) -> _Words:
        """Return the plain text of a range; empty if it has no word."""
        plain = self._plain.get((start, end))
        if plain is None:
            stretch, markup = Span(start, end), (self._elements, self._starts)
            prose = prose_of(self._text, stretch, *markup, is_cell=is_cell)
            text = " ".join(_cut(prose.text).split())
            missing = tuple(missing_piece(self._text, gap) for gap in prose.gaps)
            plain = _Words(text if _WORD.search(text) else "", missing)
            self._plain[start, end] = plain
        return plain


def missing_piece(text: str, gap: Gap) -> MissingPiece:
    """Return the mark for words that a template shows and that are not known here."""
    what = " ".join(text[gap.start : min(gap.end, gap.start + _LONGEST_PIECE)].split())
    if gap.end > gap.start + _LONGEST_PIECE:
        what = f"{what}…"
    return MissingPiece(MissingKind.TEMPLATE, what)


def _gap_start(gap: Gap) -> int:
    return gap.start


def _cut(text: str) -> str:
    """Return the beginning of a long text, cut between words."""
    if len(text) <= _LONGEST_BESIDE:
        return text
    return text[: max(text.rfind(" ", 0, _LONGEST_BESIDE), 0) or _LONGEST_BESIDE]


def _name_of(parameter: Parameter) -> str:
    return parameter.name


def _beside(
    parts: Sequence[str],
    start: int,
    end: int,
    about: str | None,
    *,
    missing: Sequence[MissingPiece],
    title: str | None = None,
) -> Beside | None:
    if not parts:
        return None
    words = "; ".join([title, *parts] if title else parts)
    return Beside(words, Span(start, end), about, tuple(missing), len(parts))


# --- Claims ---


# Characters up to which a cell is one statement, however many lines it has.
_LONGEST_ONE_LINE = 200
_KINDS = {
    HostKind.CELL: ClaimKind.TABLE_CELL,
    HostKind.CAPTION: ClaimKind.CAPTION,
    HostKind.NOTE: ClaimKind.NOTE,
}
# Bound once: enum look-ups are expensive.
_CELL, _PARAGRAPH = HostKind.CELL, Shape.PARAGRAPH


class Group(NamedTuple):
    """The marks of a host, or of a section of the page, by block of its text."""

    host: Host
    section: Section
    flow: Flow
    by_block: dict[int, list[Mark]]
    orphans: list[Mark]  # marks to which no words belong
    row: str | None
    column: str | None
    line: str | None
    missing: tuple[MissingPiece, ...]  # in the headers


def pieces_by_block(group: Group) -> list[list[Piece]]:
    """Return the pieces of each block, in order; marks without words become orphans."""
    host, _, flow, by_block, orphans, *_ = group
    holds_lines = _holds_lines(host)
    found = []
    for block, marks in by_block.items():
        prose = flow.prose(block)
        text = prose.text
        offsets = [prose.offset_of(mark.at) for mark in marks]
        if _is_one_line(host, text, offsets):
            text = text.replace("\n", " ")
        by_line = holds_lines or flow.blocks[block].shape is not _PARAGRAPH
        pieces, wordless = pieces_of(text, offsets, by_line=by_line)
        found.append(pieces)
        orphans.extend(marks[index] for index in wordless)
    return found


def kinds_of(host: Host, shape: Shape) -> tuple[ClaimKind, ClaimKind]:
    """Return the kind of claims that are whole sentences, and of the others."""
    kind = _KINDS.get(host.kind)
    if kind is None and host.name is not None:
        kind = ClaimKind.INFOBOX_VALUE
    elif kind is None and shape is Shape.PICTURE:
        kind = ClaimKind.CAPTION
    if kind is not None:
        return kind, kind
    whole = ClaimKind.LIST_ITEM if shape is Shape.ITEM else ClaimKind.SENTENCE
    return whole, ClaimKind.CLAUSE


def _holds_lines(host: Host) -> bool:
    """Return whether the host is a value, cell, caption or note, not running text."""
    return host.kind in _KINDS or host.name is not None


def _is_one_line(host: Host, text: str, offsets: Sequence[int]) -> bool:
    """Return whether it is a short cell or value whose only mark is at the end."""
    return (
        (host.kind is _CELL or host.name is not None)
        and len(text) <= _LONGEST_ONE_LINE
        and offsets[0] >= len(text.rstrip())
    )


_LONGEST_OWN = 601  # characters before a claim within its note, cell or value
_LONGEST_NAME = 100  # characters of the name of a row
_MOST_UNDER = 40  # rows that one mark above them is for
_MOST_MORE_ROWS = 2_000  # claims of a page from cells that span rows
_LONGEST_RAW = 200  # characters of an unattached reference that are kept
_PAGE = HostKind.PAGE  # bound once: enum look-ups are expensive
_WHOLE = frozenset({ClaimKind.SENTENCE, ClaimKind.NOTE, ClaimKind.CAPTION})
_VALUES = frozenset({ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE})
_LONGEST_LABEL = 4  # words before a colon, such as "Source:" or "The results are:"
# What a mark before a list vouches for, at most; longer lists are seldom of one source.
_MOST_LISTED = 20
_LIST_LEAD = re.compile(r"(?:\A|\n)([*#:;]++)[ \t]*+\Z")
_LIST_SIGNS = "*#:; \t\n"
_MOST_MARKS = 30  # characters of a line that are read for its list marks
_NAME_END = re.compile(r"[|}\n]")
_NO_CLAIMS = {
    HostKind.HEADING: UnattachedReason.IN_HEADING,
    HostKind.HIDDEN: UnattachedReason.HIDDEN,
}


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims in the order of their words, and the references without words."""

    claims: tuple[Claim, ...]
    unattached: tuple[UnattachedReference, ...]


def claims_of(
    scan: Scan,
    sections: Sequence[Section],
    citations: Sequence[Citation],
    tags: Sequence[Tag],
) -> Claims:
    """Return the claims that the `citations` and `tags` of a page support or question.

    A citation in running text that is not a footnote (`{{cite …}}` in a bibliography)
    and has no words before it makes no claim and is not listed either.
    """
    return _Reader(scan, sections, citations, tags).read()


class _Place(NamedTuple):
    """A block of running text: its host, and what its claims have in common."""

    group: Group
    block: int
    prose: Prose
    kind: ClaimKind  # of whole sentences
    clause_kind: ClaimKind


class _Reader:
    """What is needed for the whole page, and what was found so far."""

    def __init__(
        self,
        scan: Scan,
        sections: Sequence[Section],
        citations: Sequence[Citation],
        tags: Sequence[Tag],
    ) -> None:
        text, elements = scan.text, scan.elements
        starts = list(map(itemgetter(1), elements))
        self._text = text
        self._markup = (elements, starts)
        self._hosts = Hosts(text, elements, starts)
        self._headers = Headers(text, elements, starts, self._hosts)
        self._page = PageFlow(text, sections, elements, starts)
        self._marks = Marks(self._hosts, self._page, citations, tags)
        self._claims: list[Claim] = []
        self._unattached: list[UnattachedReference] = []
        self._marked_cells = frozenset(
            (host.element, host.cell.start)
            for host, _, _ in self._marks.by_host
            if host.cell
        )
        self._more_rows = _MOST_MORE_ROWS

    def read(self) -> Claims:
        # Each step runs over the whole page before the next one begins. What it needs
        # then stays in the processor's cache, which saves a sixth of the time.
        groups = self._groups()
        for group in groups:
            for block in group.by_block:
                group.flow.prose(block)
        pieces = [pieces_by_block(group) for group in groups]
        for group, found in zip(groups, pieces, strict=True):
            self._read_group(group, found)
        self._claims.sort(key=lambda claim: (claim.span.start, claim.span.end))
        self._unattached.sort(key=lambda reference: reference.span.start)
        return Claims(tuple(self._claims), tuple(self._unattached))

    def _groups(self) -> list[Group]:
        groups = []
        for host, section, marks in self._marks.by_host:
            reason = _NO_CLAIMS.get(host.kind)
            if reason:
                self._leave(marks, reason)
            else:
                groups.append(self._group(host, section, marks))
        return groups

    def _group(self, host: Host, section: Section, marks: Sequence[Mark]) -> Group:
        if host.kind is _PAGE:
            flow = self._page.flow_of(section)
            row = column = line = None
        else:
            is_cell = host.kind is _CELL
            flow = Flow(self._text, host.stretch, *self._markup, is_cell=is_cell)
            row, column = self._headers.row(host), self._headers.column(host)
            line = self._headers.line(host)
        by_block: dict[int, list[Mark]] = {}
        orphans: list[Mark] = []
        for mark in marks:
            block = flow.block_of(mark.start)
            if block is None:
                orphans.append(mark)
            else:
                by_block.setdefault(block, []).append(mark)
        missing = self._headers.missing(host)
        return Group(host, section, flow, by_block, orphans, row, column, line, missing)

    def _read_group(self, group: Group, found: Sequence[Sequence[Piece]]) -> None:
        host, section, flow, by_block, orphans, *_ = group
        rows = self._named_rows(group, found) if host.kind is _CELL else []
        rows = rows or self._rows_under(group)
        if rows:
            named = [mark for marks in by_block.values() for mark in marks]
            tags = self._marks.beside(host, section)
            self._of_rows(host, section, [*named, *orphans], tags, rows)
            if len(rows) > _MOST_UNDER:
                self._leave(named, UnattachedReason.STATES_NOTHING)
            return
        for (block, marks), pieces in zip(by_block.items(), found, strict=True):
            kinds = kinds_of(host, flow.blocks[block].shape)
            place = _Place(group, block, flow.prose(block), *kinds)
            loose = self._marks.loose(host, section, flow.blocks[block])
            first = len(self._claims)
            self._read_block(place, marks, pieces, loose)
            if host.kind is _PAGE:
                self._read_earlier(place, marks, pieces)
            if host.cell and host.cell.height > 1:
                self._repeat(host, self._claims[first:])
        if orphans and host.kind is not _CELL:  # those of a cell are for its row
            orphans = self._unknown_words(group, orphans)
        if orphans:
            # If a host has no words, all of its tags are about the citations.
            tags = () if any(found) else self._marks.beside(host, section)
            self._without_words(host, section, orphans, tags)

    def _read_block(
        self,
        place: _Place,
        marks: Sequence[Mark],
        pieces: Sequence[Piece],
        loose: Sequence[Tag],
    ) -> None:
        prose = place.prose
        tags_of = _shared(pieces, marks, prose, loose) if loose else repeat(())
        sentences: dict[int, str] = {}  # clauses of one sentence share its text
        after = 0  # where the marks of the last piece end
        for piece, tags in zip(pieces, tags_of, strict=False):
            signs = [marks[index] for index in piece.marks]
            start = piece.sentence_start
            sentence = sentences.get(start)
            if sentence is None:
                sentence = prose.tidied(start, piece.sentence_end)
                sentences[start] = sentence
            claim = self._claim(place, piece, sentence, signs, tags)
            if prose.gaps or place.group.missing:
                missing = self._missing(place, piece, after, signs[-1].start)
                claim = replace(claim, missing=missing) if missing else claim
            after = max(sign.end for sign in signs)
            listed = self._after_colon(place, piece, claim)
            if listed:
                claim = self._with_listed(place, claim, listed, piece.marks, signs)
                if not (_states_nothing(claim) or self._is_term(place)):
                    self._claims.append(claim)
            elif self._is_column_header(place.group.host) or _states_nothing(claim):
                self._leave(signs, UnattachedReason.STATES_NOTHING)
            else:
                self._claims.append(claim)

    # --- claims ---

    def _claim(
        self,
        place: _Place,
        piece: Piece,
        sentence: str,
        marks: Sequence[Mark],
        loose_tags: Sequence[Tag],
        *,
        gap: Gap | None = None,
    ) -> Claim:
        group, prose = place.group, place.prose
        start, end, sentence_start, sentence_end, _, before = piece
        is_whole = start == sentence_start and end == sentence_end
        citations, tags = self._marks.signs(marks)
        where = (gap.start, gap.end) if gap else prose.wikitext_of(start, end)
        return Claim(
            text=sentence if is_whole else prose.tidied(start, end),
            kind=place.kind if is_whole else place.clause_kind,
            span=self._hosts.whole_markup(*where, group.host),
            section=group.section.path,
            context=self._context_of(place, start),
            sentence=sentence,
            citations=citations,
            tags=tuple(in_order([*tags, *loose_tags])) if tags or loose_tags else (),
            row=group.row,
            column=group.column,
            line=group.line,
            sentences_before=before,
        )

    def _missing(
        self, place: _Place, piece: Piece, after: int, until: int = 0
    ) -> tuple[MissingPiece, ...]:
        """Return what the words lack, from those before them to a mark behind them."""
        prose = place.prose
        before = len(prose.text[: piece.start].rstrip())
        start = prose.wikitext_of(before - 1, before)[1] if before else 0
        if after <= prose.wikitext_of(piece.start, piece.end)[0]:
            start = max(start, after)
        end = max(prose.wikitext_of(piece.start, piece.end)[1], until)
        first = bisect_left(prose.gaps, start, key=_gap_start)
        last = bisect_left(prose.gaps, end, first, key=_gap_start)
        gaps = prose.gaps[first : min(last, first + _MOST_MISSING)]
        pieces = (missing_piece(self._text, gap) for gap in gaps)
        return tuple(dict.fromkeys((*place.group.missing, *pieces)))

    def _named_rows(
        self, group: Group, found: Sequence[Sequence[Piece]]
    ) -> list[Beside]:
        """Return the rows that the words of a cell name, if that is all they do."""
        host, _, flow, by_block, *_ = group
        if not any(found) or len(flow.blocks) != 1 or self._is_column_header(host):
            return []
        if len(flow.prose(next(iter(by_block))).text) > _LONGEST_NAME:
            return []
        return self._headers.named_rows(host, self._marked_cells)

    def _rows_under(self, group: Group) -> list[Beside]:
        """Return the rows below a header or caption that only names what they hold."""
        host, flow = group.host, group.flow
        is_caption = host.kind is HostKind.CAPTION and host.element >= 0
        elements, _ = self._markup
        is_of_table = is_caption and elements[host.element].kind is Kind.TABLE
        if not is_of_table and not self._is_column_header(host):
            return []
        texts = (flow.prose(block).text.rstrip() for block in group.by_block)
        if any(text.endswith(FULL_STOPS) for text in texts):
            return []
        return self._headers.rows_under(host, self._marked_cells)

    def _repeat(self, host: Host, claims: Sequence[Claim]) -> None:
        """Add the claims of a cell for the further rows that it spans."""
        for row, line in self._headers.others_spanned(host):
            for claim in claims[: self._more_rows]:
                self._claims.append(replace(claim, row=row, line=line))
                self._more_rows -= 1

    # --- what a colon introduces in the blocks after it ---

    def _after_colon(self, place: _Place, piece: Piece, claim: Claim) -> Sequence[int]:
        """Return the list items, or the quotation set off, that a claim introduces.

        A term introduces what is said of it.
        """
        text = place.prose.text
        introduces = claim.text.endswith(":") or self._is_term(place)
        if not (claim.citations and introduces):
            return ()
        if _WORD.search(text, piece.end):
            return ()
        _, _, flow, by_block, *_ = place.group
        blocks, own = flow.blocks, self._depth(flow.blocks[place.block])
        found: list[int] = []
        last = min(len(blocks), place.block + 1 + 2 * _MOST_LISTED)
        for index in range(place.block + 1, last):
            block, gap = blocks[index], (blocks[index - 1].end, blocks[index].start)
            if self._text[slice(*gap)].strip(_LIST_SIGNS) or len(found) >= _MOST_LISTED:
                break
            if self._depth(block) <= own:
                is_quoted = not found and block.shape is _PARAGRAPH
                if is_quoted and index not in by_block and self._is_set_off(block):
                    found.append(index)
                break
            if index not in by_block and _WORD.search(flow.prose(index).text):
                found.append(index)
        return found

    def _is_term(self, place: _Place) -> bool:
        """Return whether the block is the term of a definition list."""
        return self._lead(place.group.flow.blocks[place.block]).endswith(";")

    def _depth(self, block: Block) -> int:
        """Return how many list marks are before a block."""
        # What follows a term is below it: "; Bars:" and ": North Bar".
        return len(self._lead(block).removesuffix(";"))

    def _lead(self, block: Block) -> str:
        """Return the list marks before a block."""
        before = self._text[max(0, block.start - _MOST_MARKS) : block.start]
        lead = _LIST_LEAD.search(before)
        return lead[1] if lead else ""

    def _is_set_off(self, block: Block) -> bool:
        """Return whether a block begins with a quotation."""
        start = self._text[block.start : block.start + _MOST_MARKS].lstrip().lower()
        if start.startswith("{{"):
            return is_quotation(shown_keys(_NAME_END.split(start[2:], 1)[0].strip()))
        return start.startswith(("<blockquote", '"', "“", "«", "„"))

    def _with_listed(
        self,
        place: _Place,
        claim: Claim,
        after: Sequence[int],
        numbers: tuple[int, ...],
        signs: Sequence[Mark],
    ) -> Claim:
        """Make claims of list items; return the opening, with a quotation joined."""
        group = place.group
        is_joined = len(after) == 1
        for index in after:
            prose, shape = group.flow.prose(index), group.flow.blocks[index].shape
            there = _Place(group, index, prose, *kinds_of(group.host, shape))
            if is_joined and shape is _PARAGRAPH:
                return self._joined(claim, there)
            for start, end in _statements(prose.text):
                piece = Piece(start, end, start, end, numbers)
                words = prose.tidied(start, end)
                item = self._claim(there, piece, words, signs, ())
                missing = self._missing(there, piece, 0) if prose.gaps else ()
                self._claims.append(replace(item, missing=missing))
        return claim

    def _joined(self, claim: Claim, there: _Place) -> Claim:
        """Return an opening with the quotation in the next block."""
        prose = there.prose
        end = introduced(prose.text, 0)
        if end is None:
            return claim
        words = f"{claim.text} {prose.tidied(0, end)}"
        quoted = prose.wikitext_of(0, end)
        last = self._hosts.whole_markup(*quoted, there.group.host).end
        span = Span(claim.span.start, last)
        piece = Piece(0, end, 0, end, ())
        missing = self._missing(there, piece, 0) if prose.gaps else ()
        return replace(
            claim,
            text=words,
            sentence=words,
            span=span,
            missing=(*claim.missing, *missing),
        )

    def _read_earlier(
        self, place: _Place, marks: Sequence[Mark], pieces: Sequence[Piece]
    ) -> None:
        """Claim what was said since the mark before, for each mark that cites."""
        prose = place.prose
        for piece in earlier_of(prose.text, pieces):
            signs = [marks[index] for index in piece.marks]
            if any(isinstance(mark.sign, Citation) for mark in signs):
                words = prose.tidied(piece.start, piece.end)
                claim = self._claim(place, piece, words, signs, ())
                missing = self._missing(place, piece, 0) if prose.gaps else ()
                self._claims.append(replace(claim, tags=(), missing=missing))

    def _is_column_header(self, host: Host) -> bool:
        """Return whether it is a header in a row of headers, like "1911 Estimate"."""
        cell = host.cell
        if cell is None or not cell.is_header:
            return False
        return all(
            each.is_header for each in self._hosts.table(host.element).row_of(cell)
        )

    def _context_of(self, place: _Place, start: int) -> str:
        host, section, flow, *_ = place.group
        if host.kind is _PAGE:
            return flow.before_words(place.block, start)
        own = place.prose.text[max(0, start - _LONGEST_OWN) : start]
        at = self._hosts.outermost(host.element)
        return self._page.before(section, at, own)

    # --- marks without words ---

    def _unknown_words(self, group: Group, marks: Sequence[Mark]) -> list[Mark]:
        """Add a claim for each gap that marks stand behind; return the other marks."""
        host, _, flow, *_ = group
        behind: dict[tuple[int, Gap], list[Mark]] = {}
        left = []
        for mark in marks:
            block = flow.block_of(mark.start)
            gaps = () if block is None else flow.prose(block).gaps
            at = bisect_left(gaps, mark.start, key=_gap_start) - 1
            if block is None or at < 0 or _is_in_text(mark):
                left.append(mark)
            else:
                behind.setdefault((block, gaps[at]), []).append(mark)
        for (block, gap), signs in behind.items():
            kinds = kinds_of(host, flow.blocks[block].shape)
            place = _Place(group, block, flow.prose(block), *kinds)
            words = Piece(gap.at, gap.at, gap.at, gap.at, ())
            piece = missing_piece(self._text, gap)
            claim = self._claim(place, words, piece.what, signs, (), gap=gap)
            self._claims.append(replace(claim, missing=(*group.missing, piece)))
        return left

    def _without_words(
        self,
        host: Host,
        section: Section,
        marks: Sequence[Mark],
        loose_tags: Sequence[Tag],
    ) -> None:
        rows = self._headers.beside(host)
        if rows:
            self._of_rows(host, section, marks, loose_tags, rows)
        else:
            self._leave(marks, UnattachedReason.NO_WORDS)

    def _of_rows(
        self,
        host: Host,
        section: Section,
        marks: Sequence[Mark],
        loose_tags: Sequence[Tag],
        rows: Sequence[Beside],
    ) -> None:
        """Add a claim for each row, or for the values, that the marks are for."""
        citations, tags = self._marks.signs(marks)
        at = self._hosts.outermost(host.element)
        is_cell = host.kind is HostKind.CELL
        context = self._page.before(section, at, "")
        for beside in rows[: 1 + self._more_rows]:
            self._claims.append(
                Claim(
                    text=beside.words,
                    kind=ClaimKind.TABLE_CELL if is_cell else ClaimKind.INFOBOX_VALUE,
                    span=beside.span,
                    section=section.path,
                    context=context,
                    sentence=beside.words,
                    citations=citations,
                    tags=tuple(in_order([*tags, *loose_tags])),
                    row=beside.about,
                    column=self._headers.column(host),
                    missing=beside.missing,
                )
            )
        self._more_rows -= len(rows[1 : 1 + self._more_rows])

    def _leave(self, marks: Sequence[Mark], reason: UnattachedReason) -> None:
        for mark in marks:
            sign = mark.sign
            if isinstance(sign, Citation) and not _is_in_text(mark):
                span = Span(mark.start, mark.end)
                raw = self._text[span.start : min(span.end, span.start + _LONGEST_RAW)]
                self._unattached.append(UnattachedReference(reason, span, raw))


def _is_in_text(mark: Mark) -> bool:
    """Return whether it is a citation in the running text, not a footnote."""
    sign = mark.sign
    return isinstance(sign, Citation) and sign.form is CitationForm.INLINE_TEMPLATE


def _states_nothing(claim: Claim) -> bool:
    """Return whether the words are a label or a bare number, judging by their form.

    Values are judged with their row and column, clauses with their sentence.
    """
    if claim.kind in _VALUES:
        return False
    if claim.text.endswith(":"):
        words = sum(any(map(str.isalpha, word)) for word in claim.text.split())
        if words <= _LONGEST_LABEL:
            return True
    return claim.kind in _WHOLE and not any(map(str.isalpha, claim.text))


def _statements(text: str) -> Sequence[tuple[int, int]]:
    """Return a list item as one statement, or the sentences of a long one."""
    if len(text) <= _LONGEST_ONE_LINE:
        start = len(text) - len(text.lstrip())
        return [(start, len(text.rstrip()))]
    return edges(text)[:_MOST_LISTED]


def _shared(
    pieces: Sequence[Piece], marks: Sequence[Mark], prose: Prose, tags: Sequence[Tag]
) -> Iterator[list[Tag]]:
    """Yield for each piece the tags in its words or right after them."""
    places = [(prose.offset_of(tag.span.end), tag) for tag in tags]
    index = 0
    for piece in pieces:
        end = prose.offset_of(marks[piece.marks[-1]].at)
        last = max(piece.end, end)
        found = []
        while index < len(places) and places[index][0] <= last:
            if places[index][0] > piece.start:
                found.append(places[index][1])
            index += 1
        yield found
