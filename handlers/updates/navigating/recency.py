"""Which sections of an article tell of the newest days: more of the kind may follow."""

from datetime import date

from handlers.citations.cues.dates import dates
from handlers.citations.cues.words import words
from handlers.model import Subject


def by_recency(subject: Subject) -> list[tuple[str, ...]]:
    """Return the sections that take facts, lead excluded, the most recent first.

    Sections that name no day come last, in the order of the page.
    """
    latest: dict[tuple[str, ...], int] = {}
    for one in subject.statements:
        for named in dates(words(one.text)):
            if named.year and named.year <= subject.today.year:
                day = _ordinal(named.year, named.month)
                latest[one.section] = max(day, latest.get(one.section, 0))
    wanted = [one.path for one in subject.criteria.sections if one.is_open and one.path]
    return sorted(wanted, key=lambda path: -latest.get(path, 0))


def _ordinal(year: int, month: int | None) -> int:
    return date(year, month or 1, 1).toordinal()
