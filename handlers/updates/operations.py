"""Edit operations on the words of a paragraph, applied to its wikitext. Pure.

`Places` are the paragraphs of a page and what surrounds a place in it. Words are given
as a reader sees them and must be in the paragraph exactly once. Only the difference
between two wordings is changed, so that links and footnotes between unchanged words are
not touched. What cannot be done without touching markup is refused.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum

from handlers.model import ClaimKind, Page, Span, Statement, TagKind
from handlers.page.inline_templates import is_quotation, shown_keys
from handlers.page.markup import Element, Kind, parameters_of
from handlers.page.paragraphs import Flow, PageFlow, Shape
from handlers.page.prose import Prose
from handlers.page.scan import scan
from handlers.page.sentences import edges
from handlers.page.template_names import TAG_KINDS, Role, role_of
from handlers.updates.guard import Change

# ruff: noqa: RUF001  (full stops of other scripts are intended)

_CLOSING = re.compile(r"(?:'{2,5})?[.!?…,;:。！？।]*[\"'”’»)]*")
_BETWEEN = re.compile(r"[ \t]?")  # between a sentence and its footnotes
# These follow the words that they are about, or one another.
_TRAILING = frozenset({Role.SHORT, Role.REUSE, Role.PAGES, Role.NOTE, Role.TAG})
_CITING = frozenset({Role.SHORT, Role.REUSE})
_FOOTNOTES = frozenset({Kind.REF, Kind.REF_REUSE})
# A footnote may be inside these.
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
class Placement:
    """The place right after some words, their full stop and their footnotes.

    `stop` is where the full stop begins, `at` where the footnotes end; they may be the
    same.
    """

    stop: int
    at: int
    is_cited: bool = False
    is_marked: bool = False  # as outdated


class Places:
    """The paragraphs of one page, and what surrounds a place in it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._text = page.wikitext
        self._elements = scan(page.wikitext).elements
        self._starts = [one.start for one in self._elements]
        self._flows = PageFlow(self._text, page.sections, self._elements, self._starts)

    @property
    def wikitext(self) -> str:
        """The wikitext of the page."""
        return self._text

    def paragraph_at(self, offset: int) -> Paragraph | None:
        """Return the paragraph of running text around a place."""
        flow = self._flows.flow_of(self._flows.section_of(offset))
        index = flow.block_of(offset)
        return None if index is None else self._paragraph(flow, index)

    def paragraphs(self, section: tuple[str, ...]) -> Iterator[Paragraph]:
        """Yield the paragraphs with words in the first such section, last first."""
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

    def placement(self, words: Span) -> Placement:
        """Return the place after some words, without splitting markup."""
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
        return Placement(stop, at, is_cited, is_marked)

    def after_footnotes(self, at: int) -> int:
        """Return the end of the footnotes that follow a place, or the place itself."""
        ends = [one.end for one in self._followers(at)]
        return ends[-1] if ends else at

    def _followers(self, at: int) -> Iterator[Element]:
        """Yield the footnotes and tags that follow a place or one another."""
        while element := self._follower(at):
            yield element
            at = element.end

    def _follower(self, at: int) -> Element | None:
        """Return the footnote or tag that follows a place, if there is one."""
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
        """Return the end of the markup around a place that begins at `since` or later."""
        found = (one.end for one in self.around(at) if one.start >= since)
        return next(found, at)

    def around(self, at: int) -> Sequence[Element]:
        """Return the markup that contains a place, outermost first."""
        last = bisect_left(self._starts, at)
        return [one for one in self._elements[:last] if one.end > at]

    def obstacle(self, at: int, kind: ClaimKind) -> str | None:
        """Return why no citation may be put at a place, or `None` if one may."""
        for one in self.around(at):
            if one.kind is Kind.TEMPLATE:
                if is_quotation(shown_keys(one.name)):
                    return "it is in a quotation"
                if not self._is_cited_value(one, at):
                    return "it is in a template that cannot take a citation"
            elif one.kind not in _HOLDERS and not (
                one.kind is Kind.LINK and kind is ClaimKind.CAPTION
            ):
                return f"it is in a {one.kind.value}"
        return None

    def _is_cited_value(self, template: Element, at: int) -> bool:
        """Return whether the template value around `at` already has a footnote."""
        for _, start, end in parameters_of(self._text, template):
            if start <= at <= end:
                first = bisect_left(self._starts, start)
                last = bisect_left(self._starts, end)
                return any(one.kind in _FOOTNOTES for one in self._elements[first:last])
        return False


def sentence_of(paragraph: Paragraph, statement: Statement) -> Sentence | None:
    """Return the sentence of a paragraph that matches a statement."""
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


_TOKEN = re.compile(r"\d[\d.,]*\d|\w+|[^\w\s]|\s+")
_ENDS_SENTENCE = tuple('.!?…。।؟”"»)')
_NO_SPACE = "。！？"
_BINDS_LEFT = tuple(",;:.)!?’'%")
# Characters that models confuse with one another.
_ALIKE_SIGNS = ("'’‘‛`", '"“”„‟«»', "-‐‑‒–—−")
_SIGN = {sign: f"[{re.escape(signs)}]" for signs in _ALIKE_SIGNS for sign in signs}
_PLAIN = str.maketrans({sign: signs[0] for signs in _ALIKE_SIGNS for sign in signs})


class OperationKind(Enum):
    """What an operation does with words of the paragraph."""

    INSERT = "insert"  # other words after them
    REPLACE = "replace"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of an edit: `words` are in the paragraph, `new` words are added."""

    kind: OperationKind
    words: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class AppliedEdit:
    """Operations as changes of the page's wikitext, without a citation yet.

    `sentence` is the one that they change, or after which they add one, with its words
    `before`; `after` is what it says then, or the added sentence. `added` are the runs
    of added words, `removed` those of removed words.
    """

    changes: tuple[Change, ...]
    sentence: Sentence
    before: str
    after: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    is_new_sentence: bool


class RefusedError(Exception):
    """An operation cannot be done; the message says why, in plain words."""


def apply_operations(
    places: Places, paragraph: Paragraph, operations: Sequence[Operation]
) -> AppliedEdit:
    """Return what `operations` change in the wikitext of `paragraph`.

    Raises:
        RefusedError: they name words that are missing or ambiguous, or touch markup or
            more than one sentence.
    """
    if not operations:
        raise RefusedError("it changes nothing")
    work = _EditBuilder(places, paragraph)
    for one in operations:
        work.do(one)
    return work.done()


class _EditBuilder:
    def __init__(self, places: Places, paragraph: Paragraph) -> None:
        self._places = places
        self._paragraph = paragraph
        self._text = paragraph.prose.text
        self._changes: list[Change] = []
        self._added: list[str] = []
        self._removed: list[str] = []
        self._sentences: list[Sentence] = []
        self._edits: list[tuple[int, int, str]] = []  # of the text
        self._new_sentence = ""

    def do(self, operation: Operation) -> None:
        start, end = self._find(operation.words)
        new = " ".join(operation.new.split())
        if operation.kind is OperationKind.INSERT:
            self._insert(start, end, new)
        elif operation.kind is OperationKind.REPLACE and new:
            self._replace(start, end, new)
        elif operation.kind is OperationKind.DELETE and not new:
            self._delete(start, end)
        else:
            raise RefusedError("a deletion has new words, or another step has none")

    def done(self) -> AppliedEdit:
        if not self._changes:
            raise RefusedError("it changes nothing")
        if len(set(self._sentences)) > 1:
            raise RefusedError("it changes more than one sentence")
        if self._new_sentence and len(self._changes) > 1:
            raise RefusedError("it adds a sentence and changes another")
        sentence = self._sentences[0]
        return AppliedEdit(
            tuple(self._changes),
            sentence,
            self._paragraph.text(sentence),
            self._new_sentence or self._reworded(sentence),
            tuple(self._added),
            tuple(self._removed),
            is_new_sentence=bool(self._new_sentence),
        )

    def _reworded(self, sentence: Sentence) -> str:
        text, at = "", sentence.start
        for start, end, new in sorted(self._edits):
            text += self._text[at:start] + new
            at = end
        return " ".join((text + self._text[at : sentence.end]).split())

    def _find(self, words: str) -> tuple[int, int]:
        wanted = words.strip()
        parts = ["".join(map(_pattern, one)) for one in wanted.split()]
        found = list(re.finditer(r"\s+".join(parts), self._text)) if parts else []
        whole = [one.span() for one in found if self._is_whole(*one.span())]
        if len(whole) != 1:
            why = "not in the paragraph" if not whole else "in it more than once"
            raise RefusedError(f"the words “{wanted[:80]}” are {why}")
        return whole[0]

    def _is_whole(self, start: int, end: int) -> bool:
        """Return whether a range splits no word."""
        return not (
            _joins(self._text, start)
            or (end < len(self._text) and _joins(self._text, end))
        )

    # --- the three operations --------------------------------------------------

    def _insert(self, start: int, end: int, new: str) -> None:
        if not new:
            raise RefusedError("it inserts nothing")
        sentence = self._sentence(start, end)
        is_last = not self._text[end : sentence.end].strip()
        if is_last and self._text[start:end].endswith(_ENDS_SENTENCE):
            if not (new.endswith(_ENDS_SENTENCE) and _begins_sentence(new)):
                raise RefusedError("what it inserts after a sentence is not a sentence")
            self._new_sentence = new
            at = self._places.placement(sentence.span).at
        else:
            at = self._places.after_footnotes(self._wiki_end(end))
        is_bound = new.startswith(_BINDS_LEFT) or self._text[end - 1] in _NO_SPACE
        self._add(Span(at, at), (end, end, new if is_bound else f" {new}"))

    def _replace(self, start: int, end: int, new: str) -> None:
        self._sentence(start, end)
        old = _TOKEN.findall(self._text[start:end])
        tokens = _TOKEN.findall(new)
        offsets = [start]
        for token in old:
            offsets.append(offsets[-1] + len(token))
        for first, last, added in _differing(old, tokens):
            if first == last:
                at = self._wiki_between(offsets[first])
                span = Span(at, at)
            else:
                span = self._verbatim(offsets[first], offsets[last])
            self._add(span, (offsets[first], offsets[last], added))

    def _delete(self, start: int, end: int) -> None:
        sentence = self._sentence(start, end)
        if start == sentence.start and end == sentence.end:
            raise RefusedError("it deletes a whole sentence")
        before = self._text[start - 1 : start]
        after = self._text[end : end + 1]
        if before == " " and (after in (" ", "") or after.startswith(_BINDS_LEFT)):
            start -= 1
        self._add(self._verbatim(start, end), (start, end, ""))

    def _add(self, span: Span, edit: tuple[int, int, str]) -> None:
        words = edit[2]
        removed = span.of(self._places.wikitext)
        self._edits.append(edit)
        self._changes.append(Change(span, words))
        self._added += [words] if words.strip() else []
        self._removed += [removed] if removed.strip() else []

    # --- from words to wikitext ------------------------------------------------

    def _sentence(self, start: int, end: int) -> Sentence:
        for one in self._paragraph.sentences:
            if one.start <= start and end <= one.end:
                self._sentences.append(one)
                return one
        raise RefusedError("it changes more than one sentence")

    def _verbatim(self, start: int, end: int) -> Span:
        """Return the wikitext of words that are in it verbatim."""
        span = Span(*self._paragraph.prose.wikitext_of(start, end))
        words = self._text[start:end]
        if span.of(self._places.wikitext) != words:
            raise RefusedError(
                f"“{words.strip()[:80]}” is inside markup, or contains it"
            )
        return span

    def _wiki_end(self, end: int) -> int:
        at = self._paragraph.prose.wikitext_of(end - 1, end)[1]
        return self._places.outside(at, self._paragraph.span.start)

    def _wiki_between(self, at: int) -> int:
        """Return the place in the wikitext between two words, outside markup."""
        if at == 0:
            raise RefusedError("it changes the beginning of a paragraph")
        return self._wiki_end(at)


def _joins(text: str, at: int) -> bool:
    """Return whether a place is inside a word or a number."""
    return at > 0 and text[at - 1].isalnum() and text[at].isalnum()


def plain(text: str) -> str:
    """Return a text with one form of each apostrophe, quotation mark and dash."""
    return text.translate(_PLAIN)


def _pattern(sign: str) -> str:
    return _SIGN.get(sign) or re.escape(sign)


def _begins_sentence(new: str) -> bool:
    first = next((sign for sign in new if sign.isalnum()), "")
    return bool(first) and not first.islower()


def _differing(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield runs of `old` with the words that replace them."""
    for tag, i, j, k, m in SequenceMatcher(
        None,
        list(map(plain, old)),
        list(map(plain, new)),
        autojunk=False,
    ).get_opcodes():
        if tag != "equal":
            yield i, j, "".join(new[k:m])
