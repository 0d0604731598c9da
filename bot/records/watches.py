"""What people asked to be watched, what has to be planned for them, and what they saw.

These values go between the store and the code that plans what is written. Pure.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import TypeAlias

from bot.records.tasks import Lease, TaskKind


class NoteKind(Enum):
    """What can be refused; the value is the word for it on wikis."""

    CITATIONS = "citations"
    UPDATES = "updates"
    DRAFTS = "drafts"
    WRITING = "writing"


@dataclass(frozen=True, slots=True)
class PageSays:
    """What the text of a page says about notes: `optout` of `{{bots}}`, its templates.

    `templates` are names in lower case; the community decides which of them refuse.
    """

    optout: frozenset[NoteKind] = frozenset()
    templates: frozenset[str] = frozenset()


class Surface(Enum):
    """Where notes are shown."""

    REPORT = "report"  # a page in the watcher's own space
    GADGET = "gadget"  # the panel beside the article
    TALK = "talk"  # a section on the article's talk page


class Policy(Enum):
    """What a wiki lets a program show."""

    POINTER = "pointer"  # sentence, quotes, sources, filled citation; no model's words
    FACTS = "facts"  # a plain statement of the new fact, too
    WORDING = "wording"  # a proposed minimal edit, too


class Check(Enum):
    """What is checked."""

    CITATIONS = "citations"  # does the source say what the sentence says
    BETTER_SOURCES = "better-sources"
    DRIFT = "drift"  # does the page still say what it said when it was cited
    UPDATES = "updates"  # are there newer facts
    WRITING = "writing"  # does the wording keep to the guidelines


class Period(Enum):
    """The period that a number of notes is counted over; the value is in days."""

    DAY = 1
    WEEK = 7
    MONTH = 30


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `count` notes in each period."""

    count: int
    per: Period = Period.DAY

    @property
    def per_day(self) -> float:
        """The same for one day."""
        return self.count / self.per.value

    def __str__(self) -> str:
        return f"{self.count} per {self.per.name.lower()}"


class WatcherKind(Enum):
    """Whose opt-in template it is, according to where it is."""

    USER = "user"  # in a user's own space
    PAGE = "page"  # on the talk page of the page itself
    PROJECT = "project"  # on the talk page of a project


@dataclass(frozen=True, slots=True)
class ActiveWatch:
    """An opt-in in force, with its wiki's limits applied and its categories looked up.

    `place` is the page with the template, `pages` the titles that are checked, `report`
    the title of the report page if there is one.
    """

    wiki: str
    place: str
    kind: WatcherKind
    watcher: str  # the user's name, or the title of the page or project
    pages: tuple[str, ...]
    checks: tuple[Check, ...] = (Check.CITATIONS,)
    surfaces: tuple[Surface, ...] = (Surface.REPORT,)
    report: str | None = None
    interval_s: int = 0
    most: Rate = Rate(25)
    min_confidence: float | None = None
    languages: tuple[str, ...] = ()
    refuses: tuple[NoteKind, ...] = ()  # refused by the person, on pages of their own


class PlanKind(Enum):
    """What has to be planned again; the value says what its subject is."""

    OPT_INS = "a page with an opt-in template, or all of them"
    REPORT = "the page of the opt-in that a report belongs to"
    TALK = "the article whose talk page it is"
    DRAFT = "the page of a person's own that a draft goes to"

    @property
    def task(self) -> TaskKind:
        """The kind of task that it is."""
        return TaskKind[f"PLAN_{self.name}"]

    @classmethod
    def of(cls, task: str) -> "PlanKind":
        """Return the kind that a task of this name plans."""
        return cls[task.removeprefix("PLAN_")]


PLANS = tuple(kind.task for kind in PlanKind)
"""All plans among the kinds of tasks."""


@dataclass(frozen=True, slots=True)
class IntendedPost:
    """A plan to be made; `subject` is a title, or empty for all opt-ins of a wiki."""

    kind: PlanKind
    wiki: str
    subject: str
    due_at: datetime


Plan: TypeAlias = Lease[IntendedPost]
"""The right to plan something; posts are named after its token."""


@dataclass(frozen=True, slots=True)
class PlansState:
    """How many plans of each kind wait or are being made, and since when one is due."""

    waiting: dict[PlanKind, int]
    leased: dict[PlanKind, int]
    oldest_due_at: datetime | None


@dataclass(frozen=True, slots=True)
class FailingPlan:
    """A plan that waits after a failure, and what failed."""

    intended_post: IntendedPost
    attempts: int
    note: str
    failed_at: datetime


class NoteState(Enum):
    """What became of a note that people were shown."""

    OPEN = "open"
    SETTLED = "settled"  # the sentence was changed, and the note was removed
    DISMISSED = "dismissed"  # a person removed it: it does not come back


@dataclass(frozen=True, slots=True)
class ShownNote:
    """A note that is, or was, on a page of the wiki."""

    identity: str
    place: str  # the page it is on
    article: str
    state: NoteState
    shown_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class CommunityPage:
    """The last version of a wiki's configuration page that could be read.

    `faults` are those of a newer version that could not be read: it has no effect.
    """

    text: str
    revision_id: int
    read_at: datetime
    faults: tuple[str, ...] = field(default=())
