"""What the database tells of how the program is doing, at one moment. Pure."""

from dataclasses import dataclass, field
from datetime import datetime

from bot.store.sight.decided import DecidedSight
from bot.store.sight.spent import SpendingSight
from bot.store.sight.values.found import (
    FindingsSight,
    ModelCost,
)
from bot.store.sight.values.running import (
    CommunitySight,
    FeedSight,
    Heartbeat,
    TurnSight,
    WatchesSight,
)
from bot.store.sight.values.waiting import (
    DraftsSight,
    PlansSight,
    QueueSight,
    ReadingsSight,
)
from bot.store.sight.values.written import PostsSight


@dataclass(frozen=True, slots=True)
class Sight:
    """All of it, read in one transaction."""

    at: datetime
    queue: QueueSight
    plans: PlansSight
    posts: PostsSight
    findings: FindingsSight
    decided: DecidedSight
    feeds: tuple[FeedSight, ...]
    watches: tuple[WatchesSight, ...]
    communities: tuple[CommunitySight, ...]
    turns: tuple[TurnSight, ...]
    processes: tuple[Heartbeat, ...]
    costs_day: tuple[ModelCost, ...]
    costs_week: tuple[ModelCost, ...]
    drafts: DraftsSight = field(default_factory=lambda: DraftsSight({}))
    readings: ReadingsSight = field(default_factory=ReadingsSight)
    spending: SpendingSight = field(default_factory=SpendingSight)
