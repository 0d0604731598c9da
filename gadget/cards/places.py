"""Where things are in a page's wikitext, and how MediaWiki numbers sections. Pure."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from handlers.model import Citation, CitationForm, Claim, Page, Source, Span

_DEFINES = frozenset({CitationForm.REF, CitationForm.FOOTNOTE_TEMPLATE})
_HOLDS_SOURCE = _DEFINES | {CitationForm.INLINE_TEMPLATE}
_PAGES = re.compile(
    r"\s{0,3}\{\{\s{0,9}(?:rp|reference page)\s{0,9}\|[^{}]{0,200}\}\}", re.I
)
# What editors put after a link that bots should leave alone, as IABot reads it; other
# templates may be in between.
_LET_BE = re.compile(
    r"(?:\s{0,3}\{\{[^{}]{0,200}\}\}){0,3}?\s{0,3}\{\{\s{0,9}cbignore\s{0,9}[|}]", re.I
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A section as MediaWiki offers it for editing: with its subsections."""

    number: int
    start: int  # of `text` in the page
    text: str


class Places:
    """Finds the sources and sections of one page."""

    def __init__(self, page: Page) -> None:
        self._text = page.wikitext
        self._sections = page.sections
        self._starts = [section.span.start for section in page.sections]
        self._stretches: dict[int, Stretch] = {}
        self._definitions: dict[tuple[str | None, str], Span] = {}
        self._vouched = Counter(
            start
            for claim in page.claims
            for start in {each.marker.start for each in claim.citations}
        )
        citations = {
            each.marker.start: each
            for each in chain.from_iterable(claim.citations for claim in page.claims)
        }
        for _, each in sorted(citations.items()):
            if each.name and each.form in _DEFINES and each.sources:
                self._definitions.setdefault((each.group, each.name), each.marker)

    @property
    def wikitext(self) -> str:
        """The whole page."""
        return self._text

    def stretch_at(self, offset: int) -> Stretch:
        """Return the section to edit for a change at `offset`."""
        at = bisect_right(self._starts, offset) - 1
        found = self._stretches.get(at)
        if found is None:
            section = self._sections[at]
            end = self._end_of(at)
            text = self._text[section.span.start : end].rstrip()
            found = Stretch(section.number, section.span.start, text)
            self._stretches[at] = found
        return found

    def _end_of(self, at: int) -> int:
        own, level = self._sections[at].span.end, self._sections[at].level
        if level == 0:
            return own
        below = self._sections[at + 1 :]
        after = (each for each in below if each.level <= level)
        return next((each.span.start for each in after), len(self._text))

    def behind(self, claim: Claim) -> int | None:
        """Return the place right after the last citation of a claim, and its pages."""
        if not claim.citations:
            return None
        end = max(each.marker.end for each in claim.citations)
        while found := _PAGES.match(self._text, end):
            end = found.end()
        return end

    def source(self, claim: Claim, source: Source) -> Span | None:
        """Return where a source that `claim` cites is defined.

        `None` if it is there more than once, and nothing shows which is meant.
        """
        for citation in claim.citations:
            if any(each.key == source.key for each in citation.sources):
                for span in self._around(citation):
                    found = _only(source.raw, self._text, span)
                    if found:
                        return found
        return _only(source.raw, self._text, Span(0, len(self._text)))

    def is_let_be(self, claim: Claim, source: Source) -> bool:
        """Return whether editors ask bots to leave a source's link alone."""
        span = self.source(claim, source)
        return span is not None and _LET_BE.match(self._text, span.end) is not None

    def vouches_once(self, citation: Citation) -> bool:
        """Return whether only one claim uses a citation."""
        return self._vouched[citation.marker.start] <= 1

    def _around(self, citation: Citation) -> Iterator[Span]:
        if citation.form in _HOLDS_SOURCE:
            yield citation.marker
        if citation.name:
            defined = self._definitions.get((citation.group, citation.name))
            if defined:
                yield defined


def _only(words: str, text: str, within: Span) -> Span | None:
    """Return the only place of `words`."""
    start = text.find(words, within.start, within.end) if words else -1
    if start < 0 or text.find(words, start + 1, within.end) >= 0:
        return None
    return Span(start, start + len(words))
