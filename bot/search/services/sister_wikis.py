"""The same article in other languages as a search: what was added there, and its sources.

Somebody elsewhere may have read already what this article lacks. A sister's text from
before the window is compared with that of its end; a sentence with a number that came
with a source of its own leads to that source. Its words are the excerpt, in its own
language. The sister itself is never a source.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Annotated

from pydantic import BaseModel, Field

from bot.search.services.results import Hit, Sieve, by_fit, found_of
from bot.sources.address_wall import ForbiddenAddressError
from bot.wiki.answers import Reply, Title
from bot.wiki.api import MANY, WikiApi, asked_title
from bot.wiki.history import WikiHistory
from bot.wiki.human_edits import (
    Look,
    ParagraphChange,
    Revision,
    edits_between,
    paragraphs_of,
    published_on,
)
from handlers.citations.addresses import address_of
from handlers.model import Finds, PageId, Query, Window
from handlers.page import parse
from handlers.page.anchors import normalised
from handlers.ports import PermanentError, TemporaryError

_USUAL_WINDOW = timedelta(days=90)  # where the query names no first day
_MOST_PAGES_KEPT = 8
_MOST_HITS = 200  # of one sister
_VALUES = frozenset({Look.INFOBOX, Look.TABLE})


class _LangLink(BaseModel):
    lang: str = Field(max_length=40)
    title: Title
    url: Annotated[str, Field(max_length=3_000)] = ""


class _Page(BaseModel):
    langlinks: list[_LangLink] = []


class _Pages(BaseModel):
    pages: list[_Page] = []


class _PagesAnswer(Reply):
    query: _Pages = _Pages()


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the sisters of an article brought in a time."""

    hits: tuple[Hit, ...]
    troubles: tuple[str, ...]


class SisterSearch:
    """Fulfils `handlers.ports.Search` over the sisters of one wiki's articles.

    Args:
        articles: the API of the wiki that has the articles.
        history_of: reads the histories of the wiki at an address.
        languages: of the sisters that are read, as their wikis are called in links.
        sieve: what is never passed on.
        now: in UTC.
    """

    def __init__(
        self,
        articles: WikiApi,
        history_of: Callable[[str], WikiHistory],
        languages: Sequence[str],
        sieve: Sieve,
        now: Callable[[], datetime],
    ) -> None:
        self._articles = articles
        self._history_of = history_of
        self._languages = tuple(languages)
        self._sieve = sieve
        self._now = now
        self._known: dict[tuple[str, Window], _Seen] = {}

    @property
    def name(self) -> str:
        """Of the search, for people."""
        return "sister articles"

    async def search(self, query: Query, *, limit: int) -> Finds:
        """Return at most `limit` pages that sisters newly cite for what they say.

        A sister that cannot be read is told; the others are searched all the same.

        Raises:
            TemporaryError: the article's own wiki cannot be reached or is busy.
            PermanentError: it will not answer.
        """
        key = query.title, query.window or Window()
        if key not in self._known:
            while len(self._known) >= _MOST_PAGES_KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = await self._look(*key)
        seen = self._known[key]
        hits = by_fit(query, seen.hits)
        found = found_of(hits, query, self.name, self._sieve)
        return Finds(found[:limit], seen.troubles)

    async def _look(self, title: str, window: Window) -> _Seen:
        sisters = await self._sisters_of(title)
        chosen = [sisters[one] for one in self._languages if one in sisters]
        answers = await asyncio.gather(
            *(self._added(one, window) for one in chosen), return_exceptions=True
        )
        hits: list[Hit] = []
        troubles = []
        for link, answer in zip(chosen, answers, strict=True):
            if isinstance(answer, PermanentError | TemporaryError):
                troubles.append(f"the article in “{link.lang}”: {answer}")
            elif isinstance(answer, BaseException):
                raise answer
            else:
                hits += answer
        return _Seen(tuple(hits), tuple(troubles))

    async def _sisters_of(self, title: str) -> Mapping[str, _LangLink]:
        form = asked_title(title)
        if form is None:
            return {}
        asked: dict[str, str | int] = {
            "prop": "langlinks",
            "llprop": "url",
            "lllimit": "max",
            "titles": MANY + form,
            "redirects": 1,
        }
        answer = await self._articles.call("query", _PagesAnswer, asked)
        links = (one for page in answer.query.pages for one in page.langlinks)
        return {one.lang: one for one in links if self._may_be_asked(one.url)}

    def _may_be_asked(self, address: str) -> bool:
        try:
            self._sieve.wall.check_url(address)
        except ForbiddenAddressError:
            return False
        return True

    async def _added(self, link: _LangLink, window: Window) -> Sequence[Hit]:
        """Return what an article says since the window began, and cites for it."""
        history = self._history_of(link.url)
        until = _end_of(window.until) if window.until else self._now()
        since = _begin_of(window.since) if window.since else until - _USUAL_WINDOW
        before = await history.revision_at(link.title, since)
        after = await history.revision_at(link.title, until)
        if before is None or after is None or before.note == after.note:
            return ()
        return await asyncio.to_thread(_hits, before, after)


def _begin_of(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _end_of(day: date) -> datetime:
    return datetime.combine(day, time(23, 59, 59), UTC)


def _hits(before: Revision, after: Revision) -> Sequence[Hit]:
    if before.text is None or after.text is None:
        return ()
    page = parse(after.text, PageId("", ""))
    cited: dict[str, set[str]] = {}
    for claim in page.claims:
        keys = cited.setdefault(normalised(claim.sentence), set())
        keys |= {source.key for source in claim.sources}
    old = paragraphs_of(parse(before.text, PageId("", "")))
    edits = edits_between(old, paragraphs_of(page), after.note)
    changes = (change for edit in edits for change in edit.changes)
    found = (hit for change in changes for hit in _hits_of(change, cited))
    return tuple(islice(found, _MOST_HITS))


def _hits_of(
    change: ParagraphChange, cited: Mapping[str, AbstractSet[str]]
) -> Iterator[Hit]:
    """Yield the new sources of each new sentence with a number; values have one cell."""
    for sentence in change.insertions:
        if not any(map(str.isdigit, sentence)):
            continue
        keys = cited.get(normalised(sentence), set())
        for source in change.sources:
            if source.key in keys or change.look in _VALUES:
                yield Hit(
                    address_of(source),
                    source.title or "",
                    sentence,
                    published=published_on(source),
                )
