"""What the panel sends: the names of a query, and the bodies of what a reader does."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, RootModel
from pydantic.json_schema import SkipJsonSchema

from bot.records.accounts import DismissReason, ErrorKind, ReviewOutcome
from gadget.payloads.fields import (
    HexHash,
    Identity,
    Limit,
    Moment,
    Payload,
    RequestedRevision,
    Revision,
    Title,
    Token,
    Wiki,
)
from handlers.model import Verdict


class OfWiki(Payload):
    """A request about one wiki."""

    wiki: Wiki


class AccuracyQuery(Payload):
    """Which wiki, and from which day (UTC) on; the last hundred days if none."""

    wiki: Wiki
    since: date | SkipJsonSchema[None] = None


class OfPage(Payload):
    """A request about one page."""

    wiki: Wiki
    title: Title


class SuppliedAsked(Payload):
    """A source's text that the reader has, or a PDF of it in base64.

    `source` is what a card calls its `key`.
    """

    wiki: Wiki
    title: Title
    source: Annotated[str, Field(min_length=1, max_length=1_999)]
    content: Annotated[str, Field(min_length=1, max_length=11_000_000)]
    encoding: Literal["plain", "base64"] = "plain"


class PageQuery(Payload):
    """Which page, and which revision of it the reader sees; by default the newest.

    With `since`, the older revision of a diff, the answer has only the notes about
    edits between the two.
    """

    wiki: Wiki
    title: Title
    revision: RequestedRevision | SkipJsonSchema[None] = None
    since: RequestedRevision | SkipJsonSchema[None] = None


class CountsQuery(Payload):
    """Which pages; `title` may be there many times."""

    wiki: Wiki
    title: list[Title] = Field(min_length=1, max_length=50)


class EventsQuery(Payload):
    """Which check: of which page, and requested when."""

    wiki: Wiki
    title: Title
    since: Moment | SkipJsonSchema[None] = None


class QueueQuery(Payload):
    """Which part of the queue: the `next` of the part before it.

    With `kind`, only notes about edits, the newest edit first.
    """

    after: (
        Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,512}$", max_length=512)]
        | SkipJsonSchema[None]
    ) = None
    limit: Limit = 20
    kind: Literal["changed"] | SkipJsonSchema[None] = None


class Accept(Payload):
    """The reader did what a card suggests."""

    kind: Literal["accept"]
    wiki: Wiki
    identity: Identity
    revision: Revision | None = None


class Dismiss(Payload):
    """The reader does not want to see a card again."""

    kind: Literal["dismiss"]
    wiki: Wiki
    identity: Identity
    reason: DismissReason
    revision: Revision | None = None


class WrongVerdict(Payload):
    """The reader knows better what the source says."""

    kind: Literal["wrong verdict"]
    wiki: Wiki
    identity: Identity
    right_verdict: Verdict
    revision: Revision | None = None


class Compared(Payload):
    """The reader compared a claim with its source."""

    kind: Literal["compared"]
    wiki: Wiki
    identity: Identity
    says_so: bool
    revision: Revision | None = None


Deciding = Annotated[
    Accept | Dismiss | WrongVerdict | Compared, Field(discriminator="kind")
]


class DecisionAsked(RootModel[Deciding]):
    """What a reader decides about a card."""


class Preference(Payload):
    """Which of two citations serves the claim better."""

    preferred: Literal["first", "second", "either", "neither"]


class Review(Payload):
    """What a reviewer would do with a card, and what is wrong with it."""

    wiki: Wiki
    identity: Identity
    outcome: ReviewOutcome
    errors: list[ErrorKind] = Field([], max_length=8)


class SignInAsked(Payload):
    """How somebody wants to sign in.

    `secret_sha256` is the hash, in hexadecimal, of a secret that the script made and keeps
    until it fetches its token. `user` is who they say they are, for the way `proof`.
    """

    wiki: Wiki
    way: Literal["oauth", "proof"]
    user: Annotated[Title, Field(max_length=235)] | None = None
    secret_sha256: HexHash


class Finish(Payload):
    """The secret whose hash began a sign-in."""

    secret: Token
