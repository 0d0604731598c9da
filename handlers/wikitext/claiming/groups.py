"""The marks of one running text, and which of its words each of them vouches for.

A citation in a list, cell, value or caption vouches for its line, one in a paragraph
for its sentence or clause. Pure.
"""

from collections.abc import Sequence
from typing import NamedTuple

from handlers.model import ClaimKind, Section
from handlers.wikitext.claiming.blocks import Shape
from handlers.wikitext.claiming.clauses import Piece, pieces_of
from handlers.wikitext.claiming.flow import Flow
from handlers.wikitext.claiming.hosts import Host, HostKind
from handlers.wikitext.claiming.marks import Mark

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
