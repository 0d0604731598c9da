"""A draft as a dossier to write from: what it shows, and its HTML, JSON and text. Pure.

Each sentence links to what supports it. A wiki's policy decides what is shown of a
model's words: under *pointer* the cited passages replace them, under *facts* they are
shown as plain facts with those passages behind them, under *wording* they are the text.
What an embedded writer picked is quoted word for word under each policy, and shown as a
quotation. `drafts_schema.json` describes each field of the JSON.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import chain
from urllib.parse import unquote

from jinja2 import Template

from bot.records.watches import Policy
from bot.report.to_html import templates
from bot.report.to_json import Json, json_document
from bot.report.to_text import laid_out, texts
from bot.report.words import counted, provenance
from handlers.citations.quote_links import (
    QuoteInPlace,
    host_of,
    quote_href,
    quote_in_place,
    quote_page,
    safe_href,
    source_title,
)
from handlers.model import (
    CitedChunk,
    Draft,
    DraftDocument,
    DraftSentence,
    LeftOut,
    Origin,
    SourceFetch,
    SourceText,
)
from handlers.sources.addresses import untracked
from handlers.sources.templates import addresses_in, fill

MOST_CITES = 3  # of one sentence
_MOST_WORTH_READING = 15
# Replaces words that may not be quoted: the link leads to them.
NO_PLACE = QuoteInPlace("", (), "", cut_before=False, cut_after=False)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A document that the dossier cites, by the number of its footnote, from 1.

    `address` has no tracking parameters; it is `None` if readers must not be sent
    there. Apart from that, `fetch` is as it was read.
    """

    number: int
    document: int
    fetch: SourceFetch
    title: str
    site: str
    address: str | None
    published: str
    provenance: str
    language: str


@dataclass(frozen=True, slots=True)
class CiteView:
    """A passage that a sentence cites: `source` is the number of its footnote.

    `quote` is empty if too much of the source is quoted already.
    """

    number: int  # of the citation in the dossier, from 1
    source: int
    quote: str
    place: QuoteInPlace
    href: str | None  # leads to the passage itself
    page: int | None
    probability: float | None


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence as it may be shown; if `is_quote`, its words are a source's own."""

    words: str
    is_quote: bool
    cites: tuple[CiteView, ...]
    dated: date | None

    @property
    def shown(self) -> str:
        """Its words; the words of a source are in quotation marks."""
        return f"“{inner(self.words)}”" if self.is_quote else self.words


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section; the lead has no heading."""

    heading: str
    paragraphs: tuple[tuple[SentenceView, ...], ...]


@dataclass(frozen=True, slots=True)
class FetchView:
    """A source that says more on the topic than is quoted from it.

    `about` are headings that it is relevant to, `sentences` counts what is not quoted.
    """

    source: SourceView
    about: tuple[str, ...]
    sentences: int

    @property
    def more(self) -> str:
        """What can be found there."""
        if not self.sentences:
            return "names the topic, but has no sentence that could be quoted"
        return f"{counted(self.sentences, 'sentence')} more on the topic"


@dataclass(frozen=True, slots=True)
class DisagreementView:
    """Two sentences that cannot both be true."""

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
    worth_reading: tuple[FetchView, ...]
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
    def cited_sources(self) -> frozenset[int]:
        """The numbers of the sources of its sentences, without those worth reading."""
        return frozenset(
            cite.source for sentence in self.sentences for cite in sentence.cites
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
        """The documents that were read but are not cited."""
        cited = {one.document for one in self.sources}
        return tuple(one for one in self.draft.documents if one.number not in cited)


def dossier_view(draft: Draft, policy: Policy = Policy.POINTER) -> Dossier:
    """Return what may be shown of `draft` on a wiki with this policy."""
    return _Viewing(draft, policy).dossier()


def as_cited(fetch: SourceFetch) -> SourceFetch:
    """Return `fetch` with addresses that do not track whoever follows them.

    The address in an archive stays as it is: a changed one may not lead to any copy.
    """
    source = replace(
        fetch.source,
        url=untracked(fetch.source.url) if fetch.source.url else None,
    )
    if fetch.origin is Origin.ARCHIVE or not fetch.url:
        return replace(fetch, source=source)
    return replace(fetch, source=source, url=untracked(fetch.url))


def linked(fetch: SourceFetch) -> frozenset[str]:
    """Return each address that a footnote for a document would link.

    For a copy in an archive these include the page's own address, and that of the copy
    as people see it.
    """
    known = [address_of(fetch)]
    if fetch.origin is Origin.ARCHIVE:
        known += [safe_href(one) for one in addresses_in(as_cited(fetch))]
    return frozenset(one for one in known if one)


def address_of(fetch: SourceFetch) -> str | None:
    """Return the address of a document for a reader, without tracking."""
    cited = as_cited(fetch)
    return safe_href(cited.url) or safe_href(cited.source.url)


class _Viewing:
    """Numbers sources and citations in the order in which they first occur."""

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
            FetchView(
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
                shown
                for each in section.paragraphs
                if (shown := tuple(chain.from_iterable(map(self._sentence, each))))
            )
            if paragraphs:
                yield SectionView(section.heading, paragraphs)

    def _sentence(self, one: DraftSentence) -> tuple[SentenceView, ...]:
        cites = tuple(
            self._cite(each)
            for each in one.cites[:MOST_CITES]
            if each.chunk.document in self._documents
        )
        if not cites:  # what nothing supports is not shown
            return ()
        if one.is_quote or self._policy is not Policy.POINTER:
            return (SentenceView(one.text, one.is_quote, cites, one.dated),)
        return tuple(
            SentenceView(each.quote, is_quote=True, cites=(each,), dated=one.dated)
            for each in cites
            if each.quote
        )

    def _cite(self, one: CitedChunk) -> CiteView:
        source = self._source(self._documents[one.chunk.document])
        self._cites += 1
        return CiteView(
            self._cites,
            source.number,
            one.evidence.quote if one.is_shown else "",
            quote_in_place(one.evidence, around=0) if one.is_shown else NO_PLACE,
            quote_href(one.evidence, replace(source.fetch, url=source.address)),
            quote_page(one.evidence, source.fetch),
            one.probability,
        )

    def _source(self, document: DraftDocument) -> SourceView:
        if document.number not in self._sources:
            number = len(self._sources) + 1
            self._sources[document.number] = _source_view(number, document)
        return self._sources[document.number]


def _source_view(number: int, document: DraftDocument) -> SourceView:
    fetch = as_cited(document.fetch)
    text = fetch.document or SourceText("")
    imprint = text.imprint
    address = address_of(fetch)
    return SourceView(
        number,
        document.number,
        fetch,
        title=source_title(fetch.source, fetch),
        site=imprint.site or imprint.work or text.site or host_of(address) or "",
        address=address,
        published=imprint.published or text.published or "",
        provenance=provenance(fetch),
        language=imprint.language or text.language or "",
    )


_SINGLE = str.maketrans(
    {
        "\N{LEFT DOUBLE QUOTATION MARK}": "\N{LEFT SINGLE QUOTATION MARK}",
        "\N{RIGHT DOUBLE QUOTATION MARK}": "\N{RIGHT SINGLE QUOTATION MARK}",
        "\N{DOUBLE LOW-9 QUOTATION MARK}": "\N{SINGLE LOW-9 QUOTATION MARK}",
        '"': "'",
    }
)


def inner(words: str) -> str:
    """Return `words` as they appear between double quotation marks."""
    return words.translate(_SINGLE)


def what_it_is(shown: Dossier) -> str:
    """Return in one sentence what the text of the dossier consists of."""
    if not shown.has_model_words:
        return (
            "Each sentence is quoted from its source word for word: say it in your own"
            " words when you write."
        )
    if shown.policy is Policy.FACTS:
        return (
            "The facts were worded by a language model, and the passages that support"
            " them are quoted behind them."
        )
    return (
        "A language model wrote its sentences from the passages that they cite; what"
        " is in quotation marks is quoted word for word."
    )


def made_of(shown: Dossier) -> str:
    """Return in words how many sentences are based on how many documents."""
    read, cited = len(shown.draft.documents), len(shown.cited_sources)
    of = f" of {read} read" if read != cited else ""
    return (
        f"{counted(len(shown.sentences), 'sentence')} from"
        f" {counted(cited, 'document')}{of}"
    )


def name_of(one: LeftOut) -> str:
    """Return what was left out as it is shown: of a file, only its name."""
    is_file = one.what.startswith("file:")
    return unquote(one.what.rpartition("/")[2]) if is_file else one.what


def render_html(draft: Draft, policy: Policy = Policy.POINTER) -> str:
    """Return one self-contained page with the dossier and what was left out."""
    return _filled(templates().get_template("draft.html"), draft, policy)


def _filled(template: Template, draft: Draft, policy: Policy) -> str:
    shown = dossier_view(draft, policy)
    return template.render(
        dossier=shown,
        draft=draft,
        policy=policy,
        made_of=made_of(shown),
        what=what_it_is(shown),
        left_out=[(name_of(one), one) for one in draft.left_out],
        sources={one.number: one for one in shown.sources},
    )


SCHEMA_VERSION = "2.0"


def render_json(draft: Draft, policy: Policy = Policy.POINTER, wiki: str = "") -> str:
    """Return one JSON document. A field is always there, `null` if it says nothing.

    Args:
        draft: the draft to render.
        policy: decides about a model's words, as in all forms.
        wiki: host name that citations are filled for; if empty, Wikipedia in the
            language.
    """
    shown = dossier_view(draft, policy)
    wiki = wiki or f"{draft.topic.language}.wikipedia.org"
    document = {
        "schema_version": SCHEMA_VERSION,
        "topic": asdict(draft.topic),
        "policy": policy.value,
        "method": draft.method.value,
        "reranker": draft.reranker,
        "engine": asdict(draft.engine),
        "sections": _sections(shown),
        "disagreements": [
            {
                "about": one.about or None,
                "probability": round(one.probability, 4),
                "one": _sentence(one.one),
                "other": _sentence(one.other),
            }
            for one in shown.disagreements
        ],
        "sources": [_source(one, wiki) for one in shown.sources],
        "not_cited": [
            address_of(one.fetch) or one.fetch.source.key for one in shown.unused
        ],
        "worth_reading": [
            {
                "source": one.source.number,
                "about": list(one.about),
                "sentences": one.sentences,
            }
            for one in shown.worth_reading
        ],
        "left_out": [
            {
                "what": one.what,
                "why": one.why.name.lower(),
                "detail": one.detail or None,
            }
            for one in draft.left_out
        ],
        "troubles": list(draft.troubles),
        "model": {**asdict(draft.use), "cost": str(draft.use.cost)},
        "worded": shown.has_model_words,
    }
    return json_document(document)


def _sections(shown: Dossier) -> list[Json]:
    return [
        {
            "heading": section.heading,
            "paragraphs": [
                [_sentence(one) for one in paragraph]
                for paragraph in section.paragraphs
            ],
        }
        for section in shown.sections
    ]


def _sentence(one: SentenceView) -> Json:
    return {
        "text": one.words,
        "quote": one.is_quote,
        "dated": one.dated,
        "cites": [_cite(each) for each in one.cites],
    }


def _cite(one: CiteView) -> Json:
    return {
        "source": one.source,
        "quote": one.quote,
        "href": one.href,
        "page": one.page,
        "probability": None if one.probability is None else round(one.probability, 4),
    }


def _source(one: SourceView, wiki: str) -> Json:
    return {
        "number": one.number,
        "address": one.address,
        "title": one.title,
        "site": one.site or None,
        "published": one.published or None,
        "language": one.language or None,
        "citation": fill(one.fetch, wiki) or None,
        "sha256": one.fetch.content_sha256,
    }


_LEAST_WIDTH = 40


def render_text(draft: Draft, policy: Policy = Policy.POINTER, *, width: int) -> str:
    """Return the dossier wrapped to `width` columns; addresses are never broken."""
    filled = _filled(texts().get_template("draft.txt"), draft, policy)
    return laid_out(filled, width=max(width, _LEAST_WIDTH), breaks_words=False)
