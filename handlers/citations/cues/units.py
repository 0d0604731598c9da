"""Units of measure, so that 72 miles and 116 km are told to be one length.

Wikipedia adds the converted value in parentheses; its source has one of the two.
So the converted value is no separate thing to bear out. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.citations.cues.words import Word

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
_LOOK_BACK = 60  # characters before a parenthesis in which the first value stands
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


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure; a value times `factor` is in the dimension's base unit.

    To that, `offset` is added: no scale of temperature but kelvin begins at nothing.
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

    Places in the text stay what they are.
    """

    def blank(found: re.Match[str]) -> str:
        before = text[max(0, found.start() - _LOOK_BACK) : found.start()]
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
