"""Whether a document is usable for an article, and what it says on the subject.

Structure decides: the lists of sources that the wikis keep, the form of an address or a
title, runs of words shared with the article, the form of a sentence.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from handlers.citations.flags import language_of
from handlers.documents import orders
from handlers.documents.dates import PageDay, day_signed, page_day
from handlers.documents.gate import PageGate, head_of
from handlers.documents.language import language_of_document
from handlers.documents.prose import Sentence, sentences
from handlers.model import (
    Evidence,
    Ignored,
    Passage,
    SourceFetch,
    SourceText,
    Span,
    Statement,
    Subject,
)
from handlers.sources.reliability import ReliabilityLists
from handlers.text.words import Word, words

_MOST_CHARS = 60_000
# Claims of 5 to 7 words on the dev revisions of VitaminC were called outdated as
# correctly (36 of 41) as longer ones (241 of 282, every third).
_FEWEST_WORDS, _MOST_WORDS = 5, 60
_ENDS = re.compile(r"[.!][\"'”’»)\]]*$")
_SPOKEN = re.compile(r"[“\"«„][^”\"»]{12,}[”\"»]?")
_MOST_SPOKEN = 0.4  # of a sentence's characters; if more is quoted, it is an opinion
# In a word: lower case before a capital or digit, a digit or full stop before a
# capital.
_RUN_TOGETHER = re.compile(r"[^\W\d_A-Z]{2}[A-Z\d]|[\d.!?)”][A-Z][^\W\d_A-Z]")
_SPEAKERS = frozenset({"i", "me", "my", "we", "us", "our", "you", "your"})  # adverts
_MOST_CAPITALS = 0.6  # of a sentence's words; a list of names or a menu has more
_PARAGRAPH, _LONG_PARAGRAPH, _NEAR = 8, 40, 2  # words, words, paragraphs
_LONGEST_WORD = 60  # characters
_AROUND_WORD = "“”\"'’(),;:.!?«»"
_OWN_LETTERS = 0.5  # of a text's letters in lower case: headings and menus have fewer
Why = tuple[Ignored, str]


@dataclass(frozen=True, slots=True)
class Document:
    """A usable text, with its certain date and its sentences on the subject."""

    fetch: SourceFetch
    dated: PageDay | None
    found: tuple[Sentence, ...]

    @property
    def day(self) -> date | None:
        """Its day, if it gives one."""
        return self.dated.day if self.dated else None

    def evidence(self, one: Sentence, score: float) -> Evidence:
        """Return a sentence as evidence, with the text around it as its passage."""
        text = self.text
        at = next(n for n, each in enumerate(self.found) if each is one)
        before = self.found[at - 1] if at else one
        start = before.span.start if before.block == one.block else one.span.start
        around = Span(start, one.span.end)
        passage = Passage(self.fetch.source.key, around.of(text), around)
        return Evidence(passage, one.span.of(text), one.span, (), score)

    @property
    def text(self) -> str:
        """Its whole text."""
        return self.fetch.document.text if self.fetch.document else ""


class Original:
    """The article in shingles; made once for many documents."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.shingles = frozenset(_shingles(" ".join(one.text for one in statements)))

    def copied_by(self, document: SourceText, most_chars: int) -> str | None:
        """Return why `document` is a copy, of the article or of a wiki; else `None`."""
        text = document.text[:most_chars]
        wiki = _WIKI.search(text)
        if wiki:
            return f"a copy of a wiki: “{' '.join(wiki[0].split())}”"
        theirs = frozenset(_shingles(text))
        shared = len(theirs & self.shingles)
        of_document = shared / max(len(theirs), 1)
        of_article = shared / max(len(self.shingles), 1)
        if (of_document >= _DOCUMENT_SHARE and shared >= _DOCUMENT_HITS) or (
            of_article >= _ARTICLE_SHARE and shared >= _ARTICLE_HITS
        ):
            return f"it shares {shared} runs of {_SIZE} words with the article"
        return None


@dataclass(slots=True)
class Screen:
    """Examines the documents of one run; made once for an article."""

    subject: Subject
    lists: ReliabilityLists
    _original: Original = field(init=False)
    _wikitext: str = field(init=False)

    def __post_init__(self) -> None:
        self._original = Original(self.subject.statements)
        self._wikitext = self.subject.page.wikitext

    def document(self, fetch: SourceFetch, gate: PageGate) -> Document | Why:
        """Return what is usable of a fetched source, or why nothing is."""
        document = fetch.document
        if document is None:
            return Ignored.NOT_READ, f"{fetch.outcome.value}: {fetch.detail}"
        refused = self.refused(fetch, document)
        if refused is not None:
            return refused
        if not gate.admits(head_of(document)):
            return Ignored.NOT_ABOUT_SUBJECT, "it has little of the title and the names"
        stating = [
            one
            for one in sentences(document.text[:_MOST_CHARS])
            if _states(one) and self._is_clean(one.text)
        ]
        return Document(fetch, self.day(fetch), tuple(_prose(stating)))

    def refused(self, fetch: SourceFetch, document: SourceText) -> Why | None:
        """Return why a document does not count, whatever it says."""
        return self._as_source(fetch, document) or self._by_day(fetch)

    def _as_source(self, fetch: SourceFetch, document: SourceText) -> Why | None:
        """Return why a document cannot be a source, whatever it says."""
        address = fetch.url or fetch.source.url or ""
        wiki = self.subject.page.id.wiki
        trust = self.lists.of(address, wiki)
        if not trust.trust.may_be_recommended:
            return Ignored.UNRELIABLE, trust.note
        if is_shop(address):
            return Ignored.ADVERTISING, "a shop's page"
        language, own = language_of_document(document, _MOST_CHARS), language_of(wiki)
        if language and own and language != own:
            return Ignored.NOT_READ, f"it is in another language: {language}"
        copied = self._original.copied_by(document, _MOST_CHARS)
        return (Ignored.COPY, copied) if copied else None

    def day(self, fetch: SourceFetch) -> PageDay | None:
        """Return the certain date of a fetched source, unless it is in the future."""
        found = page_day(fetch)
        return found if found and found.day <= self.subject.today else None

    def _by_day(self, fetch: SourceFetch) -> Why | None:
        """Return why the date of a document does not count."""
        day, window = self.day(fetch), self.subject.window
        if day is None:
            undated = Ignored.UNDATED, "the page gives no certain date"
            return None if window.is_open else undated
        if not window.holds(day.day):
            return Ignored.OUTSIDE_WINDOW, f"the page is dated {day.day}"
        return None

    def _is_clean(self, text: str) -> bool:
        """Return whether extraction ran none of its words together.

        "viewPalestinians" was, and "YouTube" was not, if the article has it too.
        """
        return all(
            len(word) <= _LONGEST_WORD
            and (not _RUN_TOGETHER.search(word) or word in self._wikitext)
            for word in (one.strip(_AROUND_WORD) for one in text.split())
        )


def _prose(stating: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences of paragraphs that stand among others.

    Captions, teasers of other pages and notes on the author stand alone between menus.
    """
    lengths: Counter[int] = Counter()
    for one in stating:
        lengths[one.block] += len(one.text.split())
    paragraphs = {block for block, length in lengths.items() if length >= _PARAGRAPH}
    among = {
        block
        for block in paragraphs
        if lengths[block] >= _LONG_PARAGRAPH
        or any(block + n in paragraphs for n in range(-_NEAR, _NEAR + 1) if n)
    }
    yield from (one for one in stating if one.block in (among or paragraphs))


def _states(sentence: Sentence) -> bool:
    """Return whether a sentence is complete, and in its author's own words.

    Menus, headings and captions have no full stop or little lower case; questions and
    long quotations state nothing by themselves.
    """
    text = sentence.text
    found = words(text)
    spoken = sum(len(quote[0]) for quote in _SPOKEN.finditer(text))
    return (
        _FEWEST_WORDS <= len(found) <= _MOST_WORDS
        and not text[0].islower()
        and bool(_ENDS.search(text))
        and spoken <= _MOST_SPOKEN * len(text)
        and sum(map(str.islower, text)) >= _OWN_LETTERS * len(text)
        and _has_name_or_number(found)
        and not any(one.lowered in _SPEAKERS for one in found)
        and sum(one.is_capitalised for one in found) <= _MOST_CAPITALS * len(found)
        and not any(sign in text for sign in "|©")
        and day_signed(text) is None  # a page's head, glued to its first sentence
        and orders.fault(text) is None
    )


def _has_name_or_number(found: Sequence[Word]) -> bool:
    """Return whether there is a name or number among the words after the first."""
    return any(one.is_capitalised or one.is_number for one in found[1:])


# What copies of Wikipedia print because its licence requires it; the lists name most of
# them.
_WIKI = re.compile(
    r"from wikipedia,? the free|(?:material|text|content) from (?:the )?wikipedia"
    r"|(?:article|page) is issued from wikipedia|source: wikipedia",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_SIZE = 8  # words in a shingle: so many in a row are rarely the same by chance
_DOCUMENT_SHARE, _DOCUMENT_HITS = 0.35, 15
_ARTICLE_SHARE, _ARTICLE_HITS = 0.25, 40


def _shingles(text: str) -> Iterator[int]:
    found = _WORD.findall(text.casefold())
    for first in range(len(found) - _SIZE + 1):
        yield hash(tuple(found[first : first + _SIZE]))


# Of 777 pages that a search engine found for 148 events of WikiGenBench (dev), this
# finds 13, all shops; lists of blogs, bookmakers and law firms matched one page,
# wrongly.
_SHOP = re.compile(
    r"^\w+://(?:[\w-]+\.)*(?:shop|store)\.|^\w+://[^/]+\.(?:shop|store)(?:/|$)"
    r"|^\w+://[^/]+/(?:[\w-]+/)*?(?:products?|shop|store|cart)/",
    re.IGNORECASE,
)


def is_shop(address: str) -> bool:
    """Return whether a page's address shows that it sells something."""
    return _SHOP.match(address) is not None
