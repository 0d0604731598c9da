"""Tells when a fact was made known: by the sentence, else by its page. Pure."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from handlers.citations.cues.dates import Date, dates
from handlers.citations.cues.numbers import Bound
from handlers.citations.cues.words import Word, words
from handlers.model import DateBasis, Ignored, SourceText, Subject, Window
from handlers.updates.dates import day_above

_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_BEFORE_A_YEAR = frozenset(
    [
        "in",
        "of",
        "since",
        "until",
        "from",
        "to",
        "by",
        "during",
        "the",
        "between",
        "and",
        "for",
        "early",
        "late",
        "mid",
        "through",
        "year",
        "season",
        "around",
        "circa",
        "about",
        "before",
        "after",
        "till",
        "spring",
        "summer",
        "autumn",
        "fall",
        "winter",
    ]
)
_RELATIVE = re.compile(
    r"\b(?:(yesterday|last night)|(today|tonight|this (?:morning|afternoon|evening)))\b"
    r"|\b(?:on|last|this) (Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b",
    re.IGNORECASE,
)
_WEEKDAYS = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
]
# Phrases that count from a day that only the page can tell.
_FLOATING = re.compile(
    r"\b(?:yesterday|tonight|tomorrow|(?:last|this|past|next|coming) (?:few |couple of )?(?:night|weekend"
    r"|weeks?|months?|year|years|season|summer|winter|spring|autumn|fall)|(?:days?|weeks?|months?|years?) ago"
    r"|(?:on|last) (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|earlier today|today announced|announced today"
    r"|recently|so far)\b(?! \d| of)",
    re.IGNORECASE,
)
_ASIDE_WORDS = frozenset(
    {"first", "since", "previous", "previously", "former", "formerly", "original"}
    | {"originally", "inaugural", "last", "after", "before", "following", "than", "who"}
    | {"which", "that", "when", "where", "whose", "born", "earlier", "aged"}
)
# "15,000, up from 12,000 in 2024": a day that the fact is only compared with.
_COMPARED = re.compile(
    r"\b(?:(?:up|down|risen|fallen|increased|decreased|grown|shrunk|rising|falling)"
    r" (?:\S+ )?from|compared (?:with|to)|versus) [^;:.?!]{0,40}$",
    re.IGNORECASE,
)
_ASIDE_WITHIN = 6  # words before a date that may make it an aside
_WEEK = 7
_FIRST_YEAR = 1000  # of a page; programs write 0001-01-01 where they know no day
_ELSEWHERE = timedelta(days=1)  # it is tomorrow there already
_AHEAD = timedelta(days=60)  # "12 May" on a page of April is of the same year


@dataclass(frozen=True, slots=True)
class Days:
    """From the first to the last day that a date may mean."""

    first: date
    last: date

    def within(self, window: Window) -> bool:
        """Tell whether the window surely holds it."""
        return window.holds(self.first) and window.holds(self.last)

    def outside(self, window: Window) -> bool:
        """Tell whether the window surely does not hold it."""
        return (window.since is not None and self.last < window.since) or (
            window.until is not None and self.first > window.until
        )


@dataclass(frozen=True, slots=True)
class Timed:
    """When a fact was made known, as far as it is told; or why it does not count."""

    day: date | None = None
    basis: DateBasis | None = None
    refused: Ignored | None = None
    is_ahead: bool = False  # all days that the sentence names are still to come


def page_days(document: SourceText) -> Days | None:
    """Return the day that a page says it is of, in its fields or in a line at its top."""
    found = _ISO.match(document.imprint.published or "")
    if found:
        days = _days(*(int(part) if part else None for part in found.groups()))
        if days and days.first.year >= _FIRST_YEAR:
            return days
    above = day_above(document.text)
    return Days(above, above) if above else None


def when(text: str, page: Days | None, subject: Subject) -> Timed:
    """Return when the fact of a sentence was made known.

    The latest past day that it names counts; where it names none, that of its page. A
    page that says it is of days to come says nothing of its own.
    """
    if page and page.first > subject.today + _ELSEWHERE:
        page = None
    named = _named(text, page)
    past = [one for one in named if one.first <= subject.today]
    if named and not past:
        return _by_page(page, subject.window, is_ahead=True)
    if not past:
        if page is None and _FLOATING.search(text):
            return Timed(refused=Ignored.UNDATED)
        return _by_page(page, subject.window)
    latest = max(past, key=lambda one: (one.last, one.first))
    window = subject.window
    if page and latest.first <= page.first and page.last <= latest.last:
        latest = page  # a page of May that speaks of "this year"
    if window.is_open or latest.within(window):
        return Timed(latest.first, DateBasis.TEXT)
    if latest.outside(window):
        return Timed(refused=Ignored.OUTSIDE_WINDOW)
    return Timed(refused=Ignored.UNDATED)


def _by_page(page: Days | None, window: Window, *, is_ahead: bool = False) -> Timed:
    if page is None:
        refused = None if window.is_open else Ignored.UNDATED
        return Timed(refused=refused, is_ahead=is_ahead)
    if window.is_open or page.within(window):
        return Timed(page.first, DateBasis.PAGE, is_ahead=is_ahead)
    refused = Ignored.OUTSIDE_WINDOW if page.outside(window) else Ignored.UNDATED
    return Timed(refused=refused)


def _named(text: str, page: Days | None) -> list[Days]:
    """Return the days that the sentence gives for its fact, not those of asides."""
    found = words(text)
    named = [
        days
        for one in dates(found)
        if one.bound is Bound.EXACT
        and _is_date(one, found, text)
        and not _is_aside(one, found, text)
        for days in [_days(one.year or _year(one, page), one.month, one.day)]
        if days
    ]
    return named + _relative(text, page)


def _is_aside(one: Date, found: Sequence[Word], text: str) -> bool:
    """Tell "Smith, first elected in 2007, lost" from "In 2007 Smith lost".

    A full date is seldom an aside, and none that opens its sentence.
    """
    if one.day is not None:
        return False
    start = found[one.first_word].start
    if _COMPARED.search(text[:start]):
        return True
    before = found[max(0, one.first_word - _ASIDE_WITHIN) : one.first_word]
    comma = text.rfind(",", 0, start)
    return any(
        word.start > comma and word.text.lower() in _ASIDE_WORDS for word in before
    )


def _is_date(one: Date, found: Sequence[Word], text: str) -> bool:
    """Tell a year from a number of four digits by the word before it."""
    if one.month is not None:
        return True
    first = found[one.first_word]
    if text[max(0, first.start - 1) : first.start] in ("(", "/", "–"):
        return True
    before = found[one.first_word - 1].text.lower() if one.first_word else ""
    return before in _BEFORE_A_YEAR


def _year(one: Date, page: Days | None) -> int | None:
    """Return the year of "12 May" on a page whose own day is known."""
    if page is None or one.month is None:
        return None
    this = _days(page.last.year, one.month, one.day)
    if this is None or this.first - page.last <= _AHEAD:
        return page.last.year
    return page.last.year - 1


def _relative(text: str, page: Days | None) -> list[Days]:
    """Return the days of "yesterday" and "on Tuesday", counted from the page's."""
    if page is None or page.first != page.last:
        return []
    return [_back(page.last, found) for found in _RELATIVE.finditer(text)]


def _back(day: date, found: re.Match[str]) -> Days:
    if found[1]:
        day -= timedelta(days=1)
    elif found[3]:
        back = (day.weekday() - _WEEKDAYS.index(found[3].lower())) % _WEEK
        day -= timedelta(days=back)
    return Days(day, day)


def _days(
    year: int | None, month: int | None = None, day: int | None = None
) -> Days | None:
    if year is None:
        return None
    try:
        if day is not None and month is not None:
            only = date(year, month, day)
            return Days(only, only)
        first = date(year, month or 1, 1)
        last_month = month or 12
        last = date(year, last_month, monthrange(year, last_month)[1])
    except (ValueError, OverflowError):
        return None
    return Days(first, last)
