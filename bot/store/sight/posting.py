"""What was written to wikis, what waits, and what was refused."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, literal, select

from bot.records.posts import PostState, Refusal
from bot.store import compatibility, post_reading
from bot.store.outbox_tables import post_counts, posts
from bot.store.post_counting import Scope
from bot.store.sight.ages import ages_by
from bot.store.sight.values.waiting import WEEK_S, Ages
from bot.store.sight.values.written import PostLine, PostsSight, Used
from bot.store.sight.work import NOTE_CHARS, notes_of

_MOST_POSTS = 30
_WAITING = (PostState.WAITING.name, PostState.TRIED.name)


def posted(connection: Connection, now: datetime) -> PostsSight:
    """Count the posts, and return those that changed last."""
    waits = posts.c.state.in_(_WAITING) & ~post_reading.is_parked()
    waiting = ages_by(
        connection, posts, literal("open"), posts.c.due_at, now, where=waits
    )
    return PostsSight(
        counts=post_reading.counts(connection),
        week=_of_week(connection, now),
        refusals=_refusals(connection, now),
        waiting=waiting.get("open", Ages()),
        held=notes_of(connection, posts.c.note, waits),
        parked=post_reading.parked_count(connection),
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
