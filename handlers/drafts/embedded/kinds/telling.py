"""What kind of thing a topic is, and the sections that articles of the kind have.

For another language than English a draft has its lead and one section. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from handlers.drafts.embedded.kinds.contests import CONTESTS
from handlers.drafts.embedded.kinds.events import EVENTS
from handlers.drafts.embedded.kinds.generic import GENERIC
from handlers.drafts.embedded.kinds.places import PLACES
from handlers.drafts.embedded.kinds.public_life import PUBLIC_LIFE
from handlers.drafts.embedded.kinds.rows import Entry, Row
from handlers.drafts.embedded.kinds.works import WORKS

# Where two kinds are told alike, the first is taken.
_ORDER = (
    "crime",
    "disaster",
    "election",
    "politics",
    "law",
    "strike",
    "tour",
    "song",
    "game",
    "book",
    "screen",
    "season",
    "awards",
    "war",
    "place",
    "observance",
)


@dataclass(frozen=True, slots=True)
class Expected:
    """A section that a kind of article mostly has.

    `wants` says in plain words what it tells, for a search and for the encoder; `cues`
    is a pattern of the words that mark its sentences.
    """

    heading: str
    wants: str
    cues: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of article; `rest` is the heading for what fits nowhere else."""

    name: str
    told_by: re.Pattern[str]  # in a title, or in what opens a page
    sections: tuple[Expected, ...]
    rest: str


_OTHER: Mapping[str, str] = MappingProxyType(
    {
        "de": "Verlauf",
        "fr": "Déroulement",
        "es": "Desarrollo",
        "it": "Svolgimento",
        "pt": "Desenvolvimento",
        "nl": "Verloop",
        "pl": "Przebieg",
        "sv": "Förlopp",
        "ru": "Ход событий",
        "ja": "経過",
        "zh": "经过",
    }
)
_FEWEST = 2
_OF_WORK = 7  # more than any word of a title
# What a page says it is, whatever its title says: "The Exford Murders is a novel …".
_WORK = (
    r"(?:[”\"’']|,| \([^()]*\))*(?: by [A-Z][\w. ]{3,40}?)?,? (?:is|was) (?:an?|the) (?:[\w-]+,? ){0,6}?"
    r"(novel|novella|book|memoir|comic|manga|film|movie|documentary|miniseries|sitcom|drama series|television series|TV series|album|song|single|video game|play)\b"
)
_PARENTHESES = re.compile(r"\([^()]*\)")
_BEHIND = re.compile(r" (?:of|in|to|at|for|on|by|from|against|v\.?) ")
# "The Exford Murders" are a book where pages speak of one; "Murder of Jane Roe" is none.
_CASE = re.compile(r"\b(?:murders?|killings?|killers?|deaths?)\b", re.IGNORECASE)
_OF_VICTIM = re.compile(r"\b(?:murders?|killings?|deaths?) of\b", re.IGNORECASE)
_OF_BOOK = re.compile(
    r"\b(?:novel|book|fiction|author|readers?|narrat(?:or|ive)|whodunit|mystery|character study|paperback|translated)\b",
    re.IGNORECASE,
)


def kind_of(title: str, opening: str, language: str) -> Kind:
    """Return the kind of thing that `title` names, as the title and `opening` tell.

    Args:
        title: of the article to be.
        opening: first sentences of pages on it.
        language: of the draft; another than English has one kind.
    """
    if not language.startswith("en"):
        return Kind("other", re.compile(r"(?!)"), (), _OTHER.get(language, ""))
    best, most = None, 0
    parts = _parts(title)
    work = _work(title, opening)
    for kind in _kinds():
        worth = sum(
            weight * len({one.lower() for one in kind.told_by.findall(part)})
            for part, weight in parts
        )
        worth += min(_FEWEST, len(kind.told_by.findall(opening)))
        worth += _OF_WORK * bool(work and kind.told_by.search(work))
        if worth > most:
            best, most = kind, worth
    return best if best and most >= _FEWEST else _generic()


def _work(title: str, opening: str) -> str:
    """Return what sort of work a page says the title is; "" where it says no such thing."""
    name = _PARENTHESES.sub("", title).strip()
    found = re.search(re.escape(name) + _WORK, opening, re.IGNORECASE)
    if found:
        return found[1]
    told = {one.lower() for one in _OF_BOOK.findall(opening)}
    is_tale = len(told) >= _FEWEST and _CASE.search(name)
    return "novel" if is_tale and not _OF_VICTIM.search(name) else ""


def _parts(title: str) -> tuple[tuple[str, int], ...]:
    """Return the parts of a title with what a word in each tells of the kind.

    "Killing of Jane Roe (2022 film)" is a film first, a killing next.
    """
    aside = _PARENTHESES.search(title)
    name = _PARENTHESES.sub("", title)
    head = _BEHIND.split(name, maxsplit=1)[0]
    return (
        (aside[0] if aside else "", 6),
        (head, 4),
        (name[len(head) :], 2),
    )


def expected(heading: str) -> Expected | None:
    """Return the section that we know by its heading, whatever the kind."""
    found = (
        one
        for kind in (*_kinds(), _generic())
        for one in kind.sections
        if one.heading.casefold() == heading.casefold()
    )
    return next(found, None)


def _table() -> list[Entry]:
    families = (*EVENTS, *PUBLIC_LIFE, *WORKS, *CONTESTS, *PLACES)
    return sorted(families, key=lambda one: _ORDER.index(one[0]))


@lru_cache(maxsize=1)
def _kinds() -> tuple[Kind, ...]:
    return tuple(
        Kind(
            name,
            re.compile(rf"\b(?:{told_by})(?:e?s)?(?!\w)", re.IGNORECASE),
            _sections(rows),
            rest,
        )
        for name, told_by, rest, rows in _table()
    )


@lru_cache(maxsize=1)
def _generic() -> Kind:
    return Kind("generic", re.compile(r"(?!)"), _sections(GENERIC), "Overview")


def _sections(rows: Sequence[Row]) -> tuple[Expected, ...]:
    return tuple(
        Expected(heading, wants, re.compile(rf"\b(?:{cues})\b", re.IGNORECASE))
        for heading, wants, cues in rows
    )
