"""A program at work, of which one thing at a time can be otherwise."""

from dataclasses import replace
from datetime import timedelta

from bot.daemon.status.situation import INTAKE, PUBLISH, SERVE, WORK, Situation
from bot.records.accounts import DecisionKind
from bot.records.posts import PostState
from bot.records.status import (
    Ages,
    DayOfChecks,
    DecisionsStatus,
    FeedStatus,
    FindingsStatus,
    PlansStatus,
    PostsStatus,
    QueueStatus,
    SourcesStatus,
    Status,
    WatchesStatus,
)
from bot.records.tasks import TaskState
from bot.records.watches import PlanKind, WatcherKind
from handlers.model import CITATION_CHECKS, Verdict
from tests.bot.daemon.status.filled import FEED, MEANS, heartbeat
from tests.bot.store.runs import NOON, WIKI, hour

_SOURCES = SourcesStatus(0, {})

SOUND = Status(
    at=NOON,
    queue=QueueStatus(dict.fromkeys(TaskState, Ages()), (), (), None, 0),
    plans=PlansStatus(dict.fromkeys(PlanKind, Ages()), ()),
    posts=PostsStatus(
        counts=dict.fromkeys(PostState, 0),
        week=dict.fromkeys(PostState, 0),
        refusals={},
        waiting=Ages(),
        held=(),
        newest=(),
        last_posted_at=None,
        last_shown_at=None,
        used_today=(),
    ),
    findings=FindingsStatus(
        pages=1,
        last_check_at=hour(-1),
        days=(DayOfChecks(NOON, 1, 1, dict.fromkeys(Verdict, 0), 0),) * 7,
        flagged=dict.fromkeys(CITATION_CHECKS, 1),
        doubtful=0,
        closed=0,
        sources_day=_SOURCES,
        sources_week=_SOURCES,
        notes=(),
    ),
    decided=DecisionsStatus(hour(-999), dict.fromkeys(DecisionKind, 0), 0, ()),
    feeds=(
        FeedStatus(
            FEED, NOON - timedelta(seconds=3), NOON - timedelta(seconds=1), (), {}, 0
        ),
    ),
    watches=(WatchesStatus(WIKI, dict.fromkeys(WatcherKind, 1), 3, 0),),
    communities=(),
    scheduled=(),
    processes=tuple(heartbeat(role) for role in (INTAKE, WORK, PUBLISH, SERVE)),
    costs_day=(),
    costs_week=(),
)


def situation(
    configured: dict[str, object] | None = None, **changes: object
) -> Situation:
    """Return the situation of a program at work but for `changes` of its status."""
    return Situation(
        replace(SOUND, **changes),  # type: ignore[arg-type]  # fields by name
        replace(MEANS, **(configured or {})),  # type: ignore[arg-type]  # fields by name
    )


def without(role: str) -> dict[str, object]:
    """Return the change that no process has this role."""
    return {"processes": tuple(one for one in SOUND.processes if one.role != role)}
