"""What has to be planned again, the posts from plans, and the counts for their limits.

A plan is a task that ends with posts. A transaction that also writes posts or notes
does so first: every one locks posts before tasks, so that none waits for another in a
circle.

A post is counted against the limits of the day before it is tried, and no longer if it
is certain that it was not made; after a crash in between it stays counted until it is
settled.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from enum import Enum
from itertools import groupby
from typing import Any, get_args

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select

from bot.records.posts import (
    Append,
    Change,
    Create,
    Limits,
    Post,
    PostState,
    ReplaceSection,
    ReplaceStretch,
    RequestOutcome,
    StoredPost,
)
from bot.records.tasks import Lease
from bot.records.watches import PLANS, FailingPlan, IntendedPost, PlanKind, PlansState
from bot.store import mapping, sanitise
from bot.store.database import (
    Repository,
    Transactions,
    change,
    find,
    inserted,
    read_with,
    reads,
    write_with,
    writes,
)
from bot.store.mapping import as_columns, as_value
from bot.store.schema import IDENTITY_CHARS, post_counts, posts, tasks
from bot.store.tasks import (
    IDLE,
    LEASED,
    PARKED,
    WAITING,
    Policy,
    finish,
    locked,
    put_each,
    waits,
)
from handlers.ports import PermanentError

_REST_S = 3600.0  # after a plan killed its planners that often
IS_PLAN = tasks.c.kind.in_([kind.name for kind in PLANS])

MOST_CHARS = 1_000_000  # in a text; a page may have 2 MiB
MADE = (PostState.POSTED.name, PostState.SHOWN.name)
OPEN = (PostState.WAITING.name, PostState.TRIED.name)


def plan_policy(lease_s: float = 120.0, deaths: int = 5) -> Policy:
    """Return the policy for plans: one that kills its planners rests for an hour."""
    return Policy(
        lease_s, deaths, lambda _connection, row, _now: _intended_post_of(row), _REST_S
    )


def ask_for_plans(
    connection: Connection, intended_posts: Iterable[IntendedPost], now: datetime
) -> None:
    """Queue plans, each once; one in progress is queued again when it ends.

    If a plan is already queued, the earlier due time wins; one that failed is not made
    due sooner, since it would only fail again.
    """
    due: dict[tuple[str, str, str], datetime] = {}
    for one in intended_posts:
        subject = one.subject and sanitise.key(one.subject, "subject of a plan")
        key = (one.kind.name, sanitise.key(one.wiki, "wiki"), subject)
        due[key] = min(one.due_at, due.get(key, one.due_at))

    def fresh(due_at: datetime) -> dict[str, Any]:
        # Posts are named after the token, so it must differ from those of an earlier
        # row that was swept away.
        token = int(now.timestamp())
        return {"due_at": due_at, "asked_at": now, "token": token, "changed_at": now}

    def renewed(due_at: datetime, row: Row[Any]) -> dict[str, Any] | None:
        if row.state == LEASED:
            sooner = min(due_at, row.due_at) if row.again else due_at
            return {"again": True, "due_at": sooner}
        if row.state == WAITING:
            is_sooner = row.note is None and due_at < row.due_at
            return {"due_at": due_at} if is_sooner else None
        begun = {"state": WAITING, "attempts": 0, "note": None}
        return begun | {"due_at": due_at, "asked_at": now, "changed_at": now}

    for (kind, wiki), group in groupby(sorted(due), lambda key: key[:2]):
        by_subject = {key[2]: due[key] for key in group}
        task = PlanKind[kind].task
        put_each(connection, task, wiki, by_subject, fresh=fresh, renewed=renewed)


def _intended_post_of(row: Row[Any]) -> IntendedPost:
    return IntendedPost(PlanKind.of(row.kind), row.wiki, row.subject, row.due_at)


def failing_plans(connection: Connection, limit: int = 100) -> tuple[FailingPlan, ...]:
    """Return plans that wait after a failure, the latest failure first."""
    failed = IS_PLAN & (tasks.c.state == WAITING) & tasks.c.note.is_not(None)
    rows = connection.execute(
        select(tasks)
        .where(failed)
        .order_by(tasks.c.changed_at.desc(), tasks.c.id.desc())
        .limit(limit)
    )
    return tuple(
        FailingPlan(_intended_post_of(row), row.attempts, row.note, row.changed_at)
        for row in rows
    )


class Plans(Repository):
    """Reports, talk pages and opt-ins to be planned.

    If an earlier post is not settled, the plan waits for `busy_s`.
    """

    ask = write_with(ask_for_plans)
    failing = read_with(failing_plans)

    def __init__(self, transactions: Transactions, busy_s: float = 20.0) -> None:
        super().__init__(transactions)
        self._busy_s = busy_s

    @writes
    def finish(
        self,
        connection: Connection,
        plan: Lease[IntendedPost],
        posts: Sequence[Post],
        now: datetime,
    ) -> tuple[RequestOutcome, ...]:
        """Ask for the posts of a plan, and end it: both or neither.

        If an earlier post to one of the pages is not settled, the plan waits again.

        Raises:
            LeaseLost: someone else has the plan; nothing is asked for.
        """
        outcomes = tuple(ask_for_post(connection, post) for post in posts)
        if RequestOutcome.BUSY not in outcomes:
            finish(connection, plan, now)
        elif (row := locked(connection, plan)) is not None:
            again = waits(row, now, self._busy_s, None) | {"attempts": 0}
            change(connection, tasks, again, id=row.id)
        return outcomes

    @reads
    def state(self, connection: Connection) -> PlansState:
        """Count the plans that are queued or in progress."""
        waiting, leased = (dict.fromkeys(PlanKind, 0) for _ in range(2))
        counted = {WAITING: waiting, LEASED: leased}
        rows = connection.execute(
            select(tasks.c.kind, tasks.c.state, func.count())
            .where(IS_PLAN & tasks.c.state.not_in([IDLE, PARKED]))
            .group_by(tasks.c.kind, tasks.c.state)
        )
        for kind, name, count in rows:
            counted[name][PlanKind.of(kind)] = count
        waits_now = IS_PLAN & (tasks.c.state == WAITING)
        oldest = connection.scalar(select(func.min(tasks.c.due_at)).where(waits_now))
        return PlansState(waiting, leased, oldest)


class Scope(Enum):
    """What a limit applies to; the value is its name in messages."""

    PAGE = "page"
    USER = "user"
    WIKI = "wiki"
    ALL = "bot"


def ask_for_post(connection: Connection, post: Post) -> RequestOutcome:
    """Save a post to be made; one that waits for the same page and task is dropped.

    `asked_at` of a planned post is when its page was checked. If another post was made
    since, the plan did not know of it, and would say the same again.
    """
    known = select(posts.c.id).where(posts.c.name == post.name)
    if connection.execute(known).first() is not None:
        return RequestOutcome.KNOWN
    same = {"wiki": post.wiki, "title": post.title, "task": post.task}
    tried = PostState.TRIED.name
    chosen = select(posts.c.id, posts.c.state).filter_by(**same)
    rows = connection.execute(
        chosen.where(posts.c.state.in_(OPEN)).with_for_update()
    ).all()
    if any(row.state == tried for row in rows) or _was_made_since(connection, post):
        return RequestOutcome.BUSY
    for row in rows:
        outdated = closed_values(PostState.DROPPED, post.asked_at, "outdated")
        change(connection, posts, outdated, id=row.id)
    connection.execute(insert(posts).values(**_fresh(post)))
    return RequestOutcome.KEPT


def _was_made_since(connection: Connection, post: Post) -> bool:
    if post.plan is None or not isinstance(post.change, Append):
        return False  # not planned, or it only applies to the old text
    made = select(posts.c.id).filter_by(
        wiki=post.wiki, title=post.title, task=post.task
    )
    since = posts.c.state.in_(MADE) & (posts.c.changed_at > post.asked_at)
    return connection.execute(made.where(since).limit(1)).first() is not None


def _fresh(post: Post) -> dict[str, Any]:
    change = post.change
    expected = None if isinstance(change, Append | Create) else change.expected
    return as_columns(
        posts,
        post,
        user=sanitise.key(post.user, "user") if post.user else "",
        kind=type(change).__name__,
        section=change.number if isinstance(change, ReplaceSection) else None,
        expected=None if expected is None else _whole(expected),
        text=_whole(change.text),
        summary=_whole(post.summary),
        state=PostState.WAITING.name,
        due_at=post.asked_at,
        tries=0,
        token=0,
        changed_at=post.asked_at,
        adds=_identities(post.adds),
        settles=_identities(post.settles),
    )


def _identities(names: Iterable[str]) -> str:
    return json.dumps([sanitise.key(name, "note", IDENTITY_CHARS) for name in names])


def _whole(text: str) -> str:
    """Refuse text that a database would change: a post is made exactly as written.

    Raises:
        PermanentError: it is too long, or has characters that no page can have.
    """
    if len(text) > MOST_CHARS or sanitise.text(text, MOST_CHARS) != text:
        raise PermanentError(
            f"a text of {len(text):,} characters cannot be posted: it is longer than"
            f" {MOST_CHARS:,}, or has signs that no page can have"
        )
    return text


def closed_values(state: PostState, now: datetime, note: str) -> dict[str, Any]:
    """Return the values of a post that nobody works on."""
    return {
        "state": state.name,
        "leased_until": None,
        "refusal": None,
        "note": sanitise.text(note),
        "changed_at": now,
    }


def count_posts(
    connection: Connection, since: datetime | None = None
) -> dict[PostState, int]:
    """Count the posts in each state: all, or those that reached it after `since`."""
    counted = select(posts.c.state, func.count()).group_by(posts.c.state)
    if since is not None:
        counted = counted.where(posts.c.changed_at > since)
    rows = connection.execute(counted)
    found = mapping.counted(PostState, ((name, count) for name, count in rows))
    return {**dict.fromkeys(PostState, 0), **found}


def is_known_post(names: Collection[str] = ()) -> ColumnElement[bool]:
    """Return the condition that this version knows how to make a post.

    If `names` of tasks is empty, it may be of any task.
    """
    changes = posts.c.kind.in_([kind.__name__ for kind in get_args(Change)])
    known = changes & mapping.known(posts.c.plan, PlanKind)
    return known & posts.c.task.in_(names) if names else known


def has_notes() -> ColumnElement[bool]:
    """Return the condition that a post adds or settles notes."""
    none = "[]"  # no identities, in JSON
    adds, settles = (
        func.coalesce(each, none).not_in(["", none])
        for each in (posts.c.adds, posts.c.settles)
    )
    return adds | settles


def is_parked() -> ColumnElement[bool]:
    """Return the condition that a post waits for a person to say what became of it."""
    tried = posts.c.state == PostState.TRIED.name
    return tried & posts.c.refusal.is_not(None)


def count_parked(connection: Connection) -> int:
    """Count the parked posts."""
    counted = select(func.count()).select_from(posts).where(is_parked())
    return connection.scalar(counted) or 0


def stored_post(row: Row[Any]) -> StoredPost:
    """Return a row as a stored post."""
    return as_value(
        StoredPost,
        row,
        post=post_of(row),
        note=row.note or "",
        revision_id=row.revision,
    )


def post_of(row: Row[Any]) -> Post:
    """Return the post of a row."""
    return as_value(Post, row, change=_change(row), subject=row.subject or "")


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
    raise mapping.NotKnown(f"a post by “{row.kind[:40]}”")


def take_place(
    connection: Connection, row: Any, day: date, limits: Limits
) -> Scope | None:
    """Count a post against its limits; if one is reached, count nothing and return it.

    Args:
        connection: in a transaction.
        row: of the post.
        day: that it counts for.
        limits: of its task.
    """
    most = {
        Scope.PAGE: limits.per_page,
        Scope.USER: limits.per_user,
        Scope.WIKI: limits.per_wiki,
        Scope.ALL: limits.in_all,
    }
    places = [
        (_counted(connection, key), most[scope], scope)
        for scope, key in _keys(row, day)
    ]
    for (_, used), limit, scope in places:
        if used >= limit:
            return scope
    for (row_id, used), _, _ in places:
        change(connection, post_counts, {"used": used + 1}, id=row_id)
    return None


def take_place_of_user(
    connection: Connection, task: str, user: tuple[str, str], day: date, most: int
) -> bool:
    """Count a post for one person on a wiki; `False` if their limit of the day is reached."""
    row_id, used = _of_user(connection, task, user, day)
    if used < most:
        change(connection, post_counts, {"used": used + 1}, id=row_id)
    return used < most


def give_place_of_user_back(
    connection: Connection, task: str, user: tuple[str, str], day: date
) -> None:
    """Undo `take_place_of_user`."""
    row_id, used = _of_user(connection, task, user, day)
    change(connection, post_counts, {"used": max(0, used - 1)}, id=row_id)


def _of_user(
    connection: Connection, task: str, user: tuple[str, str], day: date
) -> tuple[int, int]:
    scope = {"scope": Scope.USER.name, "wiki": user[0], "subject": user[1]}
    return _counted(connection, {"day": day, "task": task, **scope})


def give_place_back(connection: Connection, row: Any, day: date) -> None:
    """No longer count a post that was counted on `day`."""
    for _, key in _keys(row, day):
        row_id, used = _counted(connection, key)
        change(connection, post_counts, {"used": max(0, used - 1)}, id=row_id)


def _keys(row: Any, day: date) -> Iterator[tuple[Scope, dict[str, Any]]]:
    """Yield what a post counts for, always in the same order, so that none waits in a circle."""
    named = [(Scope.ALL, "", ""), (Scope.WIKI, row.wiki, "")]
    if row.user:
        named.append((Scope.USER, row.wiki, row.user))
    named.append((Scope.PAGE, row.wiki, row.title))
    for scope, wiki, subject in named:
        key = {"day": day, "task": row.task, "scope": scope.name}
        yield scope, {**key, "wiki": wiki, "subject": subject}


def _counted(connection: Connection, key: dict[str, Any]) -> tuple[int, int]:
    """Return the row of a count, locked, and the count."""
    row = find(connection, post_counts, **key, lock=True)
    if row is None:
        # If two processes insert the same row at once, one fails and repeats its work.
        return inserted(connection, post_counts, {**key, "used": 0}), 0
    return row.id, row.used
