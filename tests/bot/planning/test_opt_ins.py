"""From a template on a page to a watch in force, and the answer below the template."""

from datetime import timedelta

import pytest

from bot.adapters.wiki_list_values import ListedPage, ListedUser
from bot.jobs import JobReason, JobState
from bot.posts import (
    PostState,
    Refusal,
    Refused,
    ReplaceSection,
    ReplaceStretch,
)
from bot.store import Store
from bot.watches import PlanKind, StandingWatch, Surface, WatcherKind, Wish
from tests.bot.on_wiki.makers import BOT
from tests.bot.planning.opt_in_world import (
    COMMUNITY,
    HOST,
    PLACE,
    WATCH,
    OptInWiki,
    World,
)

_BOX = "<!-- sidenote begin state "


@pytest.fixture
def world(store: Store) -> World:
    return World(store, OptInWiki())


def _standing(world: World, place: str = PLACE) -> StandingWatch:
    watch = world.watch(place)
    assert watch is not None
    return watch


async def test_a_template_is_watched_and_answered_once(world: World) -> None:
    await world.save(f"Hello.\n{WATCH}\nBye.")

    watch = _standing(world)
    assert (watch.kind, watch.watcher) == (WatcherKind.USER, "Ada")
    assert watch.pages == ("Oslo", "Bergen")
    assert watch.report == "User:Ada/Sidenote report"
    assert world.text().startswith(f"Hello.\n{WATCH}\n{_BOX}")
    assert world.text().endswith("<!-- sidenote end state -->\nBye.")
    [post] = world.posts
    assert isinstance(post.change, ReplaceStretch)
    assert (post.task, post.user, post.subject) == ("opt-in", "Ada", PLACE)
    assert await world.plan() == []


async def test_pages_that_nobody_watched_are_looked_at_once(world: World) -> None:
    await world.save(WATCH)
    first = world.store.jobs.lease("worker", world.now)

    assert first is not None
    assert first.job.reason is JobReason.OPT_IN
    assert {first.job.title, "Oslo"} <= {"Oslo", "Bergen"}
    world.store.jobs.finish(first, world.now)
    world.wiki.users["Bo"] = ListedUser("Bo", 1, is_blocked=False)
    await world.save(WATCH, "User:Bo/Sidenote")
    counts = world.store.jobs.state().counts
    assert (counts[JobState.WAITING], counts[JobState.IDLE]) == (1, 1)


async def test_known_pages_are_looked_at_again_once_their_wording_is_asked_about(
    world: World,
) -> None:
    world.wiki.put(COMMUNITY, '{"checks": ["citations", "writing"]}')
    await world.save(WATCH)
    _look_at_all(world)
    written = WATCH.replace("Bergen", "Bergen|checks=writing")

    await world.save(written)

    assert world.store.jobs.state().counts[JobState.WAITING] == 2
    _look_at_all(world)
    await world.save(written.replace("writing", "writing|max=3"))
    assert world.store.jobs.state().counts[JobState.WAITING] == 0


def _look_at_all(world: World) -> None:
    while (held := world.store.jobs.lease("worker", world.now)) is not None:
        world.store.jobs.finish(held, world.now)


async def test_an_edit_of_the_template_changes_watch_and_answer(world: World) -> None:
    await world.save(WATCH)

    await world.save(world.text().replace("Oslo; Bergen", "Moss|max=2 per week"))

    assert _standing(world).pages == ("Moss",)
    assert world.text().count(_BOX) == 1
    assert "[[:Moss|Moss]]" in world.text()
    assert "Oslo" not in world.text()
    assert len(world.posts) == 2


async def test_a_slip_is_answered_with_its_remedy(world: World) -> None:
    await world.save(f"{{{{User:{BOT}/watch|pages=Oslo|interval=often}}}}")

    assert _standing(world).pages == ("Oslo",)
    assert "'''interval''' = <code>often</code>" in world.text()
    assert "write a number and a unit" in world.text()
    assert "1 thing to look at" in world.posts[0].summary


async def test_without_the_template_the_watch_and_the_answer_go(world: World) -> None:
    await world.save(f"Hello.\n{WATCH}\nBye.")

    await world.save(world.text().replace(f"{WATCH}\n", ""))

    assert world.watch() is None
    assert world.text() == "Hello.\n\nBye."
    assert "template has gone" in world.posts[-1].summary


async def test_lines_that_people_wrote_into_the_answer_stay(world: World) -> None:
    await world.save(WATCH)
    await world.save(world.text().replace("Bergen", "Moss; Bergen", 1))
    changed = world.text().replace("|}\n", "|}\nThanks!\n")

    await world.save(changed.replace("Moss; Bergen", "Moss", 1))

    assert world.text().count(_BOX) == 1
    assert "\nThanks!" in world.text().partition("<!-- sidenote end state -->")[2]


async def test_nobody_is_opted_in_by_somebody_else(world: World) -> None:
    world.wiki.strangers.add("Ada")
    await world.save(WATCH)

    assert world.watch() is None
    assert world.posts == []

    world.wiki.strangers.clear()
    await world.save(f"{world.text()}\n")

    assert world.watch() is not None


@pytest.mark.parametrize("then", ["deleted", "moved"])
async def test_a_place_that_goes_ends_the_watch(world: World, then: str) -> None:
    await world.save(WATCH)
    if then == "deleted":
        del world.wiki.pages[PLACE]
    else:
        world.wiki.put(PLACE, f"#REDIRECT [[User:Ada/New]]\n{WATCH}")

    assert await world.plan() == []
    assert world.watch() is None


@pytest.mark.parametrize(
    ("user", "why"),
    [
        (None, "there is no account called Ada"),
        (ListedUser("Ada", 200, is_blocked=True), "the account is blocked"),
        (ListedUser("Ada", 4, is_blocked=False), "50 edits are needed here"),
    ],
)
async def test_who_may_not_ask_is_told_why_and_not_watched_for(
    world: World, user: ListedUser | None, why: str
) -> None:
    await world.save(WATCH)
    world.wiki.put(COMMUNITY, '{"minimumEditCount": 50}')
    world.wiki.users = {"Ada": user} if user else {}

    await world.plan()

    assert world.watch() is None
    assert f"Nothing is done yet&#58; {why}" in world.text()


async def test_a_talk_page_asks_for_its_page_and_is_answered_in_its_lead(
    world: World,
) -> None:
    lead = f"{{{{Banner}}}}\n{{{{User:{BOT}/watch}}}}\n\n"
    rest = "== A question ==\nWhen was it built?\n\n== Another ==\nx"

    await world.save(f"{lead}{rest}", "Talk:Oslo")

    watch = _standing(world, "Talk:Oslo")
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
    assert _standing(world, "Project talk:Towns").report == (
        "Project talk:Towns/Sidenote report"
    )


async def test_a_nested_template_on_a_talk_page_is_answered_at_its_end(
    world: World,
) -> None:
    text = f"{{{{Box|{WATCH}}}}}\n\n== A ==\nx"

    await world.save(text, "User talk:Ada")

    assert world.text("User talk:Ada").startswith(f"{text}\n{_BOX}")
    [post] = world.posts
    assert isinstance(post.change, ReplaceSection)
    assert post.change.number == 1


async def test_an_archive_is_left_alone(world: World) -> None:
    await world.save(f"{{{{User:{BOT}/watch}}}}", "Talk:Oslo/Archive 1")

    assert world.posts == []
    assert world.watch("Talk:Oslo/Archive 1") is None


async def test_a_community_can_forbid_and_allow_again(world: World) -> None:
    await world.save(WATCH)
    await world.plan("")
    world.wiki.put(COMMUNITY, '{"surfaces": []}')

    await world.plan("")
    assert world.watch() is None
    assert "watches nothing for Ada" in world.text()

    world.wiki.put(COMMUNITY, "<pre>{}</pre>")
    await world.plan("")
    assert _standing(world).pages == ("Oslo", "Bergen")
    assert len(world.posts) == 3


@pytest.mark.parametrize("then", ['{"minimumEditCount": 50,}', None])
async def test_a_broken_community_page_leaves_the_last_good_one_in_force(
    world: World, then: str | None
) -> None:
    world.wiki.put(COMMUNITY, '{"minimumEditCount": 500}')
    await world.save(WATCH)
    if then is None:
        del world.wiki.pages[COMMUNITY]
    else:
        world.wiki.put(COMMUNITY, then)

    assert await world.plan() == []
    assert world.watch() is None
    kept = world.store.communities.get(HOST)
    assert kept is not None
    assert kept.text == '{"minimumEditCount": 500}'
    [fault] = kept.faults
    assert ("missing" if then is None else "JSON") in fault

    world.wiki.put(COMMUNITY, "{}")
    await world.plan()
    kept = world.store.communities.get(HOST)
    assert kept is not None
    assert kept.faults == ()
    assert world.watch() is not None


async def test_pages_that_cannot_be_watched_are_left_out_and_told(
    world: World,
) -> None:
    world.wiki.put("Christiania", "#REDIRECT [[Oslo]]")

    await world.save(f"{{{{User:{BOT}/watch|pages=Oslo; Olso; Christiania}}}}")

    assert _standing(world).pages == ("Oslo",)
    assert "Olso&#58; there is no page of this name&#59; now left out" in world.text()
    assert "Christiania&#58; it is a redirect, so name the page" in world.text()
    assert "watches 1 page for Ada" in world.text()


async def test_nothing_but_slips_in_titles_is_no_watch(world: World) -> None:
    await world.save(f"{{{{User:{BOT}/watch|pages=Olso; Bregen}}}}")

    assert world.watch() is None
    assert "watches nothing for Ada" in world.text()


async def test_categories_are_looked_up_within_the_limit(world: World) -> None:
    world.wiki.put(COMMUNITY, '{"limits": {"pages": 3}}')
    world.wiki.categories["Category:Towns"] = ("Moss", "Hamar", "Skien", "Bergen")

    await world.save(f"{{{{User:{BOT}/watch|pages=Oslo|categories=Towns}}}}")

    assert _standing(world).pages == ("Oslo", "Moss", "Hamar")
    assert "now the first 3" in world.text()
    assert ("members_of", ("Category:Towns", (0,), 4)) in world.wiki.asked


async def test_rules_about_pages_hold_for_members_of_categories(world: World) -> None:
    world.wiki.put(COMMUNITY, '{"notInCategory": ["Living people"]}')
    world.wiki.categories["Category:Towns"] = ("Moss", "Ibsen")
    empty: frozenset[str] = frozenset()
    world.wiki.facts["Ibsen"] = ListedPage(
        "Ibsen", 0, frozenset({"Living people"}), empty, False, 1
    )

    await world.save(f"{{{{User:{BOT}/watch|categories=Towns}}}}")

    assert _standing(world).pages == ("Moss",)
    assert "Ibsen" not in world.text()


async def test_the_list_finds_what_is_new_and_what_has_gone(world: World) -> None:
    own = StandingWatch(
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
    world.wiki.asked.clear()

    await world.plan("")
    assert world.wiki.asked == [("texts_of", (PLACE,))]
    world.wiki.users["Ada"] = ListedUser("Ada", 200, is_blocked=False)
    await world.plan("")
    assert world.watch() is None

    world.now += timedelta(hours=1)
    await world.plan("")
    assert world.watch() is not None


@pytest.mark.parametrize(
    "title", ["User:Ada/common.js", "User:Ada/x.css", "User:Ada/x.json", "Oslo"]
)
async def test_scripts_and_articles_ask_for_nothing(world: World, title: str) -> None:
    await world.save(WATCH, title)

    assert world.watch(title) is None
    assert world.posts == []


async def test_a_page_of_another_kind_of_content_asks_for_nothing(
    world: World,
) -> None:
    world.wiki.put(PLACE, WATCH, model="javascript")

    assert await world.plan() == []
    assert world.watch() is None


async def test_a_hostile_template_is_bounded(world: World) -> None:
    call = f"{{{{User:{BOT}/watch|pages="
    titles = "; ".join(f"Page {number}" for number in range(20_000))
    nested = f"{call * 3_000}Oslo{'}}' * 3_000}"

    await world.save(f"{call}{titles}|x=[[<nowiki>{{{{subst:x}}}}~~~~}}}}\n{nested}")
    await world.plan()

    assert world.watch() is None or len(_standing(world).pages) <= 500
    assert len(world.text()) < 2 * len(titles) + 200_000
    assert len(world.posts) <= 1


async def test_a_page_that_keeps_bots_away_is_watched_and_not_written_to(
    world: World,
) -> None:
    await world.save(f"{{{{nobots}}}}\n{WATCH}")

    assert world.posts == []
    assert _standing(world).pages == ("Oslo", "Bergen")


async def test_an_answer_that_is_refused_is_not_posted_again_and_again(
    world: World,
) -> None:
    await world.save("x")
    world.wiki.put(PLACE, WATCH)
    await _plan_only(world)
    tried = world.store.outbox.begin(world.now)
    assert tried is not None
    world.store.outbox.settle(
        tried, Refused(Refusal.PROTECTED, "it is protected"), world.now
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
    wish = Wish(PlanKind.OPT_INS, HOST, PLACE, world.now)
    world.store.plans.ask([wish], world.now)
    while await world.planner.plan_once():
        world.now += timedelta(seconds=1)


async def test_a_dry_run_shows_an_answer_once(store: Store) -> None:
    world = World(store, OptInWiki(), is_dry=True)
    await world.save(WATCH)

    assert await world.plan() == []
    assert world.text() == WATCH
    [shown] = world.posts
    await world.save(WATCH.replace("Bergen", "Moss"))
    assert world.posts[0] == shown
    assert "[[:Moss|Moss]]" in world.posts[1].change.text


async def test_a_template_that_stands_twice_is_answered_below_the_first(
    world: World,
) -> None:
    await world.save(f"{WATCH}\n{WATCH}\n{WATCH}")

    assert world.text().startswith(f"{WATCH}\n{_BOX}")
    assert world.text().endswith(f"-->\n{WATCH}\n{WATCH}")
    assert await world.plan() == []


async def test_a_process_that_dies_after_the_watch_was_kept_still_answers(
    world: World,
) -> None:
    world.wiki.put(PLACE, WATCH)
    watch = StandingWatch(HOST, PLACE, WatcherKind.USER, "Ada", ("Oslo", "Bergen"))
    world.store.watches.keep(watch, [], world.now)

    assert len(await world.plan()) == 1
    assert await world.plan() == []
