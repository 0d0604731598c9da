"""Turns what a service found into values: cleaned, bounded, in the window, each once.

Addresses come from anybody, so what must not be asked for is dropped here already, and
so are wikis and their copies, which are never a source. A service's own date may be a
day off, for it knows no time zones; the page itself is looked at later.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from bot.sources.extraction.text import clean_line
from handlers.citations.addresses import host_of, normal_key, untracked
from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import Found, Query, Trust, Window

_TAG = re.compile(r"<[/!A-Za-z][^<>]{0,300}>")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
_MOST_ADDRESS = 2_000
_MOST_TITLE = 300
_MOST_EXCERPT = 1_000
_MOST_READ = 500  # of one answer
_T = TypeVar("_T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Hit:
    """One result as a service tells it; `score` falls with the rank where it has none."""

    address: str
    title: str = ""
    excerpt: str = ""
    published: date | None = None
    language: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Sieve:
    """What is never passed on, whatever service found it.

    `wiki` is the host of the wiki that is looked at.
    """

    wall: AddressWall = field(default_factory=AddressWall)
    lists: ReliabilityLists = field(default_factory=lambda: ReliabilityLists(()))
    wiki: str = ""

    def lets_pass(self, address: str) -> bool:
        """Tell whether a page can be a source at all."""
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
    hits: Iterable[Hit], query: Query, search: str, sieve: Sieve
) -> tuple[Found, ...]:
    """Return what may be read of `hits`, each page once, in their order."""
    kept: dict[str, Found] = {}
    for rank, hit in enumerate(hits, start=1):
        if rank > _MOST_READ:
            break
        address = untracked(hit.address.strip())
        if not sieve.lets_pass(address) or not _is_wanted(hit, query):
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
        kept.setdefault(normal_key(address), found)
    return tuple(kept.values())


def plain(text: str, most_chars: int) -> str:
    """Return text of a service on one line, without tags and references to signs."""
    text = _TAG.sub("", text[: 8 * most_chars])
    return clean_line(html.unescape(text))[:most_chars].strip()


def valid_rows(rows: object, form: type[_T]) -> Sequence[_T]:
    """Return the rows that have the form; one that has not costs no others."""
    if not isinstance(rows, list):
        return ()
    return [row for raw in rows[:_MOST_READ] if (row := _row(raw, form)) is not None]


def at(value: object, *names: str) -> object:
    """Return what lies at a path of names in JSON, `None` where the path ends."""
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
    """Tell whether a day, or one of its neighbours, lies in a window.

    Services name days such as 1 January of the year 1, which has none before it.
    """
    if window is None:
        return True
    at, since, until = day.toordinal(), window.since, window.until
    return (since is None or since.toordinal() - 1 <= at) and (
        until is None or at <= until.toordinal() + 1
    )
