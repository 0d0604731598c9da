"""Turns a query into the words of a request, and a service's rows into results. Pure.

A claim alone often does not name its subject ("he retired in May"), so the article's
title is added, as a phrase. Services that want every word on the page get few of them.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from bot.sources.extraction.text import clean_line
from handlers.model import Found, Query, Trust, Window
from handlers.sources.addresses import host_of, normal_key, untracked
from handlers.sources.reliability import ReliabilityLists
from handlers.text.words import STOP_WORDS, content_stems, words

_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
_WORD = re.compile(r"\w[\w'’-]*\w|\w")
_SHORTEST_WORD = 3
_SHORTEST_PHRASE = 6  # characters; GDELT refuses shorter ones
_MOST_ALTERNATIVES = 6


def title_of(query: Query) -> str:
    """Return the article's title without its disambiguation."""
    return " ".join(_PARENTHESIS.sub("", query.title).replace('"', " ").split())


def language_code(query: Query) -> str:
    """Return the wanted language without its country; "" for any."""
    return (query.language or "").split("-")[0].lower()


def in_words(query: Query, *, most_words: int, most_chars: int) -> str:
    """Return words for a service that ranks pages by how well they fit."""
    title, claim = title_of(query), " ".join(query.claim.replace('"', " ").split())
    head = f'"{title}"' if " " in title else title
    if title.casefold() == claim.casefold():
        text = head
    elif title.casefold() in claim.casefold():
        text = claim
    else:
        text = f"{head} {claim}"
    return _cut(text, most_words, most_chars)


def in_boolean(query: Query, *, most_chars: int) -> str:
    """Return words for a service that needs all of them, but one of those in parens."""
    name = " ".join(_WORD.findall(title_of(query)))
    own = {word.casefold() for word in name.split()}
    others = [word for word in _content(query.claim) if word.casefold() not in own]
    if not name:
        return _cut(" ".join(others[:_MOST_ALTERNATIVES]), 50, most_chars)
    is_phrase = " " in name and len(name) >= _SHORTEST_PHRASE
    phrase = f'"{name}"' if is_phrase else name
    chosen = others[:_MOST_ALTERNATIVES]
    while chosen and len(_with(phrase, chosen)) > most_chars:
        chosen.pop()
    return _with(phrase, chosen)


def _with(phrase: str, chosen: list[str]) -> str:
    if not chosen:
        return phrase
    return (
        f"{phrase} ({' OR '.join(chosen)})" if chosen[1:] else f"{phrase} {chosen[0]}"
    )


def _content(text: str) -> list[str]:
    """Return the distinctive words, each once: names and numbers first."""
    found = dict.fromkeys(
        word
        for word in re.findall(r"\w+", text)
        if len(word) >= _SHORTEST_WORD and word.casefold() not in STOP_WORDS
    )
    # Python's sort is stable: otherwise in the order of the sentence.
    return sorted(found, key=lambda word: not (word[0].isupper() or word[0].isdigit()))


def _cut(text: str, most_words: int, most_chars: int) -> str:
    words = text.split()[:most_words]
    while words and len(" ".join(words)) > most_chars:
        words.pop()
    cut = " ".join(words) or text[:most_chars]
    return cut + '"' if cut.count('"') % 2 else cut


_ISO = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)(?!\d)", re.ASCII)
_COMPACT = re.compile(r"\s*(\d{4})(\d\d)(\d\d)(?:T?\d{6}Z?)?\s*", re.ASCII)
_MONTH, _YEAR = r"(?P<month>[A-Za-z]{3,9})\.?", r"(?P<year>\d{4})"
_MONTH_FIRST = re.compile(rf"\s*{_MONTH} (?P<day>\d{{1,2}}), {_YEAR}\s*", re.ASCII)
_DAY_FIRST = re.compile(rf"\s*(?P<day>\d{{1,2}}) {_MONTH} {_YEAR}\s*", re.ASCII)
# "3 weeks ago" may be ten days off, too vague for a window.
_AGO = re.compile(r"\s*(\d{1,3}|an?) (second|sec|minute|min|hour|day)s? ago\s*", re.I)
_FIRST_YEAR, _LAST_YEAR = 1000, 2999
_MONTHS = (
    "jan", "feb", "mar", "apr", "may", "jun",
    "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip


def day_of(stated: object, today: date) -> date | None:
    """Return the day that `stated` names; `None` if it is not an exact day."""
    if not isinstance(stated, str) or len(stated) > 100:  # noqa: PLR2004 - no date is longer
        return None
    if ago := _AGO.fullmatch(stated):
        return _before(today, ago[1], ago[2])
    if numbers := _ISO.match(stated) or _COMPACT.fullmatch(stated):
        return _day(numbers[1], int(numbers[2]), numbers[3])
    written = _MONTH_FIRST.fullmatch(stated) or _DAY_FIRST.fullmatch(stated)
    month = written["month"][:3].lower() if written else ""
    if written and month in _MONTHS:
        return _day(written["year"], _MONTHS.index(month) + 1, written["day"])
    return None


def _before(today: date, count: str, unit: str) -> date | None:
    days = int(count) if count.isdecimal() else 1
    try:
        return today - timedelta(days=days if unit.lower() == "day" else 0)
    except OverflowError:
        return None


def likely(day: date) -> date | None:
    """Return `day` unless its year (0001 or 9999) means that none was set."""
    return day if _FIRST_YEAR <= day.year <= _LAST_YEAR else None


def _day(year: str, month: int, day: str) -> date | None:
    try:
        return likely(date(int(year), month, int(day)))
    except ValueError:
        return None


_TAG = re.compile(r"<[/!A-Za-z][^<>]{0,300}>")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
_MOST_ADDRESS = 2_000
_MOST_TITLE = 300
_MOST_EXCERPT = 1_000
_MOST_READ = 500  # of one answer
_T = TypeVar("_T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a service; `score` falls with the rank if none is given."""

    address: str
    title: str = ""
    excerpt: str = ""
    published: date | None = None
    language: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """What is never passed on, whatever service found it.

    `wiki` is the host of the wiki that is checked.
    """

    wall: AddressWall = field(default_factory=AddressWall)
    lists: ReliabilityLists = field(default_factory=lambda: ReliabilityLists(()))
    wiki: str = ""

    def lets_pass(self, address: str) -> bool:
        """Return whether a page can be a source at all."""
        if len(address) > _MOST_ADDRESS:
            return False
        try:
            self.wall.check_url(address)
        except ForbiddenAddressError:
            return False
        if self.wiki and host_of(address) == host_of(f"//{self.wiki}"):
            return False
        return self.lists.of(address, self.wiki).trust is not Trust.MIRROR


def found_of(
    hits: Iterable[Hit], query: Query, search: str, result_filter: ResultFilter
) -> tuple[Found, ...]:
    """Return those of `hits` that may be read, each page once, in their order.

    Addresses come from anyone, so what must not be requested is dropped here already,
    and so are wikis and their copies, which are never a source. A service's date may be
    a day off, because it ignores time zones; the page itself is checked later.
    """
    pages: dict[str, Found] = {}
    for rank, hit in enumerate(hits, start=1):
        if rank > _MOST_READ:
            break
        address = untracked(hit.address.strip())
        if not result_filter.lets_pass(address) or not _is_wanted(hit, query):
            continue
        found = Found(
            address,
            plain(hit.title, _MOST_TITLE) or None,
            plain(hit.excerpt, _MOST_EXCERPT),
            hit.score if hit.score is not None else 1.0 / rank,
            search,
            published=hit.published,
            language=hit.language if _LANGUAGE.fullmatch(hit.language or "") else None,
        )
        pages.setdefault(normal_key(address), found)
    return tuple(pages.values())


def plain(text: str, most_chars: int) -> str:
    """Return a service's text on one line, without tags and character references."""
    text = _TAG.sub("", text[: 8 * most_chars])
    return clean_line(html.unescape(text))[:most_chars].strip()


def valid_rows(rows: object, form: type[_T]) -> Sequence[_T]:
    """Return the well-formed rows; a malformed one does not affect others."""
    if not isinstance(rows, list):
        return ()
    return [row for raw in rows[:_MOST_READ] if (row := _row(raw, form)) is not None]


def at(value: object, *names: str) -> object:
    """Return the value at a path of names in JSON; `None` if there is none."""
    for name in names:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _row(raw: object, form: type[_T]) -> _T | None:
    try:
        return form.model_validate(raw)
    except ValidationError:
        return None


def _is_wanted(hit: Hit, query: Query) -> bool:
    wanted, language = query.language, hit.language
    if wanted and language and wanted.split("-")[0] != language.split("-")[0]:
        return False
    return hit.published is None or _may_be_in(query.window, hit.published)


def _may_be_in(window: Window | None, day: date) -> bool:
    """Return whether a day, or one of its neighbours, lies in a window.

    Services give days such as 1 January of the year 1, which has no day before it.
    """
    if window is None:
        return True
    at, since, until = day.toordinal(), window.since, window.until
    return (since is None or since.toordinal() - 1 <= at) and (
        until is None or at <= until.toordinal() + 1
    )


# Ranks the entries of a source without its own search for a query. Pure.

_TITLE = 0.6  # of a score; the rest is for the claim's other words


def share_of(query: Query, text: str) -> float:
    """Return the share of a query's words in `text`, from 0 to 1, title words first."""
    there = content_stems(words(text))
    title = content_stems(words(title_of(query)))
    claim = content_stems(words(query.claim)) - title
    in_title = len(title & there) / len(title) if title else 0.0
    in_claim = len(claim & there) / len(claim) if claim else in_title
    return _TITLE * in_title + (1 - _TITLE) * in_claim


def names_title(query: Query, text: str) -> bool:
    """Return whether all words of the article's title are in `text`."""
    title = content_stems(words(title_of(query)))
    return bool(title) and title <= content_stems(words(text))


def by_fit(query: Query, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return hits that are about the query's article, the best first.

    Their excerpts begin with its title: they are known to be about it even if they do
    not name it, and their reader must know that, too. Equal ones keep their order.
    """
    title = title_of(query)
    named = (replace(hit, excerpt=f"{title}: {hit.excerpt}") for hit in hits)
    return tuple(
        sorted(named, key=lambda hit: -share_of(query, f"{hit.title} {hit.excerpt}"))
    )
