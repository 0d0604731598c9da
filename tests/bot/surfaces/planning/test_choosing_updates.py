"""Newer facts become notes for who asked for them, but never about living people."""

from dataclasses import replace

import pytest

from bot.records.watches import Check
from bot.surfaces.opt_in.community import Community
from bot.surfaces.planning.selection import Room, candidate, candidates, with_room
from handlers.findings import Suggestion
from handlers.model import Backing, Update
from handlers.updates.suggestions import suggestions_of
from tests import update_runs as runs
from tests.bot.surfaces.planning.makers import NOON, found, stored, watch

_ASKED = watch(pages=(runs.TITLE,), checks=(Check.UPDATES,))


def _made(*updates: Update, is_sensitive: bool = False) -> tuple[Suggestion, ...]:
    run = runs.discovery(*updates)
    subject = replace(run.subject, is_sensitive=is_sensitive)
    return suggestions_of(replace(run, subject=subject))


def _surely_new() -> Update:
    return runs.new_fact(
        2, runs.source(runs.CLOSED), backing=Backing.HIGH, probability=0.95
    )


@pytest.mark.parametrize(
    ("checks", "is_shown"),
    [
        ((Check.UPDATES,), True),
        ((Check.CITATIONS, Check.UPDATES), True),
        ((Check.CITATIONS, Check.DRIFT), False),
    ],
)
def test_newer_facts_are_shown_to_those_who_asked_for_them(
    checks: tuple[Check, ...], *, is_shown: bool
) -> None:
    for update in _made(runs.outdated(), _surely_new()):
        candidate_post = candidate(update, replace(_ASKED, checks=checks), Community())
        assert (candidate_post is not None) == is_shown


def test_those_who_asked_for_nothing_else_get_nothing_else() -> None:
    assert candidate(found(), _ASKED, Community()) is None


def test_one_dated_source_is_shown_and_an_undated_one_waits() -> None:
    undated = replace(runs.source(runs.CLOSED), dated=None, dated_in=None)
    [dated, doubtful] = _made(runs.new_fact(), runs.new_fact(3, undated, text="Else."))

    assert candidate(dated, _ASKED, Community())
    assert candidate(doubtful, _ASKED, Community()) is None


@pytest.mark.parametrize("is_shown", [False, True])
def test_nothing_about_living_people_stands_on_any_page(*, is_shown: bool) -> None:
    for update in _made(runs.outdated(), _surely_new(), is_sensitive=True):
        assert update.flag
        assert candidate(update, _ASKED, Community(), is_shown=is_shown) is None


def test_what_a_source_contradicts_comes_before_what_is_out_of_date() -> None:
    old, new = _made(runs.outdated(), _surely_new())
    failing = found(1, title=runs.TITLE)
    active_watch = replace(_ASKED, checks=tuple(Check))
    chosen = candidates(
        [stored(one) for one in (new, old, failing)],
        [active_watch],
        Community(),
        frozenset(),
    )

    sentences = [one.note.text for one in with_room(chosen, Room(9, None))]

    assert sentences == [failing.claim, runs.CARS, runs.OPENED]


def test_the_first_search_of_an_old_article_is_nothing_that_a_change_brought() -> None:
    [old] = _made(runs.outdated())
    long_known = replace(stored(found(1, title=runs.TITLE)), first_seen=NOON)
    active_watch = replace(_ASKED, checks=tuple(Check))
    just_found = replace(stored(old), first_seen=NOON.replace(hour=13))

    chosen = candidates(
        [long_known, just_found], [active_watch], Community(), frozenset()
    )

    assert [one.is_late for one in chosen] == [False, False]
