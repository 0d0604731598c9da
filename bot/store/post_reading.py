"""Posts as values, within a transaction of the caller's."""

import json
from collections.abc import Collection
from typing import Any, get_args

from sqlalchemy import ColumnElement, Connection, Row, func, select

from bot.records.posts import (
    Append,
    Change,
    Create,
    KeptPost,
    Post,
    PostState,
    Refusal,
    ReplaceSection,
    ReplaceStretch,
)
from bot.records.watches import PlanKind
from bot.store import compatibility
from bot.store.outbox_tables import posts


def counts(connection: Connection) -> dict[PostState, int]:
    """Count the posts in each state."""
    rows = connection.execute(
        select(posts.c.state, func.count()).group_by(posts.c.state)
    )
    found = compatibility.counted(PostState, ((name, count) for name, count in rows))
    return {**dict.fromkeys(PostState, 0), **found}


def is_known(tasks: Collection[str] = ()) -> ColumnElement[bool]:
    """Return the condition that this version knows how to make a post.

    Without `tasks` it may be of any task.
    """
    changes = posts.c.kind.in_([kind.__name__ for kind in get_args(Change)])
    known = changes & compatibility.known(posts.c.plan, PlanKind)
    return known & posts.c.task.in_(tasks) if tasks else known


def is_parked() -> ColumnElement[bool]:
    """Return the condition that a post waits for a person to say what became of it."""
    tried = posts.c.state == PostState.TRIED.name
    return tried & posts.c.refusal.is_not(None)


def parked_count(connection: Connection) -> int:
    """Count the parked posts."""
    counted = select(func.count()).select_from(posts).where(is_parked())
    return connection.scalar(counted) or 0


def parked(connection: Connection, limit: int) -> tuple[KeptPost, ...]:
    """Return parked posts, the one that was asked for first before."""
    chosen = select(posts).where(is_parked() & is_known())
    known = chosen.where(compatibility.known(posts.c.refusal, Refusal))
    rows = connection.execute(known.order_by(posts.c.asked_at).limit(limit))
    return tuple(kept_of(row) for row in rows)


def kept(
    connection: Connection,
    *,
    limit: int,
    wiki: str | None = None,
    title: str | None = None,
    state: PostState | None = None,
) -> tuple[KeptPost, ...]:
    """Return posts, the one that changed last first."""
    wanted = {"wiki": wiki, "title": title, "state": state and state.name}
    named = {name: value for name, value in wanted.items() if value is not None}
    rows = connection.execute(
        select(posts)
        .filter_by(**named)
        .where(is_known() & compatibility.known(posts.c.refusal, Refusal))
        .order_by(posts.c.changed_at.desc(), posts.c.id.desc())
        .limit(limit)
    )
    return tuple(kept_of(row) for row in rows)


def kept_of(row: Row[Any]) -> KeptPost:
    """Return a row as the post that is kept."""
    return KeptPost(
        post_of(row),
        PostState[row.state],
        row.tries,
        row.due_at,
        row.changed_at,
        row.note or "",
        Refusal[row.refusal] if row.refusal else None,
        row.revision,
    )


def post_of(row: Row[Any]) -> Post:
    """Return the post of a row."""
    return Post(
        row.name,
        row.wiki,
        row.title,
        row.task,
        _change(row),
        row.summary,
        row.asked_at,
        row.user,
        PlanKind[row.plan] if row.plan else None,
        row.subject or "",
        tuple(json.loads(row.adds or "[]")),
        tuple(json.loads(row.settles or "[]")),
    )


def _change(row: Row[Any]) -> Change:
    match row.kind:
        case ReplaceSection.__name__:
            return ReplaceSection(row.section, row.expected, row.text)
        case ReplaceStretch.__name__:
            return ReplaceStretch(row.expected, row.text)
        case Create.__name__:
            return Create(row.text)
        case Append.__name__:
            return Append(row.text)
    raise compatibility.NotKnown(f"a post by “{row.kind[:40]}”")
