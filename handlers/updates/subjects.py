"""Reads an article for the roles: its statements, names and kind. Pure."""

import re
from datetime import date

from handlers.citations.cues.dates import Date, dates
from handlers.citations.cues.words import words
from handlers.model import Page, Statement, Subject, Window
from handlers.updates.roles import CriteriaMaker, Turn
from handlers.wikitext.scanning.markup import plain_text
from handlers.wikitext.stating import Stated, stated

_AS_OF = re.compile(
    r"\b(?:as (?:of|at)|since|stand(?:s|ing)? (?:at|on))\b", re.IGNORECASE
)
_AS_OF_WORDS = 6  # behind "as of" in which the date is looked for
_BOLD = re.compile(r"'''((?:(?!'''|\n).){2,120})'''")
_IN_PARENTHESES = re.compile(r"\s*\([^()]*\)\s*$")
_MOST_NAMES = 8
_SHORTEST_NAME = 3
_CATEGORY = re.compile(r"\[\[\s*[Cc]ategory\s*:\s*([^\]|\n]{1,200})")
_LIVING = frozenset({"living people", "possibly living people"})
_BIRTHS = re.compile(r"(\d{4}) births$")
_DEATHS = re.compile(r"\d{4}s? deaths$|^date of death (?:unknown|missing)$")
_LONGEST_LIFE_YEARS = 115
# Where English Wikipedia's arbitrators found that a topic needs stricter rules, in
# words that the categories of such articles carry.
_CONTENTIOUS = re.compile(
    r"israel|palestin|gaza|abortion|gender|transgender|climate change|covid|vaccin"
    r"|pseudoscien|gun (?:control|politics)|kashmir|falun gong|armenia[n–-]+azerbaijan"
    r"|russo-ukrainian|uyghur|genocide|conspiracy theor|terroris|political controvers",
    re.IGNORECASE,
)
_STRICT_TEMPLATES = re.compile(
    r"\{\{\s*(?:pp-extended|pp-30-500|blp[ _](?:sources|unsourced|primary)|contentious topics?)\b",
    re.IGNORECASE,
)


async def subject_of(
    page: Page, window: Window, today: date, maker: CriteriaMaker
) -> Turn[Subject]:
    """Return what all roles know, with criteria by `maker`."""
    statements = statements_of(page)
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


def is_sensitive(page: Page, today: date) -> bool:
    """Tell whether the page is on a living person or a contentious topic.

    The categories tell, and templates of protection; who has a year of birth and none
    of death may live. A page that tells nothing of the kind is not sensitive.
    """
    found = [
        plain_text(name).strip().lower() for name in _CATEGORY.findall(page.wikitext)
    ]
    if any(name in _LIVING or _CONTENTIOUS.search(name) for name in found):
        return True
    if _STRICT_TEMPLATES.search(page.wikitext):
        return True
    born = [int(match[1]) for match in map(_BIRTHS.search, found) if match]
    died = any(map(_DEATHS.search, found))
    return bool(born) and not died and today.year - max(born) <= _LONGEST_LIFE_YEARS


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
