"""A page as readers see it, and everything it states.

`article_of` keeps every claim's sentence once: in its paragraph or list item, or on a
separate line if it is in a table, an infobox, a caption or a note. The statements are
those of the running text, of infoboxes and of tables, whether or not a citation
supports them. Pure.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby, islice
from operator import attrgetter, itemgetter

from handlers.model import (
    Citation,
    Claim,
    ClaimKind,
    Page,
    Section,
    Source,
    Span,
    Statement,
)
from handlers.page.markup import Kind
from handlers.page.paragraphs import Flow, PageFlow, Shape
from handlers.page.prose import Prose, prose_of
from handlers.page.scan import scan
from handlers.page.sentences import edges
from handlers.page.tables import Cell, Host, HostKind, Hosts

# --- The article as shown ---

_BESIDE = frozenset(
    {ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE, ClaimKind.CAPTION, ClaimKind.NOTE}
)


class LineKind(Enum):
    """What kind of line this is."""

    PARAGRAPH = "paragraph"
    BULLET = "bullet"
    NUMBER = "number"
    CAPTION = "caption"
    FACT = "fact"  # of a table or an infobox


@dataclass(frozen=True, slots=True)
class FootnotedText:
    """Words, and the numbers of the footnotes that follow them."""

    text: str
    notes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph, an item or a fact; `about` is the header of a fact."""

    kind: LineKind
    stretches: tuple[FootnotedText, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A section: its heading (empty, level 0 for the lead), and lines by kind."""

    heading: str
    level: int
    runs: tuple[tuple[LineKind, tuple[Line, ...]], ...]


@dataclass(frozen=True, slots=True)
class Article:
    """A page as it is shown. The sources of footnote `n` are `sources[n - 1]`."""

    parts: tuple[Part, ...]
    notes: tuple[Line, ...]
    sources: tuple[tuple[Source, ...], ...]


def article_of(page: Page) -> Article:
    """Return what is shown of `page`. Takes time linear in its length."""
    return _Writer(page).article()


class _Writer:
    def __init__(self, page: Page) -> None:
        elements = scan(page.wikitext).elements
        starts = list(map(itemgetter(1), elements))
        self._page = page
        self._flows = PageFlow(page.wikitext, page.sections, elements, starts)
        self._numbers: dict[object, int] = {}
        self._sources: list[tuple[Source, ...]] = []

    def article(self) -> Article:
        claims: dict[int, list[Claim]] = {}
        notes = []
        for claim in self._page.claims:
            if claim.kind is ClaimKind.NOTE:
                notes.append(claim)
            else:
                section = self._flows.section_of(claim.span.start)
                claims.setdefault(section.span.start, []).append(claim)
        parts = tuple(
            self._part(section, claims.get(section.span.start, ()))
            for section in self._page.sections
        )
        return Article(
            parts,
            tuple(self._alone(claim, LineKind.BULLET) for claim in notes),
            tuple(self._sources),
        )

    def _part(self, section: Section, claims: Sequence[Claim]) -> Part:
        flow = self._flows.flow_of(section)
        placed = sorted(self._lines(flow, claims), key=itemgetter(0))
        runs = groupby((line for _, line in placed), key=lambda line: line.kind)
        heading = section.path[-1] if section.path else ""
        return Part(
            heading,
            section.level,
            tuple((kind, tuple(lines)) for kind, lines in runs),
        )

    def _lines(self, flow: Flow, claims: Sequence[Claim]) -> Iterator[tuple[int, Line]]:
        """Yield lines with their place; footnotes are numbered in order of claims."""
        # By where the marker is, for several claims may share one.
        by_block: dict[int, dict[Citation, None]] = {}
        for claim in claims:
            index = flow.block_of(claim.span.start)
            if claim.kind in _BESIDE or index is None:
                yield claim.span.start, self._beside(claim)
                continue
            for citation in claim.citations:
                at = flow.block_of(citation.marker.start)
                placed = by_block.setdefault(index if at is None else at, {})
                placed[citation] = None
        for index, block in enumerate(flow.blocks):
            stretches = self._stretches(flow, index, tuple(by_block.get(index, ())))
            if stretches:
                kind = self._kind(block.start, block.shape)
                yield _first_word(flow.prose(index)), Line(kind, stretches)

    def _kind(self, start: int, shape: Shape) -> LineKind:
        if shape is Shape.PICTURE:
            return LineKind.CAPTION
        if shape is Shape.PARAGRAPH:
            return LineKind.PARAGRAPH
        before = self._page.wikitext[max(0, start - 5) : start].rstrip()
        return LineKind.NUMBER if before.endswith("#") else LineKind.BULLET

    def _stretches(
        self, flow: Flow, index: int, citations: Sequence[Citation]
    ) -> tuple[FootnotedText, ...]:
        prose = flow.prose(index)
        marked: dict[int, list[int]] = {}
        for citation in citations:
            at = prose.offset_of(citation.marker.start)
            marked.setdefault(at, []).append(self._number(citation))
        found = []
        start = 0
        for at in sorted({*marked, len(prose.text)}):
            words = _spaced(prose.text, start, prose.tidied(start, at), at)
            if words or marked.get(at):
                found.append(FootnotedText(words, tuple(marked.get(at, ()))))
            start = at
        return tuple(found) if any(one.text.strip() for one in found) else ()

    def _beside(self, claim: Claim) -> Line:
        if claim.kind is ClaimKind.CAPTION:
            return self._alone(claim, LineKind.CAPTION)
        about = ", ".join(filter(None, (claim.row, claim.column)))
        return self._alone(claim, LineKind.FACT, about)

    def _alone(self, claim: Claim, kind: LineKind, about: str = "") -> Line:
        notes = tuple(self._number(citation) for citation in claim.citations)
        return Line(kind, (FootnotedText(claim.sentence, notes),), about)

    def _number(self, citation: Citation) -> int:
        """Return the footnote's number, the same for citations of the same sources."""
        key: object = tuple(source.key for source in citation.sources)
        if not key:
            key = citation.name or citation.marker
        if key not in self._numbers:
            self._sources.append(citation.sources)
            self._numbers[key] = len(self._sources)
        return self._numbers[key]


def _first_word(prose: Prose) -> int:
    """Return where the words begin in the wikitext, for instance after an infobox."""
    start = len(prose.text) - len(prose.text.lstrip())
    return prose.wikitext_of(start, start + 1)[0]


def _spaced(text: str, start: int, tidied: str, end: int) -> str:
    """Return tidied words with the spaces that separate them from the text around."""
    words = tidied.strip()
    if not words:
        return ""
    before = " " if text[start].isspace() and start else ""
    return f"{before}{words}{' ' if text[end - 1].isspace() else ''}"


# --- Everything a page states ---

_KINDS = {
    Shape.PARAGRAPH: ClaimKind.SENTENCE,
    Shape.ITEM: ClaimKind.LIST_ITEM,
    Shape.PICTURE: ClaimKind.CAPTION,
}
_INFOBOX = "infobox"
_MOST_CELLS = 600  # of a page; longer tables are lists, not statements
_LONGEST_VALUE = 300  # characters of a value or cell


def stated(page: Page) -> tuple[Statement, ...]:
    """Return all that `page` states, in order. Takes time linear in its length."""
    reader = _Reader(page)
    found = [*reader.prose(), *reader.values(), *islice(reader.cells(), _MOST_CELLS)]
    return tuple(sorted(found, key=attrgetter("span.start", "span.end")))


class _Reader:
    def __init__(self, page: Page) -> None:
        self._text = page.wikitext
        self._sections = page.sections
        self._elements = scan(page.wikitext).elements
        self._starts = list(map(itemgetter(1), self._elements))
        self._hosts = Hosts(self._text, self._elements, self._starts)
        self._flows = PageFlow(self._text, page.sections, self._elements, self._starts)
        cited = sorted(
            (
                claim.span
                for claim in page.claims
                if claim.citations and not claim.sentences_before
            ),
            key=attrgetter("start"),
        )
        self._cited_ends = list(map(attrgetter("end"), cited))
        self._cited_starts = list(map(attrgetter("start"), cited))

    def prose(self) -> Iterator[Statement]:
        """Yield the sentences of running text."""
        for section in self._sections:
            yield from self._of_section(section)

    def values(self) -> Iterator[Statement]:
        """Yield the values of infoboxes."""
        for index, element in enumerate(self._elements):
            if element.kind is Kind.TEMPLATE and _INFOBOX in element.name:
                for name, start, end in self._hosts.parameters(index):
                    header = " ".join(name.replace("_", " ").split())
                    kind = ClaimKind.INFOBOX_VALUE
                    yield from self._value(kind, Span(start, end), header)

    def cells(self) -> Iterator[Statement]:
        """Yield the table cells that are not headers, with their headers."""
        for index, element in enumerate(self._elements):
            if element.kind is Kind.TABLE:
                yield from self._of_table(index)

    def _of_section(self, section: Section) -> Iterator[Statement]:
        flow = self._flows.flow_of(section)
        page = Host(HostKind.PAGE, Span(0, len(self._text)), -1)
        for index, block in enumerate(flow.blocks):
            prose = flow.prose(index)
            for start, end in edges(prose.text):
                text = prose.tidied(start, end)
                if not any(map(str.isalnum, text)):
                    continue
                found = prose.wikitext_of(start, end)
                span = self._hosts.whole_markup(*found, page)
                yield Statement(
                    text,
                    _KINDS[block.shape],
                    section.path,
                    span,
                    flow.before_words(index, start),
                    is_cited=self._is_cited(span),
                )

    def _of_table(self, index: int) -> Iterator[Statement]:
        table = self._hosts.table(index)
        for cell in table.cells:
            if not cell.is_header:
                span = Span(cell.start, cell.end)
                yield from self._value(
                    ClaimKind.TABLE_CELL, span, self._headers(table.cells, cell)
                )

    def _headers(self, cells: Sequence[Cell], cell: Cell) -> str:
        named = [
            self._plain(Span(cells[at].start, cells[at].end))
            for at in (cell.row_header, *cell.column_headers)
            if at is not None
        ]
        return ", ".join(filter(None, named))

    def _value(self, kind: ClaimKind, span: Span, header: str) -> Iterator[Statement]:
        """Yield the words of a value; its span leaves out the citations after them."""
        is_cell = kind is ClaimKind.TABLE_CELL
        prose = prose_of(
            self._text, span, self._elements, self._starts, is_cell=is_cell
        )
        text = " ".join(prose.text.split())
        if not text or not header or len(text) > _LONGEST_VALUE:
            return
        end = len(prose.text.rstrip())
        words = Span(
            *prose.wikitext_of(len(prose.text) - len(prose.text.lstrip()), end)
        )
        section = self._flows.section_of(span.start).path
        is_cited = self._is_cited(span)
        yield Statement(text, kind, section, words, header=header, is_cited=is_cited)

    def _plain(self, span: Span) -> str:
        prose = prose_of(self._text, span, self._elements, self._starts, is_cell=True)
        return " ".join(prose.text.split())[:_LONGEST_VALUE]

    def _is_cited(self, span: Span) -> bool:
        """Return whether a claim with citations overlaps `span`."""
        at = bisect_left(self._cited_ends, span.start + 1)
        return at < len(self._cited_ends) and self._cited_starts[at] < span.end
