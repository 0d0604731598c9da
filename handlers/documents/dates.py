"""The day that a document gives as its own, and the newest day that an article knows.

A day counts as sure where the page states it for programs, in its address, or in a line
of its own above its text. What a program guessed, what stands among other pages' headlines and the
day on which a copy was made are nobody's statement: a document without a sure day is
undated, and never newer than anything.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from handlers.citations.dates import Date, dates
from handlers.citations.numbers import Bound
from handlers.citations.words import words
from handlers.model import Page, SourceReading, Span, Statement

_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DAY_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d\d)([/-]?)(0[1-9]|1[0-2])\2([0-3]\d)(?=[/_.-]|$)"
)
_FIRST_YEAR = 1500  # programs write 0001-01-01 where they know no day
_TOP_LINES = 12  # with text, from the first
_TOP_CHARS = 1_500
_DATE_LINE_WORDS = 14
_DATELINE = re.compile(r"[^.!?\n]{0,90}?(?:--|[—–]|\s-\s)")
_PROSE_WITHIN = 3  # lines behind a date line
_FEWEST_OF_PROSE = 12  # words
_MARGIN = 2  # lines between the day of publication and that of a change


def day_of(reading: SourceReading) -> date | None:
    """Return the day that a document states as its own; `None` where none is sure.

    Of those in its fields, in its address and above its text the earliest counts: a
    page that moved or changed states when it did, and is no newer for that.
    """
    document = reading.document
    if document is None:
        return None
    captured = reading.read_at.date() if reading.read_at else None
    above = day_above(document.text)
    if above == captured:  # the masthead of a live page
        above = None
    stated = _stated(document.imprint.published)
    named = _in_address(reading.url or reading.source.url or "")
    sure = [one for one in (stated, named, above) if one]
    return min(sure, default=None)


def newest_known(
    page: Page, statements: Sequence[Statement], today: date
) -> dict[tuple[str, ...], date]:
    """Return for each section the newest day that it cites or names, up to today."""
    newest: dict[tuple[str, ...], date] = {}
    for section, day in (*_cited(page), *_named(statements)):
        if day <= today and day > newest.get(section, date.min):
            newest[section] = day
    return newest


def known_of(statement: Statement, page: Page, today: date) -> date | None:
    """Return the newest day that a statement is known to hold for.

    It is the one the statement names, else that of what is cited for it; `None` where
    neither tells.
    """
    named = statement.as_of or _latest(_days_in(statement.text), today)
    if named:
        return named
    cited = [
        day
        for claim in page.claims
        if _meet(claim.span, statement.span)
        for source in claim.sources
        for day in _days_in(source.published or "")
    ]
    return _latest(cited, today)


def exact_dates(text: str) -> tuple[Date, ...]:
    """Return the dates that a text names with their year."""
    return tuple(one for one in dates(words(text)) if one.year)


def _stated(published: str | None) -> date | None:
    found = _DAY.match(published or "")
    return _day(*map(int, found.groups())) if found else None


def _in_address(address: str) -> date | None:
    found = _DAY_IN_ADDRESS.search(address)
    return _day(int(found[1]), int(found[3]), int(found[4])) if found else None


def day_above(text: str) -> date | None:
    """Return the day of the date line, or of the dateline, at the top of a text.

    Prose follows it at once: a day among menus is that of the visit, or of another
    page's headline, and so are two days some lines apart.
    """
    found: list[tuple[int, date]] = []
    lines = [one for one in text[:_TOP_CHARS].splitlines() if one.strip()]
    for number, line in enumerate(lines[:_TOP_LINES]):
        said = words(line)
        behind = lines[number : number + 1 + _PROSE_WITHIN]
        if not any(len(one.split()) >= _FEWEST_OF_PROSE for one in behind):
            continue
        opening = _DATELINE.match(line)
        if len(said) > _DATE_LINE_WORDS:
            said = words(opening[0]) if opening else ()
        for one in dates(said):
            day = _day(one.year, one.month, one.day)
            if day and one.bound is Bound.EXACT:
                found.append((number, day))
    if not found:
        return None
    if found[-1][0] - found[0][0] >= _MARGIN and len({day for _, day in found}) > 1:
        return None
    return min(day for _, day in found)


def _cited(page: Page) -> Iterator[tuple[tuple[str, ...], date]]:
    for claim in page.claims:
        for source in claim.sources:
            for day in _days_in(source.published or ""):
                yield claim.section, day


def _named(statements: Sequence[Statement]) -> Iterator[tuple[tuple[str, ...], date]]:
    for one in statements:
        for day in _days_in(one.text):
            yield one.section, day


def _days_in(text: str) -> Iterator[date]:
    """Yield the first day that each date of a text may mean."""
    for one in exact_dates(text):
        day = _day(one.year, one.month or 1, one.day or 1)
        if day:
            yield day


def _latest(days: Sequence[date] | Iterator[date], today: date) -> date | None:
    return max((one for one in days if one <= today), default=None)


def _day(year: int | None, month: int | None, day: int | None) -> date | None:
    if not year or not month or not day or year < _FIRST_YEAR:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
