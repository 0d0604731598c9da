"""Notes about the wording are for those who asked, and never on a talk page."""

from dataclasses import replace

import pytest

from bot.records.watches import Check, PlanKind, Surface, WatcherKind
from bot.store import Store
from bot.surfaces.opt_in.community import Community
from bot.surfaces.planning.selection import Room, candidate, candidates, with_room
from handlers.model import CheckKind, PageId
from tests import writing_runs as runs
from tests.bot.surfaces.planning.makers import ARTICLE, TALK, WIKI, found, stored, watch
from tests.bot.surfaces.planning.world import World

_ASKED = watch(pages=(runs.TITLE,), checks=(Check.WRITING,))


@pytest.mark.parametrize(
    ("checks", "is_shown"),
    [
        ((Check.WRITING,), True),
        ((Check.CITATIONS, Check.WRITING), True),
        ((Check.CITATIONS, Check.UPDATES), False),
    ],
)
def test_wording_findings_are_shown_to_those_who_asked(
    checks: tuple[Check, ...], *, is_shown: bool
) -> None:
    active_watch = replace(_ASKED, checks=checks)

    candidate_post = candidate(runs.suggestion(), active_watch, Community())

    assert (candidate_post is not None) == is_shown


def test_those_who_asked_for_nothing_else_get_nothing_else() -> None:
    assert candidate(found(), _ASKED, Community()) is None


def test_a_community_says_how_sure_a_note_has_to_be() -> None:
    strict = Community(thresholds={CheckKind.WRITING: 0.8})

    assert candidate(runs.suggestion(), _ASKED, strict) is None


def test_sources_come_before_the_wording() -> None:
    active_watch = replace(_ASKED, checks=tuple(Check))
    failing = found(1, title=runs.TITLE)

    chosen = candidates(
        [stored(runs.suggestion()), stored(failing)],
        [active_watch],
        Community(),
        frozenset(),
    )

    sentences = [one.note.text for one in with_room(chosen, Room(9, None))]
    assert sentences == [failing.claim, runs.PRAISED]


async def test_a_talk_page_says_nothing_of_the_wording(store: Store) -> None:
    world = World(store)
    world.at.put(TALK, "")
    world.watch(
        watch(
            place=TALK,
            kind=WatcherKind.PAGE,
            watcher=ARTICLE,
            checks=tuple(Check),
            surfaces=(Surface.TALK,),
            report=None,
        )
    )
    world.check_with([runs.suggestion(page=PageId(WIKI, ARTICLE, 1, 100))])

    assert await world.go_on() == []
    assert await world.replan(PlanKind.TALK) == []
