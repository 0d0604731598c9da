"""Reads the days that search services name, in the forms that they write. Pure."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from types import MappingProxyType

_ISO = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)(?!\d)", re.ASCII)
_COMPACT = re.compile(r"\s*(\d{4})(\d\d)(\d\d)(?:T?\d{6}Z?)?\s*", re.ASCII)
_MONTH_FIRST = re.compile(r"\s*([A-Za-z]{3,9})\.? (\d{1,2}), (\d{4})\s*", re.ASCII)
_DAY_FIRST = re.compile(r"\s*(\d{1,2}) ([A-Za-z]{3,9})\.? (\d{4})\s*", re.ASCII)
# "3 weeks ago" may be ten days off, and says nothing that a window could use.
_AGO = re.compile(r"\s*(\d{1,3}|an?) (second|sec|minute|min|hour|day)s? ago\s*", re.I)
_FIRST_YEAR, _LAST_YEAR = 1000, 2999
_MONTHS: Mapping[str, int] = MappingProxyType(
    {
        name: number
        for number, name in enumerate(
            [
                "jan",
                "feb",
                "mar",
                "apr",
                "may",
                "jun",
                "jul",
                "aug",
                "sep",
                "oct",
                "nov",
                "dec",
            ],
            start=1,
        )
    }
)


def day_of(told: object, today: date) -> date | None:
    """Return the day that `told` names; `None` where it is none, or not exact."""
    if not isinstance(told, str) or len(told) > 100:  # noqa: PLR2004 - no date is longer
        return None
    if ago := _AGO.fullmatch(told):
        return _before(today, ago[1], ago[2])
    if numbers := _ISO.match(told) or _COMPACT.fullmatch(told):
        return _day(numbers[1], int(numbers[2]), numbers[3])
    if written := _MONTH_FIRST.fullmatch(told):
        return _day(written[3], _month(written[1]), written[2])
    if written := _DAY_FIRST.fullmatch(told):
        return _day(written[3], _month(written[2]), written[1])
    return None


def _before(today: date, count: str, unit: str) -> date | None:
    days = int(count) if count.isdecimal() else 1
    try:
        return today - timedelta(days=days if unit.lower() == "day" else 0)
    except OverflowError:
        return None


def _month(name: str) -> int:
    return _MONTHS.get(name[:3].lower(), 0)


def likely(day: date) -> date | None:
    """Return `day` unless its year says that none was set, as 0001 and 9999 do."""
    return day if _FIRST_YEAR <= day.year <= _LAST_YEAR else None


def _day(year: str, month: int, day: str) -> date | None:
    try:
        return likely(date(int(year), month, int(day)))
    except ValueError:
        return None
