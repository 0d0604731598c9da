"""Quantities in a text, and whether an evidence text agrees with them.

"1.2 million", "1,200,000" and "$1.2m" are one value, and so are 12.55 miles, 12.6 miles
and 20.2 km; "more than 100" is supported by 140; "10 goals" is contradicted by "12
goals" but not by "12 matches". Wikipedia adds the converted value in parentheses; its
source has only one of the two, so the conversion needs no separate support. Years,
dates and times of day are read by `dates`. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from unicodedata import numeric

from handlers.text import units
from handlers.text.words import Word, kin, plain_number, stem

_HOURS = frozenset({"h", "hr", "hour"})
_SQUARES = frozenset({"sq", "square"})
_CUBES = frozenset({"cu", "cubic"})
_POWERS = {"2": units.SQUARE, "3": units.CUBIC}
_DEGREE_WORDS = frozenset({"degree", "degrees"})
_SCALE_LETTERS = frozenset({"C", "F"})
_TEMPERATURE, _DEGREES_ROUNDED = "temperature", 0.6  # of Celsius
_SPACES = frozenset({" ", "\u00a0"})
_MAX_DISTANCE = 60  # characters before a parenthesis, searched for the first value
_ASIDE = re.compile(
    r"\((?:[~≈]|about |approx\. )?(?:"
    r"\d[\d.,]{0,12}(?:[ \u00a0]?[–-][ \u00a0]?\d[\d.,]{0,12})?[- \u00a0]?"
    r"(?:(?:km|m|mi|ft|in|yd|cm|mm|mph|km/h|kph|m/s|knots|kn|kt|kg|g|lb|lbs|st|tonnes|t"
    r"|long tons|short tons|acres|ha|km2|km²|sq[ \u00a0]mi|sq[ \u00a0]km|m2|m²|sq[ \u00a0]ft"
    r"|miles|feet|inches|yards|metres|meters|kilometres|kilometers|hPa|mbar|inHg|psi"
    r"|°[CF]|K|L|hp|kW|bhp)|[A-Z]{3})"
    r"|\d\d:?\d\d[ \u00a0](?:UTC|GMT)|(?:UTC|GMT)[+\u2212-]\d{1,2}(?::\d\d)?"
    r")\)"
)

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen"
_MORE = "fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    " thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENTHS = (
    "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"
)
_SPELLED = {
    **{word: float(n) for n, word in enumerate(f"{_ONES} {_MORE}".split())},
    **{word: 10.0 * n for n, word in enumerate(_TENS.split(), start=2)},
    "twice": 2.0,
    "once": 1.0,
    "dozen": 12.0,
    **{word: float(n) for n, word in enumerate(_ORDINALS.split(), start=1)},
    **{word: 10.0 * n for n, word in enumerate(_TENTHS.split(), start=2)},
}
_HALF = "half"
_TEN_WORDS = frozenset(_TENS.split())
_UNDER_TEN = frozenset({*_ONES.split()[1:10], *_ORDINALS.split()[:9]})
_ORDINAL_WORDS = frozenset({*_ORDINALS.split(), *_TENTHS.split()})
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_MAGNITUDES = {
    "dozen": 12.0,
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
_SHORT_MAGNITUDES = frozenset({"k", "m", "b"})  # only without a space before them
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
# "No more than four" is at most four.
_NO, _NEVER = (["no"], ["not"]), "never"
_TURNS = ("than", "over", "under", "exceeding")
BOUND_WORDS = 5  # in which a bound and what turns it round may stand before a number
_PARTS = {
    form: number
    for number, forms in {
        2: "half halves",
        3: "third thirds",
        4: "quarter quarters",
        5: "fifth fifths",
        6: "sixth sixths",
        8: "eighth eighths",
        10: "tenth tenths",
    }.items()
    for form in forms.split()
}
_OF_HOW_MANY = frozenset({"three", "four", "five", "ten"})  # as in "seven in ten"
_SHARES = {
    "percentage point": (["percentage", "points"], ["percentage", "point"]),
    "percent": (["percent"], ["per", "cent"]),
}
_ABOUT = ("about", "around", "approximately", "some", "roughly", "circa", "estimated")
_ROUNDING = 0.005  # "1.2 million" may also be 1,197,000
_LOOSE_ROUNDING = 0.05
_CONVERTED_ROUNDING = 0.025
_HUNDRED = _MAGNITUDES["hundred"]
_OF_FRACTIONS = 0.1  # precision of a number with a fraction
_SIMPLE_FRACTION = re.compile(r" ([1-7])/([2-8])(?!\d)")
_OPENS = frozenset(" (\n\u00a0")
_PEOPLE = stem("people")
_LONGEST_SIGN = 6
_LONGEST_DIGITS = 40  # beyond it, digits are noise and slow to convert


class Agreement(Enum):
    """What an evidence text says about a detail of the claim."""

    STATED = "stated"
    ABSENT = "absent"
    DIFFERENT = "different"


# --- units of measure ---


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure; a value times `factor` is in the dimension's base unit.

    `offset` is then added, because other temperature scales do not start where kelvin
    does.
    """

    name: str
    dimension: str
    factor: float
    offset: float = 0.0


def unit_at(found: Sequence[Word], at: int) -> tuple[Unit, int] | None:
    """Return the unit that starts at word `at` with the index of its last word."""
    if at >= len(found):
        return None
    word = found[at].lowered
    for powers, of in ((_SQUARES, units.SQUARE), (_CUBES, units.CUBIC)):
        if word in powers and at + 1 < len(found):
            base = _KNOWN.get(found[at + 1].lowered)
            name = of.get(base.name if base else "")
            return (_NAMED[name], at + 1) if name else None
    unit = _KNOWN.get(word)
    if unit is None:
        return None
    power = found[at + 1] if at + 1 < len(found) else None
    if power and power.text in _POWERS and power.start == found[at].end:
        name = _POWERS[power.text].get(unit.name)  # "20 km2"
        return (_NAMED[name], at + 1) if name else None
    hour_at = _hour_at(found, at)
    if unit.name in units.PER_HOUR and hour_at is not None:
        return _NAMED[units.PER_HOUR[unit.name]], hour_at
    return unit, at


def degrees_at(found: Sequence[Word], text: str, at: int) -> tuple[Unit, int] | None:
    """Return the scale of temperature at word `at` of `text`.

    As in "8 °C", "8 degrees Celsius" and "8 C".
    """
    while at < len(found) and found[at].lowered in _DEGREE_WORDS:
        at += 1
    if at >= len(found) or found[at].lowered not in units.DEGREES:
        return None
    before = found[at - 1] if at else None
    between = text[before.end : found[at].start] if before else ""
    is_told = between.strip() == "°" or (before and before.lowered in _DEGREE_WORDS)
    if not is_told and not _is_scale_letter(found[at], text, between):
        return None
    factor, offset = units.DEGREES[found[at].lowered]
    name = f"°{found[at].lowered[0].upper()}"
    return Unit(name, _TEMPERATURE, factor, offset), at


def _is_scale_letter(word: Word, text: str, between: str) -> bool:
    """Return whether a bare "C" or "F" after a number is one of temperature.

    An initial has a full stop, and a name follows.
    """
    after = text[word.end : word.end + 3]
    return (
        word.text in _SCALE_LETTERS
        and between in _SPACES
        and not (after[:1] == "." and after[1:].strip())
        and not after.strip()[:1].isupper()
    )


def without_asides(text: str) -> str:
    """Blank values in parentheses that only restate the value before them.

    Positions in the text do not change.
    """

    def blank(found: re.Match[str]) -> str:
        before = text[max(0, found.start() - _MAX_DISTANCE) : found.start()]
        restates = any(character.isdigit() for character in before)
        return " " * len(found[0]) if restates else found[0]

    return _ASIDE.sub(blank, text)


def _hour_at(found: Sequence[Word], at: int) -> int | None:
    after = [word.lowered for word in found[at + 1 : at + 3]]
    if after[:1] in (["per"], ["an"]) and len(after) > 1 and after[1] in _HOURS:
        return at + 2
    return at + 1 if after[:1] in (["h"], ["hr"]) else None


_NAMED = {
    name: Unit(name, dimension, factor)
    for dimension, of in units.UNITS.items()
    for name, (factor, _) in of.items()
}
_KNOWN = {
    word: _NAMED[name]
    for of in units.UNITS.values()
    for name, (_, words) in of.items()
    for word in words.split()
}


# --- quantities ---


_PERCENT, _FRACTION = Unit("percent", "share", 1.0), Unit("fraction", "share", 1.0)


class Bound(Enum):
    """How a quantity is meant."""

    EXACT = "exact"
    ABOUT = "about"
    FLOOR = "at least"
    CEILING = "at most"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with the stem of the word it counts, or its unit, if one follows.

    `precision` is the value of its last significant digit; `currency` is the code of
    its currency, `units.DOLLAR` if it may be any of the dollars. `first_word` and `last_word`
    are indices into the words it was read from; the word that is counted is not among
    them, but a unit of measure is.
    """

    value: float
    unit: str
    bound: Bound
    first_word: int
    last_word: int
    precision: float = 1.0
    measure: Unit | None = None
    currency: str = ""

    @property
    def word_count(self) -> int:
        """Return how many words it was read from."""
        return self.last_word + 1 - self.first_word


def quantities(
    found: Sequence[Word], text: str, taken: frozenset[int]
) -> tuple[Quantity, ...]:
    """Return the quantities among the words `found` of `text`.

    Args:
        found: the words of `text`.
        text: searched for signs such as "%".
        taken: indices of words that belong to dates, which are skipped.
    """
    read: list[Quantity] = []
    free = 0
    for at in _begins(found):
        if at >= free and at not in taken:
            quantity = _quantity_at(found, text, at)
            if quantity is not None:
                if read and _is_range(found, read[-1], quantity):
                    read[-1] = replace(
                        read[-1], unit=quantity.unit, measure=quantity.measure
                    )
                read.append(quantity)
                free = quantity.last_word + 1
    return tuple(read)


def _is_range(found: Sequence[Word], first: Quantity, second: Quantity) -> bool:
    """Return whether both are the ends of one range, as in "45 to 48 °F"."""
    between = found[first.last_word + 1 : second.first_word]
    is_bare = not first.unit and first.measure is None
    is_joined = [word.lowered for word in between] == ["to"]
    return is_bare and is_joined and second.measure is not None


def _begins(found: Sequence[Word]) -> list[int]:
    """Return the indices of the few words at which a quantity may begin."""
    return [
        at
        for at, word in enumerate(found)
        if word.is_number
        or word.lowered in _SPELLED
        or word.lowered == _HALF
        or _sign_of_fraction(word)
    ]


def compare_quantity(claimed: Quantity, stated: Sequence[Quantity]) -> Agreement:
    """Compare one quantity of the claim with all those of the evidence.

    It is different only if the evidence gives another number for the same thing or in
    the same unit; a number of something else says nothing.
    """
    if any(agree(claimed, other) for other in stated):
        return Agreement.STATED
    if any(_rivals(claimed, other) for other in stated):
        return Agreement.DIFFERENT
    return Agreement.ABSENT


def agree(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether a quantity of the evidence supports the claimed one."""
    if are_other_moneys(claimed, stated):
        return False
    if _equal(claimed, stated):
        return {claimed.bound, stated.bound} != {Bound.FLOOR, Bound.CEILING}
    if not _counts_the_same(claimed, stated):
        return False
    mine, theirs = _in_one_unit(claimed, stated)
    if claimed.bound is Bound.FLOOR:
        return theirs > mine
    return claimed.bound is Bound.CEILING and theirs < mine


def are_other_moneys(one: Quantity, other: Quantity) -> bool:
    """Return whether the currencies of both are known and differ."""
    both = {one.currency, other.currency} - {""}
    is_dollar = units.DOLLAR in both and not both.isdisjoint(units.DOLLARS)
    return len(both) > 1 and not is_dollar


def _rivals(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether only one of two different values can be right.

    A thing has several lengths, and a source may give its width in other units than its
    length; but it usually has one speed.
    """
    if claimed.measure and stated.measure and claimed.unit != stated.unit:
        return claimed.measure.dimension == stated.measure.dimension == "speed"
    return _counts_the_same(claimed, stated)


def _counts_the_same(claimed: Quantity, stated: Quantity) -> bool:
    if claimed.measure and stated.measure:
        return claimed.measure.dimension == stated.measure.dimension
    if not claimed.unit or not stated.unit:
        return False
    return claimed.unit == stated.unit or stated.unit in kin(claimed.unit)


def _quantity_at(found: Sequence[Word], text: str, at: int) -> Quantity | None:
    value, last = _value_at(found, at)
    bound = _bound(found, at)
    if value is None:
        is_share = found[at].lowered == _HALF and bound is not Bound.EXACT
        half = Quantity(50.0, "percent", bound, at, at, measure=_FRACTION)
        return half if is_share else None
    part = _part_at(found, at, value)
    if part:
        share, last = part
        return Quantity(share, "percent", bound, at, last, measure=_FRACTION)
    precision = _precision(found[at].text, value)
    fraction, last = _fraction_after(found, text, last)
    if fraction:
        value, precision = value + fraction, min(precision, _OF_FRACTIONS)
    currency = _currency(found, text, at, last)
    while last + 1 < len(found) and _is_magnitude(found, last + 1):
        if not currency and _are_metres(found, last + 1):
            break
        scale = _MAGNITUDES[found[last + 1].lowered]
        value, precision = value * scale, precision * scale
        last += 1
    if not found[at].is_number and value >= _HUNDRED:
        rest, last = _rest_after(found, last, value)
        value, precision = value + rest, 1.0 if rest else precision
    currency = currency or _currency(found, text, at, last)
    measured = None if currency else unit_at(found, last + 1)
    measured = measured or degrees_at(found, text, last + 1)
    value *= (
        -1 if _is_negative(found, text, at, measured[1] if measured else last) else 1
    )
    if measured:
        unit, last = measured
        return Quantity(value, unit.name, bound, at, last, precision, unit)
    counted, last = _counted(found, text, last)
    share_of = _PERCENT if counted == "percent" else None
    return Quantity(value, counted, bound, at, last, precision, share_of, currency)


def _fraction_after(found: Sequence[Word], text: str, last: int) -> tuple[float, int]:
    """Return the fraction after a whole number: "2½", "2 1/2" or "two and a half"."""
    after = found[last + 1 : last + 4]
    part = _sign_of_fraction(after[0]) if after else 0.0
    if part and not text[found[last].end : after[0].start].strip():
        return part, last + 1
    if [word.lowered for word in after] == ["and", "a", "half"]:
        return 0.5, last + 3
    if len(after) > 1 and found[last].is_number:
        written = text[found[last].end : after[1].end].replace("\u00a0", " ")
        simple = _SIMPLE_FRACTION.fullmatch(written)
        if simple:
            return int(simple[1]) / int(simple[2]), last + 2
    return 0.0, last


def _is_negative(found: Sequence[Word], text: str, first: int, last: int) -> bool:
    """Return whether a minus stands before the number, or "below zero" after it."""
    start = found[first].start
    sign, before = text[max(0, start - 1) : start], text[max(0, start - 2) : start - 1]
    if sign == "\u2212" or (sign == "-" and (start == 1 or before in _OPENS)):
        return not text[: start - 1].rstrip()[-1:].isdigit()
    if first and found[first - 1].lowered == "minus":
        return True
    after = [word.lowered for word in found[last + 1 : last + 4]]
    return [word for word in after if word not in _DEGREE_WORDS][:2] == [
        "below",
        "zero",
    ]


def _currency(found: Sequence[Word], text: str, first: int, last: int) -> str:
    """Return the code of the currency before or after a number, if there is one."""
    before = text[max(0, found[first].start - _LONGEST_SIGN) : found[first].start]
    sign = before.rstrip().rpartition(" ")[2].lstrip("(").lower()
    if sign in units.CURRENCY_SIGNS or sign[-1:] in units.CURRENCY_SIGNS:
        return units.CURRENCY_SIGNS.get(sign) or units.CURRENCY_SIGNS[sign[-1:]]
    beside = [found[at] for at in (first - 1, last + 1) if 0 <= at < len(found)]
    for word in beside:
        if word.text in units.CURRENCY_CODES:
            return word.text
    after = [word.lowered for word in found[last + 1 : last + 3]]
    if after == ["pounds", "sterling"]:
        return "GBP"
    named = (units.CURRENCY_WORDS.get(word) for word in after)
    return next((one for one in named if one), "")


def _part_at(found: Sequence[Word], at: int, value: float) -> tuple[float, int] | None:
    """Return the percentage that "two fifths" or "seven in ten" is."""
    after = [word.lowered for word in found[at + 1 : at + 3]]
    if after and after[0] in _PARTS and not found[at].is_number:
        of, last = _PARTS[after[0]], at + 1
    elif after[:1] == ["of"] and _sign_of_fraction(found[at]):
        of, last = 1, at
    elif len(after) > 1 and after[0] == "in" and after[1] in _OF_HOW_MANY:
        of, last = int(_SPELLED[after[1]]), at + 2
    else:
        return None
    is_part = 0 < value < of and found[at].lowered not in _ORDINAL_WORDS
    return (100 * value / of, last) if is_part else None


def _is_magnitude(found: Sequence[Word], at: int) -> bool:
    word = found[at].lowered
    attached = found[at].start == found[at - 1].end
    return word in _MAGNITUDES and (attached or word not in _SHORT_MAGNITUDES)


def _rest_after(found: Sequence[Word], last: int, scale: float) -> tuple[float, int]:
    """Return what follows a spelled number: "and fifty" after "two hundred"."""
    at = last + 1
    at += at < len(found) and found[at].lowered == "and"
    if at >= len(found) or found[at].is_number or found[at].lowered not in _SPELLED:
        return 0.0, last
    value, end = _value_at(found, at)
    while end + 1 < len(found) and _is_magnitude(found, end + 1):
        end += 1
        value = (value or 0.0) * _MAGNITUDES[found[end].lowered]
    # "Between one hundred and two hundred" are two numbers.
    is_lower = value is not None and value < _lowest_magnitude(scale)
    return (value or 0.0, end) if is_lower else (0.0, last)


def _lowest_magnitude(value: float) -> float:
    return max(each for each in _MAGNITUDES.values() if each <= value)


def _are_metres(found: Sequence[Word], at: int) -> bool:
    """Return whether the "m" at `at` is no million: "200m from it", but "20m viewers"."""
    number = found[at - 1].text
    if found[at].lowered != "m" or "." in number or not number[0].isdigit():
        return False
    counted = found[at + 1] if at + 1 < len(found) else None
    return not counted or not (counted.lowered.endswith("s") or counted.stem == _PEOPLE)


def _value_at(found: Sequence[Word], at: int) -> tuple[float | None, int]:
    """Return the value that starts at word `at`, and the index of its last word."""
    if found[at].is_number:
        return _value(found[at].text), at
    sign = _sign_of_fraction(found[at])
    if sign:
        return sign, at
    word = found[at].lowered
    if word == _HALF:
        return _half_at(found, at)
    value = _SPELLED.get(word)
    follower = found[at + 1].lowered if at + 1 < len(found) else ""
    if value is not None and word in _TEN_WORDS and follower in _UNDER_TEN:
        return value + _SPELLED[follower], at + 1
    return value, at


def _sign_of_fraction(word: Word) -> float:
    """Return the value of a sign such as "½", and 0 for anything else."""
    value = numeric(word.text, 0.0) if len(word.text) == 1 else 0.0
    return value if value < 1 and not word.is_number else 0.0


def _half_at(found: Sequence[Word], at: int) -> tuple[float | None, int]:
    """Read "half a million"; other halves are periods of a match, or of a year."""
    after = [word.lowered for word in found[at + 1 : at + 3]]
    is_number = len(after) > 1 and after[0] == "a" and after[1] in _MAGNITUDES
    return (0.5, at + 1) if is_number and len(after[1]) > 1 else (None, at)


def _value(text: str) -> float | None:
    digits = plain_number(text)
    if len(digits) > _LONGEST_DIGITS or digits.count(".") > 1 or not digits.isascii():
        return None
    return float(digits)


def _precision(text: str, value: float) -> float:
    """Return the value of the last significant digit: 0.1 of "12.6", 100 of "1,200"."""
    _, point, decimals = plain_number(text).partition(".")
    if point:
        return float(10.0 ** -len(decimals))
    digits = str(int(value))
    return float(10.0 ** (len(digits) - len(digits.rstrip("0")))) if value else 1.0


def _counted(found: Sequence[Word], text: str, last: int) -> tuple[str, int]:
    after = text[found[last].end : found[last].end + 2].lstrip()
    following = found[last + 1 : last + 3]
    spelled = [word.lowered for word in following]
    if after.startswith("%"):
        is_point = spelled[:1] in (["point"], ["points"])
        return ("percentage point", last + 1) if is_point else ("percent", last)
    if found[last].lowered in _ORDINAL_WORDS:
        return "ordinal", last
    for name, forms in _SHARES.items():
        for form in forms:
            if spelled[: len(form)] == form:
                return name, last + len(form)
    if not following or not following[0].is_content or following[0].is_number:
        return "", last
    if spelled[0] in _ORDINAL_ENDINGS and after[:1].isalpha():
        return "ordinal", last + 1
    return following[0].stem, last


def _is_of_currency(lowered: str, written: str) -> bool:
    return f"{lowered}$" in units.CURRENCY_SIGNS or written in units.CURRENCY_CODES


def _bound(found: Sequence[Word], at: int) -> Bound:
    words = [word.lowered for word in found[max(0, at - BOUND_WORDS - 1) : at]]
    if words and _is_of_currency(words[-1], found[at - 1].text):
        words.pop()
    before = " ".join(words[-2:])
    ahead = words[: -2 if before.endswith("than") else -1]
    is_denied = ahead[-1:] in _NO or _NEVER in ahead
    is_turned = before.endswith(_TURNS) and is_denied
    if before.endswith(_FLOORS):
        return Bound.CEILING if is_turned else Bound.FLOOR
    if before.endswith(_CEILINGS):
        return Bound.FLOOR if is_turned else Bound.CEILING
    return Bound.ABOUT if before.endswith(_ABOUT) else Bound.EXACT


def _equal(claimed: Quantity, stated: Quantity) -> bool:
    mine, theirs = _in_one_unit(claimed, stated)
    distance = abs(mine - theirs)
    if Bound.ABOUT in {claimed.bound, stated.bound}:
        return distance <= _LOOSE_ROUNDING * abs(mine)
    if _converted(claimed, stated):
        if claimed.measure and claimed.measure.dimension == _TEMPERATURE:
            return distance <= _DEGREES_ROUNDED
        return distance <= _CONVERTED_ROUNDING * abs(mine)
    if not _counts_the_same(claimed, stated):
        return not distance
    return close(mine, claimed.precision, theirs, stated.precision)


def close(one: float, precision: float, other: float, other_precision: float) -> bool:
    """Return whether two values are equal, or one is the other rounded.

    Decimals are compared at their written precision. Round numbers such as 1,200 only
    match values very close to them, since it is unknown how many of their zeros are
    significant.
    """
    distance = abs(one - other)
    if not distance or precision == other_precision:
        return not distance
    coarse = max(precision, other_precision)
    rounded = distance <= coarse / 2 * (1 + 1e-9)
    return rounded and (
        min(precision, other_precision) < 1 or distance <= _ROUNDING * abs(one)
    )


def _converted(claimed: Quantity, stated: Quantity) -> bool:
    return bool(
        claimed.measure
        and stated.measure
        and claimed.measure.dimension == stated.measure.dimension
        and claimed.measure.name != stated.measure.name
    )


def _in_one_unit(claimed: Quantity, stated: Quantity) -> tuple[float, float]:
    if claimed.measure and stated.measure and _converted(claimed, stated):
        return (
            claimed.value * claimed.measure.factor + claimed.measure.offset,
            stated.value * stated.measure.factor + stated.measure.offset,
        )
    return claimed.value, stated.value
