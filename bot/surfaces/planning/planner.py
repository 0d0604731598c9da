"""Makes the plans that are due, one after the other, and keeps what came of each.

The posts of a plan and its end are kept together, so that a planner that is killed
leaves nothing behind and asks for nothing twice. No plan stops the planner: one that
fails waits, far longer where trying again is useless, with the reason shown.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import structlog

from bot.records.jobs import LeaseLost
from bot.records.rounds import Looking, rounds
from bot.records.watches import Plan, PlanKind
from bot.sources.manners import backoff_s
from bot.surfaces.planning.drafts import plan_draft
from bot.surfaces.planning.intended_post import Handler, Means, Planned
from bot.surfaces.planning.reports import plan_report
from bot.surfaces.planning.talk import plan_talk
from handlers.ports import AwayError, PermanentError, TemporaryError

_FIRST_S = 15.0
_LONGEST_S = 3600.0
_MOST_AWAY_S = 30.0  # where a wiki does not answer
_HOPELESS_S = 86_400.0
_MOST_DOUBLINGS = 12


def handlers(means: Means, opt_ins: Handler | None = None) -> dict[PlanKind, Handler]:
    """Return what makes plans of each kind; without `opt_ins` those are left waiting."""
    known: dict[PlanKind, Handler] = {
        PlanKind.REPORT: partial(plan_report, means),
        PlanKind.TALK: partial(plan_talk, means),
        PlanKind.DRAFT: partial(plan_draft, means),
    }
    return known if opt_ins is None else {PlanKind.OPT_INS: opt_ins, **known}


@dataclass(frozen=True, slots=True)
class Planner:
    """Works through the plans of the kinds that it has handlers for, in their order.

    `draw` gives random numbers from 0 to 1. Several planners, also in several
    processes, may share one store.
    """

    means: Means
    handlers: Mapping[PlanKind, Handler]
    draw: Callable[[], float]

    async def run(self, stop: asyncio.Event, *, idle_s: float = 1.0) -> None:
        """Plan until `stop` is set; the plan in hand is finished first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        await rounds(stop, Looking(self.plan_once, idle_s))

    async def plan_once(self) -> bool:
        """Make the plan that is due first; `False` if none is.

        Raises:
            TemporaryError: the store is away; a plan in hand comes back when its
                lease runs out.
            PermanentError: the store cannot be used.
        """
        plans, now = self.means.store.plans, self.means.now()
        if not await asyncio.to_thread(plans.any_due, now):
            return False
        for kind, handler in self.handlers.items():
            plan = await asyncio.to_thread(
                self.means.store.plans.begin, kind, self.means.now()
            )
            if plan is not None:
                await self._make(plan, handler)
                return True
        return False

    async def _make(self, plan: Plan, handler: Handler) -> None:
        wish = plan.wish
        with structlog.contextvars.bound_contextvars(
            wiki=wish.wiki, plan=wish.kind.name, subject=wish.subject
        ):
            try:
                await self._tried(plan, handler)
            except LeaseLost:
                structlog.get_logger().warning("plan was taken up by another process")

    async def _tried(self, plan: Plan, handler: Handler) -> None:
        try:
            planned = await handler(plan)
            await self._finish(plan, planned)
        except LeaseLost:
            raise
        except PermanentError as error:
            await self._retry(plan, str(error), _HOPELESS_S)
        except AwayError as error:  # of which all plans wait: the end is soon noticed
            await self._retry(plan, str(error), error.retry_in_s, _MOST_AWAY_S)
        except TemporaryError as error:
            await self._retry(plan, str(error), error.retry_in_s)
        except Exception as error:  # noqa: BLE001 - no plan may stop the planner
            structlog.get_logger().exception("fault while planning")
            why = f"a fault of the program: {type(error).__name__}: {error}"
            await self._retry(plan, why, 0.0)

    async def _finish(self, plan: Plan, planned: Planned) -> None:
        plans, now = self.means.store.plans, self.means.now()
        if planned.wishes:
            await asyncio.to_thread(plans.ask, planned.wishes, now)
        for name in planned.drops:
            await asyncio.to_thread(
                self.means.store.outbox.withdraw, name, now, why="it is settled"
            )
        asked = await asyncio.to_thread(plans.finish, plan, planned.posts, now)
        structlog.get_logger().info(
            "plan made",
            posts=[each.name for each in asked],
            adds=sum(len(each.adds) for each in planned.posts),
            settles=sum(len(each.settles) for each in planned.posts),
            why=planned.why,
        )

    async def _retry(
        self, plan: Plan, why: str, asked_s: float, longest_s: float = _LONGEST_S
    ) -> None:
        attempt = min(plan.attempt, _MOST_DOUBLINGS)
        doubled_s = min(backoff_s(_FIRST_S, attempt, self.draw()), longest_s)
        in_s = max(asked_s, doubled_s)
        structlog.get_logger().warning("plan tried again", why=why, in_s=round(in_s))
        await asyncio.to_thread(
            self.means.store.plans.retry, plan, self.means.now(), in_s=in_s, why=why
        )
