"""The date that a document gives as its own, and the newest date that an article knows.

A date is certain if the page states it in metadata, in its address, in a separate line
above its text, or behind words such as "Published" there. A date that a program
guessed, a date among other pages' headlines and the day on which a copy was made do not
count: a document without a certain date is undated, and never newer than anything.
"""

import re
from calendar import month_abbr
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from handlers.model import DayPlace, Page, SourceFetch, Span, Statement
from handlers.text.dates import Date, dates, word_indices
from handlers.text.numbers import Bound
from handlers.text.words import content_stems, words

_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
# /2023/01/09/, /2023-01-09, /20230109-, /2023/1/9/, /2023/jan/09/
_MONTHS = [name.lower() for name in month_abbr]
_DAY_IN_ADDRESS = re.compile(
    r"/(?P<year>(?:19|20)\d\d)(?:"
    r"(?P<sign>[/-]?)(?P<month>0[1-9]|1[0-2])(?P=sign)(?P<day>[0-3]\d)"
    rf"|/(?P<short>1[0-2]|[1-9]|{'|'.join(_MONTHS[1:])})/(?P<of_short>[0-3]?\d)"
    r")(?=[/_.-]|$)",
    re.IGNORECASE,
)
_FIRST_YEAR = 1500  # programs write 0001-01-01 if they know no date
_TOP_LINES = 12  # non-empty ones, from the top
_TOP_CHARS = 3_000
_DATE_LINE_WORDS = 14
# How a news agency's report begins: PORT EXAMPLE, October 4, 2026 (AP)
_DATELINE = re.compile(r"[A-Z]{3}[^.!?\n]{0,90}?(?:--|[—–]|\s-\s)")
_PROSE_WITHIN = 3  # lines after a date line
_FEWEST_OF_PROSE = 12  # words
_MOST_BESIDE = 8  # words beside the date: "Published", a name, a time
_LABEL = re.compile(
    r"\b(?:published|posted|updated|by|publi[ée]|publicado|veröffentlicht|aktualisiert)\b",
    re.IGNORECASE,
)
_LABEL_WORDS = 6
# The last label before a date, whatever word it is glued to; capitals, since "published
# on 9 January" in a sentence is of something else.
_SIGNED = re.compile(
    r"(?:By(?=\s?[A-Z])|Posted|Published|Updated|POSTED|PUBLISHED|UPDATED)"
    r"(?P<between>(?:(?!By\s?[A-Z]|Posted|Published|Updated).)*)$",
    re.DOTALL,
)
_SIGNED_CHARS = 90
_ENDED = re.compile(r"(?:19|20)\d\d|[a-z]{3}[.!?]\s")  # another date, or a sentence
_MOST_SIGNED, _UPDATED_WITHIN = 2, timedelta(days=7)
_SHARE_OF_TITLE, _TITLE_TIMES = 0.75, 2
_FIRST_PAGES = 1994  # of newspapers on the web; earlier dates are a page's subject
_PICTURE = re.compile(r"!\[[^\[\]\n]*\]\([^)\[\n]*\)")
_LINK = re.compile(r"\[([^\[\]\n]*)\]\([^)\[\n]*\)")
_RULER = re.compile(r"[ \t]*[=-]{3,}[ \t]*$")


@dataclass(frozen=True, slots=True)
class PageDay:
    """The day that a page gives as its own, and where it does."""

    day: date
    place: DayPlace


def page_day(fetch: SourceFetch) -> PageDay | None:
    """Return the day that a document states as its own; `None` if none is certain.

    The earliest counts of the date in its metadata and the one in its address or, if
    that has none, above its text: a page that was moved or changed says when, but that
    does not make it newer.
    """
    document = fetch.document
    if document is None:
        return None
    captured = fetch.read_at.date() if fetch.read_at else None
    title = document.title or document.imprint.title or ""
    stated = _stated(document.imprint.published)
    named = _in_address(fetch.url or fetch.source.url or "")
    above = day_above(document.text, title)
    if not (stated or named or above):
        above = day_signed(document.text)
    places = {DayPlace.METADATA: stated, DayPlace.ADDRESS: named}
    if named is None and above != captured:  # not the masthead of a live page
        places[DayPlace.TEXT] = above
    sure = [PageDay(day, place) for place, day in places.items() if day]
    return min(sure, key=lambda one: one.day, default=None)


def day_of(fetch: SourceFetch) -> date | None:
    """Return the `page_day` of a document without where it was read."""
    found = page_day(fetch)
    return found.day if found else None


def newest_known(page: Page, today: date) -> dict[tuple[str, ...], date]:
    """Return for each section the day of the newest source that it cites, up to today.

    A day that its text names tells nothing: an event may be planned, or long known.
    """
    newest: dict[tuple[str, ...], date] = {}
    for section, day in _cited(page):
        if day <= today and day > newest.get(section, date.min):
            newest[section] = day
    return newest


def known_of(statement: Statement, page: Page, today: date) -> date | None:
    """Return the newest date for which a statement is known to hold.

    It is the one the statement names, else that of what is cited for it; `None` if
    there is neither.
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
    if found is None:
        return None
    month = (found["month"] or found["short"]).lower()
    number = _MONTHS.index(month) if month in _MONTHS else int(month)
    return _day(int(found["year"]), number, int(found["day"] or found["of_short"]))


def day_above(text: str, title: str = "") -> date | None:
    """Return the date of the date line, or of the dateline, at the top of a text.

    A date line holds little but its date, and can be recognised: by a word such as
    "Published" or the writer's name in it or before it, by being next to the title, or
    by being the very first line, followed by prose. A date among menus, in a table,
    under a comment or after "Release date" does not count, nor does one that the title
    names or that is older than the web: pages are about such dates.

    Args:
        text: of the page.
        title: of the page, where it has one.
    """
    lines, headings = _top(text)
    of_event = {_day_in(one) for one in dates(words(" ".join((title, *headings))))}
    labelled: set[date] = set()
    placed: list[date] = []
    alone: set[date] = set()
    for number, line in enumerate(lines):
        line_words = words(line)
        opening = _DATELINE.match(line)
        is_opening = len(line_words) > _DATE_LINE_WORDS and opening is not None
        if is_opening and opening:
            line_words = words(opening[0])
        named = tuple(one for one in dates(line_words) if one.bound is Bound.EXACT)
        days = {day for one in named if (day := _day_in(one))} - of_event
        day = days.pop() if len(days) == 1 else None
        inside = word_indices(named)
        beside = [one for at, one in enumerate(line_words) if at not in inside]
        is_row = line.startswith("|") and line.endswith("|")
        if (
            day is None
            or day.year < _FIRST_PAGES
            or is_row
            or len(beside) > _MOST_BESIDE
        ):
            continue
        before, *behind = lines[max(number - 1, 0) : number + 1 + _PROSE_WITHIN]
        before, behind = (before, behind[1:]) if number else ("", behind)
        is_alone = sum(not one.is_number for one in beside) <= 1  # the day of the week
        is_prose = any(len(one.split()) >= _FEWEST_OF_PROSE for one in behind)
        is_labelled = _LABEL.search(line) or (
            is_alone and len(before.split()) <= _LABEL_WORDS and _LABEL.search(before)
        )
        is_first = number == 0 and len((behind or [""])[0].split()) >= _FEWEST_OF_PROSE
        if is_opening or (is_labelled and is_prose):
            labelled.add(day)
        elif is_prose and _is_titled(title, before, *behind[:1]):
            placed.append(day)
        elif is_alone:
            alone.add(day)
            placed += [day] if is_first else []
    if labelled:
        return min(labelled)
    return placed[0] if len({*placed, *alone}) == 1 and placed else None


def day_signed(text: str) -> date | None:
    """Return the day behind "By", "Posted", "Published" or "Updated" at the top of a text.

    Some pages keep it on the line of other things, after menus, or glued to words. The
    first counts, since an update comes later; if another entry's day is signed, too,
    none does.
    """
    top = text[:_TOP_CHARS]
    found = words(top)
    signed: list[date] = []
    for one in dates(found):
        start, day = found[one.first_word].start, _day_in(one)
        between = _SIGNED.search(top[max(0, start - _SIGNED_CHARS) : start])
        is_signed = between and not _ENDED.search(between["between"])
        if is_signed and day and day.year >= _FIRST_PAGES and one.bound is Bound.EXACT:
            signed.append(day)
    is_list = len(signed) > _MOST_SIGNED
    if is_list or (signed and max(signed) - min(signed) > _UPDATED_WITHIN):
        return None
    return min(signed, default=None)


def _is_titled(title: str, *lines: str) -> bool:
    """Return whether one of the lines is the title, or much of it."""
    wanted = content_stems(words(title))
    return bool(wanted) and any(
        len(one.split()) <= _TITLE_TIMES * len(title.split())
        and len(wanted & content_stems(words(one))) >= _SHARE_OF_TITLE * len(wanted)
        for one in lines
    )


def _top(text: str) -> tuple[list[str], list[str]]:
    """Return the first lines of a text as a reader sees them, and which are headings.

    Pictures and link addresses of Markdown are left out.
    """
    lines: list[str] = []
    headings: list[str] = []
    for line in _LINK.sub(r"\1", _PICTURE.sub(" ", text[:_TOP_CHARS])).splitlines():
        if _RULER.match(line):
            headings += lines[-1:]
        elif line.strip(" *_>\t"):
            lines.append(line.strip(" *_>\t"))
    return lines[:_TOP_LINES], headings


def _cited(page: Page) -> Iterator[tuple[tuple[str, ...], date]]:
    for claim in page.claims:
        for source in claim.sources:
            for day in _days_in(source.published or ""):
                yield claim.section, day


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


def _day_in(one: Date) -> date | None:
    return _day(one.year, one.month, one.day)


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
