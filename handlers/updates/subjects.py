"""Reads an article for the roles: its statements, names and kind. Pure."""

import re
from datetime import date

from handlers.citations.cues.dates import Date, dates
from handlers.citations.cues.words import words
from handlers.model import Page, Statement, Subject, Window
from handlers.page.article import Stated, stated
from handlers.page.markup import plain_text
from handlers.ports import PermanentError
from handlers.updates.roles import CriteriaMaker, Turn
from handlers.updates.sensitivity import is_sensitive

_AS_OF = re.compile(
    r"\b(?:as (?:of|at)|since|stand(?:s|ing)? (?:at|on))\b", re.IGNORECASE
)
_AS_OF_WORDS = 6  # behind "as of" in which the date is looked for
_BOLD = re.compile(r"'''((?:(?!'''|\n).){2,120})'''")
_IN_PARENTHESES = re.compile(r"\s*\([^()]*\)\s*$")
_MOST_NAMES = 8
_SHORTEST_NAME = 3
# The largest of 216 articles of Wikipedias says 1,275; a page of table rows says more than
# anybody could compare within a run.
_MOST_STATEMENTS = 5_000


async def subject_of(
    page: Page, window: Window, today: date, maker: CriteriaMaker
) -> Turn[Subject]:
    """Return what all roles know, with criteria by `maker`.

    Raises:
        PermanentError: the page says more than can be compared with what is new.
    """
    statements = statements_of(page)
    if len(statements) > _MOST_STATEMENTS:
        raise PermanentError(
            f"{page.id.title} makes {len(statements):,} statements; newer facts are"
            f" looked for where there are at most {_MOST_STATEMENTS:,}"
        )
    turn = await maker.criteria(page, statements)
    subject = Subject(
        page=page,
        names=names_of(page),
        statements=statements,
        criteria=turn.value,
        window=window,
        today=today,
        is_sensitive=is_sensitive(page, today),
    )
    return Turn(subject, turn.use, turn.setback, turn.detail)


def statements_of(page: Page) -> tuple[Statement, ...]:
    """Return all that the article says, in the order of the page."""
    return tuple(map(_statement, stated(page)))


def names_of(page: Page) -> tuple[str, ...]:
    """Return what the subject is called, the title without parentheses first.

    The others are those that the lead has in bold, as the Manual of Style asks.
    """
    lead = next((one for one in page.sections if one.level == 0), None)
    opening = page.wikitext[lead.body.start : lead.body.end] if lead else ""
    bold = (plain_text(found).strip() for found in _BOLD.findall(opening))
    title = _IN_PARENTHESES.sub("", page.id.title.replace("_", " ")).strip()
    names = [title or page.id.title, *(name for name in bold if _is_name(name))]
    by_folded: dict[str, str] = {}
    for name in names:
        by_folded.setdefault(name.casefold(), name)
    return tuple(by_folded.values())[:_MOST_NAMES]


def _is_name(text: str) -> bool:
    return len(text) >= _SHORTEST_NAME and any(map(str.isupper, text))


def _statement(one: Stated) -> Statement:
    return Statement(
        text=one.text,
        kind=one.kind,
        section=one.section,
        span=one.span,
        context=one.context,
        header=one.header,
        as_of=_as_of(one.text),
        is_cited=one.is_cited,
    )


def _as_of(text: str) -> date | None:
    """Return the first day of "as of May 2024"; `None` where nothing of the kind is said."""
    found = _AS_OF.search(text)
    if found is None:
        return None
    behind = words(text[found.end() :])[:_AS_OF_WORDS]
    named = next((one for one in dates(behind) if one.year), None)
    return _day_of(named) if named else None


def _day_of(named: Date) -> date | None:
    """Return the first day that a date may mean: what is newer surely comes later."""
    try:
        return date(named.year or 0, named.month or 1, named.day or 1)
    except ValueError:
        return None
