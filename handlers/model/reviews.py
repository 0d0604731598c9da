"""What a review of one article's or draft's writing finds.

A *criterion* is one of the 39 of Wiki Writing, known by its id (`ww_wtw_1`); a
*writing issue* is one place where the text falls short of some of them. Every value is
frozen. Pure.
"""

from dataclasses import dataclass, field
from enum import Enum

from handlers.model.claims import Span
from handlers.model.pages import Page
from handlers.model.verdicts import Engine, ModelUse


class Category(Enum):
    """The parts of the Good Article criteria that Wiki Writing asks about."""

    WELL_WRITTEN = "well_written"
    BROAD_COVERAGE = "broad_coverage"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion in our own words, with the Manual of Style page it rests on.

    `group` is one of the 15 groups; `guideline` a page such as "MOS:LEAD".
    """

    id: str
    category: Category
    group: str
    text: str
    guideline: str


class IssueKind(Enum):
    """What a program or a model can find in one article's writing.

    `LEAD_NOT_SELF_SUFFICIENT`, `LEAD_NOT_IN_BODY`, `SAID`, `UNSPECIFIED`, `SURVIVED_BY`
    and `RECENTISM` are no longer found, but may be stored.
    """

    LEAD_LENGTH = "lead too long or too short"
    LEAD_NOT_SELF_SUFFICIENT = "lead does not stand alone"
    LEAD_NOT_IN_BODY = "said in the lead alone"
    PUFFERY = "peacock term"
    LABEL = "contentious label"
    WEASEL = "unsupported attribution"
    DOUBT = "expression of doubt"
    EDITORIALIZING = "editorializing"
    SAID = "loaded synonym of said"
    EUPHEMISM = "euphemism"
    CLICHE = "cliché or idiom"
    RELATIVE_TIME = "relative time"
    UNSPECIFIED = "unspecified place or event"
    SURVIVED_BY = "survived by"
    TONE = "tone"
    UNSOURCED = "unsourced paragraph"
    CITATION_DENSITY = "few citations"
    OVERLONG_SECTION = "overlong section"
    CLOSE_PARAPHRASE = "close paraphrase"
    ONE_SIDED = "one-sided sourcing"
    RECENTISM = "recentism"
    HEADING = "heading"
    ESSAY = "essay-like"
    EMPTY_CITATION = "empty citation"
    PAST_FORECAST = "forecast that is over"
    MODEL = "by a model's reading"


@dataclass(frozen=True, slots=True)
class WritingIssue:
    """One thing to fix, with its place.

    `span` is of the page's wikitext (for an issue of a section or the whole: its
    first words) and `quote` the plain words that it is about, cut to about 300
    characters. `marked` are the ranges of `quote` that are at fault. `advice` says in
    one sentence how to fix it, `guideline` names the page that asks for it.
    `confidence` is 0 to 1. If it `is_of_page`, the whole article is meant.
    """

    kind: IssueKind
    criteria: tuple[str, ...]  # ids
    section: tuple[str, ...]
    span: Span
    quote: str
    message: str
    advice: str
    guideline: str
    confidence: float = 1.0
    marked: tuple[Span, ...] = ()
    source_key: str | None = None  # of the source that is paraphrased, or relied on
    source_quote: str = ""
    engine: Engine | None = None  # a model's, where one found it
    is_of_page: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """All findings about one page, in page order, and what was checked.

    `judged` are the ids of criteria that were checked, wholly or in part; the others
    need a model or a person, and the review says so.
    """

    page: Page
    findings: tuple[WritingIssue, ...]
    judged: frozenset[str]
    troubles: tuple[str, ...] = ()
    use: ModelUse = field(default_factory=ModelUse)
