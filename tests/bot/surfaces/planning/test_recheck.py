"""Right before a write it is asked once more whether anybody wants it."""

from dataclasses import replace
from datetime import UTC, datetime

from bot.records.posts import Post
from bot.records.watches import PlanKind, Surface
from bot.store import Store
from bot.surfaces.planning.recheck import wanted
from handlers.citations.suggestions import identity_of
from handlers.model import PageId
from handlers.page import parse
from tests.bot.surfaces.planning.makers import (
    ARTICLE,
    PLACE,
    REPORT,
    WIKI,
    found,
    watch,
)
from tests.bot.surfaces.planning.world import World
from tests.bot.writing.makers import post
from tests.gadget.cards.changes import moved_away

_CITED = "Die Uhr steht seit {} am Kai.<ref>https://news.example/{}</ref>"


def _noted(store: Store, article: str) -> tuple[World, Post]:
    """Return a post to the talk page about the one claim of `article`."""
    world = World(store)
    world.watch(watch(surfaces=(Surface.TALK,)))
    [claim] = parse(article, PageId(WIKI, ARTICLE)).claims
    identity = identity_of(PageId(WIKI, ARTICLE), claim)
    world.check_with([found(identity=identity, claim=claim.text)])
    intended_post = post(adds=(identity,), plan=PlanKind.TALK, subject=ARTICLE)
    return world, intended_post


def test_a_note_is_wanted_while_its_sentence_stands(store: Store) -> None:
    article = _CITED.format(1900, "a")
    _, intended_post = _noted(store, article)

    assert wanted(store)(intended_post, f"Neues oben.\n\n{article} Und mehr.") == ""


def test_a_note_whose_sentence_or_source_was_changed_is_not(store: Store) -> None:
    _, intended_post = _noted(store, _CITED.format(1900, "a"))

    for article in (_CITED.format(1901, "a"), _CITED.format(1900, "b"), ""):
        assert "was changed" in wanted(store)(intended_post, article)


def test_a_note_about_an_edit_is_wanted_until_it_is_reverted(store: Store) -> None:
    before, after = (_CITED.format(year, "a") for year in (1900, 1901))
    page = PageId(WIKI, ARTICLE)
    world, intended_post = _noted(store, after)
    [edit] = moved_away(parse(before, page), parse(after, page))
    world.check_with([edit])
    intended_post = replace(intended_post, adds=(edit.identity,))

    assert wanted(store)(intended_post, f"Neues oben.\n\n{after}") == ""
    assert "was changed" in wanted(store)(intended_post, before)


def test_a_note_that_was_settled_is_not(store: Store) -> None:
    article = _CITED.format(1900, "a")
    world, intended_post = _noted(store, article)
    world.check()

    assert "settled" in wanted(store)(intended_post, article)


def test_what_nobody_asks_for_any_more_is_not(store: Store) -> None:
    article = _CITED.format(1900, "a")
    _, intended_post = _noted(store, article)
    report = post(title=REPORT, plan=PlanKind.REPORT, subject=PLACE)
    assert wanted(store)(report, "") == ""

    store.watches.end(WIKI, PLACE, datetime(2026, 11, 21, tzinfo=UTC))

    assert "no longer asked for" in wanted(store)(intended_post, article)
    assert "no longer asked for" in wanted(store)(report, "")
    assert wanted(store)(replace(intended_post, adds=()), article) == ""
