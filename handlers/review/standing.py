"""Whether what a review found still stands on a page as it reads now, and where. Pure.

It takes no review, which costs ten times as much as reading the page: words that read as
they did stand, and a paragraph that has got a source is settled. What is said of the
whole page stands until it is reviewed again.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from handlers.model import FindingKind, Page, Statement, Suggestion, WritingNote
from handlers.page.anchors import normalised

_END = re.compile(r"\n[\n=*#:;|]")  # of a paragraph: a list has sources of its own


class Wording:
    """A page as findings about its wording are looked up in it."""

    def __init__(self, page: Page, statements: Sequence[Statement]) -> None:
        self.page = page
        self._statements = [(normalised(one.text), one) for one in statements]
        self._by_words = dict(reversed(self._statements))
        self._sections = {one.path: one for one in reversed(page.sections)}
        citations = (each for claim in page.claims for each in claim.citations)
        marks = {each.marker.start for each in citations}
        marks |= {each.span.start for each in page.unattached}
        marks |= {each.span.start for each in page.tags}
        self._marks = sorted(marks)

    def find(self, found: Suggestion) -> Suggestion | None:
        """Return a finding at its place now; `None` if it is settled, or is none."""
        note = found.details.writing
        if note is None:
            return None
        here, then = self.page.id, found.page
        if here.revision_id is not None and here.revision_id == then.revision_id:
            return found
        if note.is_of_section:
            section = self._sections.get(found.section)
            return replace(found, place=section.span.start) if section else None
        statement = self._statement(normalised(found.claim))
        if statement is None or self._is_settled(note, statement):
            return None
        return replace(found, section=statement.section, place=statement.span.start)

    def _statement(self, words: str) -> Statement | None:
        """Return the first with these words; of a long one only a part was kept."""
        if words in self._by_words or not words:
            return self._by_words.get(words)
        return next((one for said, one in self._statements if words in said), None)

    def _is_settled(self, note: WritingNote, statement: Statement) -> bool:
        if note.kind is not FindingKind.UNSOURCED:
            return False
        start = statement.span.start
        end = _END.search(self.page.wikitext, start)
        first = bisect_left(self._marks, start)
        return first < len(self._marks) and (
            end is None or self._marks[first] < end.start()
        )
