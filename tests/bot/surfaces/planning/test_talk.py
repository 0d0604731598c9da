"""One section on a talk page: posted once, settled by itself, and people's as they answer."""

from dataclasses import replace
from itertools import pairwise

import pytest

from bot.records.posts import Posted, PostState, Refusal, Refused, Shown
from bot.records.watches import CommunityPage, NoteState, PlanKind, Surface, WatcherKind
from bot.store import Store
from bot.surfaces.messages import Words
from bot.surfaces.planning.posts import MOST_PER_PAGE
from bot.surfaces.talk_page import State
from tests.bot.store.made_posts import make
from tests.bot.surfaces.planning.makers import ARTICLE, TALK, WIKI, found, watch
from tests.bot.surfaces.planning.world import World

_DAY = 24 * 60
ASKED = watch(
    place=TALK,
    kind=WatcherKind.PAGE,
    watcher=ARTICLE,
    surfaces=(Surface.TALK,),
    report=None,
)
_QUESTION = "== Frage ==\nWelche Uhr?"


@pytest.fixture
def world(store: Store) -> World:
    new_world = World(store)
    new_world.at.put(TALK, _QUESTION)
    new_world.watch(ASKED)
    return new_world


def _states(world: World) -> dict[str, NoteState]:
    return {
        each.identity: each.state for each in world.store.shown_notes.on(WIKI, TALK)
    }


async def test_a_section_appears_once_below_what_people_wrote(world: World) -> None:
    world.check(1, 2)

    assert [type(each) for each in await world.go_on()] == [Posted]
    assert world.talk.startswith(f"{_QUESTION}\n\n== Statements that may need")
    assert world.notes_on(TALK) == [1, 2]
    assert await world.replan(PlanKind.TALK) == []
    assert _states(world)[found(1).identity] is NoteState.OPEN


async def test_nothing_is_checked_where_there_is_nothing_to_say(
    world: World,
) -> None:
    world.check()

    assert await world.replan(PlanKind.TALK) == []
    assert world.reader.reads == []


async def test_a_later_finding_joins_the_unanswered_section(world: World) -> None:
    world.check(1)
    await world.go_on()
    world.check(1, 2)

    await world.go_on()

    assert world.notes_on(TALK) == [1, 2]
    assert world.talk.count("== Statements") == 1


async def test_what_is_fixed_goes_and_the_last_takes_the_section_along(
    world: World,
) -> None:
    world.check(1, 2)
    await world.go_on()
    world.check(2)
    await world.go_on()
    assert world.notes_on(TALK) == [2]

    world.check()
    await world.go_on()

    assert world.talk == _QUESTION
    assert set(_states(world).values()) == {NoteState.SETTLED}


async def test_after_an_answer_only_the_state_is_set_and_only_once(
    world: World,
) -> None:
    world.check(1, 2)
    await world.go_on()
    world.at.put(TALK, f"{world.talk}\n:I shall look. Ada")
    before = world.talk

    world.check(2, 3)
    await world.go_on()

    answered = before.replace(State.OPEN.shown(Words()), State.FIXED.shown(Words()), 1)
    assert world.talk == answered
    # What we marked there is not ours for that: nothing is ever added or taken away.
    world.check(4)
    await world.go_on(2 * _DAY)
    assert world.talk == answered.replace(
        State.OPEN.shown(Words()), State.FIXED.shown(Words())
    )
    world.at.put(TALK, before)
    assert await world.replan(PlanKind.TALK) == []


async def test_a_state_that_people_set_back_stays_however_many_posts_follow(
    world: World,
) -> None:
    world.check(1, 2)
    await world.go_on()
    world.at.put(TALK, f"{world.talk}\n:I shall look. Ada")
    before = world.talk
    world.store.shown_notes.dismiss(WIKI, TALK, [found(1).identity[:24]], world.now())
    await world.replan(PlanKind.TALK)
    assert world.talk != before
    world.at.put(TALK, before)
    [first, _] = world.posts(PostState.POSTED)
    for number in range(MOST_PER_PAGE):
        world.at.pass_time(60)
        unrelated = replace(first.post, name=f"{number:064x}", adds=(), settles=())
        make(world.store, unrelated, at=world.now())

    assert await world.replan(PlanKind.TALK) == []
    assert world.talk == before


async def test_a_copy_of_our_section_that_stays_is_peoples(world: World) -> None:
    world.check(1)
    await world.go_on()
    ours = world.talk.removeprefix(_QUESTION)
    answered = ours.replace(
        "<!-- sidenote post", ":I shall look. Ada\n<!-- sidenote post"
    )
    world.at.put(TALK, f"{_QUESTION}{answered}{ours}")
    world.check()
    await world.go_on()
    assert world.talk.count("== Statements") == 1

    world.check(2)
    await world.go_on(2 * _DAY)

    assert world.notes_on(TALK) == [1]


async def test_a_note_that_people_remove_is_never_posted_again(world: World) -> None:
    world.check(1, 2)
    await world.go_on()
    lines = [line for line in world.talk.split("\n") if f"note {1:08x}" not in line]
    world.at.put(TALK, "\n".join(lines))

    world.check(1, 2, 3)
    await world.go_on()

    assert world.notes_on(TALK) == [2]
    assert _states(world)[found(1).identity] is NoteState.DISMISSED


async def test_a_section_that_was_archived_is_not_made_again(world: World) -> None:
    world.check(1)
    await world.go_on()
    world.at.put(TALK, _QUESTION)

    assert await world.replan(PlanKind.TALK) == []
    world.check(1, 2)
    await world.go_on()

    assert world.notes_on(TALK) == [2]


async def test_what_was_dismissed_elsewhere_goes(world: World) -> None:
    world.check(1, 2)
    await world.go_on()
    world.store.shown_notes.dismiss(WIKI, TALK, [found(1).identity[:24]], world.now())

    await world.replan(PlanKind.TALK)

    assert world.notes_on(TALK) == [2]
    assert _states(world)[found(1).identity] is NoteState.DISMISSED


@pytest.mark.parametrize("is_answered", [False, True])
async def test_where_nobody_asks_any_more_an_unanswered_section_goes(
    world: World, *, is_answered: bool
) -> None:
    world.check(1)
    await world.go_on()
    if is_answered:
        world.at.put(TALK, f"{world.talk}\n:I shall look. Ada")
    before = world.talk

    world.store.watches.end(WIKI, TALK, world.now())
    await world.go_on()

    assert world.talk == (before if is_answered else _QUESTION)


async def test_a_person_asks_where_the_wiki_lets_them(world: World) -> None:
    world.store.watches.end(WIKI, TALK, world.now())
    world.watch(watch(surfaces=(Surface.TALK,), report=None))
    world.check(1)

    await world.go_on()

    assert world.notes_on(TALK) == [1]
    [post] = world.posts(PostState.POSTED)
    assert post.post.user == "Ada"


@pytest.mark.parametrize("gone", ["deleted", "redirect"])
async def test_notes_of_an_article_that_is_no_more_are_settled(
    world: World, gone: str
) -> None:
    world.check(1)
    await world.go_on()
    world.at.delete(ARTICLE)
    if gone == "redirect":
        world.at.put(ARTICLE, "#REDIRECT [[Uhr]]")

    await world.replan(PlanKind.TALK)

    assert world.talk == _QUESTION


@pytest.mark.parametrize("where", [TALK, ARTICLE])
async def test_where_bots_are_kept_away_nothing_is_asked(
    world: World, where: str
) -> None:
    world.at.put(where, f"{{{{nobots}}}}{world.at.text(where)}")
    world.check(1)

    for _ in range(5):
        assert await world.replan(PlanKind.TALK) == []

    assert world.store.outbox.posts() == ()


async def test_a_refusal_by_the_page_is_not_repeated(world: World) -> None:
    world.check(1)
    await world.plan()
    world.at.put(TALK, "{{nobots}}")

    [refused] = world.publish()
    assert isinstance(refused, Refused)
    assert refused.reason is Refusal.EXCLUDED
    later = [await world.replan(PlanKind.TALK) for _ in range(30)]

    assert not any(later)


@pytest.mark.parametrize(
    "code",
    ["protectedpage", "titleblacklist-forbidden-edit", "contenttoobig", "blocked"],
)
async def test_what_is_in_the_way_is_tried_ever_more_rarely(
    world: World, code: str
) -> None:
    error: dict[str, object] = {"code": code, "info": "words of the wiki"}
    if code == "blocked":
        error["blockinfo"] = {"blockpartial": True}
    world.at.errors = [{"error": error}] * 4
    world.check(1)

    found = {day: await world.go_on(_DAY) for day in range(20)}

    tried = [day for day, outcomes in found.items() if outcomes]
    assert [type(found[day][0]) for day in tried] == [Refused] * 4 + [Posted]
    rests = [later - day for day, later in pairwise(tried)]
    assert rests == sorted(rests)
    assert rests[-1] >= 8 * rests[0]
    assert world.notes_on(TALK) == [1]


async def test_a_section_stays_ours_however_many_posts_were_refused_since(
    world: World,
) -> None:
    world.check(1)
    await world.go_on()
    [posted] = world.posts(PostState.POSTED)
    for number in range(MOST_PER_PAGE):
        world.at.pass_time(60)
        post = replace(posted.post, name=f"{number:064x}", plan=None)
        make(world.store, post, Refused(Refusal.UNWANTED, "changed"), world.now())

    world.check(1, 2)
    await world.go_on(2 * _DAY)

    assert world.notes_on(TALK) == [1, 2]


async def test_a_community_limits_posts_on_talk_pages_by_day(world: World) -> None:
    page = '{"limits": {"talkPosts": 1}}'
    world.store.communities.keep(WIKI, CommunityPage(page, 1, world.now()))
    other = "Diskussion:Turm"
    world.watch(replace(ASKED, place=other, pages=("Turm",)))
    world.at.put("Turm", "Ein Turm.")
    world.check(1)
    world.check(2, title="Turm")

    await world.go_on()
    assert len(world.at.written) == 1
    await world.go_on(_DAY)

    assert world.notes_on(TALK) == [1]
    assert world.notes_on(other) == [2]


async def test_a_dry_run_shows_a_section_once(store: Store) -> None:
    world = World(store, is_dry=True)
    world.at.put(TALK, _QUESTION)
    world.watch(ASKED)
    world.check(1)

    assert [type(each) for each in await world.go_on()] == [Shown]
    assert await world.replan(PlanKind.TALK) == []
    world.check()
    assert await world.go_on() == []
    assert world.talk == _QUESTION


async def test_what_a_dry_run_showed_is_posted_when_it_is_live(store: Store) -> None:
    dry = World(store, is_dry=True)
    dry.at.put(TALK, _QUESTION)
    dry.watch(ASKED)
    dry.check(1)
    await dry.go_on()

    world = World(store, dry.at)
    world.at.put(TALK, _QUESTION)
    await world.replan(PlanKind.TALK)

    assert world.notes_on(TALK) == [1]
