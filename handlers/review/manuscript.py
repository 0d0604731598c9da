"""A page as a reviewer reads it: paragraphs, sentences, and which words are its own.

Words that are quoted, linked or names are masked with a character that is in no word,
so that the offsets of everything else stay the same.
"""

# ruff: noqa: RUF001  (quotation marks of other languages are intended)

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

from handlers.model import IssueKind, Page, Section, Span, WritingIssue
from handlers.page.markup import Element, Kind
from handlers.page.paragraphs import Block, PageFlow, Shape
from handlers.page.prose import Prose, is_tidy, normalised, tidy
from handlers.page.scan import scan
from handlers.page.sentences import edges
from handlers.updates.criteria import is_apparatus

_REFERENCES = frozenset({Kind.REF, Kind.REF_REUSE})
_LONGEST_QUOTE = 300
_WITHOUT_BLANKS = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_BEFORE_MARK = 120  # characters shown before the first mark of a long sentence


@dataclass(frozen=True, slots=True)
class Sentence:
    """`start:end` in the paragraph's prose; `text` is what a reader sees of it.

    `own` is equally long: what is quoted, named or linked in it is masked. `is_cited`
    if there is a footnote in it or right after it.
    """

    start: int
    end: int
    text: str
    own: str
    is_cited: bool
    at: Span  # in the wikitext


class Part(Enum):
    """What is expected of the words of a section."""

    LEAD = "lead"
    BODY = "body"
    STORY = "story"  # of a work of fiction, which is its own source
    APPARATUS = "apparatus"


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, or an item of a list.

    `marks` are the offsets of citations in its prose; `tags` those of cleanup tags. An
    indented paragraph is a quotation or a formula.
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
        """How many words a reader sees; without spaces, two letters are a word."""
        text = self.prose.text
        if text.isascii():
            return len(text.split())
        return len(text.split()) + len(_WITHOUT_BLANKS.findall(text)) // 2

    @property
    def span(self) -> Span:
        """Where its words are in the wikitext."""
        text = self.prose.text
        start = len(text) - len(text.lstrip())
        return Span(*self.prose.wikitext_of(start, max(start + 1, len(text.rstrip()))))

    def _sentence(self, start: int, end: int, until: int) -> Sentence:
        # A footnote after the full stop is at the offset at which the words end.
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
    """Everything on a page that is written in sentences.

    `footnotes_lost` if the text came without footnotes that the article may have.
    """

    page: Page
    elements: Sequence[Element]
    paragraphs: tuple[Paragraph, ...]
    footnotes_lost: bool = False

    def running(self, *parts: Part) -> Iterator[Paragraph]:
        """Yield the paragraphs of `parts` except lists, captions and quotations."""
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
    paragraphs = tuple(_ParagraphReader(page, elements).paragraphs())
    return Manuscript(page, elements, paragraphs, footnotes_lost)


def shown(
    sentence: Sentence, marks: Sequence[tuple[int, int]]
) -> tuple[str, tuple[Span, ...]]:
    """Return about 300 characters of a sentence on one line, and its `marks` in them."""
    text = sentence.text.replace("\n", " ")
    if not is_tidy(text):
        text, marks = _tidied(text, marks)
    start = 0
    if len(text) > _LONGEST_QUOTE and marks and marks[0][0] > _BEFORE_MARK:
        start = text.find(" ", marks[0][0] - _BEFORE_MARK) + 1
    quote = text[start : start + _LONGEST_QUOTE]
    if len(text) > start + _LONGEST_QUOTE:
        quote = quote[: quote.rfind(" ") + 1].rstrip() or quote
    inside = tuple(
        Span(one - start, end - start)
        for one, end in marks
        if start <= one and end - start <= len(quote)
    )
    return quote, inside


def _tidied(
    text: str, marks: Sequence[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    """Return a tidied text and where the marked words are in it, if they still are."""
    tidied = tidy(text)
    found: list[tuple[int, int]] = []
    after = 0
    for start, end in marks:
        at = tidied.find(text[start:end], after)
        if at >= 0:
            after = at + end - start
            found.append((at, after))
    return tidied, found


class _ParagraphReader:
    def __init__(self, page: Page, elements: Sequence[Element]) -> None:
        self._page = page
        self._text = page.wikitext
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
            masked(prose.text, ranges),
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


_STORIES = frozenset(
    """plot,plot summary,plot synopsis,synopsis,story,storyline,premise,summary,episodes,
    characters,main characters,plot introduction,plot overview,fictional history,
    fictional character biography,setting,gameplay,narrative,libretto,
    characters and story,episode summary,series overview,cast,cast and characters,
    voice cast,characters and cast,cast list,fictional biography,character biography""".replace(
        "\n    ", ""
    ).split(",")
)


def tells_story(heading: str) -> bool:
    """Return whether a section with this heading tells a story's plot."""
    return normalised(heading) in _STORIES


def part_of(section: Section) -> Part:
    """Return which part of the article a section is."""
    if section.level == 0:
        return Part.LEAD
    if is_apparatus(section.path):
        return Part.APPARATUS
    return Part.STORY if any(map(tells_story, section.path)) else Part.BODY


MASK = "\ue000"  # for private use: neither a letter nor a space
_QUOTED = re.compile(
    r"(?<!\d)\"[^\"]{1,2000}+\"?|“[^“”]{1,2000}+”?|„[^„“”]{1,2000}+[“”]?|«[^«»]{1,2000}+»"
    r"|(?<![^\W_])['‘](?=\w)(?:[^'’\n]|['’](?=\w)){1,300}+['’](?!\w)"
)
# Italics and bold: titles, foreign words, words as words, and the subject's name.
_SLANTED = re.compile(r"'{2,5}(?!')(?:[^'\n]|'(?!')){1,300}+'{2,5}")
# A gloss on what is masked.
_GLOSS = re.compile(rf"{MASK},? ?\(([^()]{{1,160}})\)")
_MASKED_KINDS = frozenset({Kind.LINK, Kind.EXTERNAL_LINK, Kind.OPAQUE, Kind.TEMPLATE})
_QUOTING_TAGS = frozenset({"blockquote", "poem", "q", "i", "em", "cite"})


def foreign_ranges(text: str, elements: Sequence[Element]) -> list[tuple[int, int]]:
    """Return where the wikitext has words that are not the article's own, in order.

    Links are included: what they name is usually a title.
    """
    found = [(each.start, each.end) for each in elements if each.kind in _MASKED_KINDS]
    found += _tagged(text, elements)
    found += [match.span() for match in _SLANTED.finditer(text)]
    return merged(found)


def _tagged(text: str, elements: Sequence[Element]) -> Iterator[tuple[int, int]]:
    """Yield what is between an opening and the next closing tag of a quotation."""
    tags = [
        each
        for each in elements
        if each.kind is Kind.TAG and each.name in _QUOTING_TAGS
    ]
    for one, after in pairwise(tags):
        opens = not text.startswith("</", one.start)
        if opens and one.name == after.name and text.startswith("</", after.start):
            yield one.start, after.end


def masked(plain: str, ranges: Iterable[tuple[int, int]]) -> str:
    """Return `plain` with `ranges` and all quotations masked, equally long.

    Brackets after them, for instance a translation, are masked too.
    """
    quoted = (one.span() for one in _QUOTED.finditer(plain))
    found = _with_mask(plain, [*ranges, *quoted])
    return _with_mask(found, (one.span(1) for one in _GLOSS.finditer(found)))


def _with_mask(plain: str, ranges: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in merged(ranges):
        parts += plain[at:start], MASK * (end - start)
        at = end
    parts.append(plain[at:])
    return "".join(parts)


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, with those that touch merged."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


@dataclass(frozen=True, slots=True)
class Fault:
    """What is at fault, independent of its place."""

    kind: IssueKind
    message: str
    advice: str
    guideline: str
    confidence: float
    criteria: tuple[str, ...] = ()

    def at(
        self, section: Section, span: Span, quote: str, *, is_of_page: bool = False
    ) -> WritingIssue:
        """Return it as a finding in a place."""
        return WritingIssue(
            self.kind,
            self.criteria,
            section.path,
            span,
            quote,
            self.message,
            self.advice,
            self.guideline,
            self.confidence,
            is_of_page=is_of_page,
        )

    def of_paragraph(self, paragraph: Paragraph) -> WritingIssue:
        """Return it as a finding about a paragraph, with its first sentence."""
        sentence = paragraph.sentences[0]
        return self.at(paragraph.section, sentence.at, shown(sentence, ())[0])

    def of_section(self, section: Section, wikitext: str) -> WritingIssue:
        """Return it as a finding about a section, with its heading as the quote."""
        start = section.span.start
        if not section.level:
            return self.at(section, Span(start, start), "")
        heading = Span(start, section.body.start).of(wikitext).rstrip()
        span = Span(start, start + len(heading))
        return self.at(section, span, section.path[-1][:_LONGEST_QUOTE])

    def of_page(self, manuscript: Manuscript) -> WritingIssue:
        """Return it as a finding about the whole page, with its first words."""
        lead = manuscript.page.sections[0]
        for one in manuscript.paragraphs[:1]:
            if one.section is lead and one.sentences:
                first = one.sentences[0]
                return self.at(lead, first.at, shown(first, ())[0], is_of_page=True)
        return self.at(
            lead, Span(lead.span.start, lead.span.start), "", is_of_page=True
        )
