"""What retention forgets is not missed: nothing is posted twice, lost or brought back."""

from collections import Counter

import pytest

from bot.records.posts import Posted, PostState, Shown
from bot.records.watches import NoteState, PlanKind, Surface, WatcherKind
from bot.store import Store, SweepRules
from tests.bot.surfaces.planning.makers import ARTICLE, PLACE, REPORT, TALK, WIKI, watch
from tests.bot.surfaces.planning.world import World, without_note

_MONTH_MINUTES = 31 * 24 * 60
_ON_TALK = watch(
    place=TALK,
    kind=WatcherKind.PAGE,
    watcher=ARTICLE,
    surfaces=(Surface.TALK,),
    report=None,
)


def _a_month_later(world: World) -> Counter[str]:
    world.at.pass_time(60 * _MONTH_MINUTES)
    return world.store.sweep(world.now(), SweepRules())


async def test_a_report_goes_on_after_its_older_posts_were_forgotten(
    store: Store,
) -> None:
    dry = World(store, is_dry=True)
    dry.watch(watch())
    dry.check(1, 2, 3)
    await dry.go_on()
    world = World(store, dry.at)
    world.checks = dry.checks
    await world.replan()
    world.at.put(REPORT, without_note(world.report, 1))
    await world.replan()
    world.check(2, 3, 4)
    await world.go_on()

    assert _a_month_later(world)["posts"] == 2
    assert len(world.posts(PostState.POSTED)) == 1
    assert await world.replan() == []

    world.at.put(REPORT, f"Mine.\n{without_note(world.report, 2)}")
    world.check(1, 2, 3, 4, 5)
    await world.go_on()

    assert world.notes_on(REPORT) == [3, 4, 5]
    assert world.report.startswith("Mine.\n")


async def test_a_talk_page_goes_on_after_its_older_posts_were_emptied(
    store: Store,
) -> None:
    dry = World(store, is_dry=True)
    dry.watch(_ON_TALK)
    for number in range(1, 4):
        dry.check(*range(1, number + 1))
        await dry.go_on()
    assert _a_month_later(dry)["texts"] == 2

    world = World(store, dry.at)
    world.checks = dry.checks
    await world.replan(PlanKind.TALK)
    assert world.notes_on(TALK) == [1, 2, 3]  # none was posted by the dry run

    world.check(2, 3, 4)
    await world.go_on()
    _a_month_later(world)
    assert await world.replan(PlanKind.TALK) == []
    world.at.put(TALK, without_note(world.talk, 2))
    world.check(1, 2, 3, 4)
    await world.go_on()
    states = {
        int(one.identity[:8], 16): one.state for one in store.shown_notes.on(WIKI, TALK)
    }
    assert states[2] is NoteState.DISMISSED
    assert 2 not in world.notes_on(TALK)


@pytest.mark.parametrize("is_dry", [False, True])
async def test_of_somebody_who_opted_out_nothing_is_left(
    store: Store, is_dry: bool
) -> None:
    world = World(store, is_dry=is_dry)
    world.watch(watch())
    world.check(1)
    await world.go_on()
    store.watches.end(WIKI, PLACE, world.now())
    await world.go_on()

    swept = _a_month_later(world)

    assert (swept["posts"], swept["told_notes"]) == (1, 1)
    assert store.outbox.posts() == ()
    assert store.shown_notes.on(WIKI, REPORT) == ()
    assert store.watches.all() == ()
    assert store.plans.state().oldest_due_at is None
    world.watch(watch())  # and may begin anew
    world.check(1, 2)
    assert [type(each) for each in await world.go_on()] == [Shown if is_dry else Posted]
    assert is_dry or world.notes_on(REPORT) == [1, 2]
