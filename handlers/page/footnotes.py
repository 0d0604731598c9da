"""Footnotes: which elements of a page cite something, and what a footnote contains.

The same template means different things in running text, in a footnote, in the list
of references and inside another citation; one walk over the elements decides that. A
footnote is a `<ref>` or a note template such as `{{refn}}`. Its body may hold citation
templates, short citations, links, bare addresses or just words. Pure.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from handlers.model import Source, SourceForm, Span, TagKind, UrlStatus
from handlers.page.identifiers import (
    URL,
    address_in,
    is_identified,
    with_numbers,
)
from handlers.page.markup import Element, Kind, plain_text
from handlers.page.scan import Scan
from handlers.page.sources import (
    Bibliography,
    FullCitation,
    ShortCitation,
    bare_urls,
    read_address,
    read_link,
    read_short,
    with_archive,
    with_identifier,
)
from handlers.page.template_names import (
    EXPLANATORY_GROUPS,
    NOTE_GROUPS,
    TAG_KINDS,
    Role,
    role_of,
)

# --- Placement ---

_NOTHING = -1
_START = attrgetter("start")
# Bound once: an enum look-up costs as much as the rest of a step.
_COMMENT = Kind.COMMENT
_EXTERNAL_LINK = Kind.EXTERNAL_LINK
_HEADING = Kind.HEADING
_LINK = Kind.LINK
_REF = Kind.REF
_REFERENCES = Kind.REFERENCES
_REF_REUSE = Kind.REF_REUSE
_TAG = Kind.TAG
_TEMPLATE = Kind.TEMPLATE
_ADDRESS = Role.ADDRESS
_ARCHIVE = Role.ARCHIVE
_FULL = Role.FULL
_IDENTIFIER = Role.IDENTIFIER
_LIST = Role.LIST
_NOTE = Role.NOTE
_REUSE = Role.REUSE
_ROLE_TAG = Role.TAG
_SHORT = Role.SHORT


class Placed(NamedTuple):
    """An element that matters for citations, and what surrounds it.

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
    """What surrounds the children of an element that ends at `end`."""

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
        """What is directly in each footnote, by the footnote's index."""
        bodies: dict[int, list[Placed]] = {}
        for each in self.placed:
            if each.holder >= 0:
                bodies.setdefault(each.holder, []).append(each)
        return bodies

    def own_text(self, index: int, body: Span) -> str:
        """Return the text of element `index` in `body`, without markup in it.

        Links stay as they are written. The cost depends on this text only, however
        deeply the markup inside is nested.
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
        self._heading_end = 0  # of the last heading; headings do not nest
        self._roles: dict[str, Role | None] = {}  # of the names seen so far

    def template(self, index: int, element: Element) -> None:
        """Place a template if it matters; note what surrounds its children."""
        name = element.name
        role = self._roles[name] if name in self._roles else self._learn(name)
        if role is None:
            return
        around = self._around_at(element.start)
        if role is _ROLE_TAG:
            self._place(index, element, role, around)
        elif around.in_value:
            return
        elif role is _LIST:
            self._enter(element.end, around.holder, index)
        else:
            self._place(index, element, role, around)
            is_note = role is _NOTE
            holder = index if is_note else around.holder
            self._enter(element.end, holder, around.listed, in_value=not is_note)

    def other(self, index: int, element: Element) -> None:
        """Do the same for any other element."""
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


# --- Bodies ---

_NAMED = re.compile(r"\s*+([^=\[\]{}<>\n|]{0,60}+)=")
_WORD = re.compile(r"[^\W\d_]{2,}+")
_LONGEST_NAME = 300
_SHORTEST_URL = 10  # characters; anything shorter adds nothing to a citation
_FEWEST_WORDS = 4  # from which a footnote is more than "See" and a citation

EXPLAINS = "the note explains, and what it cites stands inside it"
NO_SOURCE = "the note gives no source"


# Group and name, which identify a footnote.
Key: TypeAlias = tuple[str | None, str | None]


class Footnote(NamedTuple):
    """The name, group and body of a footnote; `None` for those it does not have.

    `details` are those of one place that cites it, such as its pages.
    """

    name: str | None
    group: str | None
    body: Span
    details: str | None = None

    @property
    def key(self) -> Key:
        """Return what identifies the footnote."""
        return (self.group, self.name)


class Body(NamedTuple):
    """What the body of a footnote leads to.

    If `is_note`, it is running text itself, whose citations support its own words; then
    it has no `sources`.
    """

    sources: tuple[Source, ...]
    pages: str | None = None
    problem: str | None = None
    is_empty: bool = False
    is_note: bool = False


def read_footnote(text: str, element: Element) -> Footnote:
    """Read the name, group and body range of a REF, a REF_REUSE or a note template."""
    if element.kind is not _TEMPLATE:
        given = dict(element.attributes)
        body = Span(element.inner_start, element.inner_end)
        details = plain_text(given.get("details") or "") or None
        named = given.get("name") or None
        return Footnote(named, given.get("group") or None, body, details)
    given, body = _note_parameters(text, element)
    group = given.get("group", NOTE_GROUPS[element.name])
    return Footnote(given.get("name") or None, group or None, body)


def _note_parameters(text: str, element: Element) -> tuple[dict[str, str], Span]:
    """Return the short parameters, and where the first one without a name is.

    Notes nest, so the body itself is never copied here.
    """
    given: dict[str, str] = {}
    body = Span(element.inner_end, element.inner_end)
    ends = (*element.pipes[1:], element.inner_end)
    for pipe, end in zip(element.pipes, ends, strict=False):
        named = _NAMED.match(text, pipe + 1, end)
        name = named[1].strip().lower() if named else "1"
        start = named.end() if named else pipe + 1
        if name in {"1", "text"} and body.start == body.end:
            body = Span(start, end)
        elif end - start <= _LONGEST_NAME:
            given[name] = plain_text(text[start:end]).strip("\"'")
    return given, body


class BodyReader:
    """Reads the bodies of a page's footnotes."""

    def __init__(
        self,
        placement: Placement,
        full: dict[int, FullCitation],
        bibliography: Bibliography,
    ) -> None:
        self._placement = placement
        self._text = placement.scan.text
        self._full = full
        self._bibliography = bibliography

    def read(self, index: int, footnote: Footnote) -> Body:
        """Return what the body of the footnote at element `index` leads to."""
        parts = self._placement.bodies.get(index, [])
        if len(parts) == 1 and self._is_all(parts[0], footnote):
            return Body((self._full[parts[0].at].source,))
        own = self._placement.own_text(index, footnote.body)
        explains = footnote.group in EXPLANATORY_GROUPS or any(map(_is_marker, parts))
        if explains and len(_WORD.findall(own)) >= _FEWEST_WORDS:
            cites = any(part.role is not _ROLE_TAG for part in parts)
            problem = EXPLAINS if cites else NO_SOURCE
            return Body((), None, problem, is_note=True)
        is_linked = "://" in own or "www." in own.lower()
        gathered = _Gathered(self._text, list(bare_urls(own) if is_linked else ()))
        for part in parts:
            self._gather(gathered, part)
        if gathered.sources or gathered.problem:
            gathered.add_numbers(own)
            return gathered.body()
        if explains:
            return Body((), None, EXPLAINS if parts else NO_SOURCE, is_note=True)
        return self._words(index, footnote, own, gathered)

    def full(self, index: int) -> Source:
        """Return the source that the full citation at element `index` gives."""
        return self._full[index].source

    def short(self, template: Element) -> list[tuple[ShortCitation, Source | None]]:
        """Return each short citation of a template with its source."""
        return [
            (short, self._bibliography.find(short))
            for short in read_short(self._text, template)
        ]

    def _is_all(self, part: Placed, footnote: Footnote) -> bool:
        """Return whether a full citation fills a body; most bodies are like that."""
        start, end = footnote.body.start, footnote.body.end
        left = part.element.start - start + end - part.element.end
        return part.role is _FULL and left < _SHORTEST_URL

    def _gather(self, gathered: "_Gathered", part: Placed) -> None:
        element, role = part.element, part.role
        if role is _FULL:
            gathered.sources.append(self._full[part.at].source)
        elif role is _SHORT:
            for short, source in self.short(element):
                gathered.add_short(short, source)
        elif role is _ADDRESS:
            gathered.sources.append(read_address(self._text, element))
        elif element.kind is _EXTERNAL_LINK:
            gathered.sources.append(read_link(self._text, element))
        else:
            gathered.add_detail(part)

    def _words(
        self, index: int, footnote: Footnote, own: str, gathered: "_Gathered"
    ) -> Body:
        """Take the body as plain text, or as an unknown template."""
        first = self._first_inside(index)
        if not own.strip() and (first is None or first.kind is _COMMENT):
            return Body((), is_empty=True)
        if first and first.kind is _TEMPLATE and not _WORD.search(own):
            raw = self._text[first.start : first.end]
            address = address_in(raw) if URL.search(raw) else None
            source = Source(
                SourceForm.TEMPLATE, raw=raw, template=first.name, url=address
            )
        else:
            # References, unlike notes, do not nest, so their bodies may be copied
            # whole.
            in_ref = self._placement.scan.elements[index].kind is _REF
            raw = footnote.body.of(self._text) if in_ref else own
            source = Source(SourceForm.TEXT, raw=raw.strip())
        for change in gathered.details:
            source = change(source)
        return Body(with_numbers(source, own))

    def _first_inside(self, index: int) -> Element | None:
        """Return the first child of element `index`."""
        elements = self._placement.scan.elements
        if index + 1 < len(elements) and elements[index + 1].parent == index:
            return elements[index + 1]
        return None


class _Gathered:
    """The sources of one body while it is read."""

    def __init__(self, text: str, sources: list[Source]) -> None:
        self.sources = sources
        self.details: list[Callable[[Source], Source]] = []
        self.problem: str | None = None
        self._text = text
        self._pages: list[str] = []

    def add_short(self, short: ShortCitation, source: Source | None) -> None:
        if source is None:
            self.problem = unresolved(short)
            return
        self.sources.append(source)
        if short.pages:
            self._pages.append(short.pages)

    def add_detail(self, part: Placed) -> None:
        """Add what accompanies a source: an identifier, an archived copy, a tag."""
        element = part.element
        if part.role is _IDENTIFIER:
            self._detail(partial(with_identifier, text=self._text, template=element))
        elif part.role is _ARCHIVE:
            self._detail(partial(with_archive, text=self._text, template=element))
        elif TAG_KINDS.get(element.name) is TagKind.DEAD_LINK:
            self._detail(_mark_dead)

    def add_numbers(self, text: str) -> None:
        """Add the numbers in the words around the only source, if it has none."""
        if len(self.sources) == 1 and not is_identified(self.sources[0]):
            self.sources[:] = with_numbers(self.sources[0], text)

    def _detail(self, change: Callable[[Source], Source]) -> None:
        if self.sources:
            self.sources[-1] = change(self.sources[-1])
        else:
            self.details.append(change)

    def body(self) -> Body:
        if self.sources:
            self.problem = None
        return Body(tuple(self.sources), "; ".join(self._pages) or None, self.problem)


def unresolved(short: ShortCitation) -> str:
    """Return the problem of a short citation that leads nowhere."""
    return f"no full citation is given for “{short.label}”"


def _mark_dead(source: Source) -> Source:
    return replace(source, url_status=source.url_status or UrlStatus.DEAD)


def _is_marker(part: Placed) -> bool:
    return part.element.kind in (_REF, _REF_REUSE) or part.role in (
        _REUSE,
        _NOTE,
    )
