"""What has to be planned anew, as verbs on values.

Each verb is one transaction. Times come from the caller's clock, as those of the
queue do.

What has to be planned anew, within a transaction of the caller's.

One row for each kind, wiki and subject; its state moves as the table shows.

    ask       IDLE → WAITING;  WAITING: sooner, where it is;  LEASED: again afterwards
    begin     WAITING, LEASED and run out → LEASED
    end       LEASED → IDLE, or WAITING if it was asked for meanwhile
    wait      LEASED → WAITING, later

A transaction that also writes posts or told notes does so first: all of them lock
posts before plans, and so none waits for another in a circle.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from itertools import groupby
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    func,
    insert,
    select,
    update,
)

from bot.records.jobs import LeaseLost
from bot.records.posts import Asked, Post
from bot.records.watches import FailingPlan, Plan, PlanKind, PlansState, Wish
from bot.store import compatibility, sanitise
from bot.store.posts import ask_for_post
from bot.store.schema import KEY_CHARS, plans
from bot.store.transactions import Transactions

_AT_ONCE = 500  # subjects in one query
_REST_S = 3600.0
_DIED = "its planner died, or took longer than its lease, {attempts} times"


@dataclass(frozen=True, slots=True)
class PlanRules:
    """How long a planner may take, and what becomes of a plan that cannot end.

    One waits for `busy_s` where an earlier post is not settled, and rests for an hour
    after `most_deaths` planners died with it.
    """

    lease_s: float = 120.0
    busy_s: float = 20.0
    most_deaths: int = 5


class PlanState(Enum):
    """Where a plan stands."""

    WAITING = "waiting"
    LEASED = "in work"
    IDLE = "done"


class Plans:
    """Reports, talk pages and opt-ins to be thought through. Processes may share it."""

    def __init__(self, transactions: Transactions, rules: PlanRules) -> None:
        self._database = transactions
        self.rules = rules

    def ask(self, wishes: Sequence[Wish], now: datetime) -> None:
        """Let plans wait; one that is in work waits again when it ends.

        Of the same plan the earlier due time wins; one that failed is not made due
        sooner.
        """
        self._database.write(lambda made: ask_for_plans(made, wishes, now))

    def any_due(self, now: datetime) -> bool:
        """Tell whether any plan can be leased: one question, which locks nothing."""
        return self._database.read(lambda made: any_due(made, now))

    def begin(
        self, kind: PlanKind | None, now: datetime, wiki: str | None = None
    ) -> Plan | None:
        """Lease the plan that is due first, of a kind and wiki or of all.

        Return `None` if none is due. `token` never comes again for the same subject.
        """
        rules = self.rules
        return self._database.write(
            lambda made: begin(
                made,
                kind,
                now,
                wiki=wiki,
                for_s=rules.lease_s,
                most_deaths=rules.most_deaths,
            )
        )

    def finish(
        self, plan: Plan, posts: Sequence[Post], now: datetime
    ) -> tuple[Asked, ...]:
        """Ask for the posts that came of a plan, and end it: both or neither.

        If an earlier post to one of the pages is not settled, the plan waits again.

        Raises:
            LeaseLost: somebody else has the plan; nothing is asked for.
        """

        def work(made: Connection) -> tuple[Asked, ...]:
            asked = tuple(ask_for_post(made, post) for post in posts)
            if Asked.BUSY in asked:
                delay_plan(made, plan, now, in_s=self.rules.busy_s, why=None)
            else:
                end_plan(made, plan, now)
            return asked

        return self._database.write(work)

    def retry(self, plan: Plan, now: datetime, in_s: float, why: str) -> None:
        """Let a plan wait after a failure.

        Raises:
            LeaseLost: somebody else has the plan.
        """
        self._database.write(
            lambda made: delay_plan(made, plan, now, in_s=in_s, why=why)
        )

    def state(self) -> PlansState:
        """Count the plans that wait or are in work."""
        return self._database.read(plans_state)

    def failing(self, limit: int = 100) -> tuple[FailingPlan, ...]:
        """Return plans that wait after a failure, the one that failed last first."""
        return self._database.read(lambda made: failing(made, limit))


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
    # In one order for all writers, so that none of them wait for each other.
    for (kind, wiki), group in groupby(sorted(due), lambda key: key[:2]):
        subjects = [key[2] for key in group]
        for at in range(0, len(subjects), _AT_ONCE):
            some = {
                subject: due[kind, wiki, subject]
                for subject in subjects[at : at + _AT_ONCE]
            }
            _ask_some(connection, {"kind": kind, "wiki": wiki}, some, now)


def _subject(wish: Wish) -> str:
    return sanitise.key(wish.subject, "subject of a plan") if wish.subject else ""


def _ask_some(
    connection: Connection,
    named: dict[str, str],
    due: dict[str, datetime],
    now: datetime,
) -> None:
    rows = connection.execute(
        select(plans)
        .filter_by(**named)
        .where(plans.c.subject.in_(due))
        .order_by(plans.c.subject)
        .with_for_update()
    ).all()
    for row in rows:
        values = _renewed(row, due[row.subject], now)
        if values:
            _set(connection, row.id, values)
    new = sorted(due.keys() - {row.subject for row in rows})
    if new:
        fresh = [
            named | {"subject": subject} | _fresh(due[subject], now) for subject in new
        ]
        connection.execute(insert(plans), fresh)


def _fresh(due_at: datetime, now: datetime) -> dict[str, Any]:
    return {
        "state": PlanState.WAITING.name,
        "due_at": due_at,
        "attempts": 0,
        # Posts are named after it: it has to be other than any of a row that stood
        # here before, and was swept away.
        "token": int(now.timestamp()),
        "again": False,
        "changed_at": now,
    }


def _renewed(row: Row[Any], due_at: datetime, now: datetime) -> dict[str, Any] | None:
    state = PlanState[row.state]
    if state is PlanState.LEASED:
        sooner = min(due_at, row.due_at) if row.again else due_at
        return {"again": True, "due_at": sooner}
    if state is PlanState.WAITING:
        is_sooner = row.note is None and due_at < row.due_at
        return {"due_at": due_at} if is_sooner else None
    return {
        "state": PlanState.WAITING.name,
        "due_at": due_at,
        "attempts": 0,
        "note": None,
        "changed_at": now,
    }


def begin(
    connection: Connection,
    kind: PlanKind | None,
    now: datetime,
    *,
    wiki: str | None,
    for_s: float,
    most_deaths: int,
) -> Plan | None:
    """Lease the plan that is due first; `None` if none is.

    One whose planners die again and again rests for an hour.
    """
    wanted = [
        plans.c.kind == kind.name
        if kind
        else compatibility.known(plans.c.kind, PlanKind)
    ]
    wanted += [plans.c.wiki == wiki] if wiki is not None else []
    while True:
        row = _next(connection, now, wanted)
        if row is None:
            return None
        if row.state != PlanState.LEASED.name or row.attempts < most_deaths:
            return _leased(connection, row, now, for_s)
        note = _DIED.format(attempts=row.attempts)
        _set(connection, row.id, _waiting(now, _REST_S, note) | {"attempts": 0})


def any_due(connection: Connection, now: datetime) -> bool:
    """Tell whether any plan is due, or its planner's lease has run out."""
    state = plans.c.state
    ends = select(func.min(plans.c.leased_until)).where(state == PlanState.LEASED.name)
    first = select(func.min(plans.c.due_at)).where(state == PlanState.WAITING.name)
    found = connection.execute(
        select(ends.scalar_subquery(), first.scalar_subquery())
    ).one()
    return any(at is not None and at <= now for at in found)


def _next(
    connection: Connection, now: datetime, wanted: Sequence[ColumnElement[bool]]
) -> Row[Any] | None:
    run_out = (plans.c.state == PlanState.LEASED.name) & (plans.c.leased_until <= now)
    due = (plans.c.state == PlanState.WAITING.name) & (plans.c.due_at <= now)
    return _first(connection, and_(run_out, *wanted)) or _first(
        connection, and_(due, *wanted)
    )


def _first(connection: Connection, which: ColumnElement[bool]) -> Row[Any] | None:
    return connection.execute(
        select(plans)
        .where(which)
        .order_by(plans.c.due_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).one_or_none()


def _leased(connection: Connection, row: Row[Any], now: datetime, for_s: float) -> Plan:
    until = now + timedelta(seconds=for_s)
    values = {
        "state": PlanState.LEASED.name,
        "attempts": row.attempts + 1,
        "token": row.token + 1,
        "leased_until": until,
        "again": False,  # what was asked for before now is planned now
        "changed_at": now,
    }
    _set(connection, row.id, values)
    return Plan(wish_of(row), row.token + 1, row.attempts + 1, until)


def wish_of(row: Row[Any]) -> Wish:
    """Return what a row was asked as."""
    return Wish(PlanKind[row.kind], row.wiki, row.subject, row.due_at)


def end_plan(connection: Connection, plan: Plan, now: datetime) -> None:
    """End a plan; it waits again if it was asked for meanwhile.

    Raises:
        LeaseLost: somebody else has the plan.
    """
    row = _held(connection, plan)
    if row is None:
        return
    state = PlanState.WAITING if row.again else PlanState.IDLE
    values = {"state": state.name, "attempts": 0, "note": None}
    _set(connection, row.id, _ended(now) | values)


def delay_plan(
    connection: Connection, plan: Plan, now: datetime, *, in_s: float, why: str | None
) -> None:
    """Let a plan wait; `why` is the failure, `None` where it is none.

    Raises:
        LeaseLost: somebody else has the plan.
    """
    row = _held(connection, plan)
    if row is None:
        return
    values = _waiting(now, in_s, why)
    if why is None:
        values |= {"attempts": 0}
    _set(connection, row.id, values)


def _waiting(now: datetime, in_s: float, why: str | None) -> dict[str, Any]:
    return _ended(now) | {
        "state": PlanState.WAITING.name,
        "due_at": now + timedelta(seconds=in_s),
        "note": sanitise.text(why),
    }


def _held(connection: Connection, plan: Plan) -> Row[Any] | None:
    """Return the row of a plan that is leased; `None` if it was ended before.

    A first try whose answer was lost may have done so; doing it twice is doing it
    once.
    """
    wish = plan.wish
    row = connection.execute(
        select(plans)
        .filter_by(kind=wish.kind.name, wiki=wish.wiki, subject=wish.subject)
        .with_for_update()
    ).one_or_none()
    if row is None or row.token != plan.token:
        raise LeaseLost(
            f"the plan of {wish.subject[:KEY_CHARS]!r} on {wish.wiki} is no longer ours"
        )
    return row if row.state == PlanState.LEASED.name else None


def _ended(now: datetime) -> dict[str, Any]:
    return {"leased_until": None, "again": False, "changed_at": now}


def _set(connection: Connection, row_id: int, values: dict[str, Any]) -> None:
    connection.execute(update(plans).where(plans.c.id == row_id).values(**values))


def plans_state(connection: Connection) -> PlansState:
    """Count the plans of each kind that wait, and that somebody works on."""
    waiting, leased = (dict.fromkeys(PlanKind, 0) for _ in range(2))
    counted = {PlanState.WAITING: waiting, PlanState.LEASED: leased}
    names = [state.name for state in counted]
    rows = connection.execute(
        select(plans.c.kind, plans.c.state, func.count())
        .where(plans.c.state.in_(names))
        .group_by(plans.c.kind, plans.c.state)
    )
    for kind, name, count in rows:
        if kind in PlanKind.__members__:
            counted[PlanState[name]][PlanKind[kind]] = count
    waits = plans.c.state == PlanState.WAITING.name
    oldest = connection.scalar(
        select(plans.c.due_at).where(waits).order_by(plans.c.due_at).limit(1)
    )
    return PlansState(waiting, leased, oldest)


def failing(connection: Connection, limit: int) -> tuple[FailingPlan, ...]:
    """Return plans that wait after a failure, the one that failed last first."""
    return tuple(_failing(connection, limit))


def _failing(connection: Connection, limit: int) -> Iterator[FailingPlan]:
    waits = plans.c.state == PlanState.WAITING.name
    rows = connection.execute(
        select(plans)
        .where(
            waits
            & plans.c.note.is_not(None)
            & compatibility.known(plans.c.kind, PlanKind)
        )
        .order_by(plans.c.changed_at.desc(), plans.c.id.desc())
        .limit(limit)
    )
    for row in rows:
        yield FailingPlan(wish_of(row), row.attempts, row.note, row.changed_at)
