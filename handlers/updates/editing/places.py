"""Where in the wikitext a fact belongs, and where its citation may stand."""

# ruff: noqa: RUF001  (the full stops of other scripts are meant)

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.model import ClaimKind, Page, Span, Statement, TagKind
from handlers.page.inline_templates import is_quotation, shown_keys
from handlers.page.markup import Element, Kind, parameters_of
from handlers.page.paragraphs import Flow, PageFlow, Shape
from handlers.page.prose import Prose
from handlers.page.scan import scan
from handlers.page.sentences import edges
from handlers.page.template_names import TAG_KINDS, Role, role_of

_CLOSING = re.compile(r"(?:'{2,5})?[.!?…,;:。！？।]*[\"'”’»)]*")
_BETWEEN = re.compile(r"[ \t]?")  # between a sentence and its footnotes
# These follow the words that they are about, and one another.
_TRAILING = frozenset({Role.SHORT, Role.REUSE, Role.PAGES, Role.NOTE, Role.TAG})
_CITING = frozenset({Role.SHORT, Role.REUSE})
_FOOTNOTES = frozenset({Kind.REF, Kind.REF_REUSE})
# A footnote may stand inside these.
_HOLDERS = frozenset({Kind.TABLE, Kind.TAG})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a paragraph: `start:end` of its prose, and its wikitext."""

    start: int
    end: int
    span: Span


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, an item of a list or a caption."""

    span: Span
    prose: Prose
    sentences: tuple[Sentence, ...]
    shape: Shape

    def text(self, sentence: Sentence) -> str:
        """Return the words of a sentence on one line."""
        return self.prose.tidied(sentence.start, sentence.end)


@dataclass(frozen=True, slots=True)
class Behind:
    """The place right behind some words, their full stop and their footnotes.

    `stop` is where the full stop begins, `at` where footnotes end; the two may be one.
    """

    stop: int
    at: int
    is_cited: bool = False
    is_marked: bool = False  # as outdated


class Places:
    """The paragraphs of one page, and what stands around a place of it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._text = page.wikitext
        self._elements = scan(page.wikitext).elements
        self._starts = [one.start for one in self._elements]
        self._flows = PageFlow(self._text, page.sections, self._elements, self._starts)

    @property
    def wikitext(self) -> str:
        """Of the page."""
        return self._text

    def paragraph_at(self, offset: int) -> Paragraph | None:
        """Return the paragraph of running text around a place."""
        flow = self._flows.flow_of(self._flows.section_of(offset))
        index = flow.block_of(offset)
        return None if index is None else self._paragraph(flow, index)

    def paragraphs(self, section: tuple[str, ...]) -> Iterator[Paragraph]:
        """Yield what has words in the first section of that path, the last first."""
        for one in self._page.sections:
            if one.path == section:
                flow = self._flows.flow_of(one)
                for index in reversed(range(len(flow.blocks))):
                    paragraph = self._paragraph(flow, index)
                    if paragraph.sentences:
                        yield paragraph
                return

    def _paragraph(self, flow: Flow, index: int) -> Paragraph:
        prose, block = flow.prose(index), flow.blocks[index]
        sentences = tuple(
            Sentence(start, end, Span(*prose.wikitext_of(start, end)))
            for start, end in edges(prose.text)
            if any(map(str.isalnum, prose.text[start:end]))
        )
        return Paragraph(Span(block.start, block.end), prose, sentences, block.shape)

    def behind(self, words: Span) -> Behind:
        """Return the place behind some words, whole pieces of markup included."""
        text = self._text
        end = self.outside(words.end, words.start)
        stop = end - len(_closing_before(text, end))
        at = _CLOSING.match(text, end).end()  # type: ignore[union-attr]  # always matches
        is_cited = is_marked = False
        for element in self._followers(at):
            role = role_of(element.name) if element.kind is Kind.TEMPLATE else None
            is_cited |= element.kind in _FOOTNOTES or role in _CITING
            is_marked |= role is Role.TAG and _is_mark(element)
            at = element.end
        return Behind(stop, at, is_cited, is_marked)

    def behind_footnotes(self, at: int) -> int:
        """Return the end of the footnotes that follow a place, the place if none do."""
        ends = [one.end for one in self._followers(at)]
        return ends[-1] if ends else at

    def _followers(self, at: int) -> Iterator[Element]:
        """Yield the footnotes and tags that follow a place, one another."""
        while element := self._follower(at):
            yield element
            at = element.end

    def _follower(self, at: int) -> Element | None:
        """Return the footnote or tag that follows a place, if one does."""
        at = _BETWEEN.match(self._text, at).end()  # type: ignore[union-attr]  # always
        index = bisect_left(self._starts, at)
        if index == len(self._elements) or self._starts[index] != at:
            return None
        element = self._elements[index]
        is_footnote = element.kind in _FOOTNOTES or (
            element.kind is Kind.TEMPLATE and role_of(element.name) in _TRAILING
        )
        return element if is_footnote else None

    def outside(self, at: int, since: int) -> int:
        """Return the end of the markup around a place that begins at `since` or later.

        The words of a link are never parted from it.
        """
        found = (
            one.end
            for one in self.around(at)
            if one.start >= since or self._is_link_of_words(one)
        )
        return next(found, at)

    def _is_link_of_words(self, element: Element) -> bool:
        """Tell a link to a page from a picture, whose caption holds sentences."""
        ends = element.pipes[:1] or (element.inner_end,)
        is_plain = ":" not in self._text[element.inner_start : ends[0]]
        return element.kind is Kind.LINK and is_plain

    def around(self, at: int) -> Sequence[Element]:
        """Return what a place is inside of, outermost first."""
        last = bisect_left(self._starts, at)
        return [one for one in self._elements[:last] if one.end > at]

    def hindrance(self, at: int, kind: ClaimKind) -> str | None:
        """Return why no citation may stand at a place, `None` where one may."""
        for one in self.around(at):
            if one.kind is Kind.TEMPLATE:
                if is_quotation(shown_keys(one.name)):
                    return "it stands in a quotation"
                if not self._is_cited_value(one, at):
                    return "it stands in a template that may not take a citation"
            elif one.kind not in _HOLDERS and not (
                one.kind is Kind.LINK and kind is ClaimKind.CAPTION
            ):
                return f"it stands in a {one.kind.value}"
        return None

    def _is_cited_value(self, template: Element, at: int) -> bool:
        """Tell whether the value of a template around `at` has a footnote already."""
        for _, start, end in parameters_of(self._text, template):
            if start <= at <= end:
                first = bisect_left(self._starts, start)
                last = bisect_left(self._starts, end)
                return any(one.kind in _FOOTNOTES for one in self._elements[first:last])
        return False


def sentence_of(paragraph: Paragraph, statement: Statement) -> Sentence | None:
    """Return the sentence of a paragraph that a statement is."""
    inside = [
        one
        for one in paragraph.sentences
        if one.span.start < statement.span.end and statement.span.start < one.span.end
    ]
    return max(inside, key=lambda one: _shared(one.span, statement.span), default=None)


def _shared(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def _closing_before(text: str, end: int) -> str:
    start = end
    while start and text[start - 1] in ".!?…":
        start -= 1
    return text[start:end]


def _is_mark(template: Element) -> bool:
    return TAG_KINDS.get(template.name) is TagKind.OUTDATED
