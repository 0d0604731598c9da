"""Reads what is counted, so that an old figure and a new one of one thing meet.

"It employs 5,200 people", "num employees: 5,200" and "with 6,800 employees" count the
same; the verification model, made for sentences beside their sources, mostly does not
see it. Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from handlers.citations.cues.numbers import Bound, Quantity, agree
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, stem, words
from handlers.updates.aggregating.counting import (
    Kind,
    counts,
    header_of,
    is_bare,
    is_count,
    nouns_of,
    ordinals,
)

# What a new one of is told as "her fifth": the kind, or the word for it.
_COUNTED_OFF = frozenset(
    {
        *("albums", "books", "goals", "appearances", "titles", "trophies", "medals"),
        *map(stem, ("time", "season", "film", "edition", "victory", "win", "child")),
    }
)
_DONE = re.compile(
    r"\b(?:won|scored|released|published|earned|claimed|took|received|celebrated)\b",
    re.IGNORECASE,
)
_SMALLEST = 2.0  # "one" is mostly no number
_MORE_THAN_OVER = 1.2  # what a new figure must be of an "over" to make it stale
_ABOUT = 0.1  # the same of an "about", as a difference


@dataclass(frozen=True, slots=True)
class Change:
    """What is counted, what it was and what it is, with the places of both numbers."""

    kind: Kind
    old: float
    new: float
    said_at: int
    told_at: int


def change(statement: str, text: str) -> Change | None:
    """Return the first count of a known kind that `text` gives otherwise."""
    found = changes(statement, text)
    return next((one for one in found if one.kind.is_listed), None)


def changes(statement: str, text: str) -> Iterator[Change]:
    """Yield all counts that `text` gives otherwise than `statement`.

    What only grows must have grown: a smaller figure is of a part.
    """
    said, told = read(statement), read(text)
    old, new = dict(counts(said)), dict(counts(told))
    for kind, before in old.items():
        after = new.get(kind)
        if after is not None and _differs(before, after, grows=kind.grows):
            yield _change(kind, (said, before), (told, after))


def next_in_order(statement: str, text: str) -> Iterator[Change]:
    """Yield where `text` tells of the fifth of what `statement` has four of."""
    said, told = read(statement), read(text)
    for before in said.quantities:
        if not is_count(before):
            continue
        mine = nouns_of(said, before) | header_of(said, before)
        for theirs, after in ordinals(told):
            shared = mine & theirs
            if not _DONE.search(text):
                shared &= _COUNTED_OFF
            if shared and after.value > before.value:
                kind = Kind(min(shared), grows=True)
                yield _change(kind, (said, before), (told, after))


def _change(
    kind: Kind, old: tuple[Reading, Quantity], new: tuple[Reading, Quantity]
) -> Change:
    (said, before), (told, after) = old, new
    return Change(
        kind,
        before.value,
        after.value,
        said.words[before.first_word].start,
        told.words[after.first_word].start,
    )


def counts_otherwise(header: str | None, statement: str, text: str) -> bool:
    """Tell whether both put another number before one word, whatever it is.

    Of a value alone, its `header` says what it counts. Less is proved by this than by
    a `change`: "12 cars" and "15 cars" can be of two trains.
    """
    labels = content_stems(words(header or ""))
    old, new = read(statement).quantities, read(text).quantities
    return any(
        is_count(after)
        and (after.unit == before.unit or (not before.unit and after.unit in labels))
        and not agree(before, after)
        and not any(agree(before, other) for other in new)
        for before in old
        if before.value >= _SMALLEST and is_bare(before)
        for after in new
        if after.unit
    )


def have_one_new_count(statement: str, text: str, other: str) -> bool:
    """Tell whether two texts count the same, with a number that `statement` lacks."""
    old, found = read(statement).quantities, read(other).quantities
    return any(
        one.unit == same.unit and agree(one, same) and agree(same, one)
        for one in read(text).quantities
        if is_count(one) and one.unit and not any(agree(one, known) for known in old)
        for same in found
        if is_count(same)
    )


def lacks_a_count(text: str, other: str) -> bool:
    """Tell whether `text` counts something with a number that `other` has not.

    The verification model takes the 15 of "on 15 November" for that of "15 people".
    """
    known = read(other).quantities
    return any(
        not any(one.value == same.value or agree(one, same) for same in known)
        for one in read(text).quantities
        if is_count(one)
    )


def _differs(before: Quantity, after: Quantity, *, grows: bool) -> bool:
    if before.value == after.value or (
        agree(before, after) and before.bound is Bound.EXACT
    ):
        return False
    if before.bound is Bound.FLOOR and after.value < _MORE_THAN_OVER * before.value:
        return after.value < before.value and not grows
    if before.bound is Bound.ABOUT:
        distance = abs(after.value - before.value)
        return distance > _ABOUT * before.value and (
            after.value > before.value or not grows
        )
    return after.value > before.value or not grows
