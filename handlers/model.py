"""The values that travel through the program, in the field's own words.

A *claim* is the words a *citation* vouches for; a *source* is what is cited;
a *passage* is a slice of a source; *evidence* is a passage that decided a
*verdict*. Every value is frozen; closed sets are enums. Pure.
"""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `[start, end)` of character offsets into one text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part of `text` that this span covers."""
        return text[self.start : self.end]


# --- the page ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageId:
    """One revision of one page of one wiki; `None` where it came from a file."""

    wiki: str  # host name, such as "en.wikipedia.org"
    title: str
    page_id: int | None = None
    revision_id: int | None = None
    revised_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that follows it, up to the next heading of any level.

    The lead is the section with `level` 0 and an empty path. The sections of a
    page, joined in order, are its wikitext, character for character.
    """

    path: tuple[str, ...]  # headings from the top down, markup removed
    level: int  # number of "=" signs; 0 for the lead
    span: Span  # heading included, in characters
    body: Span  # heading excluded
    byte_offset: int  # of `span.start` in UTF-8, as MediaWiki's `byteoffset`


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

    `sources` is empty where the marker leads nowhere; `problem` then says why
    (for instance "no reference is named 'smith'").
    """

    form: CitationForm
    marker: Span  # where the marker stands in the wikitext
    sources: tuple[Source, ...]
    name: str | None = None
    group: str | None = None
    pages: str | None = None  # from {{sfn|p=}}, {{rp}}: narrower than the source's own
    problem: str | None = None


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
    """Where in the page the claim stands."""

    SENTENCE = "sentence"
    CLAUSE = "clause"  # part of a sentence, between two citations
    LIST_ITEM = "list item"
    TABLE_CELL = "table cell"
    INFOBOX_VALUE = "infobox value"
    NOTE = "note"  # text inside {{efn}}, with citations of its own
    CAPTION = "caption"  # of a picture or a gallery


@dataclass(frozen=True, slots=True)
class Claim:
    """The words that one group of adjacent citations vouches for.

    `text` is plain (markup, tags and citations removed); `span` covers its
    wikitext, citations excluded. `context` is the plain text that precedes it
    in its section, nearest last, at most some 600 characters.
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

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the distinct sources of all its citations, in order."""
        seen: dict[str, Source] = {}
        for citation in self.citations:
            for source in citation.sources:
                seen.setdefault(source.key, source)
        return tuple(seen.values())


class UnattachedReason(Enum):
    """Why a reference of the page vouches for no claim."""

    NEVER_USED = "defined in a list but never used"
    NO_WORDS = "no words stand before it"
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


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page. `wikitext` is kept unchanged; spans point into it."""

    id: PageId
    wikitext: str
    sections: tuple[Section, ...]
    claims: tuple[Claim, ...]
    unattached: tuple[UnattachedReference, ...]
    tags: tuple[Tag, ...]
    redirect_to: str | None = None
    is_disambiguation: bool = False


# --- reading a source -------------------------------------------------------


class SourceOutcome(Enum):
    """What came of reading a source. All but READ mean: could not check."""

    READ = "read"
    EMPTY_SHELL = "empty shell"  # a page that needs scripts to show its text
    LOGIN_WALL = "login wall"
    COOKIE_WALL = "cookie wall"
    BOT_CHECK = "bot check"
    REFUSED = "refused"  # 401, 403, 429, 451
    ROBOTS = "robots.txt forbids it"
    GONE = "gone"  # 404, 410, dead host
    SOFT_404 = "soft 404"  # says "not found" with status 200
    UNREACHABLE = "unreachable"  # time-out, TLS or connection error, 5xx
    TOO_LARGE = "too large"
    NOT_TEXT = "not text"
    INCOMPLETE = "incomplete"  # the text extractor stopped early or was killed
    FORBIDDEN_ADDRESS = "forbidden address"  # internal or malformed; never connected
    OFFLINE = "offline"  # a book, or no address at all
    NOT_IN_FOLDER = "not read"  # checking from disk, and the page is not there


class Origin(Enum):
    """Where the text of a source came from."""

    LIVE = "live"
    ARCHIVE = "archive"
    DISK = "disk"


class DocumentKind(Enum):
    """What a page states that it is."""

    NEWS = "news"
    JOURNAL = "journal article"
    BOOK = "book"
    CONFERENCE = "conference paper"
    REPORT = "report"
    THESIS = "thesis"


@dataclass(frozen=True, slots=True)
class Author:
    """An author as stated; the parts of the name only where they are told apart."""

    name: str
    family: str | None = None
    given: str | None = None


@dataclass(frozen=True, slots=True)
class Imprint:
    """What a page states about itself in fields that are made for programs.

    Nothing in it is inferred from the page's looks or address.
    """

    kind: DocumentKind | None = None
    title: str | None = None
    authors: tuple[Author, ...] = ()
    site: str | None = None
    work: str | None = None  # the journal, newspaper or proceedings it is part of
    publisher: str | None = None
    published: str | None = None  # ISO, as precise as stated: year, month or day
    language: str | None = None
    doi: str | None = None
    isbn: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None


@dataclass(frozen=True, slots=True)
class SourceText:
    """The readable text of a source and what it says about itself.

    `page_starts` holds the offset in `text` where each page of a PDF begins and
    is empty for other types. `title` to `published` are the best guess of the
    extractor; `imprint` holds what is stated and nothing else.
    """

    text: str
    title: str | None = None
    site: str | None = None
    author: str | None = None
    published: str | None = None  # ISO date
    language: str | None = None
    page_starts: tuple[int, ...] = ()
    imprint: Imprint = Imprint()


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What came of reading one source: the text, or why there is none.

    `document` is present exactly where `outcome` is READ. `url` is the address
    the text came from, after redirects. `detail` is one plain line for a person
    (for instance "the server answered 403").
    """

    source: Source
    outcome: SourceOutcome
    detail: str
    origin: Origin | None = None
    url: str | None = None
    read_at: datetime | None = None  # capture time for archives and disk
    http_status: int | None = None
    content_sha256: str | None = None
    document: SourceText | None = None


# --- verifying --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of a source's text, with its place there.

    `text == reading.document.text[span.start:span.end]`; `page` counts from 1.
    """

    source_key: str
    text: str
    span: Span
    page: int | None = None


class Verdict(Enum):
    """What the sources that were read say about the claim."""

    SUPPORTED = "supported"
    PARTIALLY_SUPPORTED = "partially supported"
    NOT_SUPPORTED = "not supported"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Engine:
    """Who decided: name and version of the verifier, stored with each result."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Probabilities:
    """Calibrated probabilities of the verifier; they sum to 1."""

    supported: float
    partially_supported: float
    not_supported: float
    contradicted: float

    def of(self, verdict: Verdict) -> float:
        """Return the probability of `verdict`."""
        return {
            Verdict.SUPPORTED: self.supported,
            Verdict.PARTIALLY_SUPPORTED: self.partially_supported,
            Verdict.NOT_SUPPORTED: self.not_supported,
            Verdict.CONTRADICTED: self.contradicted,
        }[verdict]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote from the source, found again there character for character.

    `quote` lies inside `passage`, and `span` is its place in the text of the
    source. `matched` are ranges of `passage.text` whose words also stand in the
    claim.
    """

    passage: Passage
    quote: str
    span: Span
    matched: tuple[Span, ...]
    score: float  # how well the passage fits the claim; only comparable within a claim


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer of a verifier for one claim and the passages it was given.

    `unsupported` are ranges of the claim's text whose words found no support.
    """

    verdict: Verdict
    probabilities: Probabilities
    evidence: tuple[Evidence, ...]  # best first
    unsupported: tuple[Span, ...]
    engine: Engine


class Trust(Enum):
    """How the wiki's own lists, or its rules, regard a source."""

    RELIABLE = "generally reliable"
    MIXED = "no consensus on its reliability"
    UNLISTED = "not on the list of discussed sources"
    UNRELIABLE = "generally unreliable"
    DEPRECATED = "deprecated"
    BLACKLISTED = "blacklisted"
    MIRROR = "copy of a wiki"
    SELF_PUBLISHED = "self-published or written by users"
    PREDATORY = "listed as predatory publishing"

    @property
    def may_be_recommended(self) -> bool:
        """Whether a source so regarded may be put before a Wikipedia editor."""
        return self in {Trust.RELIABLE, Trust.MIXED, Trust.UNLISTED}


@dataclass(frozen=True, slots=True)
class Reliability:
    """How a source is regarded, why, and where that was discussed."""

    trust: Trust
    note: str  # one plain sentence
    shortcut: str | None = None  # such as "WP:FORBES"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A source that supports a claim better than what the claim cites.

    `present` is the probability of the present citation, `None` where none was
    read. `evidence.quote` stands in the source, character for character.
    """

    reading: SourceReading
    evidence: Evidence
    probability: float  # that it supports the claim
    present: float | None
    template: str  # wikitext, every field stated by the page
    reliability: Reliability
    search: str  # which one found it


@dataclass(frozen=True, slots=True)
class Contrary:
    """A source that says otherwise, where no source was found that agrees."""

    reading: SourceReading
    evidence: Evidence
    probability: float  # that it contradicts the claim
    reliability: Reliability
    search: str


@dataclass(frozen=True, slots=True)
class BetterSources:
    """What a search for a better source came to; at most one of the two is there."""

    recommendation: Recommendation | None
    contrary: Contrary | None
    candidates_read: int
    troubles: tuple[str, ...] = ()  # searches that could not be asked, and why


@dataclass(frozen=True, slots=True)
class Drift:
    """A cited page said this when it was cited, and says so no longer.

    `archived` is the capture that supports the claim. `template` is the citation
    with that capture filled in, where it is one that we can fill.
    """

    archived: SourceReading
    evidence: Evidence
    probability: float  # that the capture supports the claim
    present: float  # the same of today's page
    cited_on: date | None  # the access date that the citation gives
    archive_url: str  # as a reader opens it
    template: str | None


class CheckKind(Enum):
    """What a claim can be flagged for, the most specific first."""

    CONTRADICTED = "contradicted"
    NOT_SUPPORTED = "not supported"  # contradicted included
    NOT_FULLY_SUPPORTED = "not fully supported"  # all that is not supported


@dataclass(frozen=True, slots=True)
class Flag:
    """A claim is put before people, and how far that can be trusted.

    `probability` is the engine's that the claim fails in the way of `kind`. Of the
    claims whose probability reaches `threshold`, the share `precision` failed where
    this was measured; `None` where it never was.
    """

    kind: CheckKind
    probability: float
    threshold: float
    precision: float | None = None


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A claim, what came of reading its sources, and the verdict if there is one.

    `verdict` is `None` where the claim could not be checked; `advice` then tells
    a Wikipedia editor in one sentence what they can do. The later stages add
    what they found: `better` is `None` where no better source was looked for,
    `flag` where the claim is not surely enough at fault to be put before people.
    """

    claim: Claim
    readings: tuple[SourceReading, ...]
    verdict: Verdict | None
    verification: Verification | None
    advice: str | None = None
    opinion: "Opinion | None" = None  # of a language model, where one was asked
    better: BetterSources | None = None
    drift: Drift | None = None
    flag: Flag | None = None


# --- searching ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for: a claim with what a reader of its article already knows."""

    claim: str  # plain text
    title: str  # of the article
    section: tuple[str, ...] = ()
    context: str = ""  # the plain text that precedes the claim


@dataclass(frozen=True, slots=True)
class Found:
    """A document that a search returned; `SourceReader` reads it by its `address`.

    `score` is comparable only within one answer; `search` names the service.
    """

    address: str
    title: str | None
    excerpt: str
    score: float
    search: str


# --- what is kept -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A finding worth a Wikipedia editor's time, with a stable identity.

    `identity` is the hash of page, normalised claim and source keys: the same
    finding has the same identity in every revision, whatever its footnote
    number.
    """

    identity: str
    page: PageId
    claim: str
    section: tuple[str, ...]
    source_keys: tuple[str, ...]
    verdict: Verdict
    probability: float
    quote: str | None
    quote_url: str | None
    engine: Engine


# --- asking a language model --------------------------------------------------


class Setback(Enum):
    """Why the word of a language model on a claim does not count."""

    NO_QUOTE = "it gave no quote"
    QUOTE_NOT_FOUND = "its quote does not stand in the source"
    QUOTE_ELSEWHERE = "its quote speaks of something else"
    QUOTE_DIFFERS = "its quote says another number or date"
    LEFT_OUT = "it left the claim out"
    ANSWERED_TWICE = "it answered twice"
    UNKNOWN_VERDICT = "it gave a verdict that does not exist"
    REFUSED = "it refused to answer"
    CUT_OFF = "its answer was cut off"
    UNREADABLE = "its answer was not in the form asked for"
    TOO_LONG = "the question was too long for it"
    OUT_OF_BUDGET = "the budget does not allow another call"
    OUT_OF_REACH = "it could not be reached"
    UNUSABLE = "its server does not accept our requests"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a language model said of a doubtful claim, and what became of it.

    Either the word counts, and then `setback` is `None` and the check's
    verification holds it, or it does not, and the check stands as it was.
    """

    engine: Engine
    verifier: Engine
    before: Verdict  # of the verifier alone
    verdict: Verdict | None  # the model's; `None` where it gave none
    setback: Setback | None


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What asking a language model took; uses add up.

    `cost` is in the currency of the prices in the settings. `calls` are requests
    that were sent, answered or not; what was known from before is `remembered`.
    """

    calls: int = 0
    remembered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: "ModelUse") -> "ModelUse":
        """Return both uses as one."""
        return ModelUse(
            self.calls + other.calls,
            self.remembered + other.remembered,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class Consultation:
    """What came of putting a page's doubtful claims to a language model.

    `stopped` tells in plain lines for a person what kept it from answering, each
    reason once.
    """

    engine: Engine
    asked: int  # claims
    counted: int  # claims whose answer counts
    use: ModelUse
    stopped: tuple[str, ...] = ()
