"""A write to a wiki that is wanted, and what became of it. Pure.

A post is kept before it is first tried and has a name that stands in its summary, so
that after any crash or lost answer the wiki itself can tell whether it was made.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from hashlib import sha256
from typing import TypeAlias

from bot.records.watches import PlanKind


@dataclass(frozen=True, slots=True)
class Append:
    """Text for the end of a page, which is made if it is missing."""

    text: str


@dataclass(frozen=True, slots=True)
class Create:
    """The text of a new page; where there is one already, whatever it says, it stays."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplaceSection:
    """A section to be replaced, numbered as MediaWiki numbers them.

    `expected` is what has to stand there, but for white space at its end.
    """

    number: int
    expected: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplaceStretch:
    """Part of a user page to be replaced; `expected` has to stand there once."""

    expected: str
    text: str


Change: TypeAlias = Append | Create | ReplaceSection | ReplaceStretch


@dataclass(frozen=True, slots=True)
class Post:
    """One write.

    `name` is its identity: a hash in hexadecimal, other for each write. `summary`
    holds its signed key, and so does the text where it may. `task` is a word with a
    stop page of its own, and `user` the person for whom it is, where there is one.

    `plan` and `subject` say which plan it came of. `adds` are the identities of the
    notes that it shows for the first time, `settles` those (or their first 24 digits)
    of notes that it takes away or marks.
    """

    name: str
    wiki: str
    title: str
    task: str
    change: Change
    summary: str
    asked_at: datetime
    user: str = ""
    plan: PlanKind | None = None
    subject: str = ""
    adds: tuple[str, ...] = ()
    settles: tuple[str, ...] = ()

    @property
    def text_sha256(self) -> str:
        """What the text is known by in logs and tables."""
        return sha256(self.change.text.encode("utf-8", "replace")).hexdigest()


class PostState(Enum):
    """Where a post stands."""

    WAITING = "waiting"  # it is certain that it was not made
    TRIED = "tried, and not known whether it was made"  # with a refusal it is parked
    POSTED = "posted"
    SHOWN = "shown in a dry run"
    REFUSED = "refused"
    DROPPED = "no longer wanted"


class Refusal(Enum):
    """Why a post is not made: never, or not until someone has looked."""

    PLACE = "it would be written where the bot may not write"
    EXCLUDED = "the page keeps bots away"
    CHANGED = "what it was to replace no longer stands there"
    GONE = "the page is missing"
    DELETED = "the page was deleted after it may have been written there"
    UNWANTED = "the article has changed so that it is no longer wanted"
    SPAM = "the wiki's spam blacklist refuses an address in it"
    FILTER = "an edit filter of the wiki refuses it or warns of it"
    CAPTCHA = "the wiki asks for a captcha"
    PROTECTED = "the bot may not edit this page"
    BLOCKED = "the account is blocked from this page or its namespace"
    TOO_LONG = "the page would become too long"
    UNKNOWN = "the wiki refuses it for a reason that is not known"
    UNCLEAR = "nobody can tell whether it was made"
    GIVEN_UP = "it waited for so long that the page has moved on"


@dataclass(frozen=True, slots=True)
class Posted:
    """It stands on the wiki, made in this revision; 0 if nobody can tell in which.

    Of the notes that it settles, people had `taken` some away a moment before.
    """

    revision_id: int
    taken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A dry run: it was written to a local page. `why_not` would have kept it back."""

    place: str
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """It was not made and will not be."""

    reason: Refusal
    why: str


@dataclass(frozen=True, slots=True)
class NotNow:
    """It was certainly not made by this try; another may do.

    With `halts`, nothing else should be written to this wiki until then either.
    """

    why: str
    retry_in_s: float
    halts: bool = False


@dataclass(frozen=True, slots=True)
class Unclear:
    """It may have been made: look at the wiki before anything else is tried."""

    why: str
    retry_in_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Parked:
    """Only a person can settle it; until then it is checked once a day."""

    why: str
    reason: Refusal
    retry_in_s: float = 86_400.0


Outcome: TypeAlias = Posted | Shown | Refused | NotNow | Unclear | Parked


@dataclass(frozen=True, slots=True)
class Attempt:
    """The right to try a post until `until`.

    `token` is the fencing number; `tries` counts from 1. `first_tried_at` is `None`
    if no earlier try can have made the post; it is the wiki's time of the first that
    may have, or earlier.
    """

    post: Post
    token: int
    tries: int
    until: datetime
    first_tried_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How many posts of one task may be made in a day (UTC), counted in the store."""

    per_page: int = 2
    per_user: int = 20
    per_wiki: int = 200
    in_all: int = 500


@dataclass(frozen=True, slots=True)
class PostRules:
    """How posts are tried; `limits` by task, `usual` for those not named.

    Only posts of `tasks` are taken up: others are left to the version of the program
    that asked for them. Without any named, all are.

    `most_tries` counts those of which nothing is known. A post that was certainly not
    made is given up after `longest_s`, for the page has moved on; one that may have been
    is parked.
    """

    usual: Limits = Limits()
    limits: dict[str, Limits] = field(default_factory=dict)
    tasks: frozenset[str] = frozenset()
    lease_s: float = 300.0
    most_tries: int = 20
    longest_s: float = 7 * 86_400.0

    def of(self, task: str) -> Limits:
        """Return the limits of a task."""
        return self.limits.get(task, self.usual)


class Asked(Enum):
    """What became of the wish to post."""

    KEPT = "it waits"
    KNOWN = "a post of this name was asked for before"
    BUSY = "an earlier post to this page is not settled: plan again when it is"


@dataclass(frozen=True, slots=True)
class KeptPost:
    """A post as the store knows it; `note` is the last thing that happened to it."""

    post: Post
    state: PostState
    tries: int
    due_at: datetime
    changed_at: datetime
    note: str = ""
    refusal: Refusal | None = None
    revision_id: int | None = None

    @property
    def is_parked(self) -> bool:
        """Whether it waits for a person to say what became of it."""
        return self.state is PostState.TRIED and self.refusal is not None


class Decision(Enum):
    """What an operator says of a parked post; the value is the word for it."""

    POSTED = "posted"  # it was made, whether or not it still stands there
    DROP = "drop"  # it was not made, and nobody is to see its notes on that page
    AGAIN = "again"  # it was not made, and is to be


class AttemptLost(Exception):  # noqa: N818 - not an error: another process has the post
    """The lease ran out and someone else tries the post, or settled it."""
