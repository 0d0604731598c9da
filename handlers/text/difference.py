"""In which values a claim and the words about the same thing differ. Pure.

A reader sees at once what is wrong in "22 in the article, 27 in the source", or in "412
metres" beside "412 feet". Only two values of one sort differ: a length says nothing
about a sum of money, and that a value is missing says nothing at all. No reading of one
may be the other one, rounded, converted, kept within its bound, or made of several.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, takewhile
from typing import TypeAlias

from handlers.text import units
from handlers.text.analysis import TextAnalysis, analyse
from handlers.text.dates import Date, compare_date
from handlers.text.numbers import (
    Agreement,
    Bound,
    Quantity,
    agree,
    are_other_moneys,
)
from handlers.text.words import Word, kin, stem

_SCORE = re.compile(r"(?<![\w–-])(\d{1,3})[–-](\d{1,3})(?![\w–-])")
_SIGNS_BEFORE = re.compile(r"(?:[A-Za-z]{0,2}[$£€¥₹]\s?|[\u2212-])$")
_SIGN_AFTER = re.compile(r"\s?%")
DURATIONS = {
    stem(word): seconds
    for seconds, words in units.DURATIONS.values()
    for word in words.split()
}
_STERLING, _POUND = "GBP", "lb"
_SHORTEST_NOUN = 4  # letters; shorter ones may be units that are not in the table
_DEGREES = stem("degrees")
_MAGNITUDES = (1e3, 1e6, 1e9)
_NEARLY = 1e-9
_ROUNDED, _ROUNDED_TIME = 0.15, 0.05  # how far apart two rounded values may be
_WORDS_BETWEEN = 3  # a number and its unit, as in "50 documented miles"
_WORDS_OF_BOUND = 3
_MOST_ADDED = 12
_HALVES = frozenset({"half", "quarter"})
_PRIMES = frozenset("'’′″\"")  # of minutes or feet  # noqa: RUF001
_OPPOSITE = frozenset({Bound.FLOOR, Bound.CEILING})


class Sort(Enum):
    """What a number is of: only numbers of one sort are compared."""

    MEASURE = "measure"
    DURATION = "duration"
    MONEY = "money"
    SHARE = "share"
    POINTS = "points"
    ORDINAL = "ordinal"
    COUNT = "count"
    BARE = "bare"


_MEASURED = frozenset(
    {Sort.MEASURE, Sort.DURATION, Sort.MONEY, Sort.SHARE, Sort.POINTS}
)


class Reason(Enum):
    """Why two values cannot both be right."""

    UNIT = "another unit"
    SCALE = "another magnitude"
    SIGN = "another sign"
    COUNTED = "another thing counted"
    BOUND = "opposite bounds"
    VALUE = "another value"
    DATE = "another date"


Value: TypeAlias = Quantity | Date


@dataclass(frozen=True, slots=True)
class Differing:
    """A value of one text, and what the other one gives instead."""

    reason: Reason
    claimed: Value
    stated: Value


def difference(claim: str, quote: str) -> tuple[str, str] | None:
    """Return the claim's value and the quote's, as each writes it.

    They are only given if they are unambiguous, and do not read the same.
    """
    mine, theirs = analyse(claim), analyse(quote)
    values = (
        _of_quantities(mine, theirs)
        or _of_dates(mine, theirs)
        or _of_scores(claim, quote)
    )
    return values if values and values[0].lower() != values[1].lower() else None


def _of_quantities(mine: TextAnalysis, theirs: TextAnalysis) -> tuple[str, str] | None:
    for one in differing(mine, theirs):
        if one.reason not in {Reason.VALUE, Reason.DATE}:
            return _both(mine, one.claimed, theirs, one.stated)
    claimed = [
        one
        for one in mine.quantities
        if not any(agree(one, other) for other in theirs.quantities)
    ]
    stated = [
        one
        for one in theirs.quantities
        if not any(agree(other, one) for other in mine.quantities)
    ]
    pairs = {
        _both(mine, one, theirs, other)
        for one in claimed
        for other in stated
        if one.unit
        and not _is_made(one, theirs)
        and _is_same_thing(mine, one, theirs, other)
        and (one.measure == other.measure)
    }
    return pairs.pop() if len(pairs) == 1 else None


def _of_dates(mine: TextAnalysis, theirs: TextAnalysis) -> tuple[str, str] | None:
    claimed = [one for one in mine.dates if one.year and not _is_dated(one, theirs)]
    stated = [one for one in theirs.dates if one.year and not _is_dated(one, mine)]
    if len(claimed) != 1 or len(stated) != 1:
        return None
    [one], [other] = claimed, stated
    is_other = one.year != other.year or _are_other_days(one, other)
    return _both(mine, one, theirs, other) if is_other else None


def _is_dated(one: Date, text: TextAnalysis) -> bool:
    return compare_date(one, text.dates) is Agreement.STATED


def _are_other_days(one: Date, other: Date) -> bool:
    if not (one.day and other.day and one.bound is other.bound is Bound.EXACT):
        return False
    return (one.month, one.day) != (other.month, other.day)


def _of_scores(claim: str, quote: str) -> tuple[str, str] | None:
    """Return two scores that share one side, which shows that the match is the same."""
    claimed, stated = list(_SCORE.finditer(claim)), list(_SCORE.finditer(quote))
    near = {
        (one[0], other[0])
        for one in claimed
        for other in stated
        if (one[1] == other[1]) != (one[2] == other[2])
    }
    same = {one.groups() for one in claimed} & {one.groups() for one in stated}
    return near.pop() if len(near) == 1 and not same else None


# --- as a reader is shown them ---


def _both(
    mine: TextAnalysis, one: Value, theirs: TextAnalysis, other: Value
) -> tuple[str, str]:
    """Return both as written, with the words that differ if the numbers do not."""
    bare = _as_written(mine, one), _as_written(theirs, other)
    if bare[0].lower() != bare[1].lower():
        return bare
    counted = _as_written(mine, one, after=1), _as_written(theirs, other, after=1)
    if _is_bound_opposite(one, other):
        return (
            _as_written(mine, one, before=_WORDS_OF_BOUND),
            _as_written(theirs, other, before=_WORDS_OF_BOUND),
        )
    return counted


def _is_bound_opposite(one: Value, other: Value) -> bool:
    return {one.bound, other.bound} == _OPPOSITE


def _as_written(
    text: TextAnalysis, value: Value, *, before: int = 0, after: int = 0
) -> str:
    first, last = value.first_word, value.last_word
    if isinstance(value, Date) and first and _is_short_end(text, value):
        first -= 1
    first = max(0, first - before)
    last = min(len(text.words) - 1, last + after)
    start, end = text.words[first].start, text.words[last].end
    sign = _SIGNS_BEFORE.search(text.text[:start])
    sign_after = _SIGN_AFTER.match(text.text, end)
    is_negative = isinstance(value, Quantity) and value.value < 0
    if sign and (sign[0].strip() not in "-\u2212" or is_negative):
        start = sign.start()
    return text.text[start : sign_after.end() if sign_after else end].strip()


def _is_short_end(text: TextAnalysis, date: Date) -> bool:
    """Return whether it is the "95" of "1990–95"."""
    return text.words[date.first_word].text != str(date.year) and date.month is None


# --- what differs ---


def differing(mine: TextAnalysis, theirs: TextAnalysis) -> Iterator[Differing]:
    """Yield the values of a claim that a text about the same thing gives otherwise."""
    for one in mine.quantities:
        if not any(says(mine, one, theirs, other) for other in theirs.quantities):
            yield from _numbers(mine, one, theirs)
    for date in mine.dates:
        rivals = [
            other
            for other in theirs.dates
            if compare_date(date, [other]) is Agreement.DIFFERENT
            and date.bound is other.bound is Bound.EXACT
            and not _is_dated(other, mine)
        ]
        if date.year and not _is_dated(date, theirs) and len(rivals) == 1:
            yield Differing(Reason.DATE, date, rivals[0])


def sort_of(text: TextAnalysis, one: Quantity) -> Sort:
    """Return what sort of number a quantity of `text` is."""
    end = text.words[one.last_word].end
    if text.text[end : end + 1] in _PRIMES:
        return Sort.BARE
    if one.currency:
        return Sort.MONEY
    named = {
        "percent": Sort.SHARE,
        "percentage point": Sort.POINTS,
        "ordinal": Sort.ORDINAL,
        _DEGREES: Sort.BARE,  # of temperature, of latitude, or of a university
        "": Sort.BARE,
    }
    if one.unit in named:
        return named[one.unit]
    if one.measure:
        return Sort.MEASURE
    return Sort.DURATION if one.unit in DURATIONS else Sort.COUNT


def says(
    mine: TextAnalysis, one: Quantity, theirs: TextAnalysis, other: Quantity
) -> bool:
    """Return whether `other` may state `one`: as a value of the same sort, or bare."""
    here, there = sort_of(mine, one), sort_of(theirs, other)
    if one.value == other.value and _names_later(mine, one, theirs, other):
        return True
    if one.bound is other.bound and _is_scaled(one.value, other.value):
        return False  # "more than 3 million" is more than 3,000, but hardly meant so
    if _are_pounds(one, other) or _are_pounds(other, one):
        return agree(one, other)
    if here is there is not Sort.BARE:
        return _says_alike(here, one, other)
    return agree(one, other) and Sort.BARE in {here, there}


def _are_pounds(one: Quantity, other: Quantity) -> bool:
    """Return whether both may be money: "£300" and "300 pounds"."""
    return one.currency == _STERLING and bool(
        other.measure and other.measure.name == _POUND
    )


def _says_alike(sort: Sort, one: Quantity, other: Quantity) -> bool:
    """Return whether one quantity may state another one of the same sort."""
    if sort is Sort.DURATION:
        lengths = [each.value * DURATIONS[each.unit] for each in (one, other)]
        return abs(lengths[0] - lengths[1]) <= _ROUNDED_TIME * lengths[0]
    if sort is Sort.MONEY and _is_within(one, other):
        return not are_other_moneys(one, other)
    if sort is Sort.COUNT and one.unit != other.unit:
        return agree(one, other) and other.unit in kin(one.unit)
    if one.measure and other.measure:
        is_alike = one.measure.dimension == other.measure.dimension
        return is_alike and agree(one, other)
    return agree(one, other)


def _is_within(one: Quantity, other: Quantity) -> bool:
    """Return whether the other value keeps to the claim's bound."""
    return (one.bound is Bound.FLOOR and other.value >= one.value) or (
        one.bound is Bound.CEILING and other.value <= one.value
    )


def _names_later(
    mine: TextAnalysis, one: Quantity, theirs: TextAnalysis, other: Quantity
) -> bool:
    """Return whether the claim's unit follows after a word: "50 documented miles".

    Not if a part of the unit is meant, as in "50 half-hours".
    """
    unit = mine.words[one.last_word] if one.measure else _word_after(mine, one)
    begins = {each.first_word for each in theirs.quantities}
    following = range(other.last_word + 1, len(theirs.words))[:_WORDS_BETWEEN]
    after = [
        theirs.words[at] for at in takewhile(lambda at: at not in begins, following)
    ]
    return unit is not None and any(
        word.stem == unit.stem and (not at or after[at - 1].lowered not in _HALVES)
        for at, word in enumerate(after)
    )


def _word_after(text: TextAnalysis, one: Quantity) -> Word | None:
    at = one.last_word + 1
    return text.words[at] if one.unit and at < len(text.words) else None


def _numbers(
    mine: TextAnalysis, one: Quantity, theirs: TextAnalysis
) -> Iterator[Differing]:
    here = sort_of(mine, one)
    free = [
        other
        for other in theirs.quantities
        if not any(says(mine, each, theirs, other) for each in mine.quantities)
    ]
    rivals: list[Quantity] = []
    for other in free if here is not Sort.BARE else ():
        reason = _reason(mine, one, theirs, other)
        if reason is Reason.VALUE:
            rivals.append(other)
        elif reason:
            yield Differing(reason, one, other)
    if len({other.value for other in rivals}) == 1 and not _is_made(one, theirs):
        yield Differing(Reason.VALUE, one, rivals[0])


def _reason(
    mine: TextAnalysis, one: Quantity, theirs: TextAnalysis, other: Quantity
) -> Reason | None:
    """Return why both cannot be right, if that is certain."""
    here, there = sort_of(mine, one), sort_of(theirs, other)
    is_other_unit = one.measure != other.measure and here is there is Sort.MEASURE
    if not is_other_unit and _is_same_thing(mine, one, theirs, other):
        return _reason_of_value(one, other)
    if one.value != other.value or there is Sort.BARE:
        return None
    is_counted = there is Sort.COUNT and len(other.unit) >= _SHORTEST_NOUN
    if here in _MEASURED and (there in _MEASURED or is_counted):
        return Reason.UNIT
    # "40 injuries and 6 fatalities" are no 40 fatalities. Without the second number
    # the two words may mean the same.
    is_swapped = other.unit not in kin(one.unit) and any(
        each.unit == one.unit and each.value != one.value for each in theirs.quantities
    )
    return Reason.COUNTED if here is there is Sort.COUNT and is_swapped else None


def _reason_of_value(one: Quantity, other: Quantity) -> Reason | None:
    if one.value == other.value:
        return Reason.BOUND if _is_bound_opposite(one, other) else None
    if one.value == -other.value:
        return Reason.SIGN
    if _is_scaled(one.value, other.value):
        return Reason.SCALE
    return None if _may_both(one, other) else Reason.VALUE


def _is_same_thing(
    mine: TextAnalysis, one: Quantity, theirs: TextAnalysis, other: Quantity
) -> bool:
    here, there = sort_of(mine, one), sort_of(theirs, other)
    if here is not there:
        return False
    if here is Sort.MONEY:
        return not are_other_moneys(one, other)
    if here is Sort.ORDINAL:
        before, after = _word_after(mine, one), _word_after(theirs, other)
        return bool(before and after and before.stem == after.stem)
    if one.measure and other.measure:
        return one.measure.dimension == other.measure.dimension
    if here is Sort.DURATION:
        return DURATIONS[one.unit] == DURATIONS[other.unit]
    return one.unit == other.unit


def _is_scaled(one: float, other: float) -> bool:
    if not one or not other:
        return False
    ratio = max(abs(one / other), abs(other / one))
    return any(abs(ratio / scale - 1) < _NEARLY for scale in _MAGNITUDES)


def _may_both(one: Quantity, other: Quantity) -> bool:
    """Return whether a bound or a rounding may allow both."""
    if Bound.ABOUT in {one.bound, other.bound}:
        return abs(one.value - other.value) <= _ROUNDED * abs(one.value)
    if other.bound is not Bound.EXACT:
        return True
    return _is_within(one, other)


def _is_made(one: Quantity, theirs: TextAnalysis) -> bool:
    """Return whether numbers of the text add up to the value, or differ by it."""
    values = [other.value for other in theirs.quantities][:_MOST_ADDED]
    made = {sum(values)} if len(values) > 1 else set()
    for a, b in combinations(values, 2):
        made |= {a + b, abs(a - b)}
    return any(abs(each - one.value) <= _NEARLY for each in made)
