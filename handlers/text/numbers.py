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

from handlers.text.words import Word, kin

_MILE, _HOUR = 1609.344, 3600.0
_UNITS = {
    "length": {
        "m": (1.0, "metre metres meter meters m"),
        "km": (1e3, "kilometre kilometres kilometer kilometers km kms"),
        "cm": (1e-2, "centimetre centimetres centimeter centimeters cm"),
        "mm": (1e-3, "millimetre millimetres millimeter millimeters mm"),
        "mile": (_MILE, "mile miles mi"),
        "yard": (0.9144, "yard yards yd yds"),
        "foot": (0.3048, "foot feet ft"),
        "inch": (0.0254, "inch inches"),
    },
    "speed": {
        "mph": (_MILE / _HOUR, "mph"),
        "km/h": (1e3 / _HOUR, "kph kmh"),
        "m/s": (1.0, "mps"),
        "knot": (1852 / _HOUR, "knot knots kn kt kts"),
    },
    "area": {
        "km²": (1e6, "km²"),
        "sq mi": (_MILE**2, "mi²"),
        "m²": (1.0, "m²"),
        "sq ft": (0.3048**2, "ft²"),
        "hectare": (1e4, "hectare hectares ha"),
        "acre": (4046.856, "acre acres"),
    },
    "volume": {
        "m³": (1.0, "m³"),
        "litre": (1e-3, "litre litres liter liters"),
        "gallon": (3.785e-3, "gallon gallons gal"),
    },
    "mass": {
        "kg": (1.0, "kilogram kilograms kg"),
        "g": (1e-3, "gram grams g"),
        "lb": (0.4536, "lb lbs"),
        "tonne": (1e3, "tonne tonnes"),
    },
}
_PER_HOUR = {"mile": "mph", "km": "km/h"}
_SQUARE = {"km": "km²", "mile": "sq mi", "m": "m²", "foot": "sq ft"}
_HOURS = frozenset({"h", "hr", "hour"})
_SQUARES = frozenset({"sq", "square"})
_CUBES = frozenset({"cu", "cubic"})
_DEGREES = {
    "c": (1.0, 0.0),
    "celsius": (1.0, 0.0),
    "f": (5 / 9, -32 * 5 / 9),
    "fahrenheit": (5 / 9, -32 * 5 / 9),
}
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
_TEN_WORDS = frozenset(_TENS.split())
_UNDER_TEN = frozenset(_ONES.split()[1:10])
_ORDINAL_WORDS = frozenset({*_ORDINALS.split(), "twelfth"})
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
_ABOUT = ("about", "around", "approximately", "some", "roughly", "circa", "estimated")
_ROUNDING = 0.005  # "1.2 million" may also be 1,197,000
_LOOSE_ROUNDING = 0.05
_CONVERTED_ROUNDING = 0.025
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
    if word in _SQUARES and at + 1 < len(found):
        squared = _KNOWN.get(found[at + 1].lowered)
        name = _SQUARE.get(squared.name if squared else "")
        return (_NAMED[name], at + 1) if name else None
    if word in _CUBES and at + 1 < len(found):
        is_metre = _KNOWN.get(found[at + 1].lowered) is _NAMED["m"]
        return (_NAMED["m³"], at + 1) if is_metre else None
    unit = _KNOWN.get(word)
    if unit is None:
        return None
    hour_at = _hour_at(found, at)
    if unit.name in _PER_HOUR and hour_at is not None:
        return _NAMED[_PER_HOUR[unit.name]], hour_at
    return unit, at


def degrees_at(found: Sequence[Word], text: str, at: int) -> tuple[Unit, int] | None:
    """Return the scale of temperature at word `at` of `text`, as in "8 °C"."""
    if at >= len(found) or found[at].lowered not in _DEGREES:
        return None
    between = text[found[at - 1].end : found[at].start] if at else ""
    if between.strip() != "°":
        return None
    factor, offset = _DEGREES[found[at].lowered]
    name = f"°{found[at].lowered[0].upper()}"
    return Unit(name, "temperature", factor, offset), at


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
    if after[:1] == ["per"] and len(after) > 1 and after[1] in _HOURS:
        return at + 2
    return at + 1 if after[:1] in (["h"], ["hr"]) else None


_NAMED = {
    name: Unit(name, dimension, factor)
    for dimension, units in _UNITS.items()
    for name, (factor, _) in units.items()
}
_KNOWN = {
    word: _NAMED[name]
    for units in _UNITS.values()
    for name, (_, words) in units.items()
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

    `precision` is the value of its last significant digit. `first_word` and `last_word`
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
        if word.is_number or word.lowered in _SPELLED
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
    if _equal(claimed, stated):
        return {claimed.bound, stated.bound} != {Bound.FLOOR, Bound.CEILING}
    if not _counts_the_same(claimed, stated):
        return False
    mine, theirs = _in_one_unit(claimed, stated)
    if claimed.bound is Bound.FLOOR:
        return theirs > mine
    return claimed.bound is Bound.CEILING and theirs < mine


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
    if value is None:
        return None
    part = _part_at(found, at, value)
    if part:
        share, last = part
        return Quantity(
            share, "percent", _bound(found, at), at, last, measure=_FRACTION
        )
    precision = _precision(found[at].text, value)
    while last + 1 < len(found) and _is_magnitude(found, last + 1):
        scale = _MAGNITUDES[found[last + 1].lowered]
        value, precision = value * scale, precision * scale
        last += 1
    measured = unit_at(found, last + 1) or degrees_at(found, text, last + 1)
    if measured:
        unit, last = measured
        bound = _bound(found, at)
        return Quantity(value, unit.name, bound, at, last, precision, unit)
    counted, last = _counted(found, text, at, last)
    share_of = _PERCENT if counted == "percent" else None
    return Quantity(value, counted, _bound(found, at), at, last, precision, share_of)


def _part_at(found: Sequence[Word], at: int, value: float) -> tuple[float, int] | None:
    """Return the percentage that "two fifths" or "seven in ten" is."""
    after = [word.lowered for word in found[at + 1 : at + 3]]
    if after and after[0] in _PARTS and not found[at].is_number:
        of, last = _PARTS[after[0]], at + 1
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


def _value_at(found: Sequence[Word], at: int) -> tuple[float | None, int]:
    """Return the value that starts at word `at`, and the index of its last word."""
    if found[at].is_number:
        return _value(found[at].text), at
    word = found[at].lowered
    value = _SPELLED.get(word)
    follower = found[at + 1].lowered if at + 1 < len(found) else ""
    if value is not None and word in _TEN_WORDS and follower in _UNDER_TEN:
        return value + _SPELLED[follower], at + 1
    return value, at


def _value(text: str) -> float | None:
    digits = text.replace(",", "")
    if len(digits) > _LONGEST_DIGITS or digits.count(".") > 1 or not digits.isascii():
        return None
    return float(digits)


def _precision(text: str, value: float) -> float:
    """Return the value of the last significant digit: 0.1 of "12.6", 100 of "1,200"."""
    _, point, decimals = text.partition(".")
    if point:
        return float(10.0 ** -len(decimals))
    digits = str(int(value))
    return float(10.0 ** (len(digits) - len(digits.rstrip("0")))) if value else 1.0


def _counted(
    found: Sequence[Word], text: str, first: int, last: int
) -> tuple[str, int]:
    after = text[found[last].end : found[last].end + 2].lstrip()
    if after.startswith("%"):
        return "percent", last
    follower = found[last + 1] if last + 1 < len(found) else None
    if found[first].lowered in _ORDINAL_WORDS:
        return "ordinal", last
    spelled = [word.lowered for word in found[last + 1 : last + 3]]
    if spelled[:1] == ["percent"] or spelled == ["per", "cent"]:
        return "percent", last + (1 if spelled[0] == "percent" else 2)
    if follower is None or not follower.is_content or follower.is_number:
        return "", last
    if follower.lowered in _ORDINAL_ENDINGS and after[:1].isalpha():
        return "ordinal", last + 1
    return follower.stem, last


def _bound(found: Sequence[Word], at: int) -> Bound:
    before = " ".join(word.lowered for word in found[max(0, at - 2) : at])
    if before.endswith(_FLOORS):
        return Bound.FLOOR
    if before.endswith(_CEILINGS):
        return Bound.CEILING
    return Bound.ABOUT if before.endswith(_ABOUT) else Bound.EXACT


def _equal(claimed: Quantity, stated: Quantity) -> bool:
    mine, theirs = _in_one_unit(claimed, stated)
    distance = abs(mine - theirs)
    if Bound.ABOUT in {claimed.bound, stated.bound}:
        return distance <= _LOOSE_ROUNDING * abs(mine)
    if _converted(claimed, stated):
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
