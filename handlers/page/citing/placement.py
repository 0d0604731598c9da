"""Which elements of a page cite something, and what each of them stands in.

The same template means different things in running text, in a footnote, in the
list of references and inside another citation. One walk over the elements, in
document order, settles that for all later steps. Pure.
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from handlers.model import Span
from handlers.page.citing.template_names import Role, role_of
from handlers.page.scanning.elements import Element, Kind
from handlers.page.scanning.scan import Scan

_NOTHING = -1
_START = attrgetter("start")
# Bound once: looking a member up in its enum costs as much as the rest of a step.
_EXTERNAL_LINK = Kind.EXTERNAL_LINK
_HEADING = Kind.HEADING
_LINK = Kind.LINK
_REF = Kind.REF
_REFERENCES = Kind.REFERENCES
_REF_REUSE = Kind.REF_REUSE
_TAG = Kind.TAG
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
    """What the children of an element, which reaches up to `end`, stand in."""

    end: int
    holder: int
    listed: int
    in_value: bool  # inside a template whose parameters are read as values


_PAGE = _Around(1 << 62, _NOTHING, _NOTHING, in_value=False)


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

    def own_text(self, index: int, body: Span) -> str:
        """Return the text of element `index` in `body`, without markup in it.

        Links stay as they are written. The cost is that of the own text, however
        deep the markup inside is nested.
        """
        text, elements = self.scan.text, self.scan.elements
        parts = []
        at, end = body.start, body.end
        child, behind = index + 1, self._behind(index)
        while child < behind:
            element = elements[child]
            if element.kind is _LINK:
                child += 1
                continue
            if at <= element.start and element.end <= end:
                parts.append(text[at : element.start])
                at = element.end
            child = self._behind(child)
        parts.append(text[at:end])
        return " ".join(parts)

    def _behind(self, index: int) -> int:
        """Return the index of the first element after all those inside this one."""
        elements, after = self.scan.elements, index + 1
        if after == len(elements) or elements[after].parent != index:
            return after
        return bisect_left(elements, elements[index].end, after, key=_START)


def place(scan: Scan) -> Placement:
    """Find all elements of `scan` that matter for citations."""
    walk = _Walk()
    for index, element in enumerate(scan.elements):
        kind = element.kind
        if kind is _TEMPLATE:
            walk.template(index, element)
        elif kind is not _LINK and kind is not _TAG:
            walk.other(index, element)
    return Placement(scan, tuple(walk.placed))


class _Walk:
    """The state of one walk over the elements."""

    def __init__(self) -> None:
        self.placed: list[Placed] = []
        self._around = [_PAGE]
        self._heading_end = 0  # of the last heading, for headings do not nest
        self._roles: dict[str, Role | None] = {}  # of the names seen so far

    def template(self, index: int, element: Element) -> None:
        """Place a template if it matters; note what its children stand in."""
        name = element.name
        role = self._roles[name] if name in self._roles else self._learn(name)
        if role is None:
            return
        around = self._around_at(element.start)
        if role is _ROLE_TAG:
            self._place(index, element, role, around)
        elif around.in_value:
            return
        elif role is _ROLE_LIST:
            self._enter(element.end, around.holder, index)
        else:
            self._place(index, element, role, around)
            is_note = role is _ROLE_NOTE
            holder = index if is_note else around.holder
            self._enter(element.end, holder, around.listed, in_value=not is_note)

    def other(self, index: int, element: Element) -> None:
        """Do the same for anything else."""
        kind = element.kind
        around = self._around_at(element.start)
        if kind is _REF or kind is _REF_REUSE:
            self._place(index, element, None, around)
            self._enter(element.end, index, around.listed)
        elif kind is _HEADING:
            self._heading_end = element.end
        elif kind is _REFERENCES:
            self._enter(element.end, around.holder, index)
        elif kind is _EXTERNAL_LINK and around.holder >= 0 and not around.in_value:
            self._place(index, element, None, around)

    def _around_at(self, start: int) -> _Around:
        while self._around[-1].end <= start:
            self._around.pop()
        return self._around[-1]

    def _learn(self, name: str) -> Role | None:
        role = self._roles[name] = role_of(name)
        return role

    def _place(
        self, index: int, element: Element, role: Role | None, around: _Around
    ) -> None:
        in_heading = element.start < self._heading_end
        placed = Placed(index, element, role, around.holder, around.listed, in_heading)
        self.placed.append(placed)

    def _enter(
        self, end: int, holder: int, listed: int, *, in_value: bool = False
    ) -> None:
        self._around.append(_Around(end, holder, listed, in_value))
