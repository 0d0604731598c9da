"""A person names topics in their opt-in; what came of each is answered there."""

import json

import pytest

from bot.records.dossiers import DraftState, StoredDraft
from bot.records.posts import Posted
from bot.records.tasks import TaskKind
from bot.store import Store
from bot.surfaces.planning.drafts import plan_draft
from tests.bot.surfaces.planning.opt_in_world import (
    COMMUNITY,
    HOST,
    PLACE,
    OptInWiki,
    World,
)
from tests.bot.wiki.markup.makers import BOT

PAGE = "User:Ada/Sidenote drafts/Harbour Clock"
_CALL = f"{{{{User:{BOT}/watch|drafts=Harbour Clock}}}}"
_AGAIN = "To request a draft again"


@pytest.fixture
def world(store: Store) -> World:
    new_world = World(store, OptInWiki())
    new_world.wiki.put(COMMUNITY, json.dumps({"drafts": True}), model="json")
    return new_world


def _stored(world: World) -> StoredDraft:
    draft = world.store.drafts.of_page(HOST, PAGE)
    assert draft is not None
    return draft


async def _nothing(world: World, note: str) -> None:
    """Let the role of drafts find nothing, and the answer follow."""
    turn = world.store.tasks.lease([TaskKind.DRAFT], "me", world.now)
    assert turn is not None
    world.store.drafts.nothing(turn, note, world.now)
    await world.plan()


def _saved(world: World, text: str) -> None:
    """Let the person save their opt-in."""
    world.wiki.saved_last["Ada"] = world.wiki.put(PLACE, text)


async def test_a_topic_is_drafted_for_who_watches_nothing_else(world: World) -> None:
    await world.save(_CALL)

    assert (_stored(world).topic, _stored(world).watcher) == ("Harbour Clock", "Ada")
    assert "'''Sidenote''' drafts 1 topic for Ada" in world.text()
    assert "Harbour Clock: being drafted" in world.text()
    assert "surface" not in world.text()
    watch = world.watch()
    assert watch.pages == ()
    assert len(world.posts) == 1


async def test_why_there_is_no_draft_is_answered_once(world: World) -> None:
    _saved(world, _CALL)
    await world.plan()

    await _nothing(world, "all documents are in another language <nb>")

    assert "all documents are in another language &#60;nb&#62;" in world.text()
    assert _AGAIN in world.text()
    assert await world.plan() == []
    assert _stored(world).state is DraftState.NOTHING


async def test_a_person_who_saves_the_opt_in_again_asks_again(world: World) -> None:
    _saved(world, _CALL)
    await world.plan()
    await _nothing(world, "no documents were found")

    _saved(world, f"Please. {world.text()}")
    await world.plan()

    assert _stored(world).state is DraftState.WAITING
    assert "being drafted" in world.text()


async def test_a_page_that_is_gone_is_drafted_again_once_it_is_asked_for(
    world: World,
) -> None:
    _saved(world, _CALL)
    await world.plan()
    turn = world.store.tasks.lease([TaskKind.DRAFT], "me", world.now)
    assert turn is not None
    world.store.drafts.save(turn, "words", world.now)
    await _posted(world)
    world.wiki.put(PAGE, "words")
    await world.plan()
    assert f"[[:{PAGE}|your draft]]" in world.text()

    _saved(world, f"Thanks. {world.text()}")
    await world.plan()
    assert _stored(world).state is DraftState.POSTED

    del world.wiki.pages[PAGE]
    await world.plan()
    assert _stored(world).state is DraftState.POSTED

    _saved(world, f"Again. {world.text()}")
    await world.plan()
    assert _stored(world).state is DraftState.WAITING


async def test_what_somebody_else_wrote_into_the_opt_in_is_not_drafted(
    world: World,
) -> None:
    await world.save(_CALL)
    world.wiki.saved_last["Ada"] = world.wiki.pages[PLACE]

    await world.save(world.text().replace("drafts=", "drafts=Ada is mad; "))

    assert "<code>Ada is mad</code>: someone else added it here" in world.text()
    [only] = world.store.drafts.of_place(HOST, PLACE)
    assert only.topic == "Harbour Clock"


async def test_a_topic_that_is_taken_out_is_dropped(world: World) -> None:
    await world.save(_CALL)

    await world.save(world.text().replace("Harbour Clock}}", "Other Clock}}"))
    assert _stored(world).state is DraftState.DROPPED
    await world.save("Bye.")

    assert world.store.drafts.of_place(HOST, PLACE) == ()
    assert world.watch() is None


async def test_a_wiki_that_no_longer_allows_drafts_ends_them(world: World) -> None:
    await world.save(_CALL)

    world.wiki.put(COMMUNITY, "{}", model="json")
    await world.plan()

    assert _stored(world).state is DraftState.DROPPED
    assert world.watch() is None
    assert "this wiki does not allow it" in world.text()


async def _posted(world: World) -> None:
    """Do what planner and gate do with a draft's page, which have their own tests."""
    plan = world.store.tasks.lease([TaskKind.PLAN_DRAFT], "me", world.now)
    assert plan is not None
    planned = await plan_draft(world.tools, plan)
    world.store.plans.finish(plan, planned.posts, world.now)
    attempt = world.store.outbox.begin(world.now)
    assert attempt is not None
    world.store.outbox.settle(attempt, Posted(5), world.now)
