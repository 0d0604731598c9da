"""What the world knows and the article does not, and how that was found.

The words are WiNELL's: the *navigator* chooses the next query or document, the
*extractor* takes candidate updates from a document, the *aggregator* decides which of
them belong into the article, the *editor* words the edit. Every value is frozen. Pure.
"""

from dataclasses import dataclass
from datetime import date
from enum import Enum

from handlers.model.better_sources import Reliability
from handlers.model.claims import ClaimKind
from handlers.model.pages import Page
from handlers.model.readings import SourceReading
from handlers.model.searching import Window
from handlers.model.spans import Span
from handlers.model.verdicts import Engine, Evidence


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that the article says, with or without a citation.

    `text` is plain and `span` its wikitext, citations behind it excluded. `header` is
    the parameter of an infobox, or the row and column of a cell. `as_of` is the day on
    which it held, where the article says so ("as of May 2024", `{{as of|2024|5}}`).
    """

    text: str
    kind: ClaimKind
    section: tuple[str, ...]
    span: Span
    context: str = ""  # plain text that precedes it in its section
    header: str | None = None
    as_of: date | None = None
    is_cited: bool = False

    @property
    def said(self) -> str:
        """What it says as a sentence of its own: a value with what it is of."""
        if self.header and self.header not in self.text:
            return f"{self.header}: {self.text}"
        return self.text


@dataclass(frozen=True, slots=True)
class SectionCriteria:
    """What belongs into a section (WiNELL §3.1).

    `wants` are kinds of facts in plain words, for people and models. `terms` are
    stems of words that mark facts of this section, with weights above 0, for the
    embedded engine. A section that is not `is_open` takes no facts: references, links.
    """

    path: tuple[str, ...]
    wants: tuple[str, ...]
    terms: tuple[tuple[str, float], ...] = ()
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class Criteria:
    """The criteria of all sections of one article, the lead first.

    They hold as long as the article's outline has the fingerprint `outline_sha256`.
    Where `is_worded`, a model wrote what the sections want.
    """

    sections: tuple[SectionCriteria, ...]
    outline_sha256: str
    engine: Engine
    is_worded: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What all roles know: the article, what it is about, and which days count.

    `names` are what the article's subject is called, its title first, parentheses
    removed. `is_sensitive` is set for living persons and contentious topics: the bar
    is higher there, and nothing is shown on public surfaces.
    """

    page: Page
    names: tuple[str, ...]
    statements: tuple[Statement, ...]
    criteria: Criteria
    window: Window
    today: date
    is_sensitive: bool = False


class DateBasis(Enum):
    """What tells when a fact was made known."""

    PAGE = "the page states its date"
    TEXT = "the sentence names its date"
    SEARCH = "the search gives the date"


@dataclass(frozen=True, slots=True)
class CandidateUpdate:
    """A fact that the extractor took from one document.

    `text` is the fact: the quote itself, or where `is_worded`, a model's statement of
    it. The quote stands in the document, character for character.
    """

    text: str
    evidence: Evidence
    reading: SourceReading
    section: tuple[str, ...]  # where it seems to belong
    dated: date | None
    basis: DateBasis | None
    search: str = ""
    is_worded: bool = False
    score: float = 0.0  # how well it fits subject and section, 0 to 1
    borne_out: float = 1.0  # probability that the document says so; 1 for a quote


class Ignored(Enum):
    """Why something that was found is not suggested."""

    NOT_ABOUT_SUBJECT = "it is not about the subject of the article"
    OUTSIDE_WINDOW = "it is older or newer than the days asked for"
    UNDATED = "nothing tells when it was written"
    OPINION = "it is an opinion"
    ADVERTISING = "it is advertising"
    SPECULATION = "it is speculation, or a plan that may change"
    NOT_A_FACT = "it is no statement of its own"
    TRIVIAL = "it is too small for the article"
    ALREADY_SAID = "the article says so"
    OLDER_THAN_ARTICLE = "the article has a newer figure"
    DUPLICATE = "it was found before"
    COPY = "the page is a copy of the article, or of a wiki"
    UNRELIABLE = "the wiki does not accept the site"
    NOT_IN_SOURCE = "the quote does not stand in the source"
    NOT_SUPPORTED = "the source does not bear the statement out"
    NO_SECTION = "no section of the article takes such facts"
    NOT_READ = "the page could not be read"
    DISPUTED = "sources disagree"


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Something that the extractor or the aggregator left out, and why.

    `said` is what a model wrote; a quote stands in the source.
    """

    quote: str  # at most some 300 characters
    why: Ignored
    detail: str = ""
    address: str | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document gave."""

    candidates: tuple[CandidateUpdate, ...]
    passed_over: tuple[PassedOver, ...] = ()


class UpdateKind(Enum):
    """What is the matter."""

    OUTDATED = "outdated statement"  # newer dated sources say otherwise
    NEW_FACT = "new fact"  # nothing in the article says so
    POINTER = "source worth reading"  # no fact is claimed


@dataclass(frozen=True, slots=True)
class UpdateSource:
    """A source of an update. `site` is its registered domain: one site is one voice."""

    reading: SourceReading
    evidence: Evidence
    site: str
    reliability: Reliability
    dated: date | None
    basis: DateBasis | None
    probability: float  # that it bears the update's text out
    is_primary: bool = False
    search: str = ""


class Backing(Enum):
    """How well an update is borne out."""

    HIGH = "two independent sources, or a primary one"
    LOW = "one source"


@dataclass(frozen=True, slots=True)
class Update:
    """A fact for the article, with its sources, the best first.

    `replaces` is the statement that is outdated; `after` the statement of `section`
    behind which the fact belongs, `None` where the section has none. `probability` is
    the engine's: that the sources refute `replaces`, or that the article lacks the
    fact. `number` tells the updates of one run apart.
    """

    number: int
    kind: UpdateKind
    text: str
    section: tuple[str, ...]
    sources: tuple[UpdateSource, ...]
    probability: float
    replaces: Statement | None = None
    after: Statement | None = None
    backing: Backing = Backing.LOW
    is_worded: bool = False
    score: float = 0.0  # how well it fits the article, of its first candidate

    @property
    def dated(self) -> date | None:
        """The latest day that one of its sources gives."""
        days = [one.dated for one in self.sources if one.dated]
        return max(days, default=None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The smallest edit that brings an update into its paragraph, all in wikitext.

    `before` stands at `span` of the page's wikitext. Where `is_worded`, the new words
    are a model's and have passed our checks; else no words of the article change but
    by a citation and a mark. `refused` tells why a model's edit was not taken.
    """

    update: int
    span: Span
    before: str
    after: str
    citation: str
    is_worded: bool = False
    refused: tuple[str, ...] = ()
