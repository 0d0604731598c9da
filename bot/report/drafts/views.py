"""What a draft shows, as all forms of the dossier show it.

A wiki's policy decides about a model's words: under *pointer* the passages that it
cites stand in their place, under *facts* they stand as plain facts with those passages
behind them, under *wording* they are the text. What an embedded writer picked is quoted
word for word under each policy, and shown as a quotation.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.records.watches import Policy
from bot.report.drafts.marking import inner
from bot.report.wording import provenance
from handlers.citations.addresses import untracked
from handlers.citations.better.template import addresses_in
from handlers.citations.quoting.links import (
    host_of,
    quote_href,
    quote_page,
    safe_href,
)
from handlers.citations.quoting.quotes import source_title
from handlers.citations.quoting.words import QuoteInPlace, quote_in_place
from handlers.model import (
    CitedChunk,
    Draft,
    DraftDocument,
    DraftSentence,
    Origin,
    SourceReading,
    SourceText,
)

MOST_CITES = 3  # of one sentence
_MOST_WORTH_READING = 15
# In the place of words that may not be quoted: the link leads to them.
NO_PLACE = QuoteInPlace("", (), "", cut_before=False, cut_after=False)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A document that the dossier cites, by the number of its footnote, from 1.

    `address` is without what only tracks the reader; `None` where no reader may be
    sent there. `reading` is as it was read, but for that.
    """

    number: int
    document: int
    reading: SourceReading
    title: str
    site: str
    address: str | None
    published: str
    provenance: str
    language: str


@dataclass(frozen=True, slots=True)
class CiteView:
    """A passage that a sentence cites: `source` is the number of its footnote.

    `quote` is empty where too much of the source is quoted already.
    """

    number: int  # of the citation in the dossier, from 1
    source: int
    quote: str
    place: QuoteInPlace
    href: str | None  # leads to the very passage
    page: int | None
    probability: float | None


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence as it may be shown; with `is_quote` its words are a source's own."""

    words: str
    is_quote: bool
    cites: tuple[CiteView, ...]
    dated: date | None

    @property
    def shown(self) -> str:
        """Its words, those of a source in quotation marks."""
        return f"“{inner(self.words)}”" if self.is_quote else self.words


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section; the lead has no heading."""

    heading: str
    paragraphs: tuple[tuple[SentenceView, ...], ...]


@dataclass(frozen=True, slots=True)
class ReadingView:
    """A source with more on the topic than is quoted of it.

    `about` are headings that it speaks to, `sentences` counts what is not quoted.
    """

    source: SourceView
    about: tuple[str, ...]
    sentences: int


@dataclass(frozen=True, slots=True)
class DisagreementView:
    """Two sentences that cannot both hold."""

    one: SentenceView
    other: SentenceView
    about: str
    probability: float


@dataclass(frozen=True, slots=True)
class Dossier:
    """A draft as it may be shown under a policy."""

    draft: Draft
    policy: Policy
    sections: tuple[SectionView, ...]
    worth_reading: tuple[ReadingView, ...]
    disagreements: tuple[DisagreementView, ...]
    sources: tuple[SourceView, ...]

    @property
    def sentences(self) -> tuple[SentenceView, ...]:
        """All sentences of its sections, in their order."""
        return tuple(
            one
            for section in self.sections
            for paragraph in section.paragraphs
            for one in paragraph
        )

    @property
    def cites(self) -> tuple[CiteView, ...]:
        """All that is cited, by number."""
        shown = [one for sentence in self.sentences for one in sentence.cites]
        for pair in self.disagreements:
            shown += [*pair.one.cites, *pair.other.cites]
        return tuple(shown)

    @property
    def has_model_words(self) -> bool:
        """Whether any sentence that is shown was written by a model."""
        return any(not one.is_quote for one in self.sentences)

    @property
    def unused(self) -> tuple[DraftDocument, ...]:
        """The documents that were read and are not cited."""
        cited = {one.document for one in self.sources}
        return tuple(one for one in self.draft.documents if one.number not in cited)


def dossier_view(draft: Draft, policy: Policy = Policy.POINTER) -> Dossier:
    """Return what may be shown of `draft` on a wiki with this policy."""
    return _Viewing(draft, policy).dossier()


def as_cited(reading: SourceReading) -> SourceReading:
    """Return `reading` with addresses that do not track who follows them.

    The address in an archive stays as it is: another one may lead to no copy.
    """
    source = replace(
        reading.source,
        url=untracked(reading.source.url) if reading.source.url else None,
    )
    if reading.origin is Origin.ARCHIVE or not reading.url:
        return replace(reading, source=source)
    return replace(reading, source=source, url=untracked(reading.url))


def linked(reading: SourceReading) -> frozenset[str]:
    """Return each address that a footnote for a document would link.

    Of a copy in an archive these are the page's own, too, and the copy as people see it.
    """
    known = [address_of(reading)]
    if reading.origin is Origin.ARCHIVE:
        known += [safe_href(one) for one in addresses_in(as_cited(reading))]
    return frozenset(one for one in known if one)


def address_of(reading: SourceReading) -> str | None:
    """Return the address of a document for a reader, without tracking."""
    cited = as_cited(reading)
    return safe_href(cited.url) or safe_href(cited.source.url)


class _Viewing:
    """Numbers sources and citations in the order in which they are met."""

    def __init__(self, draft: Draft, policy: Policy) -> None:
        self._draft = draft
        self._policy = policy
        self._documents = {one.number: one for one in draft.documents}
        self._sources: dict[int, SourceView] = {}
        self._cites = 0

    def dossier(self) -> Dossier:
        sections = tuple(self._sections())
        disagreements = tuple(
            DisagreementView(one, other, each.about, each.probability)
            for each in self._draft.disagreements
            for one in self._sentence(each.one)[:1]
            for other in self._sentence(each.other)[:1]
        )
        worth_reading = tuple(
            ReadingView(
                self._source(self._documents[one.document]), one.about, one.sentences
            )
            for one in self._draft.worth_reading[:_MOST_WORTH_READING]
            if one.document in self._documents
        )
        return Dossier(
            self._draft,
            self._policy,
            sections,
            worth_reading,
            disagreements,
            tuple(self._sources.values()),
        )

    def _sections(self) -> Iterator[SectionView]:
        for section in self._draft.sections:
            paragraphs = tuple(
                shown for each in section.paragraphs if (shown := self._paragraph(each))
            )
            if paragraphs:
                yield SectionView(section.heading, paragraphs)

    def _paragraph(self, given: Iterable[DraftSentence]) -> tuple[SentenceView, ...]:
        return tuple(shown for one in given for shown in self._sentence(one))

    def _sentence(self, one: DraftSentence) -> tuple[SentenceView, ...]:
        cites = self._cited(one.cites[:MOST_CITES])
        if not cites:  # what nothing bears out is not shown
            return ()
        if one.is_quote or self._policy is not Policy.POINTER:
            return (SentenceView(one.text, one.is_quote, cites, one.dated),)
        return tuple(
            SentenceView(each.quote, is_quote=True, cites=(each,), dated=one.dated)
            for each in cites
            if each.quote
        )

    def _cited(self, cites: Sequence[CitedChunk]) -> tuple[CiteView, ...]:
        return tuple(self._cite(one) for one in cites if self._known(one))

    def _known(self, one: CitedChunk) -> bool:
        return one.chunk.document in self._documents

    def _cite(self, one: CitedChunk) -> CiteView:
        source = self._source(self._documents[one.chunk.document])
        self._cites += 1
        return CiteView(
            self._cites,
            source.number,
            one.evidence.quote if one.is_shown else "",
            quote_in_place(one.evidence, around=0) if one.is_shown else NO_PLACE,
            quote_href(one.evidence, replace(source.reading, url=source.address)),
            quote_page(one.evidence, source.reading),
            one.probability,
        )

    def _source(self, document: DraftDocument) -> SourceView:
        if document.number not in self._sources:
            number = len(self._sources) + 1
            self._sources[document.number] = _source_view(number, document)
        return self._sources[document.number]


def _source_view(number: int, document: DraftDocument) -> SourceView:
    reading = as_cited(document.reading)
    text = reading.document or SourceText("")
    imprint = text.imprint
    address = address_of(reading)
    return SourceView(
        number,
        document.number,
        reading,
        title=source_title(reading.source, reading),
        site=imprint.site or imprint.work or text.site or host_of(address) or "",
        address=address,
        published=imprint.published or text.published or "",
        provenance=provenance(reading),
        language=imprint.language or text.language or "",
    )
