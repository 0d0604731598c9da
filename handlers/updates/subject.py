"""Reads an article for the roles: statements, names, kind, outline, sensitivity.

Categories show where more care is needed, in the words of each wiki: living persons and
contentious topics. Without any such sign, a page is not sensitive.
"""

import re
from dataclasses import replace
from datetime import date

from handlers.model import Page, Statement, Subject, Window
from handlers.page.article import stated
from handlers.page.markup import plain_text
from handlers.ports import PermanentError
from handlers.text.dates import Date, dates
from handlers.text.words import words
from handlers.updates.roles import CriteriaMaker, RoleAnswer

_AS_OF = re.compile(
    r"\b(?:as (?:of|at)|since|stand(?:s|ing)? (?:at|on))\b", re.IGNORECASE
)
# After "as of", in which the date is searched for. On 216 Wikipedia articles two more
# add 12 dates to 305, none of an "as of".
_WORDS_BEHIND = 4
_BOLD = re.compile(r"'''((?:(?!'''|\n).){2,120})'''")
_IN_PARENTHESES = re.compile(r"\s*\([^()]*\)\s*$")
_MOST_NAMES = 8
_SHORTEST_NAME = 3
# The largest of 216 Wikipedia articles has 1,275; a page full of table rows has more
# than can be compared in one run.
_MOST_STATEMENTS = 5_000


async def subject_of(
    page: Page, window: Window, today: date, maker: CriteriaMaker
) -> RoleAnswer[Subject]:
    """Return what all roles know, with criteria from `maker`.

    Raises:
        PermanentError: the page has more statements than can be compared.
    """
    statements = statements_of(page)
    if len(statements) > _MOST_STATEMENTS:
        raise PermanentError(
            f"{page.id.title} makes {len(statements):,} statements; newer facts are"
            f" only searched for in articles with at most {_MOST_STATEMENTS:,}"
        )
    reply = await maker.criteria(page, statements)
    subject = Subject(
        page=page,
        names=names_of(page),
        statements=statements,
        criteria=reply.value,
        window=window,
        today=today,
        is_sensitive=is_sensitive(page, today),
    )
    return RoleAnswer(subject, reply.use, reply.failure, reply.detail)


def statements_of(page: Page) -> tuple[Statement, ...]:
    """Return everything that the article states, in page order."""
    return tuple(
        replace(one, as_of=_first_day(date_behind(_AS_OF, one.text)))
        for one in stated(page)
    )


def names_of(page: Page) -> tuple[str, ...]:
    """Return the names of the subject, the title without parentheses first.

    The others are those in bold in the lead, as the Manual of Style asks.
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


def date_behind(label: re.Pattern[str], text: str) -> Date | None:
    """Return the date with a year that follows a label such as "as of"."""
    found = label.search(text)
    behind = words(text[found.end() :])[:_WORDS_BEHIND] if found else ()
    return next((one for one in dates(behind) if one.year), None)


def _first_day(named: Date | None) -> date | None:
    """Return the first day that a date may mean, so that nothing newer is missed."""
    if named is None:
        return None
    try:
        return date(named.year or 0, named.month or 1, named.day or 1)
    except ValueError:
        return None


_CATEGORY = re.compile(
    r"\[\[\s*(?:category|kategorie|catégorie|categor[íi]a|categorie|kategoria|kategori"
    r"|категория|категорія|تصنيف|分类|分類|カテゴリ)\s*:\s*([^\]|\n]{1,200})",
    re.IGNORECASE,
)
_LIVING = frozenset(
    {
        "living people",
        "possibly living people",
        "personas vivas",
        "pessoas vivas",
        "levande personer",
        "أشخاص على قيد الحياة",
        "在世人物",
        "存命人物",
    }
)
_BIRTHS = re.compile(
    r"(\d{4}) births$|\b(?:geboren(?: in)?|naissance en|nacidos en|nascidos em|nati nel"
    r"|urodzeni w|födda|родившиеся в|народились|مواليد)\s+(?:[^\W\d]+\s+)?(\d{4})\b"
    r"|(\d{4})年(?:出生|生)$"
)
_DEATHS = re.compile(
    r"\d{4}s? deaths$|^date of death (?:unknown|missing)$|^gestorben\b|^décès en\b"
    r"|^fallecidos en\b|^mortos em\b|^morti nel\b|^zmarli w\b|^avlidna\b|^умершие в\b"
    r"|^померли\b|^وفيات\b|\d{4}年(?:逝世|没)$"
)
_LONGEST_LIFE_YEARS = 115
# Topics for which English Wikipedia's arbitrators decided on stricter rules, in words
# of the categories of such articles; other wikis have much the same disputes.
_CONTENTIOUS = re.compile(
    r"israel|pal[eäa]stin|gaza|abortion|abtreibung|avortement|aborto|gender|transgender"
    r"|climate change|klimawandel|covid|vaccin|pseudoscien|gun (?:control|politics)"
    r"|kashmir|falun gong|armenia[n–-]+azerbaijan|russo-ukrainian|uyghur|genocid|génocide"
    r"|völkermord|conspiracy theor|verschwörungstheor|terroris|political controvers",
    re.IGNORECASE,
)
_STRICT_TEMPLATES = re.compile(
    r"\{\{\s*(?:pp-extended|pp-30-500|blp[ _](?:sources|unsourced|primary)"
    r"|contentious topics?|birth[ _-]date and age|birth[ _]year and age)\b",
    re.IGNORECASE,
)
# Italian Wikipedia generates its categories from this template.
_BIOGRAPHY = re.compile(r"\{\{\s*Bio\b")
_BORN_THERE = re.compile(r"\|\s*AnnoNascita\s*=\s*(\d{4})")
_DIED_THERE = re.compile(r"\|\s*AnnoMorte\s*=\s*[^\s|}]")


def is_sensitive(page: Page, today: date) -> bool:
    """Return whether the page is about a living person or a contentious topic.

    Categories show it, and templates for protection and age; somebody with a year of
    birth and none of death may be alive. Without any such sign, a page is not
    sensitive.
    """
    text = page.wikitext
    found = [plain_text(name).strip().lower() for name in _CATEGORY.findall(text)]
    if any(name in _LIVING or _CONTENTIOUS.search(name) for name in found):
        return True
    if _STRICT_TEMPLATES.search(text):
        return True
    born = [
        int(next(filter(None, match.groups())))
        for match in map(_BIRTHS.search, found)
        if match
    ]
    has_died = any(map(_DEATHS.search, found))
    if _BIOGRAPHY.search(text):
        born += map(int, _BORN_THERE.findall(text))
        has_died = has_died or _DIED_THERE.search(text) is not None
    return bool(born) and not has_died and today.year - max(born) <= _LONGEST_LIFE_YEARS
