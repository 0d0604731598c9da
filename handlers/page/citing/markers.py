"""What points at sources on a page: its markers, and the footnotes that define them."""

from dataclasses import dataclass
from typing import NamedTuple

from handlers.model import Citation, Source, Span, Tag, UnattachedReference


class Marker(NamedTuple):
    """A citation marker and where it stands among the scan's elements.

    `note` is the index of the footnote in whose text the marker stands, -1 in the
    running text of the page. Several markers may share one element (`{{r|a|b}}`).
    """

    citation: Citation
    element: int
    note: int


class Definition(NamedTuple):
    """A footnote with a body: a `<ref>…</ref>` or a note template.

    Where `is_note`, the body is running text that holds markers of its own.
    """

    element: int
    name: str | None
    group: str | None
    span: Span
    body: Span
    sources: tuple[Source, ...]
    is_note: bool
    is_listed: bool  # stands in the list of references, not where it is cited


@dataclass(frozen=True, slots=True)
class References:
    """All that points at sources on one page, each in document order.

    `unattached` are the references that are no marker; the reasons that depend on
    the words around a marker are not among them.
    """

    markers: tuple[Marker, ...]
    definitions: tuple[Definition, ...]
    tags: tuple[Tag, ...]
    unattached: tuple[UnattachedReference, ...]
