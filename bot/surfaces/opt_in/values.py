"""How the values of an opt-in template are read, and what is wrong in them. Pure.

Each function returns the value (a time span, a rate, a list) or raises
`NotUnderstoodError`. Titles are on lines, separated by ";", or links; commas do not
separate them, because titles contain commas.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from itertools import islice
from typing import TypeVar

from bot.records.dossiers import name_of
from bot.records.watches import Period, Rate
from bot.surfaces.messages import message
from bot.wiki.pages import ARTICLE, CATEGORY, PROJECT, TEMPLATE, USER, Namespaces, Title
from handlers.citations.flags import LEAST_THRESHOLD
from handlers.model import Message
from handlers.page.markup import plain_text, unescape

Choice = TypeVar("Choice", bound=Enum)

_MINUTE, _HOUR, _DAY, _WEEK = 60, 3_600, 86_400, 604_800
_UNITS = (
    (_WEEK, "interval-weeks"),
    (_DAY, "interval-days"),
    (_HOUR, "interval-hours"),
)
_RATES = {
    Period.DAY: "rate-day",
    Period.WEEK: "rate-week",
    Period.MONTH: "rate-month",
}
_UNITS_S = {"m": _MINUTE, "h": _HOUR, "d": _DAY, "w": _WEEK}
_SPANS = {
    "0": 0,
    "now": 0,
    "at once": 0,
    "hourly": _HOUR,
    "daily": _DAY,
    "weekly": _WEEK,
}
_SPAN = re.compile(r"(\d{1,5}) ?(m|min|minutes?|h|hours?|d|days?|w|weeks?)", re.ASCII)
_LONGEST_SPAN = 90 * _DAY
_RATE = re.compile(
    r"(\d{1,6})(?: ?(?:/|per|an?|each|every) ?(day|week|month))?", re.ASCII
)
_SHARE = re.compile(r"(\d{1,3}(?:[.,]\d{1,6})?) ?(%?)", re.ASCII)
_LEVELS = {"low": 0.7, "medium": 0.85, "high": 0.95}
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}")
_BETWEEN_NUMBERS = re.compile(r"[\s,;]+")
_ID_IN_ADDRESS = re.compile(r"[?&](?:psid|id)=(\d{1,12})(?![\w])", re.ASCII)
_BETWEEN_WORDS = re.compile(r"[\s,;/]+")
_MOST_WORDS = 50
_SHOWN = 60  # how many characters of a word a remedy repeats
_YES = frozenset(["yes", "y", "true", "on", "1", "ja", "sí", "si", "oui", "نعم"])
_NO = frozenset(["no", "n", "false", "off", "0", "nein", "non", "لا"])
_MOST_DEPTH = 5
_ID = re.compile(r"\d{1,12}", re.ASCII)
_MOST_IDS = 10
_MOST_QUERY = 300  # characters; the limit of CirrusSearch


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in what a person wrote, and what to do about it.

    `parameter` is empty if the template as a whole is wrong.
    """

    parameter: str
    given: str
    problem: Message
    remedy: Message

    def __str__(self) -> str:
        subject = f"{self.parameter} = {self.given}: " if self.parameter else ""
        return f"{subject}{self.problem}; {self.remedy}"


class NotUnderstoodError(ValueError):
    """A value is not understood; `remedy` says what to write instead."""

    def __init__(self, remedy: Message) -> None:
        super().__init__(str(remedy))
        self.remedy = remedy


def spoken_interval(seconds: int) -> Message:
    """Return a span of time in words."""
    if seconds == 0:
        return message("interval-at-once")
    for unit_s, key in _UNITS:
        if seconds % unit_s == 0:
            return message(key, seconds // unit_s)
    return message("interval-minutes", round(seconds / 60))


def spoken_rate(rate: Rate) -> Message:
    """Return a number of notes in a period in words."""
    return message(_RATES[rate.per], rate.count)


def span_s(written: str) -> int:
    """Return a time span in seconds, such as "12 hours"; 0 for "at once"."""
    line = " ".join(written.lower().split())
    found = _SPAN.fullmatch(line)
    if not found and line not in _SPANS:
        raise NotUnderstoodError(message("write-span", "12 hours", "7 days"))
    seconds = int(found[1]) * _UNITS_S[found[2][0]] if found else _SPANS[line]
    if seconds > _LONGEST_SPAN:
        raise NotUnderstoodError(message("write-shorter-span", "90 days"))
    return seconds


def rate(written: str) -> Rate:
    """Return a number of notes in a period; the period is a day if none is named."""
    found = _RATE.fullmatch(" ".join(written.lower().split()))
    if not found:
        raise NotUnderstoodError(message("write-rate", "5 per week"))
    return Rate(int(found[1]), Period[(found[2] or "day").upper()])


def confidence(written: str) -> float:
    """Return the least probability that a claim fails, in [0.5, 1]."""
    word = written.strip().lower()
    if word in _LEVELS:
        return _LEVELS[word]
    found = _SHARE.fullmatch(word)
    share = float(found[1].replace(",", ".")) if found else -1.0
    share = share / 100 if found and found[2] else share
    if not LEAST_THRESHOLD <= share <= 1:
        least, levels = f"{LEAST_THRESHOLD:.0%}", ", ".join(_LEVELS)
        raise NotUnderstoodError(message("write-share", levels, least, "100%"))
    return share


def languages(written: str) -> tuple[str, ...]:
    """Return the codes of languages, such as "en" and "pt-br"."""
    codes = _words(written)
    for code in codes:
        if not _LANGUAGE.fullmatch(code):
            raise NotUnderstoodError(
                message("write-languages", code[:_SHOWN], "en, nb, pt-br")
            )
    return codes


def choices(written: str, kind: type[Choice]) -> tuple[Choice, ...]:
    """Return the members of an enumeration that are named by their values."""
    known = {str(each.value): each for each in kind}
    found: dict[Choice, None] = {}
    for word in _words(written.lower().replace("better sources", "better-sources")):
        if word not in known:
            raise NotUnderstoodError(_choices_of(word, known))
        found[known[word]] = None
    return tuple(found)


def is_yes(written: str) -> bool:
    """Return whether a person says yes."""
    word = written.strip().lower()
    if word not in _YES | _NO:
        raise NotUnderstoodError(message("write-yes"))
    return word in _YES


def depth(written: str) -> int:
    """Return how many levels of subcategories to include."""
    word = written.strip()
    if not _ID.fullmatch(word) or int(word) > _MOST_DEPTH:
        raise NotUnderstoodError(message("write-depth", _MOST_DEPTH))
    return int(word)


def numbers(written: str) -> tuple[str, ...]:
    """Return the numbers of lists, such as "22222" and "https://…/?psid=22222"."""
    found: dict[str, None] = {}
    for word in _BETWEEN_NUMBERS.split(written):
        if word:
            number = _number_in(word)
            if number is None:
                raise NotUnderstoodError(message("write-number", word[:_SHOWN]))
            found[number] = None
    if len(found) > _MOST_IDS:
        raise NotUnderstoodError(message("write-fewer", _MOST_IDS))
    return tuple(found)


def _number_in(word: str) -> str | None:
    if _ID.fullmatch(word):
        return str(int(word))
    named = _ID_IN_ADDRESS.search(word)
    return str(int(named[1])) if named else None


def query(written: str) -> str:
    """Return the search terms."""
    line = " ".join(written.split())
    if len(line) > _MOST_QUERY:
        raise NotUnderstoodError(message("write-shorter-query", _MOST_QUERY))
    return line


def meant(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` is a misspelling of, if there is one."""
    return next(iter(get_close_matches(word[:100], list(known), n=1, cutoff=0.7)), None)


def _choices_of(word: str, known: Iterable[str]) -> Message:
    names = list(known)
    like = meant(word, names)
    if like:
        return message("write-meant-choice", word[:_SHOWN], like)
    return message("write-choice", word[:_SHOWN], ", ".join(names))


def _words(written: str) -> tuple[str, ...]:
    words = [word for word in _BETWEEN_WORDS.split(written.lower()) if word]
    if len(words) > _MOST_WORDS:
        raise NotUnderstoodError(message("write-fewer", _MOST_WORDS))
    return tuple(dict.fromkeys(words))


# --- lists of titles ----------------------------------------------------------

MOST_TITLES = 1_000
_PROJECT = "wikiproject"
_LINK = re.compile(r"\[\[([^\[\]{}<>\n|]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]")
_BETWEEN = re.compile(r"[;\n]")
_BULLET = re.compile(r"\A[\s*#•,]+")
_SHOWN_OF_TITLE = 80
_MOST_BYTES = 255  # length of a title with namespace that can be written to


@dataclass(frozen=True, slots=True)
class Titles:
    """The titles in a list, each once, and the entries that are not titles."""

    titles: tuple[Title, ...]
    faults: tuple[Fault, ...]  # without the parameter


def pages(raw: str, namespaces: Namespaces) -> Titles:
    """Return the pages in a list; a talk page means the page it is about."""

    def subject(written: str) -> Title | None:
        title = namespaces.title(written)
        return namespaces.subject_of(title) if title else None

    return _titles(raw, subject, "fault-no-page-title")


def categories(raw: str, namespaces: Namespaces) -> Titles:
    """Return the categories in a list, with or without their prefix."""

    def category(written: str) -> Title | None:
        title = namespaces.title(written)
        if title and title.namespace == ARTICLE:
            return namespaces.of(CATEGORY, title.name)
        return title if title and title.namespace == CATEGORY else None

    return _titles(raw, category, "fault-no-category-title")


def projects(raw: str, namespaces: Namespaces) -> Titles:
    """Return the templates of the WikiProjects in a list of projects or templates."""

    def template(written: str) -> Title | None:
        title = namespaces.title(written)
        if title and title.namespace == TEMPLATE:
            return title
        if title is None or title.namespace not in {ARTICLE, PROJECT}:
            return None
        name = title.name
        is_whole = name.lower().startswith(_PROJECT)
        return namespaces.of(TEMPLATE, name if is_whole else f"WikiProject {name}")

    return _titles(raw, template, "fault-no-project-title")


def topics(raw: str, namespaces: Namespaces, watcher: str) -> Titles:
    """Return the topics in a list for which drafts for `watcher` can be made."""

    def topic(written: str) -> Title | None:
        title = namespaces.title(written)
        if title is None or title.namespace != ARTICLE:
            return None
        return title if draft_page(title, watcher, namespaces) else None

    return _titles(raw, topic, "fault-no-draft-title", "write-short-titles")


def draft_page(topic: Title, watcher: str, namespaces: Namespaces) -> Title | None:
    """Return the page for a draft for `watcher`; `None` if its name is too long."""
    page = namespaces.of(USER, name_of(watcher, topic.name))
    return (
        page
        if page and len(page.text.encode("utf-8", "replace")) <= _MOST_BYTES
        else None
    )


def _titles(
    raw: str,
    parse: Callable[[str], Title | None],
    problem: str,
    remedy: str = "write-titles",
) -> Titles:
    found: dict[Title, None] = {}
    faults = []
    for written in islice(_entries(raw), MOST_TITLES):
        title = parse(written)
        if title is None:
            given = written[:_SHOWN_OF_TITLE]
            faults.append(Fault("", given, message(problem), message(remedy)))
        else:
            found[title] = None
    if next(islice(_entries(raw), MOST_TITLES, None), None):
        too_many = message("fault-many-titles", MOST_TITLES)
        faults.append(Fault("", "", too_many, message("write-category")))
    return Titles(tuple(found), tuple(faults))


def without_brackets(written: str) -> str:
    """Return the target of a link, or the text as it is."""
    found = _LINK.fullmatch(written.strip())
    return found[1] if found else written


def _entries(raw: str) -> Iterator[str]:
    # The ";" of a character reference does not separate.
    for part in _BETWEEN.split(_LINK.sub(r";\1;", unescape(raw))):
        entry = _BULLET.sub("", plain_text(part)).strip().rstrip(",").strip()
        if entry and entry.lower() != "and":
            yield " ".join(entry.split())
