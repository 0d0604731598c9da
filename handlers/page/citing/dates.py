"""Dates as citations write them, in English, German, French and Spanish. Pure."""

import re
from datetime import date
from types import MappingProxyType

_LONGEST = 60  # characters; no date is longer
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:T\S*)?")
_TIMESTAMP = re.compile(r"(\d{4})(\d{2})(\d{2})(?:\d{6})?")
_GERMAN = re.compile(r"(\d{1,2})\.\s*(\d{1,2})\.\s*(\d{4})")
_WORD = re.compile(r"\d+|[^\W\d_]+")
_YEAR_DIGITS = 4

_MONTH_NAMES = (
    "january jan januar janvier janv enero ene",
    "february feb februar février fevrier févr febrero",
    "march mar märz mrz mars marzo",
    "april apr avril avr abril abr",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet juil julio",
    "august aug août aout agosto ago",
    "september sep sept septembre septiembre setiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez décembre decembre déc diciembre dic",
)
_MONTHS = MappingProxyType(
    {name: 1 + at for at, names in enumerate(_MONTH_NAMES) for name in names.split()}
)
# Words that may stand in a date beside its day, month and year.
_FILLERS = frozenset(
    """st nd rd th de del of the le er of monday tuesday wednesday thursday friday
    saturday sunday mon tue wed thu fri sat sun""".split()  # noqa: SIM905 - shorter to read than a list
)


def parse_date(text: str) -> date | None:
    """Return the day, or the first day of the month where no day is given.

    `None` for anything else: a year alone, a range, a day that does not exist.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    for form in (_ISO, _TIMESTAMP):
        if found := form.fullmatch(text):
            year, month, day = found.groups(default="1")
            return _day(int(year), int(month), int(day))
    if found := _GERMAN.fullmatch(text):
        return _day(int(found[3]), int(found[2]), int(found[1]))
    return _spelled(text)


def _spelled(text: str) -> date | None:
    """Read a date with its month as a word, in any order."""
    numbers: list[str] = []
    months: list[int] = []
    for word in _WORD.findall(text.lower()):
        if word.isdecimal():
            numbers.append(word)
        elif word in _MONTHS:
            months.append(_MONTHS[word])
        elif word not in _FILLERS:
            return None
    years = [number for number in numbers if len(number) == _YEAR_DIGITS]
    days = [number for number in numbers if len(number) < _YEAR_DIGITS - 1]
    if len(months) != 1 or len(years) != 1 or len(numbers) - len(days) != 1:
        return None
    if len(days) > 1:
        return None
    return _day(int(years[0]), months[0], int(days[0]) if days else 1)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
