"""A page to what a reader would see of its words, without pictures and templates.

Every claim's sentence stands in it once: in its paragraph or list item, or, where it is
said in a table, an infobox, a caption or a note, in a line of its own at that place.
Footnote marks are numbered by what they lead to. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from operator import itemgetter

from handlers.model import Citation, Claim, ClaimKind, Page, Section, Source
from handlers.page.claiming.blocks import Shape
from handlers.page.claiming.flow import Flow, PageFlow
from handlers.page.claiming.prose import Prose
from handlers.page.scanning.scan import scan

_BESIDE = frozenset(
    {ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE, ClaimKind.CAPTION, ClaimKind.NOTE}
)


class LineKind(Enum):
    """What a line is."""

    PARAGRAPH = "paragraph"
    BULLET = "bullet"
    NUMBER = "number"
    CAPTION = "caption"
    FACT = "fact"  # of a table or an infobox


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words, and the numbers of the footnotes that follow them."""

    text: str
    notes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph, an item or a fact; `about` is the header that a fact stands beside."""

    kind: LineKind
    stretches: tuple[Stretch, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A section: its heading, empty and of level 0 for the lead, and runs of one kind."""

    heading: str
    level: int
    runs: tuple[tuple[LineKind, tuple[Line, ...]], ...]


@dataclass(frozen=True, slots=True)
class Article:
    """A page as it is shown. `sources` of footnote `n` are those at `n - 1`."""

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
        """Yield lines with their place; footnotes are numbered as claims come."""
        by_block: dict[int, list[Citation]] = {}
        for claim in claims:
            index = flow.block_of(claim.span.start)
            if claim.kind in _BESIDE or index is None:
                yield claim.span.start, self._beside(claim)
                continue
            by_block.setdefault(index, []).extend(claim.citations)
        for index, block in enumerate(flow.blocks):
            stretches = self._stretches(flow, index, by_block.get(index, ()))
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
    ) -> tuple[Stretch, ...]:
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
                found.append(Stretch(words, tuple(marked.get(at, ()))))
            start = at
        return tuple(found) if any(one.text.strip() for one in found) else ()

    def _beside(self, claim: Claim) -> Line:
        if claim.kind is ClaimKind.CAPTION:
            return self._alone(claim, LineKind.CAPTION)
        about = ", ".join(filter(None, (claim.row, claim.column)))
        return self._alone(claim, LineKind.FACT, about)

    def _alone(self, claim: Claim, kind: LineKind, about: str = "") -> Line:
        notes = tuple(self._number(citation) for citation in claim.citations)
        return Line(kind, (Stretch(claim.sentence, notes),), about)

    def _number(self, citation: Citation) -> int:
        """Return the footnote's number: one for whatever leads to the same sources."""
        key: object = tuple(source.key for source in citation.sources)
        if not key:
            key = citation.name or citation.marker
        if key not in self._numbers:
            self._sources.append(citation.sources)
            self._numbers[key] = len(self._sources)
        return self._numbers[key]


def _first_word(prose: Prose) -> int:
    """Return where in the wikitext the words begin, behind an infobox, for instance."""
    start = len(prose.text) - len(prose.text.lstrip())
    return prose.wikitext_of(start, start + 1)[0]


def _spaced(text: str, start: int, tidied: str, end: int) -> str:
    """Return tidied words with the spaces that part them from what is around."""
    words = tidied.strip()
    if not words:
        return ""
    before = " " if text[start].isspace() and start else ""
    return f"{before}{words}{' ' if text[end - 1].isspace() else ''}"
