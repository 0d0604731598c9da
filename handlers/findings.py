"""What was found about a page, as it is kept and shown to people.

A *suggestion* is the part that all of them share: where it is on the page, how certain
it is, what the sources say, what would fix it. Its *finding* says what is wrong, and is
one of several kinds; `handlers.registry` lists them. Each kind has one class with all
that other code needs to know about it, so that none of that code has to ask which kind
it is. Pure.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum
from hashlib import sha256
from typing import ClassVar, TypeVar

from handlers.model import (
    Backing,
    DayPlace,
    Engine,
    Flag,
    IssueKind,
    Message,
    MissingKind,
    Origin,
    PageId,
    Span,
    Statement,
    TagKind,
    TraceStep,
    UpdateKind,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote in its context, and the source that it is from.

    `before` and `after` are at most about 200 characters of the same passage;
    `cut_before` and `cut_after` say whether the passage continues there. `href` leads
    to the words themselves if the source allows it. `title`, `work` and `published`
    describe the source as the article does, else as it does itself.
    """

    quote: str
    before: str
    after: str
    cut_before: bool
    cut_after: bool
    source_key: str
    title: str
    work: str | None = None
    published: str | None = None
    page: int | None = None
    href: str | None = None
    origin: Origin | None = None
    read_at: datetime | None = None
    language: str | None = None
    caveats: tuple[MissingKind, ...] = ()  # of what it was taken from


@dataclass(frozen=True, slots=True)
class DatedQuote:
    """What a newer source says, and when it said so."""

    quote: Quoted
    dated: date | None


@dataclass(frozen=True, slots=True)
class Earlier:
    """What stood in the place of the words before an edit; empty if nothing did.

    `marked` are the ranges that the edit changed. `since` and `until` are the revisions
    between which it was made, `at` is when the later one was saved; `None` for pages
    that are no revisions of a wiki.
    """

    text: str
    marked: tuple[Span, ...] = ()
    since: int | None = None
    until: int | None = None
    at: datetime | None = None

    label: ClassVar[Message] = Message("label-earlier", "Before the edit")


_SAID = Message("label-claim", "The article says")
SOURCE_SAYS = Message("label-source", "The source says")
NEAREST = Message("label-nearest", "Nearest passage")  # it decides nothing


@dataclass(frozen=True, slots=True)
class Facts:
    """What a note says about a finding besides the quotes, and how it is treated.

    `verdict` is the closest verdict that a claim can get. `marked` are the ranges of
    the suggestion's claim whose words are at fault; `text` is what the article says, if
    that is not the claim; `marked_in_quote` are ranges of the first quote. `tag` is the kind of tag that editors put after words that
    they leave as they are. `lines` are sentences that only this kind has; `guideline`
    is the page that asks for the change. `quotes` replace what the cited sources say.
    `citation` is filled in, ready to be copied; `fact` and `wording` may be a model's
    words, if the wiki's policy allows them. If `is_sensitive`, nothing of it may appear
    on a public page. `earlier` is what an edit changed.
    """

    headline: Message
    verdict: Verdict = Verdict.SUPPORTED
    tag: TagKind | None = None
    marked: tuple[Span, ...] = ()
    marked_in_quote: tuple[Span, ...] = ()
    text: str | None = None
    text_label: Message = _SAID
    quotes_label: Message = SOURCE_SAYS
    lines: tuple[Message, ...] = ()
    guideline: str | None = None
    quotes: tuple[DatedQuote, ...] = ()
    citation: str | None = None
    fact: str | None = None
    wording: str | None = None
    certainty: Message | None = None
    is_sensitive: bool = False
    earlier: Earlier | None = None


class Finding(ABC):
    """What is wrong; a kind of finding is a frozen dataclass that extends this.

    `kind` names it in the store, in JSON, on notes and in the keys of its messages.
    `asked_as` is the check by which an opt-in asks for it.
    """

    __slots__ = ()

    kind: ClassVar[str]
    asked_as: ClassVar[str]
    is_shown_unasked: ClassVar[bool] = True  # in the panel, even if nobody asked for it
    is_for_talk_pages: ClassVar[bool] = True
    needs_flag: ClassVar[bool] = True  # to be shown to people
    is_question: ClassVar[bool] = False  # it says nothing is wrong, and asks people

    @property
    @abstractmethod
    def facts(self) -> Facts:
        """What a note says about it."""


class RemedyKind(Enum):
    """What would fix a citation that fails, the simplest first."""

    ARCHIVED_COPY = "archived copy"  # of the cited page, which said it then
    OTHER_SOURCE = "other source"


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that supports a claim whose citation fails.

    `citation` is a filled citation template to copy, `None` if none could be filled;
    the `quote` is at `address`.
    """

    kind: RemedyKind
    address: str
    citation: str | None
    quote: str
    probability: float  # that it supports the claim


@dataclass(frozen=True, slots=True)
class Details:
    """What any suggestion has besides its place.

    It is stored because the text of a source is not: a panel that opens months later
    still shows the quotes in context. `occurrence` is how many sentences with the same
    words come before it on the page. For a value in an infobox or a table, `cell` names
    its row and column.
    """

    sentence: str = ""
    quotes: tuple[Quoted, ...] = ()
    occurrence: int = 0
    cell: tuple[str, ...] = ()


def identity_hash(page: PageId, *parts: str) -> str:
    """Return the hash that names a finding on a page, from what it is made of."""
    named = "\x1f".join((page.wiki, page.title, *parts))  # in no title, in no words
    return sha256(named.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A finding worth a Wikipedia editor's time, with a stable identity.

    `identity` is a hash of the page, the kind, the normalised words and what is cited:
    the same finding has the same identity in every revision, whatever its footnote
    number. Without a `flag` it is only doubtful, and is not published. `place`, the
    number of characters before the claim, puts the findings in page order.
    """

    identity: str
    page: PageId
    claim: str
    section: tuple[str, ...]
    source_keys: tuple[str, ...]
    finding: Finding
    probability: float
    quote: str | None
    quote_url: str | None
    engine: Engine
    flag: Flag | None = None
    place: int = 0
    remedies: tuple[Remedy, ...] = ()
    details: Details = field(default_factory=Details)

    @property
    def kind(self) -> str:
        """The name of the kind of its finding."""
        return self.finding.kind

    @property
    def verdict(self) -> Verdict:
        """The closest verdict that a claim can get."""
        return self.finding.facts.verdict

    @property
    def citation(self) -> str | None:
        """Return the filled citation of the simplest remedy that has one."""
        filled = (remedy.citation for remedy in self.remedies if remedy.citation)
        return next(filled, None)


@dataclass(frozen=True, slots=True)
class CurrentPlace:
    """Where a finding is on its page now, and the current words that it is about.

    `statement` is `None` if the section is meant, or if the fact is missing.
    """

    statement: Statement | None
    section: tuple[str, ...]
    place: int  # in characters of the page's wikitext
    words: str


_Kind = TypeVar("_Kind", bound=Finding)


def finding_of(found: Suggestion, kind: type[_Kind]) -> _Kind | None:
    """Return the finding of a suggestion if it is of this kind."""
    return found.finding if isinstance(found.finding, kind) else None


# --- a citation that fails, and a source where editors ask for one ------------------------

_FAILS = {
    Verdict.CONTRADICTED: "Contradicted by the source",
    Verdict.NOT_SUPPORTED: "Not supported by the source",
    Verdict.PARTIALLY_SUPPORTED: "Only partially supported by the source",
    Verdict.SUPPORTED: "Supported by the source",
}
_WHAT_TO_DO = {
    Verdict.CONTRADICTED: "Correct the article, or cite a source that says this.",
    Verdict.NOT_SUPPORTED: "Change the words, or cite a source that says them.",
    Verdict.PARTIALLY_SUPPORTED: "Keep what the source says, and cite the rest.",
    Verdict.SUPPORTED: "",
}


@dataclass(frozen=True, slots=True)
class CitationFinding(Finding):
    """The cited sources were read and do not say this.

    `unsupported` are ranges of the claim's text whose words found no support, `absent`
    the names in it that are nowhere in what was read. `chars` is how much was read
    where no passage is about the claim, else 0.
    """

    kind = "citation"
    asked_as = "citations"

    against: Verdict
    unsupported: tuple[Span, ...] = ()
    absent: tuple[str, ...] = ()
    chars: int = 0

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        against = self.against
        name = against.value.replace(" ", "-")
        return Facts(
            Message(f"kind-{name}", _FAILS[against]),
            lines=(Message(f"advice-{name}", _WHAT_TO_DO[against]),),
            verdict=against,
            tag=TagKind.FAILED_VERIFICATION,
            marked=self.unsupported,
        )


@dataclass(frozen=True, slots=True)
class SourceFinding(Finding):
    """A source for something that editors want a source for; it is the remedy."""

    kind = "source"
    asked_as = "better-sources"
    needs_flag = False

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        return Facts(Message("kind-source", "A source that seems to support this"))


# --- newer facts --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """Words of the page's wikitext, and what should replace them.

    `before` occurs on the page exactly once; both are cut to what differs, with as much
    around it as that takes. If `is_worded`, the new words are a model's.
    """

    before: str
    after: str
    is_worded: bool


_OF_UPDATES = {
    UpdateKind.OUTDATED: Message("kind-update", "May be out of date"),
    UpdateKind.NEW_FACT: Message("kind-new-fact", "A newer fact may be missing"),
    UpdateKind.POINTER: Message("kind-pointer", "A newer source worth reading"),
}
_ONE_SITE = "So far only one site says so."
_DAYS = {
    DayPlace.METADATA: Message("day-metadata", "The page’s metadata give its day."),
    DayPlace.ADDRESS: Message("day-address", "The page’s address gives its day."),
    DayPlace.TEXT: Message("day-text", "The page gives its day above its text."),
}
UNDATED = Message("day-none", "Undated: no day of the source was found.")
_UNTAG = "Once the article says so, $1 can go."
_BEHIND = Message("label-behind", "It would go after")
_STILL_SAID = Message("label-old", "The article still says")


@dataclass(frozen=True, slots=True)
class UpdateFinding(Finding):
    """Newer sources know something that the article does not.

    A suggestion is shown weeks after the run that found it, when nothing else of the
    run is left, so this holds all that people need to judge it. `statement` is the one
    that is outdated, or after which a new fact belongs; it is empty if the section has
    none. `fact` may be a model's words (`is_worded`), and so may `change`: a wiki's
    policy decides whether they are shown. `known_keys` are the sources that the article
    already cited. If `is_sensitive`, nothing of it appears on a public page. `why` are
    the steps that led to it, `news` is what newer sources say, newest first; `dated_in`
    is where the newest of them gives its day. `tagged`
    is the maintenance tag with which editors had asked for an update, as named on the
    page.
    """

    kind = "update"
    asked_as = "updates"

    update: UpdateKind
    fact: str
    section: tuple[str, ...]
    backing: Backing
    statement: str = ""
    header: str | None = None  # of the infobox or table, as in `Statement`
    dated: date | None = None
    sites: tuple[str, ...] = ()  # independent of each other, the best first
    has_primary: bool = False
    is_worded: bool = False
    is_sensitive: bool = False
    known_keys: tuple[str, ...] = ()
    citation: str | None = None  # filled in, for the best source
    change: ProposedChange | None = None
    refused: tuple[str, ...] = ()  # why a model's edit was not taken
    why: tuple[TraceStep, ...] = ()
    news: tuple[DatedQuote, ...] = ()
    tagged: str = ""
    dated_in: DayPlace | None = None

    @property
    def is_new(self) -> bool:
        """Whether nothing that the article says is wrong."""
        return self.update is not UpdateKind.OUTDATED

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        is_new, change = self.is_new, self.change
        quotes = {one.quote.quote for one in self.news}
        return Facts(
            _OF_UPDATES[self.update],
            verdict=Verdict.SUPPORTED if is_new else Verdict.CONTRADICTED,
            tag=None if is_new or self.tagged else TagKind.OUTDATED,
            text=self.statement if is_new else None,
            text_label=_BEHIND if is_new else _STILL_SAID,
            quotes_label=Message("label-newer", "Newer sources say"),
            lines=(self._backing(), *self._day(), *self._when_done()),
            quotes=self.news,
            citation=self.citation,
            fact=self.fact if self.fact not in quotes else None,
            wording=change.after if change and change.is_worded else None,
            is_sensitive=self.is_sensitive,
        )

    def _day(self) -> tuple[Message, ...]:
        """Return where the newest source gives its day, or that none does."""
        if self.dated is None:
            return (UNDATED,)
        return (_DAYS[self.dated_in],) if self.dated_in else ()

    def _when_done(self) -> tuple[Message, ...]:
        if not self.tagged:
            return ()
        return (Message("note-tag-outdated", _UNTAG, (f"{{{{{self.tagged}}}}}",)),)

    def _backing(self) -> Message:
        """Return how many sources say so, independently of each other."""
        if self.backing is Backing.LOW:
            return Message("backing-one", _ONE_SITE)
        if self.has_primary and len(self.sites) <= 1:
            return Message("backing-primary", "A primary source says so.")
        sites = len(self.sites)
        words = "$1 site says so." if sites == 1 else "$1 independent sites say so."
        return Message("backing-independent", words, (sites,))


# --- the writing --------------------------------------------------------------------------


_FLAWS = {
    IssueKind.LEAD_LENGTH: "Lead too long or too short",
    IssueKind.LEAD_NOT_SELF_SUFFICIENT: "The lead cannot be read on its own",
    IssueKind.LEAD_NOT_IN_BODY: "Only in the lead",
    IssueKind.PUFFERY: "Praise in the article’s own voice",
    IssueKind.LABEL: "Contentious label",
    IssueKind.WEASEL: "Unsupported attribution",
    IssueKind.DOUBT: "Doubt without attribution",
    IssueKind.EDITORIALIZING: "Editorial comment",
    IssueKind.SAID: "A loaded word for “said”",
    IssueKind.EUPHEMISM: "Euphemism",
    IssueKind.CLICHE: "Cliché or idiom",
    IssueKind.RELATIVE_TIME: "Relative time",
    IssueKind.UNSPECIFIED: "Unspecified place or event",
    IssueKind.SURVIVED_BY: "Obituary style",
    IssueKind.TONE: "Unencyclopedic tone",
    IssueKind.UNSOURCED: "Paragraph without a source",
    IssueKind.CITATION_DENSITY: "Few citations",
    IssueKind.OVERLONG_SECTION: "Overlong section",
    IssueKind.CLOSE_PARAPHRASE: "Very close to its source",
    IssueKind.ONE_SIDED: "One-sided sources",
    IssueKind.RECENTISM: "Too much weight on recent events",
    IssueKind.HEADING: "Heading",
    IssueKind.ESSAY: "Written like an essay",
    IssueKind.EMPTY_CITATION: "Footnote without content",
    IssueKind.PAST_FORECAST: "A forecast whose year is over",
    IssueKind.MODEL: "Found by a language model",
}
_IS_ABOUT = Message("label-writing-section", "This is about")


@dataclass(frozen=True, slots=True)
class WritingFinding(Finding):
    """A guideline asks for another wording, whatever the sources say.

    `at_fault` are the ranges of the suggestion's claim that it is about. `guideline`
    names the page of the English Wikipedia that asks for it. For a close paraphrase,
    `source_quote` has the source's own words. If `is_of_section`, it is about the whole
    section, or page, that begins with the words.
    """

    kind = "writing"
    asked_as = "writing"
    is_shown_unasked = False
    is_for_talk_pages = False

    flaw: IssueKind
    message: str
    advice: str
    guideline: str
    criteria: tuple[str, ...] = ()  # ids
    at_fault: tuple[Span, ...] = ()
    source_quote: str = ""
    is_of_section: bool = False

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        slug = "-".join(re.findall(r"[a-z0-9]+", self.flaw.value))
        return Facts(
            Message(f"writing-{slug}", _FLAWS[self.flaw]),
            marked=self.at_fault,
            text_label=_IS_ABOUT if self.is_of_section else _SAID,
            lines=(Message("", self.message), Message(f"advice-{slug}", self.advice)),
            guideline=self.guideline,
        )
