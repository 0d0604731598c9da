"""What has to be planned anew: the tasks that end with posts.

A transaction that also writes posts or told notes does so first: all of them lock posts
before tasks, and so none waits for another in a circle.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, func, select

from bot.records.posts import Asked, Post
from bot.records.tasks import Lease
from bot.records.watches import PLANS, FailingPlan, PlanKind, PlansState, Wish
from bot.store import sanitise
from bot.store.posts import ask_for_post
from bot.store.schema import tasks
from bot.store.tasks import (
    IDLE,
    LEASED,
    PARKED,
    WAITING,
    Policy,
    finish,
    locked,
    put_each,
    set_task,
    waits,
)
from bot.store.transactions import Transactions

_REST_S = 3600.0  # after that many planners died over a plan
IS_PLAN = tasks.c.kind.in_([kind.name for kind in PLANS])


class Plans:
    """Reports, talk pages and opt-ins to be thought through. Processes may share it.

    A plan waits for `busy_s` where an earlier post is not settled.
    """

    def __init__(self, transactions: Transactions, busy_s: float = 20.0) -> None:
        self._database = transactions
        self._busy_s = busy_s

    def ask(self, wishes: Sequence[Wish], now: datetime) -> None:
        """Let plans wait; one that is in work waits again when it ends.

        Of the same plan the earlier due time wins; one that failed is not made due
        sooner.
        """
        self._database.write(lambda made: ask_for_plans(made, wishes, now))

    def finish(
        self, plan: Lease[Wish], posts: Sequence[Post], now: datetime
    ) -> tuple[Asked, ...]:
        """Ask for the posts that came of a plan, and end it: both or neither.

        If an earlier post to one of the pages is not settled, the plan waits again.

        Raises:
            LeaseLost: somebody else has the plan; nothing is asked for.
        """

        def work(made: Connection) -> tuple[Asked, ...]:
            asked = tuple(ask_for_post(made, post) for post in posts)
            if Asked.BUSY not in asked:
                finish(made, plan, now)
            elif (row := locked(made, plan)) is not None:
                again = waits(row, now, self._busy_s, None) | {"attempts": 0}
                set_task(made, row.id, again)
            return asked

        return self._database.write(work)

    def state(self) -> PlansState:
        """Count the plans that wait or are in work."""
        return self._database.read(_state)

    def failing(self, limit: int = 100) -> tuple[FailingPlan, ...]:
        """Return plans that wait after a failure, the one that failed last first."""
        return self._database.read(lambda made: failing_plans(made, limit))


def plan_policy(lease_s: float = 120.0, deaths: int = 5) -> Policy:
    """Return how plans are made: one that kills its planners rests for an hour."""
    return Policy(lease_s, deaths, lambda _made, row, _now: wish_of(row), _REST_S)


def ask_for_plans(
    connection: Connection, wishes: Iterable[Wish], now: datetime
) -> None:
    """Let plans wait, each once; the earlier due time wins.

    One that failed is not made due sooner, since it would only fail again.
    """
    due: dict[tuple[str, str, str], datetime] = {}
    for wish in wishes:
        key = (wish.kind.name, sanitise.key(wish.wiki, "wiki"), _subject(wish))
        due[key] = min(wish.due_at, due.get(key, wish.due_at))

    def fresh(due_at: datetime) -> dict[str, Any]:
        # Posts are named after the token: it has to be other than any of a row that
        # stood here before, and was swept away.
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
        wanted = {key[2]: due[key] for key in group}
        put_each(
            connection, PlanKind[kind].task, wiki, wanted, fresh=fresh, renewed=renewed
        )


def _subject(wish: Wish) -> str:
    return sanitise.key(wish.subject, "subject of a plan") if wish.subject else ""


def wish_of(row: Row[Any]) -> Wish:
    """Return what a row was asked as."""
    return Wish(PlanKind.of(row.kind), row.wiki, row.subject, row.due_at)


def _state(connection: Connection) -> PlansState:
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


def failing_plans(connection: Connection, limit: int) -> tuple[FailingPlan, ...]:
    """Return plans that wait after a failure, the one that failed last first."""
    failed = IS_PLAN & (tasks.c.state == WAITING) & tasks.c.note.is_not(None)
    rows = connection.execute(
        select(tasks)
        .where(failed)
        .order_by(tasks.c.changed_at.desc(), tasks.c.id.desc())
        .limit(limit)
    )
    return tuple(
        FailingPlan(wish_of(row), row.attempts, row.note, row.changed_at)
        for row in rows
    )
