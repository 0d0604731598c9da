"""What earlier posts to a page say about the next."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.records.posts import NotesPosted, PostState, Refusal, ReplaceSection
from bot.surfaces.note import mark
from bot.surfaces.planning.posts import only_sets_states, past_of, shown_here
from tests.bot.surfaces.makers import note
from tests.bot.surfaces.planning.makers import NOON, found, shown_note, stored_post
from tests.bot.wiki.markup.makers import KEYS

REFUSED = PostState.REFUSED


def test_the_last_that_was_made_is_known() -> None:
    posts = [stored_post(3, REFUSED), stored_post(2), stored_post(1)]

    past = past_of(posts, NotesPosted())

    assert past.made == posts[1]
    assert past.refused == (posts[0],)


@pytest.mark.parametrize(
    ("reason", "times", "hours"),
    [
        (Refusal.CHANGED, 1, 1 / 60),
        (Refusal.CHANGED, 3, 4 / 60),
        (Refusal.CHANGED, 20, 24),
        (Refusal.GIVEN_UP, 1, 1 / 60),  # it only waited: what still holds may be asked
        (Refusal.EXCLUDED, 1, 24),
        (Refusal.FILTER, 2, 48),
        (Refusal.FILTER, 15, 30 * 24),
    ],
)
def test_what_was_refused_rests_longer_each_time(
    reason: Refusal, times: int, hours: float
) -> None:
    posts = [stored_post(each, REFUSED, refusal=reason) for each in range(times)]

    until = past_of(posts, NotesPosted()).held_until

    assert until == NOON + timedelta(hours=hours)


def test_what_was_made_ends_the_rest() -> None:
    posts = [stored_post(2), stored_post(1, REFUSED, refusal=Refusal.FILTER)]

    assert past_of(posts, NotesPosted()).held_until is None


def test_while_a_post_is_parked_its_page_is_left_alone() -> None:
    tomorrow = NOON + timedelta(days=1)
    parked = stored_post(2, PostState.TRIED, refusal=Refusal.UNKNOWN, due_at=tomorrow)

    past = past_of([parked, stored_post(1)], NotesPosted())
    assert past.held_until == tomorrow
    tried = past_of([stored_post(2, PostState.TRIED)], NotesPosted())
    assert tried.held_until is None


def test_what_only_a_dry_run_showed_is_news_to_people() -> None:
    one, two = found(1), found(2)

    past = past_of([], NotesPosted(seen_dry=frozenset({two.identity})))

    told_both = [shown_note(one), shown_note(two)]
    assert shown_here(told_both, past, is_dry=False) == (shown_note(one),)
    assert shown_here(told_both, past, is_dry=True) == tuple(told_both)


def test_a_post_that_only_marked_notes_was_made_where_people_answer() -> None:
    marked = ReplaceSection(1, "x", f"* {mark(note(1), KEYS)}(the sentence …)")
    taken = ReplaceSection(1, "x", "* nothing")

    def posted(change: ReplaceSection) -> bool:
        one = stored_post(1, settles=(note(1).identity,))
        return only_sets_states(
            replace(one, post=replace(one.post, change=change)), KEYS
        )

    assert posted(marked)
    assert not posted(taken)
