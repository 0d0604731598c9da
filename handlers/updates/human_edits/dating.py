"""How old a source was when somebody cited it (WiNELL figure 1). Pure."""

import re
from datetime import date

from handlers.model import Source
from handlers.updates.human_edits.values import HumanEdit
from handlers.wikitext.citing.dates import parse_date

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


def latency_days(edit: HumanEdit) -> tuple[int, ...]:
    """Return for each new source of a known day how many days later it was cited.

    A source from after the edit has a wrong date, and is left out.
    """
    saved = edit.note.saved_at.date()
    days = (published_on(source) for source in edit.sources)
    return tuple((saved - day).days for day in days if day and day <= saved)


def is_of_its_year(edit: HumanEdit) -> bool | None:
    """Tell whether a source is from the year of the edit; `None` if no year is known."""
    years = [year for source in edit.sources if (year := published_in(source))]
    return edit.note.saved_at.year in years if years else None


def _is_month(written: str) -> bool:
    """Recognise "2024-05", which has two numbers and no day."""
    return bool(re.fullmatch(r"\s*\d{4}-\d{1,2}\s*", written))
