"""Tells where more care is needed: living persons and contentious topics. Pure.

Categories tell it, in the words of each wiki: "Living people" here, and elsewhere a year
of birth without one of death. Where a page tells nothing of the kind, it is not
sensitive; a wiki in a language that is not named here has its own word for it.
"""

import re
from datetime import date

from handlers.model import Page
from handlers.page.markup import plain_text

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
# Where English Wikipedia's arbitrators found that a topic needs stricter rules, in
# words that the categories of such articles carry; others have much the same quarrels.
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
# Italian Wikipedia makes its categories of this template.
_BIOGRAPHY = re.compile(r"\{\{\s*Bio\b")
_BORN_THERE = re.compile(r"\|\s*AnnoNascita\s*=\s*(\d{4})")
_DIED_THERE = re.compile(r"\|\s*AnnoMorte\s*=\s*[^\s|}]")


def is_sensitive(page: Page, today: date) -> bool:
    """Tell whether the page is on a living person or a contentious topic.

    The categories tell, and templates of protection and age; who has a year of birth
    and none of death may live. A page that tells nothing of the kind is not sensitive.
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
