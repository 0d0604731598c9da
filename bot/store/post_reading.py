"""Posts as values, within a transaction of the caller's."""

import json
from typing import Any

from sqlalchemy import Connection, Row, func, select

from bot.posts import (
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
from bot.store.outbox_tables import posts
from bot.watches import PlanKind


def counts(connection: Connection) -> dict[PostState, int]:
    """Count the posts in each state."""
    counted = dict.fromkeys(PostState, 0)
    rows = connection.execute(
        select(posts.c.state, func.count()).group_by(posts.c.state)
    )
    for name, count in rows:
        counted[PostState[name]] = count
    return counted


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
        .order_by(posts.c.changed_at.desc(), posts.c.id.desc())
        .limit(limit)
    )
    return tuple(_kept(row) for row in rows)


def _kept(row: Row[Any]) -> KeptPost:
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
    if row.kind == ReplaceSection.__name__:
        return ReplaceSection(row.section, row.expected, row.text)
    if row.kind == ReplaceStretch.__name__:
        return ReplaceStretch(row.expected, row.text)
    return Create(row.text) if row.kind == Create.__name__ else Append(row.text)
