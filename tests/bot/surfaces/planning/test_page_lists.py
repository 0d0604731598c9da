"""Lists of pages that people have: counted, estimated, and left out where they cannot be read."""

from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from bot.surfaces.planning.page_lists import ListRules
from handlers.ports import PermanentError
from tests.bot.surfaces.planning.opt_in_world import (
    BOT,
    HOST,
    PLACE,
    World,
    standing,
    world,
)

__all__ = ["world"]

_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # noqa: S105 - of nobody


@dataclass
class _Tools:
    """PetScan and PagePile, with the lists that they have."""

    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)

    async def petscan(self, wiki: str, number: str) -> tuple[str, ...]:
        assert wiki == HOST
        if number not in self.lists:
            raise PermanentError(f"PetScan has no query {number}")
        return self.lists[number]

    async def pagepile(self, wiki: str, number: str) -> tuple[str, ...]:
        return await self.petscan(wiki, number)


def _ask(arguments: str) -> str:
    return f"{{{{User:{BOT}/watch|{arguments}}}}}"


def _with(world: World, rules: ListRules) -> None:
    world.lists = rules
    world.begin_anew()


@pytest.mark.parametrize(
    ("arguments", "pages"),
    [
        ("petscan=https://petscan.wmcloud.org/?psid=11", ("Oslo", "Moss")),
        ("pagepile=12; 11", ("Hamar", "Oslo", "Moss")),
        ("wikiproject=Towns", ("Bergen",)),
        ("wikiproject=Project:WikiProject Towns", ("Bergen",)),
        ("search=insource:x", ("Skien",)),
        ("created=yes", ("Drammen",)),
        ("categories=Towns|subcategories=2", ("Moss", "Horten")),
        ("categories=Towns", ("Moss",)),
        ("pages=Oslo|petscan=11", ("Oslo", "Moss")),
    ],
)
async def test_the_pages_of_a_list_are_watched(
    world: World, arguments: str, pages: tuple[str, ...]
) -> None:
    tools = _Tools({"11": ("Oslo", "User:Ada", "Talk:Moss"), "12": ("Hamar",)})
    _with(world, ListRules(tools))
    world.wiki.lists = {
        "Template:WikiProject Towns": ("Talk:Bergen",),
        "insource:x": ("Skien",),
        "Ada": ("Drammen",),
    }
    world.wiki.categories = {
        "Category:Towns": ("Moss",),
        "Category:Ports": ("Moss", "Horten"),
    }
    world.wiki.below = {"Category:Towns": ("Category:Ports",)}

    await world.save(_ask(arguments))

    assert standing(world).pages == pages


async def test_the_answer_counts_and_estimates_and_stands_still_while_lists_grow(
    world: World,
) -> None:
    rules = ListRules(page_s=120.0, page_money=lambda: Decimal("0.013"))
    _with(world, rules)
    world.wiki.lists["Ada"] = tuple(f"Town {number}" for number in range(190))

    await world.save(_ask("created=yes"))
    text = world.text()
    world.wiki.lists["Ada"] += ("Town 190", "Town 191")
    await world.plan()

    assert "watches 1 list for Ada" in text
    assert "up to 200 pages" in text
    assert "To check all pages once takes up to 7 hours." in text
    assert "up to 5.00 of the budget" in text
    assert world.text() == text
    assert len(standing(world).pages) == 192


async def test_a_list_is_counted_beyond_what_is_given(world: World) -> None:
    world.wiki.lists["x"] = tuple(f"Town {number}" for number in range(3_000))

    await world.save(_ask("search=x"))

    assert "x: more than 2000 pages" in world.text()
    assert "now the first 500" in world.text()
    assert len(standing(world).pages) == 500


async def test_a_list_that_cannot_be_read_is_reported_and_the_others_hold(
    world: World,
) -> None:
    _with(world, ListRules(_Tools({"11": ("Oslo",)})))

    await world.save(_ask("petscan=11; 99"))

    assert standing(world).pages == ("Oslo",)
    assert "this list cannot be read (PetScan has no query 99)" in world.text()
    assert "11: up to 10 pages" in world.text()


async def test_a_watchlist_needs_its_token_and_says_when_it_was_withdrawn(
    world: World,
) -> None:
    world.wiki.lists["watched by Ada"] = ("Moss", "Bergen")
    await world.save(_ask("pages=Oslo|watchlist=yes"))
    unknown, before = world.text(), standing(world).pages

    _with(world, ListRules(tokens={"Ada": _TOKEN}))
    world.wiki.tokens["Ada"] = _TOKEN
    await world.plan()
    given, watched = world.text(), standing(world).pages

    world.wiki.tokens["Ada"] = "another"
    await world.plan()

    assert "the token of your watchlist is not known" in unknown
    assert before == standing(world).pages == ("Oslo",)
    assert watched == ("Oslo", "Moss", "Bergen")
    assert "everybody can read" in given
    assert "no longer takes the token of your watchlist" in world.text()


async def test_a_list_of_ones_own_is_nobody_elses(world: World) -> None:
    world.wiki.put("Project talk:Towns", _ask("created=yes|pages=Oslo"))

    await world.plan("Project talk:Towns")

    assert standing(world, "Project talk:Towns").pages == ("Oslo",)
    assert "only a person has this" in world.text("Project talk:Towns")


async def test_a_token_on_a_page_is_reported_and_not_repeated(world: World) -> None:
    await world.save(_ask(f"pages=Oslo|watchlist={_TOKEN}"))

    box = world.text().partition("}}")[2]
    assert "everybody can read it here; reset it in your preferences" in box
    assert _TOKEN not in box


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("petscan=volcanoes", "“volcanoes” is no number of a list"),
        ("pagepile=1;2;3;4;5;6;7;8;9;10;11", "list at most 10"),
        ("categories=Towns|subcategories=9", "from 0 to 5"),
        ("created=perhaps", "write yes or no"),
        (f"search={'x' * 301}", "write at most 300 characters"),
        ("wikiproject=User:Ada", "no WikiProject can be called this"),
    ],
)
async def test_a_mistake_in_a_list_has_its_remedy(
    world: World, arguments: str, message: str
) -> None:
    await world.save(_ask(f"{arguments}|pages=Oslo"))

    assert message in world.text(PLACE)
    assert standing(world).pages == ("Oslo",)
