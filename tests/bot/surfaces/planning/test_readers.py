"""What readers of the panel decide holds on reports and talk pages, too."""

from dataclasses import replace

from bot.daemon.runner import Runner
from bot.records.accounts import Decision, StoredDecision
from bot.records.watches import NoteState, PlanKind, Surface
from bot.surfaces.feedback import FeedbackRules, feedback
from bot.surfaces.planning.planner import handlers, planning
from bot.surfaces.planning.recheck import wanted
from handlers.model import CheckKind, Flag
from tests import builders
from tests.bot.store.decided import ANNA, BEN, decision
from tests.bot.surfaces.planning.makers import (
    ARTICLE,
    REPORT,
    TALK,
    WIKI,
    found,
    watch,
)
from tests.bot.surfaces.planning.world import World
from tests.bot.writing.makers import post

_DAY_S = 86_400


def _decided(world: World, number: int = 1) -> Decision:
    identity = found(number).identity
    return decision(identity, wiki=WIKI, title=ARTICLE, decided_at=world.now())


def _decide(
    world: World, reader: str, number: int = 1, user: str | None = None
) -> StoredDecision:
    return world.store.decisions.decide(reader, _decided(world, number), user=user)


async def test_what_two_readers_refuse_goes_from_the_report_and_comes_back_if_undone(
    world: World,
) -> None:
    world.watch(watch(interval_s=_DAY_S))
    world.check(1, 2)
    await world.go_on()

    _decide(world, ANNA)
    await world.go_on()
    assert world.notes_on(REPORT) == [1, 2]
    decision = _decide(world, BEN)
    await world.go_on()

    assert world.notes_on(REPORT) == [2]
    assert await world.go_on() == []
    world.store.decisions.undo(BEN, decision.number, world.now())
    await world.go_on(_DAY_S / 60)
    assert world.notes_on(REPORT) == [1, 2]


async def test_what_two_readers_refuse_is_not_posted_at_all(world: World) -> None:
    world.watch(watch())
    world.check(1, 2)
    for reader in (ANNA, BEN):
        _decide(world, reader)

    await world.go_on()

    assert world.notes_on(REPORT) == [2]


async def test_what_two_readers_refuse_goes_from_a_talk_page_where_nobody_answered(
    world: World,
) -> None:
    world.watch(watch(surfaces=(Surface.TALK,), report=None))
    world.check(1, 2)
    await world.go_on()
    assert world.notes_on(TALK) == [1, 2]

    for reader in (ANNA, BEN):
        _decide(world, reader)
    await world.go_on()

    assert world.notes_on(TALK) == [2]
    states = {
        each.identity: each.state for each in world.store.shown_notes.on(WIKI, TALK)
    }
    assert states[found(1).identity] is NoteState.DISMISSED
    assert states[found(2).identity] is NoteState.OPEN


async def test_a_note_that_readers_closed_meanwhile_is_not_written(
    world: World,
) -> None:
    world.watch(watch(surfaces=(Surface.TALK,), report=None))
    world.check(1)
    intended_post = post(adds=(found(1).identity,), plan=PlanKind.TALK, subject=ARTICLE)
    for reader in (ANNA, BEN):
        _decide(world, reader)

    assert "readers closed" in wanted(world.store)(intended_post, "")


async def test_what_its_owner_dismisses_in_the_panel_goes_from_their_report_at_once(
    world: World,
) -> None:
    world.watch(watch(interval_s=_DAY_S))
    world.check(1, 2)
    await world.go_on()

    decision = _decide(world, ANNA, user="Ada")
    await world.go_on()
    assert world.notes_on(REPORT) == [2]
    world.store.decisions.undo(ANNA, decision.number, world.now(), user="Ada")
    await world.go_on(_DAY_S / 60)

    assert world.notes_on(REPORT) == [1, 2]


async def test_a_dismissal_that_is_undone_at_once_leaves_no_trace(
    world: World,
) -> None:
    world.watch(watch())
    world.check(1, 2)
    await world.go_on()
    before = world.report

    decision = _decide(world, ANNA, user="Ada")
    world.store.decisions.undo(ANNA, decision.number, world.now(), user="Ada")

    assert await world.go_on() == []
    assert world.report == before


async def test_what_is_dismissed_in_the_panel_first_never_gets_to_the_report(
    world: World,
) -> None:
    world.watch(watch())
    world.check(1, 2)
    _decide(world, ANNA, user="Ada")

    await world.go_on()

    assert world.notes_on(REPORT) == [2]


async def test_a_kind_that_is_held_makes_no_new_notes_and_takes_none_away(
    world: World,
) -> None:
    world.watch(watch())
    world.check(1)
    await world.go_on()
    wrong = builders.tally(WIKI, CheckKind.NOT_SUPPORTED, (), (0.98,) * 30)
    tools = replace(world.tools, feedback=lambda: feedback([wrong], FeedbackRules()))
    world.planner = Runner(
        "planner",
        tools.store.tasks,
        planning(tools, handlers(tools)),
        tools.now,
        lambda: 0.0,
    )
    other = replace(found(3), flag=Flag(CheckKind.CONTRADICTED, 0.98, 0.9))

    world.check_with([found(1), found(2), other])
    await world.go_on()

    assert world.notes_on(REPORT) == [1, 3]
