"""The claims of a page: the words that each group of citations supports.

Marks (citations and cleanup tags) are assigned to the running text that contains them:
a paragraph, list item, cell, value, caption or note; `sentences` then decides which
words belong to which mark. A marker alone in the "Ref." column supports its row, and
one alone in `population_footnotes` supports the values of `population_…`. A reference
to which no words belong is listed with the reason. Pure.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import NamedTuple

from handlers.model import (
    Citation,
    CitationForm,
    Claim,
    ClaimKind,
    Section,
    Span,
    Tag,
    TagKind,
    UnattachedReason,
    UnattachedReference,
)
from handlers.page.markup import Element, Parameter
from handlers.page.paragraphs import Block, Flow, PageFlow, Shape
from handlers.page.prose import Prose, prose_of
from handlers.page.scan import Scan
from handlers.page.sentences import Piece, pieces_of
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
_FOOTNOTE_SUFFIX = re.compile(
    r"(?<![ _-])[ _-]*(?:footnotes?|refs?|references?|notes?|sources?|cite|citations?)\d*+$",
    re.IGNORECASE,
)
_MOST_BESIDE = 12  # cells or values that are combined
_LONGEST_BESIDE = 200  # characters of each


@dataclass(frozen=True, slots=True)
class Beside:
    """The words used for a cell or value that has no words itself."""

    words: str
    span: Span
    about: str | None  # header of the row, or the name that the values share


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

    def line(self, host: Host) -> str | None:
        """Return everything in the row of a cell, with the column headers."""
        is_cell = host.kind is HostKind.CELL
        found = self.beside(host) if is_cell else None
        return found.words if found else None

    def beside(self, host: Host) -> Beside | None:
        """Return the words that a host without words is about; `None` without any."""
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
        and offsets[-1] == len(text.rstrip()) == offsets[0]
    )


_LONGEST_OWN = 601  # characters before a claim within its note, cell or value
_LONGEST_RAW = 200  # characters of an unattached reference that are kept
_PAGE = HostKind.PAGE  # bound once: enum look-ups are expensive
_WHOLE = frozenset({ClaimKind.SENTENCE, ClaimKind.NOTE, ClaimKind.CAPTION})
_VALUES = frozenset({ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE})
_LONGEST_LABEL = 4  # words before a colon, such as "Source:" or "The results are:"
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
            flow = Flow(self._text, host.stretch, *self._markup)
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
        return Group(host, section, flow, by_block, orphans, row, column, line)

    def _read_group(self, group: Group, found: Sequence[Sequence[Piece]]) -> None:
        host, section, flow, by_block, orphans, *_ = group
        for (block, marks), pieces in zip(by_block.items(), found, strict=True):
            kinds = kinds_of(host, flow.blocks[block].shape)
            place = _Place(group, block, flow.prose(block), *kinds)
            loose = self._marks.loose(host, section, flow.blocks[block])
            self._read_block(place, marks, pieces, loose)
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
        for piece, tags in zip(pieces, tags_of, strict=False):
            signs = [marks[index] for index in piece.marks]
            start = piece.sentence_start
            sentence = sentences.get(start)
            if sentence is None:
                sentence = prose.tidied(start, piece.sentence_end)
                sentences[start] = sentence
            claim = self._claim(place, piece, sentence, signs, tags)
            if self._is_column_header(place.group.host) or _states_nothing(claim):
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
    ) -> Claim:
        group, prose = place.group, place.prose
        start, end, sentence_start, sentence_end, _ = piece
        is_whole = start == sentence_start and end == sentence_end
        citations, tags = self._marks.signs(marks)
        return Claim(
            text=sentence if is_whole else prose.tidied(start, end),
            kind=place.kind if is_whole else place.clause_kind,
            span=self._hosts.whole_markup(*prose.wikitext_of(start, end), group.host),
            section=group.section.path,
            context=self._context_of(place, start),
            sentence=sentence,
            citations=citations,
            tags=tuple(in_order([*tags, *loose_tags])) if tags or loose_tags else (),
            row=group.row,
            column=group.column,
            line=group.line,
        )

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

    def _without_words(
        self,
        host: Host,
        section: Section,
        marks: Sequence[Mark],
        loose_tags: Sequence[Tag],
    ) -> None:
        beside = self._headers.beside(host)
        if beside is None:
            self._leave(marks, UnattachedReason.NO_WORDS)
            return
        citations, tags = self._marks.signs(marks)
        at = self._hosts.outermost(host.element)
        is_cell = host.kind is HostKind.CELL
        self._claims.append(
            Claim(
                text=beside.words,
                kind=ClaimKind.TABLE_CELL if is_cell else ClaimKind.INFOBOX_VALUE,
                span=beside.span,
                section=section.path,
                context=self._page.before(section, at, ""),
                sentence=beside.words,
                citations=citations,
                tags=tuple(in_order([*tags, *loose_tags])),
                row=beside.about,
                column=self._headers.column(host),
            )
        )

    def _leave(self, marks: Sequence[Mark], reason: UnattachedReason) -> None:
        for mark in marks:
            sign = mark.sign
            is_footnote = isinstance(sign, Citation) and (
                sign.form is not CitationForm.INLINE_TEMPLATE
            )
            if is_footnote:
                span = Span(mark.start, mark.end)
                raw = self._text[span.start : min(span.end, span.start + _LONGEST_RAW)]
                self._unattached.append(UnattachedReference(reason, span, raw))


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
