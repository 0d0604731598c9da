"""The backend's answers, besides the cards of a page."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from bot.records.accuracy import AccuracyDay
from gadget.payloads.cards import (
    Card,
    ClaimShown,
    MessageShown,
    QuoteShown,
    SourceShown,
)
from gadget.payloads.fields import Payload


class Problem(Payload):
    """What is wrong, and what to do: `code` for programs, `message` for people.

    `reason` is the same for readers, where they may see it, in words that the script
    has in their language.
    """

    code: str = Field(examples=["bad-request"])
    message: str = Field(examples=["`title` is missing; send it."])
    retry_in_s: int | None = Field(None, ge=1)
    reason: MessageShown | None = None


class ProblemAnswer(Payload):
    """Any error answer."""

    error: Problem


class Counts(Payload):
    """How many flagged cards each page has; an unknown page has 0."""

    counts: dict[str, int]


class AccuracyAnswer(Payload):
    """How often notes on a wiki are right, by day, the newest first; no names."""

    wiki: str
    days: list[AccuracyDay]


class DecisionStored(Payload):
    """A decision as stored; `id` undoes it."""

    id: int
    kind: str
    reason: str | None = None
    says_so: bool | None = None  # of a claim that was compared with its source
    decided_at: datetime


class CheckAnswer(Payload):
    """The state of a check of a page; `problem` and `reason` say why it failed."""

    wiki: str
    title: str
    asked_at: datetime
    changed_at: datetime
    begun_at: datetime | None = None
    ended_at: datetime | None = None
    reading: str | None = None
    sources: int = Field(0, ge=0)
    sources_read: int = Field(0, ge=0)
    claims: int = Field(0, ge=0)
    claims_checked: int = Field(0, ge=0)
    revision: int | None = None
    problem: str | None = None
    reason: MessageShown | None = None


class SuppliedQuoteShown(Payload):
    """Words of a text that the reader supplied; `page` is of a PDF."""

    quote: str
    before: str
    after: str
    page: int | None = None


class SuppliedShown(Payload):
    """What the text says about one claim; without a verdict it is unclear."""

    claim: str
    verdict: str | None  # value of handlers.model.Verdict
    quotes: list[SuppliedQuoteShown]


class SuppliedAnswer(Payload):
    """The result for a text that the reader supplied.

    `problem` and `reason` say why if there is none.
    """

    id: str
    has_ended: bool
    problem: str | None = None
    reason: MessageShown | None = None
    results: list[SuppliedShown]


class QueueAnswer(Payload):
    """Part of the reader's queue; `next` requests the next part."""

    cards: list[Card]
    next: str | None = None
    total: int = Field(ge=0)


class Side(Payload):
    """One of two citations, shown so that nothing gives away which one it is."""

    quotes: list[QuoteShown]
    source: SourceShown


class ComparisonAnswer(Payload):
    """A claim and two citations for it, in random order."""

    comparison: str
    claim: ClaimShown
    title: str
    wiki: str
    first: Side
    second: Side


class AnswerStored(Payload):
    """A judgement was stored."""

    kept_at: datetime


class WaysAnswer(Payload):
    """How a reader of a wiki can say who they are."""

    ways: list[Literal["oauth", "proof"]]


class Attempt(Payload):
    """When and on which device a sign-in was begun, so that people recognise their own.

    Only the families of browser and system are known, and not of all.
    """

    begun_at: datetime
    browser: Literal["Chrome", "Edge", "Firefox", "Opera", "Safari"] | None = None
    system: Literal["Android", "iOS", "Linux", "macOS", "Windows"] | None = None


class SignInBegun(Attempt):
    """What the reader does next: opens `authorize_url`, or saves `text` on `page`.

    The edit must have the `summary`, too. `text` includes the first 16 digits of the
    `secret_sha256` that was sent; a text that does not is another script's.
    """

    state: str
    expires_at: datetime
    authorize_url: str | None = None
    page: str | None = None
    text: str | None = None
    summary: str | None = None


class SignedIn(Payload):
    """Who the reader is, and the token that says so from now on.

    `others` were in progress in the same name; they have ended with this one.
    """

    token: str
    user: str
    expires_at: datetime
    others: list[Attempt] = Field(default_factory=list)


class Waiting(Payload):
    """The reader has not done their part yet."""

    waiting: Literal[True] = True


class ReaderAnswer(Payload):
    """Who is signed in; `attempts` are sign-ins in their name, by anyone."""

    user: str
    wiki: str
    expires_at: datetime
    attempts: list[Attempt] = Field(default_factory=list)


class Health(Payload):
    """The backend is up; `version` is that of the program."""

    is_well: Literal[True] = True
    version: str
