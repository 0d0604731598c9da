"""What a filter refuses is found by halves, in few tries, and everything else is posted."""

from collections.abc import Collection
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.posts import NotesPosted, PostState, Refusal, StoredPost
from bot.surfaces.planning.filtered import Part, left_out_until, part_of
from bot.surfaces.planning.posts import past_of
from tests.bot.surfaces.planning.makers import NOON, stored_post


def _refused(number: int, names: Collection[str], **changes: object) -> StoredPost:
    state = PostState.REFUSED
    default = {"refusal": Refusal.FILTER, "adds": tuple(names)}
    return stored_post(number, state, **default | changes)


def _played(notes: list[str], bad: Collection[str]) -> tuple[list[str], int]:
    """Post parts of `notes` until nothing is left; return what is shown, and the tries."""
    shown: list[str] = []
    refused: list[StoredPost] = []
    for tries in range(200):
        out = left_out_until(refused)
        new = [each for each in notes if each not in {*shown, *out}]
        part = part_of(new, refused)
        if not part.names:
            return shown, tries
        if set(part.names) & set(bad):
            refused.insert(0, _refused(tries, part.names))
        else:
            shown += part.names
    raise AssertionError("it never ends")


@given(st.integers(1, 40), st.data())
def test_what_is_refused_is_left_out_and_the_rest_is_posted(
    count: int, data: st.DataObject
) -> None:
    notes = [f"{each:064x}" for each in range(count)]
    bad = data.draw(st.sets(st.sampled_from(notes), max_size=min(count, 4)))

    shown, tries = _played(notes, bad)

    assert sorted(shown) == [each for each in notes if each not in bad]
    assert tries <= 1 + len(bad) * (2 + 2 * count.bit_length())


def test_one_of_twenty_is_found_in_few_tries() -> None:
    notes = [f"{each:064x}" for each in range(20)]

    assert max(_played(notes, {each})[1] for each in notes) <= 8


@pytest.mark.parametrize(("times", "days"), [(1, 1), (2, 2), (4, 8), (9, 30)])
def test_what_was_refused_alone_is_tried_ever_more_rarely(
    times: int, days: int
) -> None:
    refused = [_refused(each, ["a" * 64]) for each in range(times)]

    assert left_out_until(refused) == {"a" * 64: NOON + timedelta(days=days)}


def test_what_rested_is_tried_alone_and_after_what_is_new() -> None:
    refused = [_refused(1, ["a" * 64])]

    assert part_of(["a" * 64, "b" * 64], refused) == Part(("b" * 64,))
    assert part_of(["a" * 64], refused) == Part(("a" * 64,), is_search=True)


def test_what_was_refused_with_another_is_not_made_to_wait_for_its_turn_again() -> None:
    one, two, new = "a" * 64, "b" * 64, "c" * 64
    refused = [_refused(2, [one]), _refused(1, [one, two])]

    assert part_of([two], refused) == Part((two,), is_search=True)
    assert part_of([new], refused) == Part((new,))


@pytest.mark.parametrize(
    ("times", "minutes"), [(1, 1), (3, 4), (12, 15), (13, 1440), (15, 4 * 1440)]
)
def test_a_search_is_quick_and_bounded(times: int, minutes: int) -> None:
    posts = [_refused(each, ["a" * 64, "b" * 64]) for each in range(times)]

    until = past_of(posts, NotesPosted()).held_until

    assert until == NOON + timedelta(minutes=minutes)
