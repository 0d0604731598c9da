"""How old a source was when somebody cited it (WiNELL figure 1). Pure."""

import re
from collections.abc import Iterable
from datetime import date

from handlers.model import Source
from handlers.page.sources import parse_date

_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_LEAST_NUMBERS = 2  # a day needs one beside the year


def published_on(source: Source) -> date | None:
    """Return the day that the citation gives; `None` for a month or a year alone."""
    written = source.published or ""
    if len(_NUMBER.findall(written)) < _LEAST_NUMBERS or _is_month(written):
        return None
    return parse_date(written)


def published_in(source: Source) -> int | None:
    """Return the year that the citation gives."""
    found = _YEAR.search(source.published or "")
    return int(found[0]) if found else None


def latency_days(saved: date, days: Iterable[date | None]) -> tuple[int, ...]:
    """Return how many days after each known day an edit was saved.

    A source from after the edit has a wrong date, and is left out.
    """
    return tuple((saved - day).days for day in days if day and day <= saved)


def _is_month(written: str) -> bool:
    """Recognise "2024-05", which has two numbers and no day."""
    return bool(re.fullmatch(r"\s*\d{4}-\d{1,2}\s*", written))
