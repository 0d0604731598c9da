"""What the scan finds: pieces of markup with their place, nested in one another.

The scan collects them in the order in which they are closed; `nest` puts them
into document order, gives each its parent and drops what would overlap without
nesting, so that all later steps can rely on a tree. Pure.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple, TypeAlias


class Kind(Enum):
    """What a piece of markup is."""

    COMMENT = "comment"  # <!-- … -->
    OPAQUE = "opaque"  # <nowiki>, <pre>, <math>, <syntaxhighlight> … with content
    REF = "ref"  # <ref …>…</ref>
    REF_REUSE = "ref reuse"  # <ref … />
    REFERENCES = "references"  # <references …>…</references> or <references/>
    TEMPLATE = "template"  # {{…}}
    ARGUMENT = "argument"  # {{{…}}}
    LINK = "link"  # [[…]]
    EXTERNAL_LINK = "external link"  # [http… …]
    TABLE = "table"  # {| … |}
    HEADING = "heading"  # == … == with its line end
    TAG = "tag"  # any other HTML tag, the tag alone without its content


class Element(NamedTuple):
    """A closed piece of markup; `text[start:end]` is all of it.

    A tuple, because a page has thousands and a frozen dataclass costs four times
    as much to make.

    `parent` is the index (in the scan's tuple) of the innermost element that
    contains it, or -1. `inner_start:inner_end` is its content: the text between
    the braces, brackets or tags (for a TAG or COMMENT what stands inside it).
    `pipes` are the offsets of the "|" that part a template's, argument's or
    link's own parameters. `name` is the tag's name or the template's name,
    normalised: lower case, underscores and runs of spaces to one space, a
    "Template:" prefix removed. `attributes` are those of a ref or references
    tag (`name`, `group`, `follow`, `extends` …), quotes removed.
    """

    kind: Kind
    start: int
    end: int
    inner_start: int
    inner_end: int
    parent: int
    name: str = ""
    pipes: tuple[int, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()


# An element before its parent is known: start, minus its end, kind, inner_start,
# inner_end, name, pipes, attributes. They sort in document order, outermost first.
# A plain tuple, which costs a sixth of a named one to make.
Piece: TypeAlias = tuple[
    int, int, Kind, int, int, str, tuple[int, ...], tuple[tuple[str, str], ...]
]


def nest(pieces: list[Piece]) -> tuple[Element, ...]:
    """Return `pieces` as a tree in document order.

    Of two that overlap the later one goes, or the heading or tag among them.
    Headings inside anything but tables are not headings and go, too.
    """
    pieces.sort()
    elements, dropped = _tree(pieces)
    if dropped:  # the others are in nobody's way, so a second look drops no more
        pieces = [each for at, each in enumerate(pieces) if at not in dropped]
        elements, _ = _tree(pieces)
    return tuple(elements)


def _tree(pieces: Iterable[Piece]) -> tuple[list[Element], set[int]]:
    """Return an element for each piece, and which of them do not belong here."""
    heading, tag, table = Kind.HEADING, Kind.TAG, Kind.TABLE  # look-ups are dear
    new = tuple.__new__  # half the cost of a call of Element, to the same effect
    elements: list[Element] = []
    add = elements.append
    dropped: set[int] = set()
    # What the walk is inside of: end, index, kind, and whether nothing but tables
    # is around it, so that headings may stand in it.
    around = [(1 << 62, -1, table, True)]
    for index, piece in enumerate(pieces):
        start, minus_end, kind, inner, inner_end, name, pipes, given = piece
        end = -minus_end
        while around[-1][0] <= start:
            around.pop()
        while around[-1][0] < end and around[-1][2] in (heading, tag):
            dropped.add(around.pop()[1])
        top_end, parent, _, holds_headings = around[-1]
        values = (kind, start, end, inner, inner_end, parent, name, pipes, given)
        add(new(Element, values))
        if top_end < end or (kind is heading and not holds_headings):
            dropped.add(index)
        else:
            around.append((end, index, kind, kind is table and holds_headings))
    return elements, dropped
