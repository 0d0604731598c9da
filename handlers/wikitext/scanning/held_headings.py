"""Headings that templates hold: they part nothing, and MediaWiki counts them. Pure."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter

from handlers.wikitext.scanning.elements import Element, Kind
from handlers.wikitext.scanning.heading_lines import Lines

_HOLDERS = frozenset({Kind.TEMPLATE, Kind.ARGUMENT, Kind.LINK})
_RAW = frozenset({Kind.REF, Kind.REFERENCES, Kind.OPAQUE, Kind.COMMENT})
_START = attrgetter("start")


def held_headings(text: str, elements: Sequence[Element]) -> tuple[int, ...]:
    """Return where the headings inside templates begin, in their order.

    Its numbers of sections count them, for it splits a page before it knows what its
    templates make of them; what stands in a tag such as `<ref>` it does not look into.
    """
    return tuple(_held(text, elements))


def _held(text: str, elements: Sequence[Element]) -> Iterator[int]:
    lines, raw = None, None
    for holder in _outermost(elements, _HOLDERS):
        at = text.find("\n==", holder.start, holder.end)
        while at >= 0:
            if lines is None or raw is None:
                lines, raw = (
                    Lines(text, _comments(elements)),
                    _outermost(elements, _RAW),
                )
            piece = None if _is_within(at + 1, raw) else lines.heading_at(at + 1)
            if piece and -piece[1] <= holder.end:
                yield at + 1
            at = text.find("\n==", at + 1, holder.end)


def _outermost(elements: Sequence[Element], kinds: frozenset[Kind]) -> list[Element]:
    found: list[Element] = []
    for element in elements:
        if element.kind in kinds and (not found or found[-1].end <= element.start):
            found.append(element)
    return found


def _comments(elements: Sequence[Element]) -> list[tuple[int, int]]:
    return [(each.start, each.end) for each in elements if each.kind is Kind.COMMENT]


def _is_within(at: int, covers: Sequence[Element]) -> bool:
    place = bisect_right(covers, at, key=_START) - 1
    return place >= 0 and at < covers[place].end
