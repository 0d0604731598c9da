"""Dates and times of day, as precise as given, and whether evidence agrees with them.

A claim of "May 2011" is supported by "12 May 2011" and by "2011-05-12", contradicted by
"June 2011" and left open by "2011"; "before May 2011" is supported by any date that is
certainly earlier. Time zones are not compared: sources give local time, as the article
does. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from handlers.text.numbers import Agreement, Bound
from handlers.text.words import Word

_MINUTES, _HALF_DAY_HOURS = 60, 12
_HALF_DAY = _HALF_DAY_HOURS * _MINUTES

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_YEAR_DIGITS = 4
_SHORT_DIGITS, _CENTURY, _LAST_OF_CENTURY = 2, 100, 99
_RANGE_SIGNS = frozenset("-\u2013\u2212/")
_MONTH_COUNT = 12
_LAST_DAY = 31
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_BOUNDS = {
    "before": Bound.CEILING,
    "until": Bound.CEILING,
    "till": Bound.CEILING,
    "by": Bound.CEILING,
    "after": Bound.FLOOR,
    "since": Bound.FLOOR,
}
_AFTER_MONTH = 3  # words after a month that may still belong to its date


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day in minutes; unless `half_known`, it may be a.m. or p.m."""

    minute: int
    half_known: bool
    word: int  # its index among the words it was read from

    @property
    def first_word(self) -> int:
        """Return the index of its first word, which is its only one."""
        return self.word

    @property
    def last_word(self) -> int:
        """Return the index of its last word, which is its only one."""
        return self.word


def time_of(stem: str, word: int) -> Time | None:
    """Read a stem made by `time_stem`; `None` if it is not one."""
    hour, colon, minute = stem.lstrip("~").partition(":")
    if not colon or not (hour.isdigit() and minute.isdigit()):
        return None
    return Time(int(hour) * _MINUTES + int(minute), not stem.startswith("~"), word)


def same_times(stem: str) -> tuple[str, ...]:
    """Return the stems of all times that the time `stem` may mean."""
    time = time_of(stem, 0)
    if time is None:
        return (stem,)
    hour, minute = divmod(time.minute % _HALF_DAY, _MINUTES)
    vague = f"~{hour}:{minute:02}"
    if time.half_known:
        return (stem, vague)
    return (vague, f"{hour}:{minute:02}", f"{hour + _HALF_DAY_HOURS}:{minute:02}")


def compare_time(claimed: Time, stated: Sequence[Time]) -> Agreement:
    """Compare one time of the claim with all those of the evidence."""
    if any(_same_time(claimed, other) for other in stated):
        return Agreement.STATED
    return Agreement.DIFFERENT if stated else Agreement.ABSENT


def _same_time(one: Time, other: Time) -> bool:
    if one.half_known and other.half_known:
        return one.minute == other.minute
    return one.minute % _HALF_DAY == other.minute % _HALF_DAY


# --- dates ---


@dataclass(frozen=True, slots=True)
class Date:
    """A date as given: year, month and day may each be missing.

    `first_word` and `last_word` are indices into the words it was read from.
    """

    year: int | None
    month: int | None
    day: int | None
    first_word: int
    last_word: int
    bound: Bound = Bound.EXACT


def dates(found: Sequence[Word], text: str = "") -> tuple[Date, ...]:
    """Return the dates among the words `found`, in order.

    Without their `text`, the end of "1990–95" is not known from another number.
    """
    read: list[Date] = []
    free = 0
    for at in _begins(found):
        date = _date_at(found, at) if at >= free else None
        if date is not None:
            read.append(replace(date, bound=_bound(found, at)))
            free = date.last_word + 1
            end = _short_end(found, text, date)
            if end is not None:
                read.append(end)
                free = end.last_word + 1
    return tuple(read)


def _short_end(found: Sequence[Word], text: str, first: Date) -> Date | None:
    """Return the year that two digits after a year stand for: "1990–95", "2011/12"."""
    group = found[first.last_word : first.last_word + 2]
    if not text or first.year is None or len(group) < len("ab") or not _joined(group):
        return None
    year, short = group
    is_short = len(short.text) <= _SHORT_DIGITS and short.text.isdigit()
    after = text[short.end : short.end + 2]
    is_part = after[:1] in _RANGE_SIGNS and after[1:].isdigit()
    if not is_short or text[year.end] not in _RANGE_SIGNS or is_part:
        return None
    end = first.year - first.year % 10 ** len(short.text) + int(short.text)
    end += (
        _CENTURY
        if end <= first.year and first.year % _CENTURY == _LAST_OF_CENTURY
        else 0
    )
    at = first.last_word + 1
    return Date(end, None, None, at, at) if end > first.year else None


def _begins(found: Sequence[Word]) -> list[int]:
    """Return the indices of the few words at which a date may begin."""
    return [
        at
        for at, word in enumerate(found)
        if word.is_number or (word.is_capitalised and word.lowered in _MONTHS)
    ]


def _date_at(found: Sequence[Word], at: int) -> Date | None:
    if not found[at].is_number:
        return _written_at(found, at)
    return (
        _iso_at(found, at)
        or _slashed_at(found, at)
        or _written_at(found, at)
        or _year_at(found, at)
    )


def word_indices(read: Sequence[Date]) -> frozenset[int]:
    """Return the indices of all words that belong to dates."""
    return frozenset(
        index for date in read for index in range(date.first_word, date.last_word + 1)
    )


def compare_date(claimed: Date, stated: Sequence[Date]) -> Agreement:
    """Compare one date of the claim with all those of the evidence."""
    if any(_agrees(claimed, other) for other in stated):
        return Agreement.STATED
    if any(_rules_out(claimed, other) for other in stated):
        return Agreement.DIFFERENT
    return Agreement.ABSENT


def _year(word: Word) -> int | None:
    if len(word.text) == _YEAR_DIGITS and word.text.isascii() and word.text.isdigit():
        year = int(word.text)
        return year if _FIRST_YEAR <= year <= _LAST_YEAR else None
    return None


def _day(word: Word) -> int | None:
    if len(word.text) <= len("31") and word.text.isascii() and word.text.isdigit():
        return int(word.text) if 1 <= int(word.text) <= _LAST_DAY else None
    return None


def _month(word: Word) -> int | None:
    # "may" and "march" are verbs unless capitalised.
    return _MONTHS.get(word.lowered) if word.is_capitalised else None


def _year_at(found: Sequence[Word], at: int) -> Date | None:
    year = _year(found[at])
    return Date(year, None, None, at, at) if year is not None else None


def _iso_at(found: Sequence[Word], at: int) -> Date | None:
    group = found[at : at + 3]
    if len(group) < len("ymd") or not _joined(group):
        return None
    year, month, day = _year(group[0]), _day(group[1]), _day(group[2])
    if year is None or month is None or day is None or month > _MONTH_COUNT:
        return None
    return Date(year, month, day, at, at + 2)


def _slashed_at(found: Sequence[Word], at: int) -> Date | None:
    """Read "03/28/2020"; "03/04/2020" could be either of two days."""
    group = found[at : at + 3]
    if len(group) < len("mdy") or not _joined(group):
        return None
    first, second, year = _day(group[0]), _day(group[1]), _year(group[2])
    if first is None or second is None or year is None:
        return None
    month, day = min(first, second), max(first, second)
    if month > _MONTH_COUNT or day <= _MONTH_COUNT:
        return None
    return Date(year, month, day, at, at + 2)


def _joined(group: Sequence[Word]) -> bool:
    return all(after.start - before.end == 1 for before, after in pairwise(group))


def _written_at(found: Sequence[Word], at: int) -> Date | None:
    """Read "12 May 2011", "12th of May", "May 12, 2011", "May 2011" or "May"."""
    day = _day(found[at])
    at_month = _skip(found, at + 1, _ORDINAL_ENDINGS | {"of"}) if day else at
    month = _month(found[at_month]) if at_month < len(found) else None
    if month is None:
        return None
    last = at_month
    if day is None:
        day, last = _day_after(found, at_month)
    year, last = _year_after(found, last)
    return Date(year, month, day, at, last) if day or year else None


def _skip(found: Sequence[Word], at: int, passing: frozenset[str]) -> int:
    limit = min(len(found), at + _AFTER_MONTH)
    while at < limit and found[at].lowered in passing:
        at += 1
    return at


def _day_after(found: Sequence[Word], month_at: int) -> tuple[int | None, int]:
    day = _day(found[month_at + 1]) if month_at + 1 < len(found) else None
    if day is None:
        return None, month_at
    return day, _skip(found, month_at + 2, _ORDINAL_ENDINGS) - 1


def _year_after(found: Sequence[Word], last: int) -> tuple[int | None, int]:
    at = _skip(found, last + 1, frozenset({"of", "in"}))
    year = _year(found[at]) if at < len(found) else None
    return (year, at) if year is not None else (None, last)


def _bound(found: Sequence[Word], at: int) -> Bound:
    before = found[at - 1].lowered if at else ""
    return _BOUNDS.get(before, Bound.EXACT)


def _agrees(claimed: Date, stated: Date) -> bool:
    if all(mine is None or mine == theirs for mine, theirs in _parts(claimed, stated)):
        return True
    order = _order(claimed, stated)
    return (claimed.bound is Bound.CEILING and order > 0) or (
        claimed.bound is Bound.FLOOR and order < 0
    )


def _rules_out(claimed: Date, stated: Date) -> bool:
    """Return whether both give a part that differs, at the same precision."""
    pairs = _parts(claimed, stated)
    same_precision = all((mine is None) == (theirs is None) for mine, theirs in pairs)
    return same_precision and any(mine != theirs for mine, theirs in pairs)


def _order(claimed: Date, stated: Date) -> int:
    """Return 1 if the claimed date is clearly later, -1 if clearly earlier, else 0."""
    for mine, theirs in _parts(claimed, stated):
        if mine is None or theirs is None:
            return 0
        if mine != theirs:
            return 1 if mine > theirs else -1
    return 0


def _parts(claimed: Date, stated: Date) -> tuple[tuple[int | None, int | None], ...]:
    return (
        (claimed.year, stated.year),
        (claimed.month, stated.month),
        (claimed.day, stated.day),
    )
