"""How the program is doing: what waits, what was found and posted, what runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from bot.records.accounts import DecisionKind, ReportAnswer, Tally
from bot.records.changes import DeadReason, Gap
from bot.records.dossiers import DraftState
from bot.records.heartbeat import Heartbeat, Incident
from bot.records.jobs import ParkedJob
from bot.records.noted_edits import NotedEdits
from bot.records.patrol import PatrolCounts
from bot.records.posts import PostState, Refusal
from bot.records.spending import PayerKind
from bot.records.tasks import TaskState
from bot.records.watches import CommunityPage, FailingPlan, PlanKind, WatcherKind
from handlers.model import CheckKind, SourceOutcome, Verdict

DAY_S = 86_400.0
WEEK_S = 7 * DAY_S
AGES_S = (60.0, 600.0, 3600.0, DAY_S)
"""The upper bounds of the classes of age in a queue; one more class holds what is older."""


@dataclass(frozen=True, slots=True)
class Ages:
    """How many there are in each age class, and the time of the oldest.

    `counts` has one more number than `AGES_S`. `to_come` are those that are not due
    yet.
    """

    to_come: int = 0
    counts: tuple[int, ...] = (0,) * (len(AGES_S) + 1)
    oldest_at: datetime | None = None

    @property
    def total(self) -> int:
        """Return how many there are in all."""
        return self.to_come + self.come

    @property
    def come(self) -> int:
        """Return how many there are that are due."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """The pages by state; ages count from when they were due, begun, parked or done."""

    states: Mapping[TaskState, Ages]
    parked: tuple[ParkedJob, ...]  # the newest
    why_parked: tuple[tuple[str, int], ...]  # reasons, most frequent first
    next_due_at: datetime | None
    failing: int  # waiting after a failure


@dataclass(frozen=True, slots=True)
class FetchesStatus:
    """How many sources workers wait for others to read, and since when."""

    waiting: int = 0
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class PlansStatus:
    """The plans that are due again: how many wait of each kind, and since when."""

    waiting: Mapping[PlanKind, Ages]
    failing: tuple[FailingPlan, ...]


@dataclass(frozen=True, slots=True)
class DraftsStatus:
    """How many drafts that people asked for are in each state, and since when.

    `why_none` counts the reasons why there is no draft, most frequent first.
    """

    states: Mapping[DraftState, Ages]
    why_none: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PostLine:
    """A post without its text and without the name of the person it is for."""

    wiki: str
    title: str
    task: str
    state: PostState
    tries: int
    asked_at: datetime
    due_at: datetime
    changed_at: datetime
    note: str
    refusal: Refusal | None
    revision_id: int | None


@dataclass(frozen=True, slots=True)
class Used:
    """How many posts count for a task today (UTC); on all wikis if `wiki` is empty."""

    task: str
    wiki: str
    count: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A note that a filter of its wiki refuses, so that it is left out of a page.

    `why` are the wiki's words.
    """

    wiki: str
    title: str
    identity: str
    article: str
    claim: str
    why: str
    refused_at: datetime


@dataclass(frozen=True, slots=True)
class PostsStatus:
    """What was written and what will be.

    `counts` are all posts that are still stored; `week` are those that reached the
    state in the last seven days, and `refusals` counts the reasons among these.
    """

    counts: Mapping[PostState, int]
    week: Mapping[PostState, int]
    refusals: Mapping[Refusal, int]
    waiting: Ages
    held: tuple[tuple[str, int], ...]  # notes of those that wait, most frequent first
    newest: tuple[PostLine, ...]
    last_posted_at: datetime | None
    last_shown_at: datetime | None
    used_today: tuple[Used, ...]
    parked: int = 0  # which only a person can settle
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class NotesStatus:
    """What became of the notes of one check kind that people were shown.

    `kind` is the name of the check kind that the claim was flagged for; empty if it is
    no longer known.
    """

    kind: str
    shown: int
    settled: int
    dismissed: int

    @property
    def open(self) -> int:
        """Return how many nobody has acted on yet."""
        return self.shown - self.settled - self.dismissed

    @property
    def decided(self) -> int:
        """Return for how many it is known what people did with them."""
        return self.settled + self.dismissed

    @property
    def precision(self) -> float | None:
        """Return settled / (settled + dismissed); `None` if nothing was decided.

        A note is settled when the sentence was changed so that the note no longer
        applied, and dismissed when a person removed it. So this says how often people
        acted on a note rather than refused it, not how often the note was true.
        """
        return self.settled / self.decided if self.decided else None


@dataclass(frozen=True, slots=True)
class SourcesStatus:
    """Readings by outcome, from the newest check of each page checked in the period."""

    pages: int
    outcomes: Mapping[SourceOutcome, int]

    @property
    def total(self) -> int:
        """Return how many sources were fetched."""
        return sum(self.outcomes.values())

    @property
    def is_mostly_unread(self) -> bool:
        """Return whether more fetches failed than returned a text."""
        return 2 * self.outcomes.get(SourceOutcome.READ, 0) < self.total


@dataclass(frozen=True, slots=True)
class DayOfChecks:
    """The checks of 24 hours up to `until`, and the claims in them."""

    until: datetime
    checks: int
    claims: int
    verdicts: Mapping[Verdict, int]
    unchecked: int


@dataclass(frozen=True, slots=True)
class FindingsStatus:
    """What was checked and found.

    `flagged` are the open suggestions that are certain enough to be shown, by what they
    are flagged for; `doubtful` are the other open ones.
    """

    pages: int
    last_check_at: datetime | None
    days: tuple[DayOfChecks, ...]  # the last 24 hours are first
    flagged: Mapping[CheckKind, int]
    doubtful: int
    closed: int
    sources_day: SourcesStatus
    sources_week: SourcesStatus
    notes: tuple[NotesStatus, ...]


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What a language model took in the checks of some period."""

    model: str
    calls: int
    remembered: int
    input_tokens: int
    output_tokens: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class FeedStatus:
    """How far a feed was read.

    `newest_at` is the time of the newest event that was stored, and `received_at` the
    time at which it was.
    """

    feed: str
    newest_at: datetime | None
    received_at: datetime
    gaps: tuple[Gap, ...]  # not yet filled
    dead_day: Mapping[DeadReason, int]  # dead letters of the last 24 hours
    dead: int  # all that are stored

    def lag_s(self, now: datetime, *, quiet_s: float = 120.0) -> float | None:
        """Return how far behind the wikis we are; `None` before the first event.

        While events come, this is how old the newest was on arrival. Once none has come
        for `quiet_s`, it grows, because a quiet feed cannot be told from a lost one.
        """
        if self.newest_at is None:
            return None
        is_fresh = (now - self.received_at).total_seconds() <= quiet_s
        until = self.received_at if is_fresh else now
        return max((until - self.newest_at).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True)
class WatchesStatus:
    """The opt-ins of one wiki that are in force."""

    wiki: str
    kinds: Mapping[WatcherKind, int]
    pages: int  # each counted once
    talk: int  # watches that want notes on talk pages


@dataclass(frozen=True, slots=True)
class CommunityStatus:
    """A wiki's configuration page as it was last read."""

    wiki: str
    page: CommunityPage


@dataclass(frozen=True, slots=True)
class PatrolStatus:
    """What was looked at of all edits of a wiki, today and in the last week (UTC)."""

    wiki: str
    waiting: Ages
    today: PatrolCounts
    week: PatrolCounts


@dataclass(frozen=True, slots=True)
class ScheduledStatus:
    """A scheduled task: when it last began, and who holds it until when."""

    name: str
    last_run_at: datetime | None
    holder: str
    until: datetime | None


@dataclass(frozen=True, slots=True)
class DecisionsStatus:
    """What readers of the panel decided at `since` or later, and what they closed.

    `kinds` counts the decisions in force; `closed` all suggestions that two readers
    refused. `reports` counts those on wikis' pages of reports by answer; `None` if none
    were read yet.
    """

    since: datetime
    kinds: Mapping[DecisionKind, int]
    closed: int
    tallies: tuple[Tally, ...]
    reports: Mapping[ReportAnswer | None, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpendingStatus:
    """What language models took of the day's allowance (UTC), over all processes.

    `reserved` is set aside for requests under way, or by processes that died.
    `refused_at` is set if the last request was not let through. `refused` counts the
    pages and people whose own share does not allow the next request.
    """

    settled: Decimal = Decimal(0)
    reserved: Decimal = Decimal(0)
    calls: int = 0
    refused_at: datetime | None = None
    refused: Mapping[PayerKind, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Status:
    """The whole status, read in one transaction."""

    at: datetime
    queue: QueueStatus
    plans: PlansStatus
    posts: PostsStatus
    findings: FindingsStatus
    decided: DecisionsStatus
    feeds: tuple[FeedStatus, ...]
    watches: tuple[WatchesStatus, ...]
    communities: tuple[CommunityStatus, ...]
    scheduled: tuple[ScheduledStatus, ...]
    processes: tuple[Heartbeat, ...]
    costs_day: tuple[ModelCost, ...]
    costs_week: tuple[ModelCost, ...]
    drafts: DraftsStatus = field(default_factory=lambda: DraftsStatus({}))
    fetches: FetchesStatus = field(default_factory=FetchesStatus)
    spending: SpendingStatus = field(default_factory=SpendingStatus)
    patrol: tuple[PatrolStatus, ...] = ()  # of wikis with edits that were heard of
    noted: tuple[NotedEdits, ...] = ()  # edits, in the days for which decisions count
    incidents: tuple[Incident, ...] = ()  # as they were last found
