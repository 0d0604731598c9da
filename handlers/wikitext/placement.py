"""Which elements of a page cite something, and what each of them stands in.

The same template means different things in running text, in a footnote, in the
list of references and inside another citation. One walk over the elements, in
document order, settles that for all later steps. Pure.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from handlers.model import Span
from handlers.wikitext.elements import Element, Kind
from handlers.wikitext.scan import Scan
from handlers.wikitext.template_names import Role, role_of

_NOTHING = -1
# Bound once: looking a member up in its enum costs as much as the rest of a step.
_EXTERNAL_LINK = Kind.EXTERNAL_LINK
_HEADING = Kind.HEADING
_LINK = Kind.LINK
_REF = Kind.REF
_REFERENCES = Kind.REFERENCES
_REF_REUSE = Kind.REF_REUSE
_TEMPLATE = Kind.TEMPLATE
_ROLE_LIST = Role.LIST
_ROLE_NOTE = Role.NOTE
_ROLE_TAG = Role.TAG


class Placed(NamedTuple):
    """An element that matters for citations, and its surroundings.

    `holder` is the index of the innermost footnote (a REF or a note template)
    around it, `listed` that of the list of references; -1 for none.
    """

    at: int  # index of the element
    element: Element
    role: Role | None  # of a template
    holder: int
    listed: int
    in_heading: bool


class _Around(NamedTuple):
    """What the children of an element stand in."""

    holder: int
    listed: int
    in_heading: bool
    in_value: bool  # inside a template whose parameters are read as values


_PAGE = _Around(_NOTHING, _NOTHING, in_heading=False, in_value=False)


@dataclass(frozen=True)
class Placement:
    """The placed elements of a page, in document order."""

    scan: Scan
    placed: tuple[Placed, ...]

    @cached_property
    def bodies(self) -> dict[int, list[Placed]]:
        """What stands directly in each footnote, by the footnote's index."""
        bodies: dict[int, list[Placed]] = {}
        for each in self.placed:
            if each.holder >= 0:
                bodies.setdefault(each.holder, []).append(each)
        return bodies

    @cached_property
    def _after(self) -> list[int]:
        """For each element the index of the first one that is not inside it."""
        elements = self.scan.elements
        after = list(range(1, len(elements) + 1))
        for index in range(len(elements) - 1, -1, -1):
            parent = elements[index].parent
            if parent >= 0 and after[index] > after[parent]:
                after[parent] = after[index]
        return after

    def own_text(self, index: int, body: Span) -> str:
        """Return the text of element `index` in `body`, without markup in it.

        Links stay as they are written. The cost is that of the own text, however
        deep the markup inside is nested.
        """
        text, elements, after = self.scan.text, self.scan.elements, self._after
        parts = []
        at, end = body.start, body.end
        child = index + 1
        while child < after[index]:
            element = elements[child]
            if element.kind is _LINK:
                child += 1
                continue
            if at <= element.start and element.end <= end:
                parts.append(text[at : element.start])
                at = element.end
            child = after[child]
        parts.append(text[at:end])
        return " ".join(parts)


def place(scan: Scan) -> Placement:
    """Find all elements of `scan` that matter for citations."""
    walk = _Walk()
    around_each: list[_Around] = []
    for index, element in enumerate(scan.elements):
        parent = element.parent
        around = around_each[parent] if parent >= 0 else _PAGE
        if element.kind is not _LINK:
            around = walk.visit(index, element, around)
        around_each.append(around)
    return Placement(scan, tuple(walk.placed))


class _Walk:
    """The state of one walk over the elements."""

    def __init__(self) -> None:
        self.placed: list[Placed] = []

    def visit(self, index: int, element: Element, around: _Around) -> _Around:
        """Place `element` if it matters; return what its children stand in."""
        kind = element.kind
        if kind is _TEMPLATE:
            return self._template(index, element, around)
        if kind is _REFERENCES:
            return around._replace(listed=index, in_value=False)
        if kind is _HEADING:
            return around._replace(in_heading=True)
        if kind is _EXTERNAL_LINK:
            if around.holder >= 0 and not around.in_value:
                self._place(index, element, None, around)
            return around
        if kind in (_REF, _REF_REUSE):
            self._place(index, element, None, around)
            return _Around(index, around.listed, around.in_heading, in_value=False)
        return around

    def _template(self, index: int, element: Element, around: _Around) -> _Around:
        role = role_of(element.name)
        if role is None:
            return around
        if role is _ROLE_TAG:
            self._place(index, element, role, around)
            return around
        if around.in_value:
            return around
        if role is _ROLE_LIST:
            return around._replace(listed=index)
        self._place(index, element, role, around)
        if role is _ROLE_NOTE:
            return around._replace(holder=index)
        return around._replace(in_value=True)

    def _place(
        self, index: int, element: Element, role: Role | None, around: _Around
    ) -> None:
        holder, listed, in_heading, _ = around
        self.placed.append(Placed(index, element, role, holder, listed, in_heading))
