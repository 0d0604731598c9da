"""How many posts were made today, for whom and where, within a caller's transaction.

A place is taken before a post is tried and given back if it is certain that nothing
was made; a crash in between leaves it taken until the post is settled.
"""

from collections.abc import Iterator
from datetime import date
from enum import Enum
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from bot.records.posts import Limits, PostState
from bot.store.outbox_tables import post_counts, posts


class Scope(Enum):
    """What a limit is for; the value names it in messages."""

    PAGE = "page"
    USER = "user"
    WIKI = "wiki"
    ALL = "bot"


def take(connection: Connection, row: Any, day: date, limits: Limits) -> Scope | None:
    """Take a place for a post; return whose limit is reached, and take none then.

    Args:
        connection: in a transaction.
        row: of the post.
        day: that it counts for.
        limits: of its task.
    """
    places = [
        (_counted(connection, key), _limit(scope, limits), scope)
        for scope, key in _keys(row, day)
    ]
    for (_, used), limit, scope in places:
        if used >= limit:
            return scope
    for (row_id, used), _, _ in places:
        _set(connection, row_id, used + 1)
    return None


def take_one(
    connection: Connection, task: str, user: tuple[str, str], day: date, most: int
) -> bool:
    """Take a place for one person of a wiki; `False` if theirs of the day are taken."""
    row_id, used = _of_user(connection, task, user, day)
    if used < most:
        _set(connection, row_id, used + 1)
    return used < most


def give_one_back(
    connection: Connection, task: str, user: tuple[str, str], day: date
) -> None:
    """Give back what `take_one` took."""
    row_id, used = _of_user(connection, task, user, day)
    _set(connection, row_id, max(0, used - 1))


def _of_user(
    connection: Connection, task: str, user: tuple[str, str], day: date
) -> tuple[int, int]:
    scope = {"scope": Scope.USER.name, "wiki": user[0], "subject": user[1]}
    return _counted(connection, {"day": day, "task": task, **scope})


def taken(connection: Connection, wiki: str, task: str, day: date) -> int:
    """Count the posts of a task on a wiki that count for `day`, or wait for a place."""
    key = {"day": day, "task": task, "scope": Scope.WIKI.name, "wiki": wiki}
    used = connection.scalar(select(post_counts.c.used).filter_by(**key, subject=""))
    waits = (posts.c.state == PostState.WAITING.name) & posts.c.counted_on.is_(None)
    waiting = connection.scalar(
        select(func.count())
        .select_from(posts)
        .where(waits & (posts.c.wiki == wiki) & (posts.c.task == task))
    )
    return (used or 0) + (waiting or 0)


def give_back(connection: Connection, row: Any, day: date) -> None:
    """Give back the place that a post took on `day`."""
    for _, key in _keys(row, day):
        row_id, used = _counted(connection, key)
        _set(connection, row_id, max(0, used - 1))


def _keys(row: Any, day: date) -> Iterator[tuple[Scope, dict[str, Any]]]:
    """Yield what a post counts for, always in one order: nobody waits in a circle."""
    named = [(Scope.ALL, "", ""), (Scope.WIKI, row.wiki, "")]
    if row.user:
        named.append((Scope.USER, row.wiki, row.user))
    named.append((Scope.PAGE, row.wiki, row.title))
    for scope, wiki, subject in named:
        key = {"day": day, "task": row.task, "scope": scope.name}
        yield scope, {**key, "wiki": wiki, "subject": subject}


def _limit(scope: Scope, limits: Limits) -> int:
    return {
        Scope.PAGE: limits.per_page,
        Scope.USER: limits.per_user,
        Scope.WIKI: limits.per_wiki,
        Scope.ALL: limits.in_all,
    }[scope]


def _counted(connection: Connection, key: dict[str, Any]) -> tuple[int, int]:
    """Return the row of a count, locked, and how many places are taken."""
    chosen = select(post_counts.c.id, post_counts.c.used).filter_by(**key)
    row = connection.execute(chosen.with_for_update()).one_or_none()
    if row is None:
        # Two that make the same row at once: one fails, and makes its work again.
        made = connection.execute(insert(post_counts).values(**key, used=0))
        [row_id] = made.inserted_primary_key or [0]
        return row_id, 0
    return row.id, row.used


def _set(connection: Connection, row_id: int, used: int) -> None:
    connection.execute(
        update(post_counts).where(post_counts.c.id == row_id).values(used=used)
    )
