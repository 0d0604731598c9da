"""A draft becomes a new page in its person's folder, and never touches another."""

from datetime import timedelta

import pytest

from bot.records.dossiers import DraftOrder, DraftState, NamedTopic, StoredDraft
from bot.records.posts import Create, NotNow, Posted, PostState, Refused, Shown
from bot.records.tasks import TaskKind
from bot.records.watches import CommunityPage
from bot.store import Store
from bot.surfaces.planning.drafts import IN_THE_WAY
from bot.surfaces.planning.recheck import wanted
from tests.bot.surfaces.planning.makers import PLACE, WIKI
from tests.bot.surfaces.planning.world import World
from tests.bot.writing.makers import no_answer
from tests.bot.writing.model_wiki import BOT

PAGE = "Benutzer:Ada/Sidenote drafts/Hafenuhr"
TEXT = "'''Hafenuhr''' schlägt.<ref name=a />"


def _world(store: Store, *, is_dry: bool = False) -> World:
    world = World(store, is_dry=is_dry, wanted=wanted(store))
    world.at.go("draft")
    return world


@pytest.fixture
def world(store: Store) -> World:
    return _world(store)


def _drafted(world: World, text: str = TEXT) -> None:
    """Do what the role of drafts does, once its draft is made."""
    named = (NamedTopic("Hafenuhr", PAGE),)
    world.store.drafts.ask(DraftOrder(WIKI, PLACE, "Ada", named), world.now())
    turn = world.store.tasks.lease([TaskKind.DRAFT], "me", world.now())
    assert turn is not None
    world.store.drafts.save(turn, text, world.now())


def _stored(world: World) -> StoredDraft:
    draft = world.store.drafts.of_page(WIKI, PAGE)
    assert draft is not None
    return draft


async def test_a_draft_becomes_a_page_of_the_persons_own(world: World) -> None:
    _drafted(world)

    [outcome] = await world.go_on()

    assert isinstance(outcome, Posted)
    assert world.at.text(PAGE) == TEXT
    assert (_stored(world).state, _stored(world).text) == (DraftState.POSTED, "")
    assert f"[[User:{BOT}/Run/draft#" in world.own_edits()[0].comment
    assert await world.go_on() == []


async def test_what_a_person_wrote_there_stays_and_they_are_told(world: World) -> None:
    world.at.put(PAGE, "My own notes.")
    _drafted(world)

    assert await world.go_on() == []

    assert world.at.text(PAGE) == "My own notes."
    assert (_stored(world).state, _stored(world).note) == (
        DraftState.REFUSED,
        IN_THE_WAY,
    )


async def test_a_page_that_came_to_be_meanwhile_stays(world: World) -> None:
    _drafted(world)
    world.at.pass_time(60)
    await world.plan()
    world.at.put(PAGE, "My own notes.")

    [outcome] = world.publish()
    assert isinstance(outcome, Refused)
    assert await world.go_on() == []

    assert world.at.text(PAGE) == "My own notes."
    assert _stored(world).note == IN_THE_WAY


async def test_a_page_that_was_made_is_the_persons_and_not_written_again(
    world: World,
) -> None:
    _drafted(world)
    await world.go_on()

    world.at.put(PAGE, "I took it over.")
    assert await world.go_on() == []
    world.at.delete(PAGE)
    assert await world.go_on() == []

    assert PAGE not in world.at.pages


async def test_a_draft_waits_for_its_stop_page(store: Store) -> None:
    world = World(store)
    world.at.go("report")
    _drafted(world)

    [outcome] = await world.go_on()
    assert isinstance(outcome, NotNow)
    assert PAGE not in world.at.pages

    world.at.go("draft")
    [outcome] = await world.go_on()
    assert isinstance(outcome, Posted)


async def test_a_draft_that_nobody_asks_for_any_more_is_not_posted(
    world: World,
) -> None:
    _drafted(world)
    world.at.pass_time(60)
    await world.plan()
    world.store.drafts.ask(DraftOrder(WIKI, PLACE, "Ada", ()), world.now())

    [outcome] = world.publish()

    assert isinstance(outcome, Refused)
    assert PAGE not in world.at.pages
    assert await world.go_on() == []


async def test_a_draft_remade_meanwhile_is_posted_as_it_is_now(
    world: World,
) -> None:
    _drafted(world)
    world.at.pass_time(60)
    await world.plan()
    world.store.drafts.ask(DraftOrder(WIKI, PLACE, "Ada", ()), world.now())
    _drafted(world, "Newer words.")

    [outcome] = world.publish()
    assert isinstance(outcome, Refused)
    await world.go_on()

    assert world.at.text(PAGE) == "Newer words."


@pytest.mark.parametrize("is_planned", [False, True])
async def test_a_draft_is_remade_once_the_community_decided_again(
    world: World, *, is_planned: bool
) -> None:
    """It may have words of a model that are no longer wanted there."""
    world.store.communities.keep(
        WIKI, CommunityPage('{"policy": "wording", "drafts": true}', 1, world.now())
    )
    _drafted(world)
    world.at.pass_time(60)
    if is_planned:
        await world.plan()
    world.store.communities.keep(
        WIKI, CommunityPage('{"policy": "pointer", "drafts": true}', 2, world.now())
    )

    await world.go_on()
    await world.go_on()

    assert PAGE not in world.at.pages
    assert _stored(world).state is DraftState.WAITING
    _drafted(world, "Quotes alone.")
    await world.go_on()
    assert world.at.text(PAGE) == "Quotes alone."


async def test_an_opt_in_page_that_keeps_bots_away_gets_no_draft(world: World) -> None:
    world.at.put(PLACE, "{{nobots}}")
    _drafted(world)

    assert await world.go_on() == []

    world.at.put(PLACE, "{{watch}}")
    [outcome] = await world.go_on(minutes=25 * 60)
    assert isinstance(outcome, Posted)


async def test_an_opt_in_page_that_keeps_bots_away_since_the_plan_gets_no_draft(
    world: World,
) -> None:
    _drafted(world)
    world.at.pass_time(60)
    await world.plan()
    world.at.put(PLACE, "{{watch}}{{nobots}}")

    [outcome] = world.publish()

    assert isinstance(outcome, Refused)
    assert PLACE in outcome.why
    assert PAGE not in world.at.pages
    assert await world.go_on() == []
    assert _stored(world).state is DraftState.DRAFTED, "it is not made anew for that"
    world.at.put(PLACE, "{{watch}}")
    [outcome] = await world.go_on(minutes=25 * 60)
    assert isinstance(outcome, Posted)


async def test_a_lost_answer_makes_no_second_page(world: World) -> None:
    _drafted(world)
    world.at.pass_time(60)
    await world.plan()
    world.session.on_edit = no_answer
    world.publish()
    world.session.on_edit = lambda do: do()
    world.at.put(PAGE, "I took it over.")

    await world.go_on()

    assert world.at.text(PAGE) == "I took it over."
    assert len(world.own_edits()) == 1
    assert _stored(world).state is DraftState.POSTED


async def test_a_dry_run_shows_the_page_and_the_live_bot_makes_it_later(
    store: Store,
) -> None:
    dry = _world(store, is_dry=True)
    _drafted(dry)
    [outcome] = await dry.go_on()
    assert isinstance(outcome, Shown)
    assert dry.shown == [TEXT]
    assert await dry.go_on() == []
    [post] = dry.posts(PostState.SHOWN)
    assert isinstance(post.post.change, Create)

    live = _world(store)
    live.at.now = dry.now() + timedelta(hours=1)
    named = (NamedTopic("Hafenuhr", PAGE),)
    store.drafts.ask(DraftOrder(WIKI, PLACE, "Ada", named), live.now())
    [outcome] = await live.go_on()

    assert isinstance(outcome, Posted)
    assert live.at.text(PAGE) == TEXT
