"""A page to all that it states, whether a citation vouches for it or not.

Sentences of paragraphs and items of lists in the order of the page, the values of its
infoboxes and the cells of its tables among them. Pure.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import attrgetter, itemgetter
from typing import NamedTuple

from handlers.model import ClaimKind, Page, Section, Span
from handlers.page.claiming.blocks import Shape
from handlers.page.claiming.flow import PageFlow
from handlers.page.claiming.hosts import Host, HostKind, Hosts
from handlers.page.claiming.render import prose_of
from handlers.page.claiming.sentences import edges
from handlers.page.claiming.tables import Cell
from handlers.page.scanning.elements import Kind
from handlers.page.scanning.scan import scan

_KINDS = {
    Shape.PARAGRAPH: ClaimKind.SENTENCE,
    Shape.ITEM: ClaimKind.LIST_ITEM,
    Shape.PICTURE: ClaimKind.CAPTION,
}
_INFOBOX = "infobox"
_MOST_CELLS = 600  # of a page; longer tables are lists, not statements
_LONGEST_VALUE = 300  # characters of a value or cell


class Stated(NamedTuple):
    """Something that the page says: `text` is plain, `span` its wikitext.

    `header` names a value of an infobox or a cell of a table; `context` precedes it in
    its section.
    """

    text: str
    kind: ClaimKind
    section: tuple[str, ...]
    span: Span
    context: str
    header: str | None
    is_cited: bool


def stated(page: Page) -> tuple[Stated, ...]:
    """Return all that `page` says, in its order. Takes time linear in its length."""
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
            (claim.span for claim in page.claims if claim.citations),
            key=attrgetter("start"),
        )
        self._cited_ends = list(map(attrgetter("end"), cited))
        self._cited_starts = list(map(attrgetter("start"), cited))

    def prose(self) -> Iterator[Stated]:
        """Yield the sentences of running text."""
        for section in self._sections:
            yield from self._of_section(section)

    def values(self) -> Iterator[Stated]:
        """Yield the values of infoboxes."""
        for index, element in enumerate(self._elements):
            if element.kind is Kind.TEMPLATE and _INFOBOX in element.name:
                for name, start, end in self._hosts.parameters(index):
                    header = " ".join(name.replace("_", " ").split())
                    kind = ClaimKind.INFOBOX_VALUE
                    yield from self._value(kind, Span(start, end), header)

    def cells(self) -> Iterator[Stated]:
        """Yield the cells of tables that are no headers, with their headers."""
        for index, element in enumerate(self._elements):
            if element.kind is Kind.TABLE:
                yield from self._of_table(index)

    def _of_section(self, section: Section) -> Iterator[Stated]:
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
                yield Stated(
                    text,
                    _KINDS[block.shape],
                    section.path,
                    span,
                    flow.before_words(index, start),
                    None,
                    self._is_cited(span),
                )

    def _of_table(self, index: int) -> Iterator[Stated]:
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
            for at in (cell.row_header, cell.column_header)
            if at is not None
        ]
        return ", ".join(filter(None, named))

    def _value(self, kind: ClaimKind, span: Span, header: str) -> Iterator[Stated]:
        """Yield the words of a value, the citations behind them left out of its span."""
        prose = prose_of(self._text, span, self._elements, self._starts)
        text = " ".join(prose.text.split())
        if not text or not header or len(text) > _LONGEST_VALUE:
            return
        end = len(prose.text.rstrip())
        words = Span(
            *prose.wikitext_of(len(prose.text) - len(prose.text.lstrip()), end)
        )
        section = self._flows.section_of(span.start).path
        yield Stated(text, kind, section, words, "", header, self._is_cited(span))

    def _plain(self, span: Span) -> str:
        prose = prose_of(self._text, span, self._elements, self._starts)
        return " ".join(prose.text.split())[:_LONGEST_VALUE]

    def _is_cited(self, span: Span) -> bool:
        """Tell whether a claim with citations reaches into `span`."""
        at = bisect_left(self._cited_ends, span.start + 1)
        return at < len(self._cited_ends) and self._cited_starts[at] < span.end
