"""A suggestion as the panel shows it, and all of a page."""

from datetime import date, datetime
from enum import Enum

from pydantic import Field

from gadget.payloads.fields import Payload
from handlers.registry import KINDS


class Words(Payload):
    """Some words of a claim, and whether no support was found for them.

    `is_meant` marks those that a note about the wording or an edit is about, or in
    which a claim and a passage differ.
    """

    text: str
    unsupported: bool = False
    is_meant: bool = False


class ClaimShown(Payload):
    """The words that need support, and how the script finds their sentence.

    `occurrence` is the number of sentences with the same words before it on the page.
    For a value in an infobox or a table `place` names its row and column.
    """

    text: str
    pieces: list[Words]
    sentence: str
    section: list[str]
    occurrence: int = Field(ge=0)
    place: list[str] = Field(default_factory=list)


class ReliabilityShown(Payload):
    """How the wiki's own lists rate a source."""

    trust: str  # name of handlers.model.Trust in lower case, such as "reliable"
    note: str
    shortcut: str | None = None
    href: str | None = None
    named_by: str | None = None  # the list that says so


class SourceShown(Payload):
    """A source of the claim, or one that was found for it."""

    key: str
    title: str
    work: str | None = None
    published: str | None = None
    host: str | None = None
    href: str | None = None
    reliability: ReliabilityShown | None = None


class QuoteShown(Payload):
    """A quote in its context; `source` is its index in the card's list.

    `pieces` are its words where some of them are marked.
    """

    quote: str
    pieces: list[Words] = Field(default_factory=list)
    before: str
    after: str
    cut_before: bool
    cut_after: bool
    source: int = Field(ge=0)
    page: int | None = None
    href: str | None = None
    is_archived: bool = False
    origin: str | None = None  # value of handlers.model.Origin
    caveats: tuple[str, ...] = ()  # values of handlers.model.MissingKind
    read_at: datetime | None = None
    language: str | None = None
    dated: date | None = None  # of a newer fact


class EditKind(Enum):
    """What an edit does, for its icon and its words."""

    TAG = "tag"  # put a maintenance tag behind the citation
    UNTAG = "untag"  # take a maintenance tag away
    ARCHIVE = "archive"  # the same source, as it was archived
    CITE = "cite"  # another source that says it
    UPDATE = "update"  # cite a newer source and mark what it finds outdated
    PLACE = (
        "place"  # cite a newer source where its fact belongs; people write the words
    )
    WORDING = "wording"  # words of a program that bring a newer fact in
    RESTORE = "restore"  # the words that stood there before an edit
    SECTION = "section"  # nothing: the section is opened for people to write themselves


class Edit(Payload):
    """A change to one section's wikitext that the reader may make themselves.

    `before + old + after` is found exactly once in the section; `new` replaces `old`.
    `section` is the wiki's own number of it, 0 for the lead. `label` names what is
    added: a template, or the source's title. The wiki's policy decides whether a
    program's words are offered (`EditKind.WORDING`).
    """

    id: str
    kind: EditKind
    label: str
    section: int = Field(ge=0)
    before: str
    old: str
    new: str
    after: str


class RemedyShown(Payload):
    """A source that supports the claim; `edit` names the edit that adds it."""

    kind: str  # "archived copy" or "other source"
    source: int = Field(ge=0)
    quote: str
    citation: str | None
    percent: int = Field(ge=0, le=100)
    edit: str | None = None


class Confidence(Payload):
    """How certain the finding is, and how often findings like it are right.

    Where one citation in ten fails in this way, `right_in_100` of 100 such findings are
    right: rounded to tens, or 0 if fewer than one in ten is. It is missing if it was
    never measured.
    """

    percent: int = Field(ge=0, le=100)
    right_in_100: int | None = Field(None, ge=0, le=90, multiple_of=10)


class Made(Payload):
    """How and when a card was made."""

    engine: str
    version: str
    checked_at: datetime
    revision: int | None


class Mine(Payload):
    """What the requesting reader decided about it."""

    id: int
    kind: str
    reason: str | None = None
    says_so: bool | None = None  # of a claim that was compared with its source
    decided_at: datetime


class StepShown(Payload):
    """One step of the search that led to an update, in plain words."""

    role: str  # value of handlers.model.Role
    what: str
    quote: str | None = None
    href: str | None = None


class UpdateShown(Payload):
    """What newer sources say that the article does not.

    For a new fact the card's claim is the sentence that it belongs after; its words are
    empty if the section has none. `fact` states it in plain words, if the wiki's policy
    allows that and no quote says exactly that.
    """

    kind: str  # value of handlers.model.UpdateKind
    fact: str | None
    is_worded: bool  # the fact is in a model's words
    dated: date | None
    citation: str | None  # filled, to be copied
    why: list[StepShown]


class WritingShown(Payload):
    """What a guideline asks of an article's words; the words are the card's claim.

    With `is_of_section`, the whole section is meant, and the claim is its beginning.
    For a close paraphrase the card's quote is what the source says.
    """

    kind: str  # value of handlers.model.IssueKind
    message: str  # in English, of these very words
    advice: str  # in English, the same for all of its kind
    guideline: str  # a page of the English Wikipedia, such as "MOS:LEAD"
    href: str  # of that page
    is_of_section: bool


class ChangeShown(Payload):
    """What an edit did to a statement, and the words that stood there before it.

    What it changed is marked `is_meant`, on both sides: the words after it are the
    card's claim. `before` is empty for what was inserted. `since` and `until` are the
    revisions between which it was made, `at` is when the later one was saved; they are
    missing on pages that are no revisions of a wiki.
    """

    done: str  # value of handlers.model.EditKind
    before: list[Words]
    since: int | None = Field(None, ge=1)
    until: int | None = Field(None, ge=1)
    at: datetime | None = None


class MessageShown(Payload):
    """Words of a note, by the key of the script's messages and in English.

    $1, $2 … stand for the values.
    """

    key: str
    english: str
    values: list[str | int] = Field(default_factory=list)


class ActionShown(Payload):
    """Something that an editor can do about a note, in the order in which they work.

    `kind` is "open" (the passage), "diff" (of the edit), "restore" (the old words),
    "undo" (in the wiki's own form), "fix" (the words, in the editor), "replace" (the
    source), "tag" or "dismiss"; `edit` names the edit that does it, `href` the passage.
    """

    kind: str
    edit: str | None = None
    href: str | None = None


class NoteShown(Payload):
    """The note as every surface shows it: the same words, the same certainty."""

    headline: MessageShown
    said_as: MessageShown
    quoted_as: MessageShown
    reason: MessageShown | None
    certainty: MessageShown
    lines: list[MessageShown]
    cell: list[str]
    actions: list[ActionShown]


class Card(Payload):
    """One suggestion. A page's cards come in the same order everywhere."""

    id: str
    kind: str = Field(json_schema_extra={"enum": [*sorted(KINDS)]})
    verdict: str  # value of handlers.model.Verdict
    is_flagged: bool  # otherwise it is merely doubtful
    place: int
    confidence: Confidence
    claim: ClaimShown
    quotes: list[QuoteShown]
    sources: list[SourceShown]
    remedies: list[RemedyShown]
    edits: list[Edit]
    made: Made
    title: str  # of its page
    wiki: str
    mine: Mine | None = None
    update: UpdateShown | None = None
    writing: WritingShown | None = None
    change: ChangeShown | None = None
    note: NoteShown | None = None


class WayShown(Payload):
    """Where a person may find a source, by the value of its AccessKind."""

    way: str
    href: str


class LinkShown(Payload):
    """What the history of an address shows, and since when."""

    state: str  # value of handlers.sources.links.LinkState
    since: datetime | None
    times: int = Field(ge=0)
    led_to: str | None = None


class ChangedLink(Payload):
    """A cited address that no longer serves its source, and what fixes it."""

    claim: ClaimShown
    source: SourceShown
    link: LinkShown
    edits: list[Edit]


class Unchecked(Payload):
    """A claim that could not be checked, and what a person can do about it."""

    claim: ClaimShown
    outcome: str  # value of handlers.model.SourceOutcome
    advice: str  # `lines` in English
    lines: list[MessageShown] = Field(default_factory=list)
    source: SourceShown | None
    edits: list[Edit]
    ways: list[WayShown] = Field(default_factory=list)
    link: LinkShown | None = None


class LastCheckAnswer(Payload):
    """The last check of a page."""

    revision: int | None
    at: datetime
    engine: str
    claims: int
    supported: int


class PassedOverShown(Payload):
    """Something that a search for newer facts found and left out, and why."""

    quote: str
    why: str  # value of handlers.model.Ignored
    href: str | None


class LastSearch(Payload):
    """The last search for newer facts about a page, and what it left out."""

    at: datetime
    since: date | None
    until: date | None
    updates: int
    pages: int  # that were opened
    stopped: str  # value of handlers.model.Stopped
    passed_over: list[PassedOverShown]


class PageAnswer(Payload):
    """All there is to show beside one revision of a page.

    `outdated` counts suggestions whose sentence has changed since: they are left out.
    `last_check` is missing if the page was never checked, `searched` if nobody asked for
    newer facts. What concerns living people and contentious topics is only for
    signed-in readers.
    """

    wiki: str
    title: str
    revision: int | None
    last_check: LastCheckAnswer | None
    is_waiting: bool  # a check of it is due or in progress
    cards: list[Card]
    unchecked: list[Unchecked]
    outdated: int = Field(ge=0)
    searched: LastSearch | None = None
    links: list[ChangedLink] = Field(default_factory=list)
