"""What the world knows and the article does not, and how that was found.

The words are WiNELL's: the *navigator* chooses the next query or document, the
*extractor* takes candidate updates from a document, the *aggregator* decides which of
them belong in the article, the *editor* words the edit. Every value is frozen. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum

from handlers.model.better_sources import Reliability
from handlers.model.claims import ClaimKind, Span
from handlers.model.fetches import SourceFetch
from handlers.model.pages import Page
from handlers.model.search import Found, Query, Window
from handlers.model.verdicts import Engine, Evidence, ModelUse


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
    def full_text(self) -> str:
        """What it says by itself: a value together with its header."""
        if self.header and self.header not in self.text:
            return f"{self.header}: {self.text}"
        return self.text


@dataclass(frozen=True, slots=True)
class SectionCriteria:
    """What belongs in a section (WiNELL §3.1).

    `wants` are kinds of facts in plain words. A section that is not `is_open` takes no
    facts, such as references or links.
    """

    path: tuple[str, ...]
    wants: tuple[str, ...]
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


class DayPlace(Enum):
    """Where a page states its own day."""

    METADATA = "metadata"
    ADDRESS = "address"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class CandidateUpdate:
    """A fact that the extractor took from one document.

    `text` is the fact: the quote itself or, if `is_worded`, a model's statement of it.
    The quote is in the document, character for character.
    """

    text: str
    evidence: Evidence
    fetch: SourceFetch
    dated: date | None
    search: str = ""
    is_worded: bool = False
    score: float = 0.0  # how well it fits subject and section, 0 to 1
    dated_in: DayPlace | None = None


class Ignored(Enum):
    """Why something that was found is not suggested."""

    NOT_ABOUT_SUBJECT = "it is not about the subject of the article"
    OUTSIDE_WINDOW = "it is older or newer than the days asked for"
    UNDATED = "nothing says when it was written"
    OPINION = "it is an opinion"
    ADVERTISING = "it is advertising"
    SPECULATION = "it is speculation, or a plan that may change"
    NOT_A_FACT = "it is not a statement by itself"
    TRIVIAL = "it is too minor for the article"
    ALREADY_SAID = "the article says so already"
    OLDER_THAN_ARTICLE = "the article has a newer figure"
    DUPLICATE = "it was found already"
    COPY = "the page is a copy of the article, or of a wiki"
    UNRELIABLE = "the wiki does not accept the site"
    NOT_IN_SOURCE = "the quote is not in the source"
    NOT_SUPPORTED = "the source does not support the statement"
    NO_SECTION = "no section of the article takes such facts"
    NOT_READ = "the page could not be read"
    DISPUTED = "sources disagree"


@dataclass(frozen=True, slots=True)
class IgnoredFact:
    """Something that the extractor or the aggregator left out, and why.

    `said` is what a model wrote; `quote` is in the source.
    """

    quote: str  # at most about 300 characters
    why: Ignored
    detail: str = ""
    said: str = ""


class UpdateKind(Enum):
    """What is wrong."""

    OUTDATED = "outdated statement"  # newer dated sources say otherwise
    NEW_FACT = "new fact"  # nothing in the article says so
    POINTER = "source worth reading"  # no fact is claimed


@dataclass(frozen=True, slots=True)
class UpdateSource:
    """A source of an update. `site` is its registered domain: one site is one voice."""

    fetch: SourceFetch
    evidence: Evidence
    site: str
    reliability: Reliability
    dated: date | None
    is_primary: bool = False
    search: str = ""
    dated_in: DayPlace | None = None


class Backing(Enum):
    """How well an update is supported."""

    HIGH = "two independent sources, or a primary one"
    LOW = "one source"


@dataclass(frozen=True, slots=True)
class Update:
    """A fact for the article, with its sources, the best first.

    `replaces` is the statement that is outdated; `after` the statement of `section`
    after which the fact belongs, `None` if the section has none. `probability` is the
    engine's: that the sources refute `replaces`, or that the article lacks the fact.
    `number` identifies it among the updates of one run.
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
    score: float = 0.0  # how well its first candidate fits the article

    @property
    def dated(self) -> date | None:
        """The latest day that one of its sources gives."""
        days = [one.dated for one in self.sources if one.dated]
        return max(days, default=None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The smallest edit that brings an update into its paragraph, all in wikitext.

    `before` is at `span` of the page's wikitext. If `is_worded`, the new words are a
    model's and have passed our checks; otherwise only a citation and a mark are added
    to the article's words. `refused` says why a model's edit was not taken.
    """

    update: int
    span: Span
    before: str
    after: str
    citation: str
    is_worded: bool = False
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Add:
    """The article lacks the fact: it belongs in `section`, right after `after`.

    For a `POINTER` no fact is claimed; its source is worth reading for `section`.
    """

    section: tuple[str, ...]
    after: Statement | None
    probability: float
    kind: UpdateKind = UpdateKind.NEW_FACT


@dataclass(frozen=True, slots=True)
class Replace:
    """The fact refutes a statement of the article."""

    probability: float
    statement: Statement


@dataclass(frozen=True, slots=True)
class Corroborate:
    """An update that was found earlier has one more source."""

    update: int  # its number


@dataclass(frozen=True, slots=True)
class Ignore:
    """The fact does not belong in the article; `said` is what a model wrote.

    `update` is the number of the update that it is ignored for.
    """

    why: Ignored
    detail: str = ""
    said: str = ""
    update: int | None = None


FactDecision = Add | Replace | Corroborate | Ignore


@dataclass(frozen=True, slots=True)
class Ask:
    """The navigator puts a query to every search.

    Where `is_worded`, a model wrote the query, and why.
    """

    query: Query
    why: str
    is_worded: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """The navigator opens a document that a search found.

    Where `is_worded`, a model wrote why.
    """

    found: Found
    why: str
    is_worded: bool = False


class Stopped(Enum):
    """Why a run ended."""

    NOTHING_LEFT = "there was nothing left to search for or open"
    ENOUGH = "enough was found"
    STEPS = "the steps were used up"
    TIME = "the time was used up"
    MONEY = "the budget of the language model was used up"
    FAILED = "a step failed"


@dataclass(frozen=True, slots=True)
class Stop:
    """The navigator ends the run."""

    why: Stopped = Stopped.NOTHING_LEFT


Move = Ask | Open | Stop


@dataclass(frozen=True, slots=True)
class RunHistory:
    """What the navigator may look back on. `hits` are of all queries, best first.

    `refused` says why its last step could not be taken, if it could not.
    """

    queries: tuple[Query, ...] = ()
    hits: tuple[Found, ...] = ()
    opened: frozenset[str] = frozenset()  # addresses, normalised
    leads: tuple[str, ...] = ()  # from the aggregator, not yet followed
    updates: tuple[Update, ...] = ()
    steps_left: int = 0
    refused: str = ""


class Role(Enum):
    """Who did a step."""

    CRITERIA = "criteria"
    NAVIGATOR = "navigator"
    SEARCH = "search"
    READER = "reader"
    EXTRACTOR = "extractor"
    AGGREGATOR = "aggregator"
    EDITOR = "editor"


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of a run, in plain words for a person.

    `what` is in our words and `quote` in those of a source. `said` is what a model
    wrote, which only some wikis let people see: `words` leaves it out elsewhere.
    """

    role: Role
    what: str
    at_s: float  # since the run began
    address: str | None = None
    quote: str | None = None
    ignored: Ignored | None = None
    update: int | None = None  # the number of the update it led to
    said: str = ""

    def words(self, *, with_said: bool) -> str:
        """Return what was done, with the words of a model only where asked for."""
        return f"{self.what}: {self.said}" if with_said and self.said else self.what


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a run found, how, and why it ended; the most certain updates first.

    `engine` is the verifier that gave the updates' probabilities. `turns` counts how
    often each role was asked, `failed` how often its model gave nothing usable.
    """

    subject: Subject
    updates: tuple[Update, ...]
    trace: tuple[TraceStep, ...]
    stopped: Stopped
    troubles: tuple[str, ...] = ()
    use: ModelUse = field(default_factory=ModelUse)
    proposals: tuple[Proposal, ...] = ()
    took_s: float = 0.0
    pages_found: int = 0  # by all searches, each page once
    engine: Engine | None = None
    turns: Mapping[Role, int] = field(default_factory=dict)
    failed: Mapping[Role, int] = field(default_factory=dict)
