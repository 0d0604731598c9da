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
from handlers.page.claiming.beside import Headers
from handlers.page.claiming.blocks import Shape
from handlers.page.claiming.clauses import Piece, pieces_of
from handlers.page.claiming.flow import Flow, PageFlow
from handlers.page.claiming.hosts import Host, HostKind, Hosts
from handlers.page.claiming.marks import Mark, Marks, in_order
from handlers.page.claiming.prose import Prose
from handlers.page.scanning.scan import Scan

# The marks of one running text, and which of its words each of them vouches for.
# A citation in a list, cell, value or caption vouches for its line, one in a paragraph
# for its sentence or clause. Pure.

# Characters of a cell that are one statement, however many lines it has.
_LONGEST_ONE_LINE = 200
_KINDS = {
    HostKind.CELL: ClaimKind.TABLE_CELL,
    HostKind.CAPTION: ClaimKind.CAPTION,
    HostKind.NOTE: ClaimKind.NOTE,
}
# Bound once: looking up a member is dear.
_CELL, _PARAGRAPH = HostKind.CELL, Shape.PARAGRAPH


class Group(NamedTuple):
    """The marks of a host, or of a section of the page, by block of its text."""

    host: Host
    section: Section
    flow: Flow
    by_block: dict[int, list[Mark]]
    orphans: list[Mark]  # no words belong to them
    row: str | None
    column: str | None


def pieces_by_block(group: Group) -> list[list[Piece]]:
    """Return the pieces of each block, in order; marks without words become orphans."""
    host, _, flow, by_block, orphans, _, _ = group
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


def _holds_lines(host: Host) -> bool:
    """Tell values, cells, captions and notes from running text in a template."""
    return host.kind in _KINDS or host.name is not None


def _is_one_line(host: Host, text: str, offsets: Sequence[int]) -> bool:
    """Tell a short cell or value with its only mark at the end from a list of lines."""
    return (
        (host.kind is _CELL or host.name is not None)
        and len(text) <= _LONGEST_ONE_LINE
        and offsets[-1] == len(text.rstrip()) == offsets[0]
    )


_LONGEST_OWN = 601  # characters before a claim in its own note, cell or value
_LONGEST_RAW = 200  # characters of an unattached reference that are kept
_PAGE = HostKind.PAGE  # bound once: looking up a member is dear
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
    """Return what the `citations` and `tags` of a page stand for.

    A citation in running text that is no footnote (`{{cite …}}` in a bibliography)
    and has no words before it makes no claim and is not listed either.
    """
    return _Reader(scan, sections, citations, tags).read()


class _Place(NamedTuple):
    """A block of running text: whose it is, and what its claims have in common."""

    group: Group
    block: int
    prose: Prose
    kind: ClaimKind  # of whole sentences
    clause_kind: ClaimKind


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
        # Each step is taken for the whole page before the next one begins: what the
        # step needs then stays in the processor's cache, which saves a sixth.
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
            row = column = None
        else:
            flow = Flow(self._text, host.stretch, *self._markup)
            row, column = self._headers.row(host), self._headers.column(host)
        by_block: dict[int, list[Mark]] = {}
        orphans: list[Mark] = []
        for mark in marks:
            block = flow.block_of(mark.start)
            if block is None:
                orphans.append(mark)
            else:
                by_block.setdefault(block, []).append(mark)
        return Group(host, section, flow, by_block, orphans, row, column)

    def _read_group(self, group: Group, found: Sequence[Sequence[Piece]]) -> None:
        host, section, flow, by_block, orphans, _, _ = group
        for (block, marks), pieces in zip(by_block.items(), found, strict=True):
            kinds = kinds_of(host, flow.blocks[block].shape)
            place = _Place(group, block, flow.prose(block), *kinds)
            loose = self._marks.loose(host, section, flow.blocks[block])
            self._read_block(place, marks, pieces, loose)
        if orphans:
            # In a cell that holds citations alone, what is said of them is, too.
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
        )

    def _is_column_header(self, host: Host) -> bool:
        """Tell whether it is a header in a row of nothing else: "Rank", "1911 Estimate"."""
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
    """Tell by their form whether the words are a label or a bare number.

    Values are judged with their row and column, parts of a sentence with the whole.
    """
    if claim.kind in _VALUES:
        return False
    words = sum(any(map(str.isalpha, word)) for word in claim.text.split())
    if claim.text.endswith(":") and words <= _LONGEST_LABEL:
        return True
    return claim.kind in _WHOLE and not words


def _shared(
    pieces: Sequence[Piece], marks: Sequence[Mark], prose: Prose, tags: Sequence[Tag]
) -> Iterator[list[Tag]]:
    """Yield for each piece the tags that stand in its words or right behind them."""
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
