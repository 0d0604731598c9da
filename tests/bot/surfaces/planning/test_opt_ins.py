"""Opt-ins are planned from pages, and answered there."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.records.jobs import JobReason
from bot.records.posts import (
    PostState,
    Refusal,
    Refused,
    ReplaceSection,
    ReplaceStretch,
)
from bot.records.spending import Allowance, Denied
from bot.records.tasks import TaskKind, TaskState
from bot.records.watches import (
    ActiveWatch,
    IntendedPost,
    PlanKind,
    Surface,
    WatcherKind,
)
from bot.store import Store
from bot.store.spending import Spending
from bot.wiki.pages import ListedUser
from handlers.model import Consultation, ModelUse, PageId
from tests import builders
from tests.bot.store.runs import run
from tests.bot.surfaces.planning.opt_in_world import (
    BOX,
    COMMUNITY,
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


async def test_a_template_is_watched_and_answered_once(world: World) -> None:
    await world.save(f"Hello.\n{WATCH}\nBye.")

    watch = standing(world)
    assert (watch.kind, watch.watcher) == (WatcherKind.USER, "Ada")
    assert watch.pages == ("Oslo", "Bergen")
    assert watch.report == "User:Ada/Sidenote report"
    assert world.text().startswith(f"Hello.\n{WATCH}\n{BOX}")
    assert world.text().endswith("<!-- sidenote end state -->\nBye.")
    [post] = world.posts
    assert isinstance(post.change, ReplaceStretch)
    assert (post.task, post.user, post.subject) == ("opt-in", "Ada", PLACE)
    assert await world.plan() == []


async def test_pages_that_nobody_watched_are_checked_once(world: World) -> None:
    await world.save(WATCH)
    first = world.store.tasks.lease([TaskKind.CHECK], "worker", world.now)

    assert first.task.reason is JobReason.OPT_IN
    assert {first.task.title, "Oslo"} <= {"Oslo", "Bergen"}
    world.store.finish_check(first, world.now)
    world.wiki.users["Bo"] = ListedUser("Bo", 1, is_blocked=False)
    await world.save(WATCH, "User:Bo/Sidenote")
    counts = world.store.jobs.state().counts
    assert (counts[TaskState.WAITING], counts[TaskState.IDLE]) == (1, 1)


async def test_known_pages_are_checked_again_once_their_wording_is_asked_about(
    world: World,
) -> None:
    world.wiki.put(COMMUNITY, '{"checks": ["citations", "writing"]}')
    await world.save(WATCH)
    _look_at_all(world)
    written = WATCH.replace("Bergen", "Bergen|checks=writing")

    await world.save(written)

    assert world.store.jobs.state().counts[TaskState.WAITING] == 2
    _look_at_all(world)
    await world.save(written.replace("writing", "writing|max=3"))
    assert world.store.jobs.state().counts[TaskState.WAITING] == 0


def _look_at_all(world: World) -> None:
    while (
        lease := world.store.tasks.lease([TaskKind.CHECK], "worker", world.now)
    ) is not None:
        world.store.finish_check(lease, world.now)


async def test_an_edit_of_the_template_changes_watch_and_answer(world: World) -> None:
    await world.save(WATCH)

    await world.save(world.text().replace("Oslo; Bergen", "Moss|max=2 per week"))

    assert standing(world).pages == ("Moss",)
    assert world.text().count(BOX) == 1
    assert "[[:Moss|Moss]]" in world.text()
    assert "Oslo" not in world.text()
    assert len(world.posts) == 2


async def test_a_mistake_is_answered_with_its_remedy(world: World) -> None:
    await world.save(f"{{{{User:{BOT}/watch|pages=Oslo|interval=often}}}}")

    assert standing(world).pages == ("Oslo",)
    assert "'''interval''' = <code>often</code>" in world.text()
    assert "write a number and a unit" in world.text()
    assert "1 problem" in world.posts[0].summary


async def test_without_the_template_the_watch_and_the_answer_go(world: World) -> None:
    await world.save(f"Hello.\n{WATCH}\nBye.")

    await world.save(world.text().replace(f"{WATCH}\n", ""))

    assert world.watch() is None
    assert world.text() == "Hello.\n\nBye."
    assert "template is gone" in world.posts[-1].summary


@pytest.mark.parametrize("then", ["deleted", "moved"])
async def test_a_place_that_goes_ends_the_watch(world: World, then: str) -> None:
    await world.save(WATCH)
    if then == "deleted":
        del world.wiki.pages[PLACE]
    else:
        world.wiki.put(PLACE, f"#REDIRECT [[User:Ada/New]]\n{WATCH}")

    assert await world.plan() == []
    assert world.watch() is None


async def test_the_list_finds_what_is_new_and_what_has_gone(world: World) -> None:
    own = ActiveWatch(
        HOST, "Special:Watchlist", WatcherKind.USER, BOT, ("Oslo",), report=None
    )
    world.store.watches.keep(own, [], world.now)
    world.wiki.put("User:Ada/Old", WATCH)
    world.wiki.put("Oslo", f"An article. {WATCH}")
    await world.plan("")
    assert world.watch("User:Ada/Old") is not None

    del world.wiki.pages["User:Ada/Old"]
    world.wiki.put(PLACE, WATCH)
    await world.plan("")

    places = [each.place for each in world.store.watches.all(HOST)]
    assert places == ["Special:Watchlist", PLACE]
    assert {post.title for post in world.posts} == {PLACE, "User:Ada/Old"}


async def test_the_list_reads_only_what_changed_until_all_are_read_again(
    world: World,
) -> None:
    await world.save(WATCH)
    await world.save("no template", "User:Ada/Other")
    world.wiki.users = {}

    for _ in range(3):
        await world.plan("")
    # The first list of a process reads all again, for what it missed before.
    assert world.watch() is None
    assert len(world.posts) == 2
    world.wiki.requests.clear()

    await world.plan("")
    assert world.wiki.requests == [("texts_of", (PLACE,))]
    world.wiki.users["Ada"] = ListedUser("Ada", 200, is_blocked=False)
    await world.plan("")
    assert world.watch() is None

    world.now += timedelta(hours=1)
    await world.plan("")
    assert world.watch() is not None


def _check(world: World, revision: int, tokens: int = 0) -> None:
    page = PageId(HOST, "Oslo", 1, revision)
    use = ModelUse(calls=1, input_tokens=tokens) if tokens else None
    consultation = Consultation(builders.ENGINE, 1, 1, use) if use else None
    check = run(revision, world.now)
    check = replace(check, page=replace(check.page, id=page), consultation=consultation)
    world.store.save_check(check, [])


async def test_the_answer_says_once_a_day_what_the_pages_took(world: World) -> None:
    await world.save(WATCH)
    assert "taken by these pages" not in world.text()
    _check(world, 1)
    _check(world, 2, tokens=500)
    assert await world.plan() == [], "the answer was saved today"

    world.now += timedelta(days=1)
    _check(world, 3)
    assert len(await world.plan()) == 1
    month, day = f"{world.now:%Y-%m}", world.now.date().isoformat()
    took = "{} 0 sources read, language model {} tokens, cost 0.00".format
    of_month, of_day = took("3 checks,", 500), took("1 check,", 0)
    assert f"! taken by these pages\n| {month}: {of_month}; {day}: {of_day}" in (
        world.text().replace('scope="row" style="text-align:start" | ', "")
    )
    _check(world, 4)
    assert await world.plan() == [], "it was said today"

    world.now += timedelta(days=1)
    assert len(await world.plan()) == 1
    assert f"{month}: 4 checks" in world.text()
    world.now += timedelta(days=1)
    assert await world.plan() == [], "nothing was taken since"
    _check(world, 5)
    assert len(await world.plan()) == 1
    assert f"{month}: 5 checks" in world.text()
    assert f"{world.now.date()}: 1 check," in world.text()


async def test_the_answer_says_what_a_cap_keeps_back(world: World) -> None:
    await world.save(WATCH)
    _check(world, 1)
    await world.plan()
    spending = Spending(world.store._database, lambda _: world.now)
    cap = Allowance(Decimal(1), 9, page_share=Decimal("0.5"))
    denied = spending.reserve(Decimal("0.6"), cap, spending.payers(HOST, "Oslo"))
    assert isinstance(denied, Denied)

    assert len(await world.plan()) == 1

    assert "a daily limit of the language model keeps back 1 page" in world.text()
    assert await world.plan() == []


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
    [waiting] = world.store.outbox.posts()

    world.wiki.put(PLACE, "no template any more")
    await _plan_only(world)

    [dropped] = world.store.outbox.posts()
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
