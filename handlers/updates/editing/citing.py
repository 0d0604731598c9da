"""The citation that an edit brings: a filled template, or a footnote that is there."""

import re
from dataclasses import dataclass

from handlers.citations.templates import fill
from handlers.model import Citation, CitationForm, Page, Update, UpdateSource

_NAME = re.compile(r"[\w .,:()/+-]{1,80}")
_NAMED = frozenset({CitationForm.REF, CitationForm.NAMED_REUSE})


@dataclass(frozen=True, slots=True)
class Cited:
    """`template` is the filled citation, `footnote` what stands behind the words."""

    source: UpdateSource
    template: str
    footnote: str


def cited(page: Page, update: Update) -> Cited | None:
    """Return a citation of the best source of `update` that can be cited.

    A source that the page has under a name already is cited by that name.
    """
    for source in update.sources:
        template = fill(source.reading, page.id.wiki)
        if template:
            footnote = _known(page, source) or f"<ref>{template}</ref>"
            return Cited(source, template, footnote)
    return None


def cites(page: Page, source: UpdateSource, start: int, end: int) -> bool:
    """Tell whether a footnote between two places of the page leads to `source`."""
    return any(
        start <= one.marker.start and one.marker.end <= end
        for one in _citations(page, source)
    )


def _known(page: Page, source: UpdateSource) -> str | None:
    for one in _citations(page, source):
        is_alone = len(one.sources) == 1 and one.form in _NAMED
        is_whole = one.group is None and one.pages is None
        if is_alone and is_whole and _NAME.fullmatch(one.name or ""):
            return f'<ref name="{one.name}" />'
    return None


def _citations(page: Page, source: UpdateSource) -> list[Citation]:
    key = source.reading.source.key
    return [
        citation
        for claim in page.claims
        for citation in claim.citations
        if any(each.key == key for each in citation.sources)
    ]
