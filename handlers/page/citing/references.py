"""Everything on a page that points at a source, and the source it leads to.

MediaWiki's Cite decides what a footnote's name means: groups keep names apart,
the first definition with content wins, a definition may stand in the list of
references. Notes hold citations of their own. Every `<ref>` of the page ends up
as a marker, as a definition, or unattached with the reason. Pure.
"""

import re
from dataclasses import replace

from handlers.model import (
    Citation,
    CitationForm,
    Span,
    Tag,
    UnattachedReason,
    UnattachedReference,
)
from handlers.page.citing.footnotes import (
    Body,
    BodyReader,
    Footnote,
    Key,
    read_footnote,
    unresolved,
)
from handlers.page.citing.markers import Definition, Marker, References
from handlers.page.citing.placement import Placed, Placement, place
from handlers.page.citing.short_footnotes import Bibliography
from handlers.page.citing.sources import CitationReader
from handlers.page.citing.template_names import LIST_GROUPS, TAG_KINDS, Role
from handlers.page.scanning.elements import Element, Kind
from handlers.page.scanning.markup import plain_text
from handlers.page.scanning.parameters import parameters_of
from handlers.page.scanning.scan import Scan

# Inline cleanup tags: what editors already said about the words before them. Pure.

_DATE = re.compile(r"\s*+(?:date|datum|fecha)\s*+=", re.IGNORECASE)
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
    """Return `date=` alone: a tag may hold whole sentences beside it."""
    ends = (*template.pipes[1:], template.inner_end)
    for pipe, end in zip(template.pipes, ends, strict=False):
        named = _DATE.match(text, pipe + 1, end)
        if named and end - named.end() <= _LONGEST_DATE:
            return plain_text(text[named.end() : end]) or None
    return None


_LONGEST_RAW = 200  # characters of an unattached reference that are kept
_PAGE_NAMES = ("p", "pp", "page", "pages", "loc", "at")
_GROUP_NAMES = ("group", "g", "grp", "grupo", "groupe")
# Bound once: looking a member up in its enum costs as much as the rest of a step.
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
        """Keep the footnote, unless it has no body."""
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
            self._mark_named(placed, form, footnote.key)
        else:
            self._leave(UnattachedReason.EMPTY, placed.element)

    def _mark_defined(self, placed: Placed, definition: Definition) -> None:
        key = (definition.group, definition.name)
        self._used.add(key)
        form = _BY_REF if placed.role is None else _BY_TEMPLATE
        self._mark(placed, form, definition.span, key, self._bodies[placed.at])

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
        """`{{rp|12}}` tells the pages of the marker right before it."""
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
    """Tell whether a footnote stands in the list of references by itself."""
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
