"""The planner: plans one by one, and none of them stops it."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.daemon.runner import Runner
from bot.records.posts import PostState
from bot.records.tasks import Lease, LeaseLost
from bot.records.watches import IntendedPost, Plan, PlanKind
from bot.surfaces.planning.planner import planning
from bot.surfaces.planning.posts import Planned, later
from handlers.ports import PermanentError, TemporaryError
from tests.bot.surfaces.planning.makers import NOON, PLACE, WIKI
from tests.bot.surfaces.planning.world import World
from tests.bot.writing.makers import post


def _planner(world: World, *answers: Planned | Exception) -> Runner:
    given: Iterator[Planned | Exception] = iter(answers)

    async def handle(_: Plan) -> Planned:
        answer = next(given)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return replace(
        world.planner, works=planning(world.tools, {PlanKind.REPORT: handle})
    )


def _ask(world: World, kind: PlanKind = PlanKind.REPORT) -> None:
    world.store.plans.ask([IntendedPost(kind, WIKI, PLACE, world.now())], world.now())


async def test_posts_are_kept_with_the_end_of_their_plan(world: World) -> None:
    _ask(world)

    assert await _planner(world, Planned((post(),))).work_once()

    [intended_post] = world.store.outbox.posts()
    assert (intended_post.post, intended_post.state) == (post(), PostState.WAITING)
    assert not await _planner(world).work_once()


@pytest.mark.parametrize(
    ("failure", "wait_s", "note"),
    [
        (TemporaryError("away", retry_in_s=60), 60, "away"),
        (TemporaryError("away", retry_in_s=1), 15, "away"),
        (PermanentError("no such wiki"), 86_400, "no such wiki"),
        (ValueError("a bug"), 15, "a fault of the program: ValueError: a bug"),
    ],
)
async def test_a_plan_that_fails_waits_and_says_why(
    world: World, failure: Exception, wait_s: float, note: str
) -> None:
    _ask(world)
    planner = _planner(world, failure, Planned())

    assert await planner.work_once()

    [failing] = world.store.plans.failing()
    assert failing.note == note
    world.at.pass_time(wait_s - 1)
    assert not await planner.work_once()
    world.at.pass_time(1)
    assert await planner.work_once()
    assert world.store.plans.failing() == ()


async def test_a_post_that_cannot_be_kept_is_a_failure_of_its_plan(
    world: World,
) -> None:
    _ask(world)
    endless = replace(post(), summary="x" * 2_000_000)

    await _planner(world, Planned((endless,))).work_once()

    [failing] = world.store.plans.failing()
    assert "cannot be posted" in failing.note


async def test_a_plan_may_want_to_be_made_again(world: World) -> None:
    _ask(world)
    intended_post = IntendedPost(PlanKind.REPORT, WIKI, PLACE, NOON)
    plan = Lease(intended_post, intended_post.kind.task, WIKI, PLACE, 1, 1, NOON)
    planner = _planner(world, later(plan, world.now(), 60, "not yet"), Planned())

    await planner.work_once()

    assert not await planner.work_once()
    world.at.pass_time(60)
    assert await planner.work_once()


async def test_plans_of_other_kinds_are_left_waiting(world: World) -> None:
    _ask(world, PlanKind.OPT_INS)

    assert not await world.planner.work_once()
    assert world.store.plans.state().waiting[PlanKind.OPT_INS] == 1


async def test_a_lease_that_was_lost_leaves_the_plan_to_others(world: World) -> None:
    _ask(world)

    assert await _planner(world, LeaseLost("gone")).work_once()

    assert world.store.plans.failing() == ()
    world.at.pass_time(timedelta(minutes=3).total_seconds())
    assert await _planner(world, Planned()).work_once()


async def test_it_stops_at_once_also_while_it_rests(world: World) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(world.planner.run(stop, idle_s=3600))
    await asyncio.sleep(0.1)

    stop.set()
    await asyncio.wait_for(running, 60)
