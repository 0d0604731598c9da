"""Reads what has to be planned anew, within a transaction of the caller's."""

from collections.abc import Iterator

from sqlalchemy import Connection, func, select

from bot.records.watches import FailingPlan, PlanKind, PlansState
from bot.store import compatibility
from bot.store.planning import PlanState, wish_of
from bot.store.standing_tables import plans


def state(connection: Connection) -> PlansState:
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
