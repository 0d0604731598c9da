"""A write that is wanted on a wiki, and what became of it. Pure.

A post is stored before it is first tried, and its name is part of its edit summary. So
after any crash or lost answer the wiki itself can show whether it was made.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from hashlib import sha256
from typing import TypeAlias

from bot.records.watches import PlanKind


@dataclass(frozen=True, slots=True)
class Append:
    """Text for the end of a page; the page is created if it is missing."""

    text: str


@dataclass(frozen=True, slots=True)
class Create:
    """The text of a new page; an existing page stays as it is, whatever it says."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplaceSection:
    """A section to be replaced, numbered as MediaWiki numbers them.

    `expected` is its current text, apart from white space at its end.
    """

    number: int
    expected: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplaceStretch:
    """A part of a user page to be replaced; `expected` must occur there once."""

    expected: str
    text: str


Change: TypeAlias = Append | Create | ReplaceSection | ReplaceStretch


@dataclass(frozen=True, slots=True)
class Post:
    """One write.

    `name` is its identity: a hexadecimal hash, different for each write. `summary`
    contains its signed key, and so does the text if it may. `task` is a word with a
    stop page of its own, and `user` the person for whom it is made, if there is one.

    `plan` and `subject` say which plan it came from. `adds` are the identities of the
    notes that it shows for the first time, `settles` those (or their first 24 digits)
    of the notes that it removes or marks.
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
        """What identifies the text in logs and tables."""
        return sha256(self.change.text.encode("utf-8", "replace")).hexdigest()


class PostState(Enum):
    """The state of a post."""

    WAITING = "waiting"  # it is certain that it was not made
    TRIED = "tried, outcome unknown"  # with a refusal it is parked
    POSTED = "posted"
    SHOWN = "shown in a dry run"
    REFUSED = "refused"
    DROPPED = "no longer wanted"


class Refusal(Enum):
    """Why a post is not made: never, or not until someone has checked."""

    PLACE = "it would be on a page where the bot may not write"
    EXCLUDED = "the page excludes bots"
    CHANGED = "what it was to replace is no longer there"
    GONE = "the page is missing"
    DELETED = "the page was deleted after the post may have been made"
    UNWANTED = "the article has changed, so it is no longer wanted"
    SPAM = "the wiki's spam blacklist refuses a link in it"
    FILTER = "an edit filter of the wiki disallows it or warns about it"
    PROTECTED = "the bot may not edit this page"
    BLOCKED = "the account is blocked from this page or its namespace"
    TOO_LONG = "the page would become too long"
    UNKNOWN = "the wiki refuses it for an unknown reason"
    UNCLEAR = "it is not known whether it was made"
    GIVEN_UP = "it waited so long that the page has changed"


FILTERS = frozenset({Refusal.FILTER, Refusal.SPAM})
"""Refusals for words or addresses in the text."""


@dataclass(frozen=True, slots=True)
class Posted:
    """It is on the wiki, made in this revision; 0 if the revision is unknown.

    `taken` are those of the notes it settles that people had removed just before.
    """

    revision_id: int
    taken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A dry run: it was written to a local page. `why_not` would have prevented it."""

    place: str
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """It was not made and will not be."""

    reason: Refusal
    why: str


@dataclass(frozen=True, slots=True)
class NotNow:
    """This try certainly did not make it; another may.

    If `halts`, nothing else should be written to this wiki until then.
    """

    why: str
    retry_in_s: float
    halts: bool = False


@dataclass(frozen=True, slots=True)
class Unclear:
    """It may have been made: check the wiki before trying anything else."""

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

    `token` is the fencing number; `tries` counts from 1. `first_tried_at` is `None` if
    no earlier try can have made the post. Otherwise it is the time, by the wiki's
    clock, of the first try that may have, or earlier. `first_base` is the page's newest
    revision then, 0 if there was no page, `None` if it is not known.
    """

    post: Post
    token: int
    tries: int
    until: datetime
    first_tried_at: datetime | None = None
    first_base: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How many posts of one task may be made in a day (UTC), counted in the store."""

    per_page: int = 2
    per_user: int = 20
    per_wiki: int = 200
    in_all: int = 500


@dataclass(frozen=True, slots=True)
class PostRules:
    """How posts are tried; `limits` by task, `usual` for tasks without their own.

    Only posts of `tasks` are taken up: others are left to the version of the program
    that asked for them. If `tasks` is empty, all are.

    `most_tries` counts tries with an unknown outcome. A post that was certainly not
    made is given up after `longest_s`, because the page has moved on by then; one that
    may have been made is parked.
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


class RequestOutcome(Enum):
    """What became of a request to post."""

    KEPT = "it waits"
    KNOWN = "a post of this name was requested before"
    BUSY = "an earlier post to this page is not settled: plan again when it is"


@dataclass(frozen=True, slots=True)
class StoredPost:
    """A post as stored; `note` is the last thing that happened to it."""

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


@dataclass(frozen=True, slots=True)
class NotesPosted:
    """What all posts of one task to one page did with notes, by their identities."""

    settled: frozenset[str] = frozenset()  # removed or marked on the wiki
    seen_dry: frozenset[str] = frozenset()  # only a dry run showed them


class Decision(Enum):
    """An operator's decision about a parked post; the value is the word for it."""

    POSTED = "posted"  # it was made, even if it has been removed since
    DROP = "drop"  # it was not made, and its notes are not to be shown on that page
    AGAIN = "again"  # it was not made, and is to be tried again


class AttemptLost(Exception):  # noqa: N818 - not an error: another process has the post
    """The lease expired, and someone else is trying the post or has settled it."""
