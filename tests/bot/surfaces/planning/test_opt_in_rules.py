"""Who may ask, and for which pages: a community's rules, limits, and templates that are none."""

from datetime import timedelta

import pytest

from bot.records.watches import Check, NoteKind
from bot.wiki.pages import ListedPage, ListedUser
from tests.bot.surfaces.planning.opt_in_world import (
    COMMUNITY,
    HOST,
    PLACE,
    WATCH,
    World,
    standing,
    world,
)
from tests.bot.wiki.markup.makers import BOT

__all__ = ["world"]


async def test_nobody_is_opted_in_by_somebody_else(world: World) -> None:
    world.wiki.strangers.add("Ada")
    await world.save(WATCH)

    assert world.watch() is None
    assert world.posts == []

    world.wiki.strangers.clear()
    await world.save(f"{world.text()}\n")

    assert world.watch() is not None


@pytest.mark.parametrize(
    ("user", "why"),
    [
        (None, "there is no account named Ada"),
        (ListedUser("Ada", 200, is_blocked=True), "the account is blocked"),
        (ListedUser("Ada", 4, is_blocked=False), "50 edits are required here"),
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
    assert f"Nothing has been done yet: {why}" in world.text()


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
    assert standing(world).pages == ("Oslo", "Bergen")
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
    community = world.store.communities.get(HOST)
    assert community.text == '{"minimumEditCount": 500}'
    [fault] = community.faults
    assert ("missing" if then is None else "JSON") in fault

    world.wiki.put(COMMUNITY, "{}")
    await world.plan()
    community = world.store.communities.get(HOST)
    assert community.faults == ()
    assert world.watch() is not None


async def test_pages_that_cannot_be_watched_are_left_out_and_reported(
    world: World,
) -> None:
    world.wiki.put("Christiania", "#REDIRECT [[Oslo]]")

    await world.save(f"{{{{User:{BOT}/watch|pages=Oslo; Olso; Christiania}}}}")

    assert standing(world).pages == ("Oslo",)
    [line] = [one for one in world.text().splitlines() if "<code>Olso" in one]
    assert "<code>Olso</code>: there is no page with this name" in line
    assert line.endswith("; now left out")
    assert (
        "<code>Christiania</code>: it is a redirect, so name its target instead"
        in world.text()
    )
    assert "watches 1 page for Ada" in world.text()


async def test_nothing_but_mistakes_in_titles_is_no_watch(world: World) -> None:
    await world.save(f"{{{{User:{BOT}/watch|pages=Olso; Bregen}}}}")

    assert world.watch() is None
    assert "watches nothing for Ada" in world.text()


async def test_categories_are_looked_up_within_the_limit(world: World) -> None:
    world.wiki.put(COMMUNITY, '{"limits": {"pages": 3}}')
    world.wiki.categories["Category:Towns"] = ("Moss", "Hamar", "Skien", "Bergen")

    await world.save(f"{{{{User:{BOT}/watch|pages=Oslo|categories=Towns}}}}")

    assert standing(world).pages == ("Oslo", "Moss", "Hamar")
    assert "now the first 3" in world.text()
    assert ("members_of", ("Category:Towns", (0,), 2_001)) in world.wiki.requests


async def test_rules_about_pages_hold_for_members_of_categories(world: World) -> None:
    world.wiki.put(COMMUNITY, '{"notInCategory": ["Living people"]}')
    world.wiki.categories["Category:Towns"] = ("Moss", "Ibsen")
    empty: frozenset[str] = frozenset()
    world.wiki.facts["Ibsen"] = ListedPage(
        "Ibsen", 0, frozenset({"Living people"}), empty, False, 1
    )

    await world.save(f"{{{{User:{BOT}/watch|categories=Towns}}}}")

    assert standing(world).pages == ("Moss",)
    assert "Ibsen" not in world.text()


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

    assert world.watch() is None or len(standing(world).pages) <= 500
    assert len(world.text()) < 2 * len(titles) + 200_000
    assert len(world.posts) <= 1


async def test_pages_rest_while_their_watcher_is_away_and_wake_by_themselves(
    world: World,
) -> None:
    def last_seen(days: float) -> None:
        last = world.now - timedelta(days=days)
        world.wiki.users["Ada"] = ListedUser("Ada", 200, False, last)

    last_seen(1)
    await world.save(WATCH)
    assert standing(world).pages == ("Oslo", "Bergen")

    last_seen(61)
    await world.plan()
    assert world.watch() is None
    assert "Ada has not edited here for 60 days, so their pages rest" in world.text()

    last_seen(0.1)
    await world.plan()
    assert standing(world).pages == ("Oslo", "Bergen")
    assert "their pages rest" not in world.text()


async def test_what_a_person_refuses_on_their_own_page_is_not_checked_for_them(
    world: World,
) -> None:
    world.wiki.put(COMMUNITY, '{"checks": ["citations", "updates"]}')
    world.wiki.put("User talk:Ada", "{{bots|optout=sidenote-updates}}")
    await world.save(WATCH.replace("}}", "|checks=citations, updates}}"))

    assert standing(world).checks == (Check.CITATIONS,)
    assert standing(world).refuses == (NoteKind.UPDATES,)
    assert "it is refused, on this wiki" in world.text()
