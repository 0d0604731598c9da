"""The answer below a template: where it stands, when it comes again, and when it does not."""

from datetime import timedelta

from bot.records.posts import PostState, Refusal, Refused, ReplaceSection
from bot.records.watches import (
    ActiveWatch,
    IntendedPost,
    PlanKind,
    Surface,
    WatcherKind,
)
from bot.store import Store
from tests.bot.surfaces.planning.opt_in_world import (
    BOX,
    HOST,
    PLACE,
    WATCH,
    OptInWiki,
    World,
    standing,
    world,
)
from tests.bot.wiki.markup.makers import BOT

__all__ = ["world"]


async def test_lines_that_people_wrote_into_the_answer_stay(world: World) -> None:
    await world.save(WATCH)
    await world.save(world.text().replace("Bergen", "Moss; Bergen", 1))
    changed = world.text().replace("|}\n", "|}\nThanks!\n")

    await world.save(changed.replace("Moss; Bergen", "Moss", 1))

    assert world.text().count(BOX) == 1
    assert "\nThanks!" in world.text().partition("<!-- sidenote end state -->")[2]


async def test_a_talk_page_asks_for_its_page_and_is_answered_in_its_lead(
    world: World,
) -> None:
    lead = f"{{{{Banner}}}}\n{{{{User:{BOT}/watch}}}}\n\n"
    rest = "== A question ==\nWhen was it built?\n\n== Another ==\nx"

    await world.save(f"{lead}{rest}", "Talk:Oslo")

    watch = standing(world, "Talk:Oslo")
    assert (watch.kind, watch.pages) == (WatcherKind.PAGE, ("Oslo",))
    assert Surface.TALK in watch.surfaces
    [post] = world.posts
    assert isinstance(post.change, ReplaceSection)
    assert (post.change.number, post.change.expected) == (0, lead)
    assert "'''Sidenote''' watches Oslo" in world.text("Talk:Oslo")
    assert world.text("Talk:Oslo").endswith(rest)
    assert await world.plan("Talk:Oslo") == []


async def test_a_template_in_a_later_section_is_answered_there(world: World) -> None:
    text = f"Lead.\n\n== A ==\nx\n\n=== B ===\n{WATCH}\n== C ==\ny"

    await world.save(text, "Project talk:Towns")

    [post] = world.posts
    assert isinstance(post.change, ReplaceSection)
    assert post.change.number == 2
    assert post.change.expected == f"=== B ===\n{WATCH}\n"
    assert world.text("Project talk:Towns").endswith("-->\n== C ==\ny")
    assert standing(world, "Project talk:Towns").report == (
        "Project talk:Towns/Sidenote report"
    )


async def test_a_nested_template_on_a_talk_page_is_answered_at_its_end(
    world: World,
) -> None:
    text = f"{{{{Box|{WATCH}}}}}\n\n== A ==\nx"

    await world.save(text, "User talk:Ada")

    assert world.text("User talk:Ada").startswith(f"{text}\n{BOX}")
    [post] = world.posts
    assert isinstance(post.change, ReplaceSection)
    assert post.change.number == 1


async def test_a_page_that_keeps_bots_away_is_watched_and_not_written_to(
    world: World,
) -> None:
    await world.save(f"{{{{nobots}}}}\n{WATCH}")

    assert world.posts == []
    assert standing(world).pages == ("Oslo", "Bergen")


async def test_an_answer_that_is_refused_is_not_posted_again_and_again(
    world: World,
) -> None:
    await world.save("x")
    world.wiki.put(PLACE, WATCH)
    await _plan_only(world)
    attempt = world.store.outbox.begin(world.now)
    assert attempt is not None
    world.store.outbox.settle(
        attempt, Refused(Refusal.PROTECTED, "it is protected"), world.now
    )

    for _ in range(5):
        world.now += timedelta(minutes=10)
        assert await world.plan() == []

    world.now += timedelta(days=1)
    assert len(await world.plan()) == 1


async def test_an_answer_that_waits_gives_way_to_what_is_right_now(
    world: World,
) -> None:
    world.wiki.put(PLACE, WATCH)
    await _plan_only(world)
    await _plan_only(world)
    [waiting] = world.store.outbox.kept()

    world.wiki.put(PLACE, "no template any more")
    await _plan_only(world)

    [dropped] = world.store.outbox.kept()
    assert (waiting.state, dropped.state) == (PostState.WAITING, PostState.DROPPED)
    assert waiting.post.name == dropped.post.name


async def _plan_only(world: World) -> None:
    intended_post = IntendedPost(PlanKind.OPT_INS, HOST, PLACE, world.now)
    world.store.plans.ask([intended_post], world.now)
    while await world.planner.work_once():
        world.now += timedelta(seconds=1)


async def test_a_dry_run_shows_an_answer_once(store: Store) -> None:
    world = World(store, OptInWiki(), is_dry=True)
    await world.save(WATCH)

    assert await world.plan() == []
    assert world.text() == WATCH
    [post] = world.posts
    await world.save(WATCH.replace("Bergen", "Moss"))
    assert world.posts[0] == post
    assert "[[:Moss|Moss]]" in world.posts[1].change.text


async def test_a_template_that_stands_twice_is_answered_below_the_first(
    world: World,
) -> None:
    await world.save(f"{WATCH}\n{WATCH}\n{WATCH}")

    assert world.text().startswith(f"{WATCH}\n{BOX}")
    assert world.text().endswith(f"-->\n{WATCH}\n{WATCH}")
    assert await world.plan() == []


async def test_a_process_that_dies_after_the_watch_was_kept_still_answers(
    world: World,
) -> None:
    world.wiki.put(PLACE, WATCH)
    watch = ActiveWatch(HOST, PLACE, WatcherKind.USER, "Ada", ("Oslo", "Bergen"))
    world.store.watches.keep(watch, [], world.now)

    assert len(await world.plan()) == 1
    assert await world.plan() == []
