"""Makes the plans that are due, and stores the result of each.

The posts of a plan and its end are stored together, so that a planner that is killed
leaves nothing behind and asks for nothing twice. A plan that fails waits, much longer
if trying again is useless, with the reason shown.
"""

import asyncio
from collections.abc import Mapping
from functools import partial

import structlog

from bot.records.tasks import BackOff, Lease, TaskKind, Work
from bot.records.watches import IntendedPost, PlanKind
from bot.surfaces.planning.drafts import plan_draft
from bot.surfaces.planning.posts import Handler, PlanningTools
from bot.surfaces.planning.reports import plan_report
from bot.surfaces.planning.talk import plan_talk

_AWAY = BackOff(most_s=30.0)  # all plans wait for it, so its end is noticed soon
_HOPELESS_S = 86_400.0


def handlers(
    tools: PlanningTools, opt_ins: Handler | None = None
) -> dict[PlanKind, Handler]:
    """Return what makes plans of each kind; without `opt_ins`, those wait."""
    known: dict[PlanKind, Handler] = {
        PlanKind.REPORT: partial(plan_report, tools),
        PlanKind.TALK: partial(plan_talk, tools),
        PlanKind.DRAFT: partial(plan_draft, tools),
    }
    return known if opt_ins is None else {PlanKind.OPT_INS: opt_ins, **known}


def planning(
    tools: PlanningTools, handlers: Mapping[PlanKind, Handler]
) -> dict[TaskKind, Work]:
    """Return the work of making plans, for the kinds that have handlers."""
    return {
        kind.task: Work(
            partial(_plan, tools, handler), away=_AWAY, hopeless_s=_HOPELESS_S
        )
        for kind, handler in handlers.items()
    }


async def _plan(
    tools: PlanningTools, handler: Handler, plan: Lease[IntendedPost]
) -> None:
    planned, store = await handler(plan), tools.store
    now = tools.now()
    if planned.intended_posts:
        await asyncio.to_thread(store.plans.ask, planned.intended_posts, now)
    for name in planned.drops:
        await asyncio.to_thread(store.outbox.withdraw, name, now, why="it is settled")
    posts = await asyncio.to_thread(store.plans.finish, plan, planned.posts, now)
    structlog.get_logger().info(
        "plan made",
        posts=[each.name for each in posts],
        adds=sum(len(each.adds) for each in planned.posts),
        settles=sum(len(each.settles) for each in planned.posts),
        why=planned.why,
    )
