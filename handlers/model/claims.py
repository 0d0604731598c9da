"""What a page claims, and what it cites for that."""

from dataclasses import dataclass
from datetime import date
from enum import Enum

from handlers.model.missing import MissingPiece


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `[start, end)` of character offsets into one text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part of `text` that this span covers."""
        return text[self.start : self.end]


# What an article cites, and how it points there from the running text.


class SourceForm(Enum):
    """How the source is written down."""

    TEMPLATE = "citation template"
    URL = "bare URL"
    TEXT = "plain text"


class UrlStatus(Enum):
    """`url-status` of a citation template: what the cited address serves today."""

    LIVE = "live"
    DEAD = "dead"
    DEVIATED = "deviated"
    UNFIT = "unfit"
    USURPED = "usurped"


@dataclass(frozen=True, slots=True)
class Source:
    """What is cited, as the article gives it. Absent fields are `None`.

    `raw` is the wikitext of the template, link or text, unchanged.
    """

    form: SourceForm
    raw: str
    template: str | None = None  # normalised name, such as "cite web"
    url: str | None = None
    archive_url: str | None = None
    archive_date: date | None = None
    url_status: UrlStatus | None = None
    access_date: date | None = None
    doi: str | None = None
    pmid: str | None = None
    pmc: str | None = None
    arxiv: str | None = None
    isbn: str | None = None
    pages: str | None = None
    quote: str | None = None
    title: str | None = None
    authors: tuple[str, ...] = ()
    work: str | None = None  # newspaper, journal, website or publisher
    published: str | None = None  # the date as written
    language: str | None = None  # as written: a name, a code, or several of them

    @property
    def key(self) -> str:
        """Identify the source across citations and revisions.

        The first of URL, archive URL, DOI, PMC, PMID, arXiv, ISBN; else the raw
        text with white space folded. Never a footnote number.
        """
        named = (
            ("doi", self.doi),
            ("pmc", self.pmc),
            ("pmid", self.pmid),
            ("arxiv", self.arxiv),
            ("isbn", self.isbn),
        )
        if self.url or self.archive_url:
            return self.url or self.archive_url or ""
        for name, value in named:
            if value:
                return f"{name}:{value}"
        return " ".join(self.raw.split())

    @property
    def copy(self) -> tuple[str, ...]:
        """Tell the copy that is meant from others at the same address."""
        status = self.url_status
        return (
            self.key,
            self.archive_url or "",
            status.value if status else "",
            self.access_date.isoformat() if self.access_date else "",
        )

    @property
    def cites_archive(self) -> bool:
        """Whether a reader is led to the archived copy: to it, unless it says "live"."""
        return self.archive_url is not None and self.url_status is not UrlStatus.LIVE


class CitationForm(Enum):
    """How the article points at its source from the running text."""

    REF = "ref"  # <ref>…</ref>
    NAMED_REUSE = "named reuse"  # <ref name="x" />
    R_TEMPLATE = "r template"  # {{r|x}}
    FOOTNOTE_TEMPLATE = "footnote template"  # {{refn|…}}, {{efn|…}}
    SHORT_FOOTNOTE = "short footnote"  # {{sfn|…}}, {{harvnb|…}}
    INLINE_TEMPLATE = "inline template"  # {{cite …}} in running text


@dataclass(frozen=True, slots=True)
class Citation:
    """One marker in the running text and the sources it leads to.

    `sources` is empty if the marker leads nowhere; `problem` then says why (for
    instance "no reference is named 'smith'").
    """

    form: CitationForm
    marker: Span  # where the marker is in the wikitext
    sources: tuple[Source, ...]
    name: str | None = None
    group: str | None = None
    pages: str | None = None  # from {{sfn|p=}}, {{rp}}: narrower than the source's own
    problem: str | None = None


# The words that citations support, or should, and what is beside them.


class TagKind(Enum):
    """What an existing inline cleanup tag says about the words before it."""

    CITATION_NEEDED = "citation needed"
    FAILED_VERIFICATION = "failed verification"
    DEAD_LINK = "dead link"
    BETTER_SOURCE_NEEDED = "better source needed"
    DUBIOUS = "dubious"
    OUTDATED = "outdated"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Tag:
    """An inline cleanup tag, such as `{{citation needed|date=May 2024}}`."""

    kind: TagKind
    name: str  # the template's normalised name
    span: Span
    dated: str | None = None


class ClaimKind(Enum):
    """Where on the page the claim is."""

    SENTENCE = "sentence"
    CLAUSE = "clause"  # part of a sentence, between two citations
    LIST_ITEM = "list item"
    TABLE_CELL = "table cell"
    INFOBOX_VALUE = "infobox value"
    NOTE = "note"  # text inside {{efn}}, with citations of its own
    CAPTION = "caption"  # of a picture or a gallery


CELLS = frozenset({ClaimKind.TABLE_CELL, ClaimKind.INFOBOX_VALUE})


@dataclass(frozen=True, slots=True)
class Claim:
    """The words that one group of adjacent citations supports, or should.

    `text` is plain (markup, tags and citations removed); `span` covers its wikitext,
    citations excluded. `context` is the plain text that precedes it in its section,
    nearest last, at most about 600 characters. `missing` are words that readers see in
    it and `text` lacks.

    A footnote is for all that was said since the one before it. `sentences_before` is
    how many sentences stand between these words and their citations: 0 for those that
    the citations follow directly. The farther, the less sure are they the citations'.
    """

    text: str
    kind: ClaimKind
    span: Span
    section: tuple[str, ...]
    context: str
    sentence: str  # the whole sentence the claim belongs to, plain
    citations: tuple[Citation, ...]  # adjacent ones, in order; may be empty if tagged
    tags: tuple[Tag, ...] = ()
    row: str | None = None  # header of the table row, or the infobox parameter
    column: str | None = None  # header of the table column
    line: str | None = None  # the whole table row, with the headers
    missing: tuple[MissingPiece, ...] = ()
    sentences_before: int = 0

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the distinct sources of all its citations, in order.

        Two copies of one address are two sources.
        """
        seen: dict[tuple[str, ...], Source] = {}
        for citation in self.citations:
            for source in citation.sources:
                seen.setdefault(source.copy, source)
        return tuple(seen.values())

    @property
    def source_keys(self) -> tuple[str, ...]:
        """Return the distinct keys of its sources, in order."""
        return tuple(dict.fromkeys(source.key for source in self.sources))


class UnattachedReason(Enum):
    """Why a reference of the page belongs to no claim."""

    NEVER_USED = "defined in a list but never used"
    NO_WORDS = "no words stand before it"
    STATES_NOTHING = "the words before it state nothing"  # "Source:", a column's header
    NO_SOURCE = "a note without a source"
    IN_HEADING = "stands in a heading"
    EMPTY = "is empty"
    UNCLOSED = "is never closed"
    HIDDEN = "stands where nothing is shown"  # e.g. inside a comment-like parameter


@dataclass(frozen=True, slots=True)
class UnattachedReference:
    """A reference that no claim accounts for, and the reason."""

    reason: UnattachedReason
    span: Span
    raw: str  # at most 200 characters of it
