"""The claims of a page: the words that each group of citations vouches for.

Marks (citations and cleanup tags) are put into the running text that they stand
in, a paragraph, list item, cell, value, caption or note; `clauses` then tells
which of its words belong to which. A reference that no words belong to is listed
with the reason. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter
from typing import NamedTuple

from handlers.model import (
    Citation,
    CitationForm,
    Claim,
    ClaimKind,
    Section,
    Span,
    Tag,
    UnattachedReason,
    UnattachedReference,
)
from handlers.wikitext.beside import Headers
from handlers.wikitext.blocks import Shape
from handlers.wikitext.clauses import Piece, pieces_of
from handlers.wikitext.flow import Flow, PageFlow
from handlers.wikitext.hosts import Host, HostKind, Hosts
from handlers.wikitext.marks import Mark, Marks, in_order
from handlers.wikitext.prose import Prose
from handlers.wikitext.scan import Scan

_LONGEST_OWN = 601  # characters before a claim in its own note, cell or value
# Characters of a cell that are one statement, however many lines it has.
_LONGEST_ONE_LINE = 200
_LONGEST_RAW = 200  # characters of an unattached reference that are kept
_PAGE = HostKind.PAGE  # bound once: looking up a member is dear
_KINDS = {
    HostKind.CELL: ClaimKind.TABLE_CELL,
    HostKind.CAPTION: ClaimKind.CAPTION,
    HostKind.NOTE: ClaimKind.NOTE,
}
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
    """Return what the `citations` and `tags` of a page stand for.

    A citation in running text that is no footnote (`{{cite …}}` in a bibliography)
    and has no words before it makes no claim and is not listed either.
    """
    return _Reader(scan, sections, citations, tags).read()


class _Place(NamedTuple):
    """A block of running text: whose it is, and what its claims have in common."""

    host: Host
    section: Section
    flow: Flow
    block: int
    shape: Shape
    prose: Prose
    kind: ClaimKind  # of whole sentences
    clause_kind: ClaimKind
    row: str | None
    column: str | None


class _Reader:
    """What is needed all over the page, and what was found so far."""

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
        for host, section, marks in self._marks.by_host:
            reason = _NO_CLAIMS.get(host.kind)
            if reason:
                self._leave(marks, reason)
            else:
                self._read_host(host, section, marks)
        self._claims.sort(key=lambda claim: (claim.span.start, claim.span.end))
        self._unattached.sort(key=lambda reference: reference.span.start)
        return Claims(tuple(self._claims), tuple(self._unattached))

    def _read_host(self, host: Host, section: Section, marks: Sequence[Mark]) -> None:
        if host.kind is _PAGE:
            flow = self._page.flow_of(section)
        else:
            flow = Flow(self._text, host.stretch, *self._markup)
        is_page = host.kind is _PAGE
        row = None if is_page else self._headers.row(host)
        column = None if is_page else self._headers.column(host)
        by_block: dict[int | None, list[Mark]] = {}
        for mark in marks:
            by_block.setdefault(flow.block_of(mark.start), []).append(mark)
        orphans = by_block.pop(None, [])
        for block, inside in by_block.items():
            index = block or 0
            shape = flow.blocks[index].shape
            kinds = _kinds(host, shape)
            place = _Place(
                host,
                section,
                flow,
                index,
                shape,
                flow.prose(index),
                *kinds,
                row,
                column,
            )
            loose = self._marks.loose(host, section, flow.blocks[index])
            orphans.extend(self._read_block(place, inside, loose))
        if orphans:
            self._without_words(host, section, orphans)

    def _read_block(
        self, place: _Place, marks: Sequence[Mark], loose: Sequence[Tag]
    ) -> list[Mark]:
        """Make the claims of a block; return the marks without words."""
        host, prose = place.host, place.prose
        by_line = place.shape is not Shape.PARAGRAPH or _holds_lines(host)
        offsets = [prose.offset_of(mark.at) for mark in marks]
        text = prose.text
        if _is_one_line(host, text, offsets):
            text = text.replace("\n", " ")
        pieces, orphans = pieces_of(text, offsets, by_line=by_line)
        tags_of = _shared(pieces, offsets, prose, loose) if loose else repeat(())
        sentences: dict[int, str] = {}  # clauses of one sentence share its text
        for piece, tags in zip(pieces, tags_of, strict=False):
            signs = [marks[index] for index in piece.marks]
            start = piece.sentence_start
            sentence = sentences.get(start)
            if sentence is None:
                sentence = prose.tidied(start, piece.sentence_end)
                sentences[start] = sentence
            self._claims.append(self._claim(place, piece, sentence, signs, tags))
        return [marks[index] for index in orphans]

    # --- claims ---

    def _claim(
        self,
        place: _Place,
        piece: Piece,
        sentence: str,
        marks: Sequence[Mark],
        loose_tags: Sequence[Tag],
    ) -> Claim:
        host, prose = place.host, place.prose
        start, end, sentence_start, sentence_end, _ = piece
        is_whole = start == sentence_start and end == sentence_end
        citations, tags = self._marks.signs(marks)
        return Claim(
            text=sentence if is_whole else prose.tidied(start, end),
            kind=place.kind if is_whole else place.clause_kind,
            span=self._hosts.whole_markup(*prose.wikitext_of(start, end), host),
            section=place.section.path,
            context=self._context_of(place, start),
            sentence=sentence,
            citations=citations,
            tags=tuple(in_order([*tags, *loose_tags])) if tags or loose_tags else (),
            row=place.row,
            column=place.column,
        )

    def _context_of(self, place: _Place, start: int) -> str:
        host = place.host
        if host.kind is _PAGE:
            return place.flow.before_words(place.block, start)
        own = place.prose.text[max(0, start - _LONGEST_OWN) : start]
        at = self._hosts.outermost(host.element)
        return self._page.before(place.section, at, own)

    # --- marks without words ---

    def _without_words(
        self, host: Host, section: Section, marks: Sequence[Mark]
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
                tags=tuple(in_order(tags)),
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


def _holds_lines(host: Host) -> bool:
    """Tell values, cells, captions and notes from running text in a template."""
    return host.kind in _KINDS or host.name is not None


def _is_one_line(host: Host, text: str, offsets: Sequence[int]) -> bool:
    """Tell a short cell or value with its only mark at the end from a list of lines."""
    return (
        (host.kind is HostKind.CELL or host.name is not None)
        and len(text) <= _LONGEST_ONE_LINE
        and offsets[-1] == len(text.rstrip()) == offsets[0]
    )


def _kinds(host: Host, shape: Shape) -> tuple[ClaimKind, ClaimKind]:
    """Return the kind of the claims that are whole sentences, and of the others."""
    kind = _KINDS.get(host.kind)
    if kind is None and host.name is not None:
        kind = ClaimKind.INFOBOX_VALUE
    elif kind is None and shape is Shape.PICTURE:
        kind = ClaimKind.CAPTION
    if kind is not None:
        return kind, kind
    whole = ClaimKind.LIST_ITEM if shape is Shape.ITEM else ClaimKind.SENTENCE
    return whole, ClaimKind.CLAUSE


def _shared(
    pieces: Sequence[Piece], offsets: Sequence[int], prose: Prose, tags: Sequence[Tag]
) -> Iterator[list[Tag]]:
    """Yield for each piece the tags that stand in its words or right behind them."""
    places = [(prose.offset_of(tag.span.end), tag) for tag in tags]
    index = 0
    for piece in pieces:
        end = offsets[piece.marks[-1]]
        last = max(piece.end, end)
        found = []
        while index < len(places) and places[index][0] <= last:
            if places[index][0] > piece.start:
                found.append(places[index][1])
            index += 1
        yield found
