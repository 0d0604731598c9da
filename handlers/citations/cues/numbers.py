"""Quantities in a text, and whether an evidence text agrees with them.

"1.2 million", "1,200,000" and "$1.2m" are one value; "more than 100" is borne out
by 140; "10 goals" is contradicted by "12 goals" but not by "12 matches". Years and
the numbers inside dates are left to `dates`. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from handlers.citations.cues.words import Word

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen"
_MORE = "fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh"
_SPELLED = {
    **{word: float(n) for n, word in enumerate(f"{_ONES} {_MORE}".split())},
    **{word: 10.0 * n for n, word in enumerate(_TENS.split(), start=2)},
    "twice": 2.0,
    "once": 1.0,
    "dozen": 12.0,
    "twelfth": 12.0,
    **{word: float(n) for n, word in enumerate(_ORDINALS.split(), start=1)},
}
_ORDINAL_WORDS = frozenset({*_ORDINALS.split(), "twelfth"})
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_MAGNITUDES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "m": 1e6,
    "mn": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "b": 1e9,
    "trillion": 1e12,
}
_FLOORS = (
    *("more than", "greater than", "higher than", "older than", "longer than"),
    *("larger than", "over", "at least", "above", "exceeding", "excess of"),
    *("surpassing", "minimum of", "upwards of"),
)
_CEILINGS = (
    *("less than", "fewer than", "lower than", "younger than", "shorter than"),
    *("smaller than", "under", "below", "up to", "at most", "nearly", "almost"),
    "maximum of",
)
_ABOUT = ("about", "around", "approximately", "some", "roughly", "circa", "estimated")
_ROUNDING = 0.005  # "1.2 million" stands for 1,197,000 as well
_LOOSE_ROUNDING = 0.06
_LONGEST_DIGITS = 40  # beyond it, digits are noise and slow to convert


class Bound(Enum):
    """How a quantity is meant."""

    EXACT = "exact"
    ABOUT = "about"
    FLOOR = "at least"
    CEILING = "at most"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with the stem of the word it counts, if one follows.

    `first_word` and `last_word` are indices into the words it was read from.
    """

    value: float
    unit: str
    bound: Bound
    first_word: int
    last_word: int


class Agreement(Enum):
    """What an evidence text says about a detail of the claim."""

    STATED = "stated"
    ABSENT = "absent"
    DIFFERENT = "different"


def quantities(
    found: Sequence[Word], text: str, taken: frozenset[int]
) -> tuple[Quantity, ...]:
    """Return the quantities among the words `found` of `text`.

    Args:
        found: the words of `text`.
        text: the text, looked at for signs such as "%".
        taken: indices of words that belong to dates, which are skipped.
    """
    read: list[Quantity] = []
    at = 0
    while at < len(found):
        quantity = None if at in taken else _quantity_at(found, text, at)
        if quantity is not None:
            read.append(quantity)
        at = quantity.last_word + 1 if quantity else at + 1
    return tuple(read)


def agreement(claimed: Quantity, stated: Sequence[Quantity]) -> Agreement:
    """Compare one quantity of the claim with all those of the evidence.

    It is different only where the evidence counts the same thing with another
    number; a number of something else says nothing.
    """
    if any(_agree(claimed, other) for other in stated):
        return Agreement.STATED
    if claimed.unit and any(other.unit == claimed.unit for other in stated):
        return Agreement.DIFFERENT
    return Agreement.ABSENT


def _quantity_at(found: Sequence[Word], text: str, at: int) -> Quantity | None:
    value = _value(found[at])
    if value is None:
        return None
    last = at
    while last + 1 < len(found) and found[last + 1].text.lower() in _MAGNITUDES:
        value *= _MAGNITUDES[found[last + 1].text.lower()]
        last += 1
    unit, last = _unit(found, text, at, last)
    return Quantity(value, unit, _bound(found, at), at, last)


def _value(word: Word) -> float | None:
    if not word.is_number:
        return _SPELLED.get(word.text.lower())
    digits = word.text.replace(",", "")
    if len(digits) > _LONGEST_DIGITS or digits.count(".") > 1 or not digits.isascii():
        return None
    return float(digits)


def _unit(found: Sequence[Word], text: str, first: int, last: int) -> tuple[str, int]:
    after = text[found[last].end : found[last].end + 2].lstrip()
    if after.startswith("%"):
        return "percent", last
    follower = found[last + 1] if last + 1 < len(found) else None
    if found[first].text.lower() in _ORDINAL_WORDS:
        return "ordinal", last
    if follower is None or not follower.is_content or follower.is_number:
        return "", last
    if follower.text.lower() in _ORDINAL_ENDINGS and after[:1].isalpha():
        return "ordinal", last + 1
    return follower.stem, last


def _bound(found: Sequence[Word], at: int) -> Bound:
    before = " ".join(word.text.lower() for word in found[max(0, at - 2) : at])
    if before.endswith(_FLOORS):
        return Bound.FLOOR
    if before.endswith(_CEILINGS):
        return Bound.CEILING
    return Bound.ABOUT if before.endswith(_ABOUT) else Bound.EXACT


def _agree(claimed: Quantity, stated: Quantity) -> bool:
    loose = Bound.ABOUT in {claimed.bound, stated.bound}
    tolerance = (_LOOSE_ROUNDING if loose else _ROUNDING) * abs(claimed.value)
    if abs(claimed.value - stated.value) <= tolerance:
        return _compatible(claimed.bound, stated.bound)
    comparable = claimed.unit == stated.unit
    if claimed.bound is Bound.FLOOR:
        return comparable and stated.value > claimed.value
    if claimed.bound is Bound.CEILING:
        return comparable and stated.value < claimed.value
    return False


def _compatible(claimed: Bound, stated: Bound) -> bool:
    return {claimed, stated} != {Bound.FLOOR, Bound.CEILING}
