"""Counts rows by how old they are, in the database itself."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    case,
    func,
    literal,
    select,
    true,
)

from bot.records.changes import DeadReason, Hole, Position
from bot.records.dossiers import DraftState
from bot.records.posts import PostState, Refusal
from bot.records.tasks import TaskState
from bot.store import compatibility
from bot.store.jobs import IS_CHECK, parked_jobs
from bot.store.posts import Scope, count_parked, count_posts, is_parked
from bot.store.schema import (
    dead_letters,
    drafts,
    holes,
    positions,
    post_counts,
    posts,
    tasks,
)
from bot.store.status.values import (
    AGES_S,
    DAY_S,
    WEEK_S,
    Ages,
    DraftsSight,
    FeedSight,
    PostLine,
    PostsSight,
    QueueSight,
    Used,
)
from bot.store.tasks import LEASED, PARKED, WAITING

_MOST_PARKED = 50
_MOST_REASONS = 10
NOTE_CHARS = 300

_MOST_POSTS = 30
_WAITING = (PostState.WAITING.name, PostState.TRIED.name)
_NOTE_CHARS = 200
_WITHOUT = (DraftState.NOTHING.name, DraftState.REFUSED.name)

_MOST_HOLES = 20


def ages_by(
    connection: Connection,
    table: Table,
    group: ColumnElement[Any],
    moment: ColumnElement[datetime],
    now: datetime,
    *,
    where: ColumnElement[bool] | None = None,
) -> Mapping[Any, Ages]:
    """Return the ages of the rows of `table` for each value of `group`.

    Args:
        connection: in a transaction.
        table: whose rows are counted.
        group: what they are parted by.
        moment: from when the age of a row counts.
        now: the time.
        where: which rows count; all, if left out.
    """
    edges = [now - timedelta(seconds=age) for age in AGES_S]
    older = [moment <= edge for edge in edges]
    classes = [
        moment > now,
        (moment <= now) & ~older[0],
        *(old & ~older[at] for at, old in enumerate(older[:-1], 1)),
        older[-1],
    ]
    rows = connection.execute(
        select(group, func.min(moment), *map(_count, classes))
        .select_from(table)
        .where(true() if where is None else where)
        .group_by(group)
    )
    return {
        row[0]: Ages(int(row[2]), tuple(int(count) for count in row[3:]), row[1])
        for row in rows
    }


def _count(matching: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((matching, 1), else_=0)), 0)


def queue(connection: Connection, now: datetime) -> QueueSight:
    """Count the pages by state and age, and tell what is parked."""
    waits = IS_CHECK & (tasks.c.state == WAITING)
    counted = ages_by(connection, tasks, tasks.c.state, _since(), now, where=IS_CHECK)
    failing = select(func.count()).where(waits & tasks.c.note.is_not(None))
    return QueueSight(
        states={state: counted.get(state.name, Ages()) for state in TaskState},
        parked=parked_jobs(connection, _MOST_PARKED),
        why_parked=notes_of(
            connection, tasks.c.note, IS_CHECK & (tasks.c.state == PARKED)
        ),
        next_due_at=connection.scalar(
            select(func.min(tasks.c.due_at)).where(waits & (tasks.c.due_at > now))
        ),
        failing=connection.scalar(failing) or 0,
    )


def _since() -> ColumnElement[datetime]:
    """Return from when a page counts as old in its state."""
    return case(
        (tasks.c.state == WAITING, tasks.c.due_at),
        (tasks.c.state == LEASED, tasks.c.begun_at),
        else_=tasks.c.changed_at,
    )


def notes_of(
    connection: Connection, note: ColumnElement[Any], where: ColumnElement[bool]
) -> tuple[tuple[str, int], ...]:
    """Return the notes of rows with their numbers, the most frequent first."""
    short = func.substr(note, 1, NOTE_CHARS)
    rows = connection.execute(
        select(short, func.count())
        .where(where & note.is_not(None))
        .group_by(short)
        .order_by(func.count().desc(), short)
        .limit(_MOST_REASONS)
    )
    return tuple((text, count) for text, count in rows if text)


def posted(connection: Connection, now: datetime) -> PostsSight:
    """Count the posts, and return those that changed last."""
    waits = posts.c.state.in_(_WAITING) & ~is_parked()
    waiting = ages_by(
        connection, posts, literal("open"), posts.c.due_at, now, where=waits
    )
    return PostsSight(
        counts=count_posts(connection),
        week=_of_week(connection, now),
        refusals=_refusals(connection, now),
        waiting=waiting.get("open", Ages()),
        held=notes_of(connection, posts.c.note, waits),
        parked=count_parked(connection),
        newest=_newest(connection),
        last_posted_at=_last(connection, PostState.POSTED),
        last_shown_at=_last(connection, PostState.SHOWN),
        used_today=_used(connection, now),
    )


def _of_week(connection: Connection, now: datetime) -> dict[PostState, int]:
    since = now - timedelta(seconds=WEEK_S)
    rows = connection.execute(
        select(posts.c.state, func.count())
        .where(posts.c.changed_at > since)
        .group_by(posts.c.state)
    )
    found = compatibility.counted(PostState, ((name, count) for name, count in rows))
    return {**dict.fromkeys(PostState, 0), **found}


def _refusals(connection: Connection, now: datetime) -> dict[Refusal, int]:
    since = now - timedelta(seconds=WEEK_S)
    rows = connection.execute(
        select(posts.c.refusal, func.count())
        .where((posts.c.state == PostState.REFUSED.name) & (posts.c.changed_at > since))
        .where(posts.c.refusal.is_not(None))
        .group_by(posts.c.refusal)
        .order_by(func.count().desc())
    )
    return dict(compatibility.counted(Refusal, ((name, count) for name, count in rows)))


def _newest(connection: Connection) -> tuple[PostLine, ...]:
    rows = connection.execute(
        select(
            posts.c.wiki,
            posts.c.title,
            posts.c.task,
            posts.c.state,
            posts.c.tries,
            posts.c.asked_at,
            posts.c.due_at,
            posts.c.changed_at,
            func.substr(posts.c.note, 1, NOTE_CHARS).label("note"),
            posts.c.refusal,
            posts.c.revision,
        )
        .where(compatibility.known(posts.c.refusal, Refusal))
        .order_by(posts.c.changed_at.desc(), posts.c.id.desc())
        .limit(_MOST_POSTS)
    )
    return tuple(_line(row) for row in rows)


def _line(row: Any) -> PostLine:
    return PostLine(
        row.wiki,
        row.title,
        row.task,
        PostState[row.state],
        row.tries,
        row.asked_at,
        row.due_at,
        row.changed_at,
        row.note or "",
        Refusal[row.refusal] if row.refusal else None,
        row.revision,
    )


def _last(connection: Connection, state: PostState) -> datetime | None:
    found: datetime | None = connection.scalar(
        select(func.max(posts.c.changed_at)).where(posts.c.state == state.name)
    )
    return found


def _used(connection: Connection, now: datetime) -> tuple[Used, ...]:
    rows = connection.execute(
        select(post_counts.c.task, post_counts.c.wiki, post_counts.c.used)
        .where(
            (post_counts.c.day == now.astimezone(UTC).date())
            & post_counts.c.scope.in_((Scope.ALL.name, Scope.WIKI.name))
            & (post_counts.c.used > 0)
        )
        .order_by(post_counts.c.task, post_counts.c.wiki)
    )
    return tuple(Used(row.task, row.wiki, row.used) for row in rows)


def drafted(connection: Connection, now: datetime) -> DraftsSight:
    """Count the drafts in each state, and tell why there are none."""
    state: Any = drafts.c.state
    ages = ages_by(connection, drafts, state, drafts.c.changed_at, now)
    note = func.substr(drafts.c.note, 1, _NOTE_CHARS).label("note")
    rows = connection.execute(
        select(note, func.count().label("count"))
        .where(state.in_(_WITHOUT))
        .group_by(note)
        .order_by(func.count().desc(), note)
        .limit(_MOST_REASONS)
    )
    return DraftsSight(
        states={one: ages.get(one.name, Ages()) for one in DraftState},
        why_none=tuple((row.note, row[1]) for row in rows),
    )


def feeds(connection: Connection, now: datetime) -> tuple[FeedSight, ...]:
    """Return each feed that anything was kept of, by name."""
    rows = connection.execute(select(positions).order_by(positions.c.feed))
    dead = _dead(connection, now)
    return tuple(
        FeedSight(
            feed=row.feed,
            newest_at=_newest_at(row.position),
            received_at=row.received_at,
            holes=_holes(connection, row.feed),
            dead_day={why: new for why, (new, _) in dead[row.feed].items() if new},
            dead=sum(kept for _, kept in dead[row.feed].values()),
        )
        for row in rows.all()
    )


def _newest_at(kept: str) -> datetime | None:
    try:
        return Position.parse(kept).newest_at if kept else None
    except ValueError:  # intake tells of it; a look must not fail for it
        return None


def _holes(connection: Connection, feed: str) -> tuple[Hole, ...]:
    rows = connection.execute(
        select(holes.c.since, holes.c.until)
        .where((holes.c.feed == feed) & holes.c.filled_at.is_(None))
        .order_by(holes.c.id.desc())
        .limit(_MOST_HOLES)
    )
    return tuple(Hole(row.since, row.until) for row in rows)


def _dead(
    connection: Connection, now: datetime
) -> dict[str, dict[DeadReason, tuple[int, int]]]:
    """Return how many letters of a feed and reason there are: new ones, and all."""
    since = now - timedelta(seconds=DAY_S)
    is_new = case((dead_letters.c.received_at > since, 1), else_=0)
    rows = connection.execute(
        select(
            dead_letters.c.feed, dead_letters.c.reason, func.sum(is_new), func.count()
        ).group_by(dead_letters.c.feed, dead_letters.c.reason)
    )
    found: dict[str, dict[DeadReason, tuple[int, int]]] = defaultdict(dict)
    for feed, reason, new, kept in rows:
        found[feed][DeadReason[reason]] = (int(new), kept)
    return found
