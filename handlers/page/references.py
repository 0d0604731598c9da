"""Everything on a page that points to a source, and that source.

MediaWiki's Cite decides what a footnote's name means: groups keep names apart,
the first definition with content wins, a definition may be in the list of references.
Every `<ref>` of the page ends up as a marker, as a definition, or unattached with the
reason.

A footnote that explains instead of citing supports nothing itself. Its citations
support its own words, which are separate claims; a note that cites nothing is listed
without a source. Pure.
"""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from handlers.model import (
    Citation,
    CitationForm,
    Source,
    Span,
    Tag,
    UnattachedReason,
    UnattachedReference,
)
from handlers.page.footnotes import (
    Body,
    BodyReader,
    Footnote,
    Key,
    Placed,
    Placement,
    place,
    read_footnote,
    unresolved,
)
from handlers.page.markup import Element, Kind, parameters_of, plain_text
from handlers.page.scan import Scan
from handlers.page.sources import Bibliography, CitationReader
from handlers.page.template_names import LIST_GROUPS, TAG_KINDS, Role


class Marker(NamedTuple):
    """A citation marker and where it is among the scan's elements.

    `note` is the index of the footnote whose text contains the marker, -1 in the
    running text of the page. Several markers may share one element (`{{r|a|b}}`).
    """

    citation: Citation
    element: int
    note: int


class Definition(NamedTuple):
    """A footnote with a body: a `<ref>…</ref>` or a note template.

    If `is_note`, the body is running text with its own markers.
    """

    element: int
    name: str | None
    group: str | None
    span: Span
    body: Span
    sources: tuple[Source, ...]
    is_note: bool
    is_listed: bool  # is in the list of references, not where it is cited


@dataclass(frozen=True, slots=True)
class References:
    """Everything that points to sources on one page, in document order.

    `unattached` are the references that are not markers. Those that are unattached
    because of the words around a marker are not among them.
    """

    markers: tuple[Marker, ...]
    definitions: tuple[Definition, ...]
    tags: tuple[Tag, ...]
    unattached: tuple[UnattachedReference, ...]


# --- Markers and definitions ---

_DATE = re.compile(r"\s*+(?:date|datum|fecha|تاريخ)\s*+=", re.IGNORECASE)
_LONGEST_DATE = 60  # characters


def read_tag(text: str, template: Element) -> Tag:
    """Read a template whose role is a cleanup tag."""
    return Tag(
        kind=TAG_KINDS[template.name],
        name=template.name,
        span=Span(template.start, template.end),
        dated=_dated(text, template),
    )


def _dated(text: str, template: Element) -> str | None:
    """Return only `date=`: a tag may contain whole sentences besides."""
    ends = (*template.pipes[1:], template.inner_end)
    for pipe, end in zip(template.pipes, ends, strict=False):
        named = _DATE.match(text, pipe + 1, end)
        if named and end - named.end() <= _LONGEST_DATE:
            return plain_text(text[named.end() : end]) or None
    return None


_LONGEST_RAW = 200  # characters of an unattached reference that are kept
_PAGE_NAMES = ("p", "pp", "page", "pages", "loc", "at")
_GROUP_NAMES = ("group", "g", "grp", "grupo", "groupe", "gruppe", "مجموعة")
# Bound once: an enum look-up costs as much as the rest of a step.
_REF = Kind.REF
_EXTERNAL_LINK = Kind.EXTERNAL_LINK
_FULL = Role.FULL
_SHORT = Role.SHORT
_NOTE = Role.NOTE
_TAG = Role.TAG
_REUSE = Role.REUSE
_PAGES = Role.PAGES
_BY_REF = CitationForm.REF
_BY_CITATION = CitationForm.INLINE_TEMPLATE
_BY_SHORT = CitationForm.SHORT_FOOTNOTE
_BY_NAME = CitationForm.NAMED_REUSE
_BY_TEMPLATE = CitationForm.FOOTNOTE_TEMPLATE
_NAMELESS: Key = (None, None)


def find_references(scan: Scan) -> References:
    """Resolve every citation marker of a page to its sources. Never raises."""
    placement = place(scan)
    citations = CitationReader(scan.text)
    full = {
        each.at: citations.read(each.element)
        for each in placement.placed
        if each.role is _FULL
    }
    cites_shortly = any(each.role is _SHORT for each in placement.placed)
    bibliography = Bibliography(full.values() if cites_shortly else ())
    reader = BodyReader(placement, full, bibliography)
    resolver = _Resolver(placement, reader)
    for each in placement.placed:
        if each.element.kind is _REF or each.role is _NOTE:
            resolver.define(each)
    for each in placement.placed:
        resolver.mark(each)
    return resolver.references()


class _Resolver:
    """Collects the definitions of a page first, then its markers."""

    def __init__(self, placement: Placement, reader: BodyReader) -> None:
        self._scan = placement.scan
        self._text = placement.scan.text
        self._reader = reader
        self._list_groups: dict[int, str | None] = {}
        self._definitions: dict[int, Definition] = {}
        self._bodies: dict[int, Body] = {}  # of the definitions
        self._named: dict[Key, Body] = {}
        self._used: set[Key] = set()
        self._markers: list[Marker] = []
        self._tags: list[Tag] = []
        self._unattached: list[tuple[UnattachedReason, Span]] = []

    # --- definitions ---

    def define(self, placed: Placed) -> None:
        """Record the footnote, unless it has no body."""
        element = placed.element
        footnote = self._footnote(placed)
        body = self._reader.read(placed.at, footnote)
        if body.is_empty:
            return
        self._definitions[placed.at] = Definition(
            element=placed.at,
            name=footnote.name,
            group=footnote.group,
            span=Span(element.start, element.end),
            body=footnote.body,
            sources=body.sources,
            is_note=body.is_note,
            is_listed=_is_listed(placed),
        )
        self._bodies[placed.at] = body
        if footnote.name:
            self._named.setdefault(footnote.key, body)

    def _footnote(self, placed: Placed) -> Footnote:
        footnote = read_footnote(self._text, placed.element)
        if placed.listed >= 0 and not footnote.group and _is_listed(placed):
            footnote = footnote._replace(group=self._list_group(placed.listed))
        return footnote

    def _list_group(self, index: int) -> str | None:
        if index not in self._list_groups:
            self._list_groups[index] = _group_of_list(
                self._text, self._scan.elements[index]
            )
        return self._list_groups[index]

    # --- markers ---

    def mark(self, placed: Placed) -> None:
        role, element = placed.role, placed.element
        if role is _TAG:
            self._tags.append(read_tag(self._text, element))
        elif placed.in_heading:
            self._leave(UnattachedReason.IN_HEADING, element)
        elif role is None or role is _NOTE:
            if element.kind is not _EXTERNAL_LINK:
                self._mark_footnote(placed)
        elif role is _REUSE:
            self._mark_reuses(placed)
        elif role is _PAGES:
            self._give_pages(element)
        elif self._is_running_text(placed):
            self._mark_in_text(placed)

    def _is_running_text(self, placed: Placed) -> bool:
        """A citation in a footnote is its source, unless the footnote is a note."""
        if placed.holder < 0:
            return placed.listed < 0
        holder = self._definitions.get(placed.holder)
        return holder is not None and holder.is_note

    def _mark_footnote(self, placed: Placed) -> None:
        definition = self._definitions.get(placed.at)
        if definition is not None:
            if not definition.is_listed:
                self._mark_defined(placed, definition)
            return
        footnote = self._footnote(placed)
        if footnote.name and not _is_listed(placed):
            form = _BY_NAME if placed.role is None else _BY_TEMPLATE
            self._mark_named(placed, form, footnote.key, footnote.details)
        else:
            self._leave(UnattachedReason.EMPTY, placed.element)

    def _mark_defined(self, placed: Placed, definition: Definition) -> None:
        key = (definition.group, definition.name)
        self._used.add(key)
        form = _BY_REF if placed.role is None else _BY_TEMPLATE
        body = self._bodies[placed.at]
        if details := self._footnote(placed).details:
            body = body._replace(pages=details)
        self._mark(placed, form, definition.span, key, body)

    def _mark_named(
        self, placed: Placed, form: CitationForm, key: Key, pages: str | None = None
    ) -> None:
        self._used.add(key)
        body = self._named.get(key) or Body((), problem=_no_reference(key))
        if pages:
            body = body._replace(pages=pages)
        self._mark(placed, form, _span_of(placed), key, body)

    def _mark_reuses(self, placed: Placed) -> None:
        """Mark each name of `{{r|a|b|group=…|p=3|p2=4}}`."""
        values = {
            name.lower(): plain_text(self._text[start:end])
            for name, start, end in parameters_of(self._text, placed.element)
        }
        group = _first_of(values, _GROUP_NAMES)
        for name in [name for name in values if name.isdecimal() and values[name]]:
            at = "" if name == "1" else name
            numbered = [page + name for page in _PAGE_NAMES]
            pages = _first_of(values, [page + at for page in _PAGE_NAMES] + numbered)
            key = (group, values[name].strip("\"'") or None)
            self._mark_named(placed, CitationForm.R_TEMPLATE, key, pages)

    def _mark_in_text(self, placed: Placed) -> None:
        span = _span_of(placed)
        if placed.role is _FULL:
            body = Body((self._reader.full(placed.at),))
            self._mark(placed, _BY_CITATION, span, _NAMELESS, body)
        elif placed.role is _SHORT:
            for short, source in self._reader.short(placed.element):
                if source:
                    body = Body((source,), short.pages)
                else:
                    body = Body((), short.pages, unresolved(short))
                self._mark(placed, _BY_SHORT, span, _NAMELESS, body)

    def _mark(
        self, placed: Placed, form: CitationForm, span: Span, key: Key, body: Body
    ) -> None:
        group, name = key
        sources, pages, problem, *_ = body
        citation = Citation(form, span, sources, name, group, pages, problem)
        self._markers.append(Marker(citation, placed.at, placed.holder))

    def _give_pages(self, element: Element) -> None:
        """`{{rp|12}}` gives the pages of the marker right before it."""
        if not self._markers:
            return
        last = self._markers[-1]
        between = self._text[last.citation.marker.end : element.start][:_LONGEST_RAW]
        values = {
            name.lower(): plain_text(self._text[start:end])
            for name, start, end in parameters_of(self._text, element)
        }
        pages = _first_of(values, ("1", *_PAGE_NAMES))
        if pages and not between.strip():
            citation = replace(last.citation, pages=pages)
            self._markers[-1] = last._replace(citation=citation)

    # --- the rest ---

    def _leave(self, reason: UnattachedReason, element: Element) -> None:
        self._unattached.append((reason, Span(element.start, element.end)))

    def references(self) -> References:
        for definition in self._definitions.values():
            key = (definition.group, definition.name)
            if definition.is_listed and (not definition.name or key not in self._used):
                self._unattached.append((UnattachedReason.NEVER_USED, definition.span))
        for span in self._scan.unclosed:
            self._unattached.append((UnattachedReason.UNCLOSED, span))
        self._unattached.sort(key=lambda found: found[1].start)
        return References(
            markers=tuple(self._markers),
            definitions=tuple(self._definitions.values()),
            tags=tuple(self._tags),
            unattached=tuple(self._unattach(*found) for found in self._unattached),
        )

    def _unattach(self, reason: UnattachedReason, span: Span) -> UnattachedReference:
        end = span.start + _LONGEST_RAW
        if reason is not UnattachedReason.UNCLOSED:
            end = min(end, span.end)
        return UnattachedReference(reason, span, self._text[span.start : end])


def _is_listed(placed: Placed) -> bool:
    """Return whether a footnote is in the list of references by itself."""
    return placed.listed >= 0 and placed.holder < 0


def _span_of(placed: Placed) -> Span:
    return Span(placed.element.start, placed.element.end)


def _group_of_list(text: str, element: Element) -> str | None:
    if element.kind is not Kind.TEMPLATE:
        return dict(element.attributes).get("group") or None
    for name, start, end in parameters_of(text, element):
        if name.lower() in _GROUP_NAMES:
            return plain_text(text[start:end]) or None
    return LIST_GROUPS.get(element.name)


def _first_of(values: dict[str, str], names: list[str] | tuple[str, ...]) -> str | None:
    return next((values[name] for name in names if values.get(name)), None)


def _no_reference(key: Key) -> str:
    group, name = key
    where = f" in the group “{group}”" if group else ""
    return f"no reference is named “{name or ''}”{where}"


# --- Explanatory notes ---


def parted_from_notes(
    wikitext: str, references: References
) -> tuple[list[Citation], list[UnattachedReference]]:
    """Return the citations that support words, and the notes that cite nothing."""
    notes = _Notes(references)
    citations = []
    unattached = []
    for marker in references.markers:
        if not notes.includes(marker):
            citations.append(marker.citation)
        elif not notes.cites_inside(marker):
            span = marker.citation.marker
            raw = wikitext[span.start : min(span.end, span.start + _LONGEST_RAW)]
            reason = UnattachedReason.NO_SOURCE
            unattached.append(UnattachedReference(reason, span, raw))
    return citations, unattached


class _Notes:
    """The notes of a page, by where they are defined and by name."""

    def __init__(self, references: References) -> None:
        citing = {marker.note for marker in references.markers}
        notes = [each for each in references.definitions if each.is_note]
        self._elements = {each.element for each in notes}
        self._names = {(each.group, each.name) for each in notes if each.name}
        self._citing_elements = citing
        self._citing_names = {
            (each.group, each.name) for each in notes if each.element in citing
        }

    def includes(self, marker: Marker) -> bool:
        if marker.element in self._elements:
            return True
        citation = marker.citation
        return not citation.sources and _key(citation) in self._names

    def cites_inside(self, marker: Marker) -> bool:
        if marker.element in self._elements:
            return marker.element in self._citing_elements
        return _key(marker.citation) in self._citing_names


def _key(citation: Citation) -> tuple[str | None, str | None]:
    return citation.group, citation.name
