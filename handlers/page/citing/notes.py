"""Footnotes that explain instead of citing.

Such a note vouches for nothing itself. What it cites stands in its words, which
are claims of their own; one that cites nothing is listed without a source. Pure.
"""

from handlers.model import Citation, UnattachedReason, UnattachedReference
from handlers.page.citing.markers import Marker, References

_LONGEST_RAW = 200  # characters of an unattached reference that are kept


def parted_from_notes(
    wikitext: str, references: References
) -> tuple[list[Citation], list[UnattachedReference]]:
    """Return the citations that vouch for words, and the notes that cite nothing."""
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
