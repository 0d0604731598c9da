"""A page as paragraphs with their sentences, citations and own words. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from handlers.model import Page, Section, Span
from handlers.page.markup import Element, Kind
from handlers.page.paragraphs import Block, PageFlow, Shape
from handlers.page.prose import Prose, is_tidy, tidy
from handlers.page.scan import scan
from handlers.page.sentences import edges
from handlers.review.manuscript.masking import covered, foreign_ranges
from handlers.review.manuscript.parts import Part, part_of

_REFERENCES = frozenset({Kind.REF, Kind.REF_REUSE})
_LONGEST_QUOTE = 300
_WITHOUT_BLANKS = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_BEFORE_MARK = 120  # characters shown before the first mark of a long sentence


@dataclass(frozen=True, slots=True)
class Sentence:
    """`start:end` in the paragraph's prose; `text` is what a reader sees of it.

    `own` is equally long: what is quoted, named or linked in it is covered.
    `is_cited` where a footnote stands in or right behind it.
    """

    start: int
    end: int
    text: str
    own: str
    is_cited: bool
    at: Span  # in the wikitext


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, or an item of a list.

    `marks` are the offsets in its prose at which citations stand; `tags` those of
    cleanup tags. An indented paragraph is a quotation or a formula.
    """

    section: Section
    part: Part
    shape: Shape
    is_indented: bool
    block: Block
    prose: Prose
    own: str
    marks: tuple[int, ...]
    tags: tuple[int, ...]

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences in order."""
        found = edges(self.prose.text)
        after = [start for start, _ in found[1:]] + [len(self.prose.text) + 1]
        return tuple(
            self._sentence(start, end, until)
            for (start, end), until in zip(found, after, strict=True)
        )

    @property
    def words(self) -> int:
        """How many words a reader sees; two letters of a script without blanks are one."""
        text = self.prose.text
        if text.isascii():
            return len(text.split())
        return len(text.split()) + len(_WITHOUT_BLANKS.findall(text)) // 2

    @property
    def span(self) -> Span:
        """Where its words stand in the wikitext."""
        text = self.prose.text
        start = len(text) - len(text.lstrip())
        return Span(*self.prose.wikitext_of(start, max(start + 1, len(text.rstrip()))))

    def _sentence(self, start: int, end: int, until: int) -> Sentence:
        # A footnote behind the full stop is at the offset at which the words end.
        first = bisect_right(self.marks, start)
        cited = first < len(self.marks) and self.marks[first] < max(until, end + 1)
        return Sentence(
            start,
            end,
            self.prose.text[start:end],
            self.own[start:end],
            cited,
            Span(*self.prose.wikitext_of(start, end)),
        )


@dataclass(frozen=True, slots=True)
class Manuscript:
    """All of a page that is written in sentences.

    `footnotes_lost` where the text came without those that the article may have.
    """

    page: Page
    elements: Sequence[Element]
    paragraphs: tuple[Paragraph, ...]
    footnotes_lost: bool = False

    def running(self, *parts: Part) -> Iterator[Paragraph]:
        """Yield the paragraphs of `parts` that are neither lists, captions nor quotations."""
        for one in self.paragraphs:
            if (
                one.part in parts
                and one.shape is Shape.PARAGRAPH
                and not one.is_indented
            ):
                yield one


def manuscript_of(page: Page, *, footnotes_lost: bool = False) -> Manuscript:
    """Read a page. Takes time linear in its length."""
    elements = scan(page.wikitext).elements
    paragraphs = tuple(_Reader(page, elements).paragraphs())
    return Manuscript(page, elements, paragraphs, footnotes_lost)


def shown(
    sentence: Sentence, marks: Sequence[tuple[int, int]]
) -> tuple[str, tuple[Span, ...]]:
    """Return some 300 characters of a sentence, and its `marks` in them.

    Args:
        sentence: whose words are shown on one line.
        marks: ranges of its text, in order.
    """
    text = sentence.text.replace("\n", " ")
    if not is_tidy(text):
        text, marks = _tidied(text, marks)
    start = 0
    if len(text) > _LONGEST_QUOTE and marks and marks[0][0] > _BEFORE_MARK:
        start = text.find(" ", marks[0][0] - _BEFORE_MARK) + 1
    quote = text[start : start + _LONGEST_QUOTE]
    if len(text) > start + _LONGEST_QUOTE:
        quote = quote[: quote.rfind(" ") + 1].rstrip() or quote
    kept = tuple(
        Span(one - start, end - start)
        for one, end in marks
        if start <= one and end - start <= len(quote)
    )
    return quote, kept


def _tidied(
    text: str, marks: Sequence[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    """Return a tidy text and where what was marked stands in it, as far as it does."""
    tidied = tidy(text)
    found: list[tuple[int, int]] = []
    after = 0
    for start, end in marks:
        at = tidied.find(text[start:end], after)
        if at >= 0:
            after = at + end - start
            found.append((at, after))
    return tidied, found


class _Reader:
    def __init__(self, page: Page, elements: Sequence[Element]) -> None:
        self._page = page
        self._text = page.wikitext
        self._elements = elements
        starts = list(map(itemgetter(1), elements))
        self._flows = PageFlow(self._text, page.sections, elements, starts)
        self._marks = sorted(
            {
                *(
                    citation.marker.start
                    for claim in page.claims
                    for citation in claim.citations
                ),
                *(each.start for each in elements if each.kind in _REFERENCES),
            }
        )
        self._tags = sorted(tag.span.start for tag in page.tags)
        self._foreign = foreign_ranges(self._text, elements)
        self._foreign_starts = [start for start, _ in self._foreign]

    def paragraphs(self) -> Iterator[Paragraph]:
        for section in self._page.sections:
            part = part_of(section)
            flow = self._flows.flow_of(section)
            for index, block in enumerate(flow.blocks):
                prose = flow.prose(index)
                if any(map(str.isalnum, prose.text)):
                    yield self._paragraph(section, part, block, prose)

    def _paragraph(
        self, section: Section, part: Part, block: Block, prose: Prose
    ) -> Paragraph:
        is_indented = self._text[max(0, block.start - 1) : block.start] == ":"
        ranges = list(self._foreign_in(block, prose))
        return Paragraph(
            section,
            part,
            block.shape,
            is_indented,
            block,
            prose,
            covered(prose.text, ranges),
            self._offsets(self._marks, block, prose),
            self._offsets(self._tags, block, prose),
        )

    def _foreign_in(self, block: Block, prose: Prose) -> Iterator[tuple[int, int]]:
        at = max(0, bisect_right(self._foreign_starts, block.start) - 1)
        for start, end in self._foreign[at:]:
            if start >= block.end:
                return
            if end > block.start:
                yield prose.offset_of(start), prose.offset_of(end)

    @staticmethod
    def _offsets(places: Sequence[int], block: Block, prose: Prose) -> tuple[int, ...]:
        first, last = bisect_left(places, block.start), bisect_left(places, block.end)
        return tuple(prose.offset_of(place) for place in places[first:last])
