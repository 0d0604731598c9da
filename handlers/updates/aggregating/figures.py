"""Reads what is counted, so that an old figure and a new one of one thing meet.

"It employs 5,200 people", "num employees: 5,200" and "with 6,800 employees" count the
same; the verification model, made for sentences beside their sources, mostly does not
see it. Pure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from handlers.citations.cues.numbers import Bound, Quantity, agree
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, stem, words

_GROWING: Mapping[str, str] = {
    "deaths": "killed dead died deaths death fatalities fatality lives casualties",
    "injured": "injured injuries wounded hurt hospitalised hospitalized",
    "cases": "cases infections infected",
    "recovered": "recovered recoveries",
    "displaced": "displaced evacuated homeless",
    "gross": "grossed grosses box",
    "sales": "sold copies sales shipped",
    "views": "views viewed viewers streams streamed",
    "goals": "goals goal",
    "appearances": "appearances caps matches",
    "titles": "titles championships trophies medals",
    "awards": "awards nominations",
    "episodes": "episodes",
    "reviews": "reviews",
    "arrests": "arrested arrests detained",
    "destroyed": "destroyed demolished burned burnt",
}
_CHANGING: Mapping[str, str] = {
    "missing": "missing",
    "employees": "employs employees employed staff workforce workers",
    "members": "members membership",
    "population": "population inhabitants residents populace",
    "subscribers": "subscribers followers subscriptions",
    "students": "students pupils enrolment enrollment enrolled",
    "revenue": "revenue revenues turnover",
    "profit": "profit earnings",
    "branches": "stores branches locations outlets restaurants",
    "customers": "customers users passengers",
    "budget": "budget cost costs",
    "rating": "rating score approval",
}
_KIND_OF = {
    stem(word): (kind, grows)
    for kinds, grows in ((_GROWING, True), (_CHANGING, False))
    for kind, listed in kinds.items()
    for word in listed.split()
}
_DURATIONS = "year month week day hour minute second"
_NO_COUNTS = frozenset({"ordinal", "percent", *map(stem, _DURATIONS.split())})
_REACH = 5  # words between a number and what it counts
_SMALLEST = 2.0  # "one" is mostly no number
_MORE_THAN_OVER = 1.2  # what a new figure must be of an "over" to make it stale
_ABOUT = 0.1  # the same of an "about", as a difference


@dataclass(frozen=True, slots=True)
class Change:
    """What is counted, what it was and what it is."""

    kind: str
    old: float
    new: float


def change(statement: str, text: str) -> Change | None:
    """Return the first count that `text` gives otherwise than `statement`.

    What only grows must have grown: a smaller figure is of a part.
    """
    old, new = dict(_counts(read(statement))), dict(_counts(read(text)))
    for (kind, grows), before in old.items():
        after = new.get((kind, grows))
        if after is not None and _differs(before, after, grows=grows):
            return Change(kind, before.value, after.value)
    return None


def counts_otherwise(header: str | None, statement: str, text: str) -> bool:
    """Tell whether both put another number before one word, whatever it is.

    Of a value alone, its `header` says what it counts. Less is proved by this than by
    a `change`: "12 cars" and "15 cars" can be of two trains.
    """
    labels = content_stems(words(header or ""))
    old, new = read(statement).quantities, read(text).quantities
    return any(
        _is_count(after)
        and (after.unit == before.unit or (not before.unit and after.unit in labels))
        and not agree(before, after)
        and not any(agree(before, other) for other in new)
        for before in old
        if before.value >= _SMALLEST and _is_bare(before)
        for after in new
        if after.unit
    )


def have_one_new_count(statement: str, text: str, other: str) -> bool:
    """Tell whether two texts count the same, with a number that `statement` lacks."""
    old, found = read(statement).quantities, read(other).quantities
    return any(
        one.unit == same.unit and agree(one, same) and agree(same, one)
        for one in read(text).quantities
        if _is_count(one) and one.unit and not any(agree(one, known) for known in old)
        for same in found
        if _is_count(same)
    )


def lacks_a_count(text: str, other: str) -> bool:
    """Tell whether `text` counts something with a number that `other` has not.

    The verification model takes the 15 of "on 15 November" for that of "15 people".
    """
    known = read(other).quantities
    return any(
        not any(one.value == same.value or agree(one, same) for same in known)
        for one in read(text).quantities
        if _is_count(one)
    )


def _is_count(one: Quantity) -> bool:
    return _is_bare(one) and one.value >= _SMALLEST


def _is_bare(one: Quantity) -> bool:
    return one.measure is None and one.unit not in _NO_COUNTS


def _counts(found: Reading) -> Iterator[tuple[tuple[str, bool], Quantity]]:
    """Yield what is counted with its number; the last of several counts."""
    for one in sorted(found.quantities, key=lambda each: each.value):
        kind = _kind(found, one) if _is_count(one) else None
        if kind is not None:
            yield kind, one


def _kind(found: Reading, one: Quantity) -> tuple[str, bool] | None:
    """Return what is counted by the nearest word that can tell, those behind first."""
    for distance in range(1, _REACH + 1):
        for at in (one.last_word + distance, one.first_word - distance):
            kind = (
                _KIND_OF.get(found.words[at].stem)
                if 0 <= at < len(found.words)
                else None
            )
            if kind is not None:
                return kind
    return None


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
