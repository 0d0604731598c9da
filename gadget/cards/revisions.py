"""The revision that a reader sees, read and parsed once for all who see it."""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Protocol

from bot.wiki.pages import WikiPage
from gadget.cards.edits import Places
from handlers.citations.suggestions import identity_of, occurrences
from handlers.citations.tags import TagFinding, goes_first
from handlers.model import Claim, Span
from handlers.page import parse
from handlers.page.prose import normalised
from handlers.registry import PageNow

_UNNUMBERED = 0  # not a wiki's revision
_MOST_CHARS = 8_000_000  # of wikitext that are remembered in total


class PageReader(Protocol):
    """Reads the pages of a wiki."""

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        """Return a page, as `bot.wiki.reader.WikiReader.page` does."""
        ...


@dataclass(frozen=True)
class Parsed(PageNow):
    """A revision of a page, and indexes of its claims."""

    @cached_property
    def by_identity(self) -> Mapping[str, tuple[Claim, ...]]:
        """Claims by the identity of suggestions about them."""
        found: dict[str, list[Claim]] = defaultdict(list)
        for claim in self.page.claims:
            found[identity_of(self.page.id, claim)].append(claim)
            if goes_first(claim):
                named = identity_of(self.page.id, claim, TagFinding.kind)
                found[named].append(claim)
        return {identity: tuple(same) for identity, same in found.items()}

    @cached_property
    def by_words(self) -> Mapping[str, tuple[Claim, ...]]:
        """Claims by their normalised words."""
        found: dict[str, list[Claim]] = defaultdict(list)
        for claim in self.page.claims:
            found[normalised(claim.text)].append(claim)
        return {words: tuple(same) for words, same in found.items()}

    @cached_property
    def occurrences(self) -> Mapping[Span, int]:
        """How many sentences with the same words come before each claim's own."""
        return occurrences(self.page.claims)

    @cached_property
    def places(self) -> Places:
        """Where its sources and sections are."""
        return Places(self.page)


class ParsedPages:
    """A cache of parsed revisions, used in one event loop.

    Args:
        wiki: gives the reader of a wiki; raises PermanentError for an unknown one.
    """

    def __init__(self, wiki: Callable[[str], PageReader]) -> None:
        self._wiki = wiki
        self._cache: OrderedDict[tuple[str, str, int], Parsed] = OrderedDict()
        self._chars = 0
        self._under_way: dict[tuple[str, str, int | None], asyncio.Task[Parsed]] = {}

    async def get(self, wiki: str, title: str, revision: int | None) -> Parsed:
        """Return a revision, by default the newest.

        Raises:
            PermanentError: there is no such wiki, page or revision.
            TemporaryError: the wiki is unavailable.
        """
        key = (wiki, title, revision)
        if revision is not None and (wiki, title, revision) in self._cache:
            self._cache.move_to_end((wiki, title, revision))
            return self._cache[wiki, title, revision]
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.ensure_future(self._read(wiki, title, revision))
            self._under_way[key] = task
            task.add_done_callback(lambda done: self._done(key, done))
        # If one caller is cancelled, the reading continues for the others.
        return await asyncio.shield(task)

    def _done(
        self, key: tuple[str, str, int | None], done: asyncio.Task[Parsed]
    ) -> None:
        self._under_way.pop(key, None)
        if not done.cancelled():
            done.exception()  # perhaps nobody is waiting any more

    async def _read(self, wiki: str, title: str, revision: int | None) -> Parsed:
        read = await self._wiki(wiki).page(title, revision)
        number = read.id.revision_id
        key = (wiki, title, _UNNUMBERED if number is None else number)
        cached = self._cache.get(key)
        if cached is not None and cached.page.wikitext == read.wikitext:
            return cached
        parsed = await asyncio.to_thread(_parsed, read)
        self._keep(key, parsed)
        return parsed

    async def stamp(self, wiki: str, title: str) -> str | None:
        """Return a value that changes with the newest text of a page, if that is cheap.

        `None` for a page whose wiki would have to be asked. Pages without revision
        numbers come from a folder, which is known once they have been read.

        Raises:
            PermanentError: there is no such wiki or page any more.
        """
        if (wiki, title, _UNNUMBERED) not in self._cache:
            return None
        read = await self._wiki(wiki).page(title)
        return sha256(read.wikitext.encode("utf-8", "replace")).hexdigest()

    def _keep(self, key: tuple[str, str, int], parsed: Parsed) -> None:
        # It may have been read both by its number and as the newest.
        known = self._cache.pop(key, None)
        self._cache[key] = parsed
        self._chars += len(parsed.page.wikitext)
        self._chars -= len(known.page.wikitext) if known else 0
        while self._chars > _MOST_CHARS and len(self._cache) > 1:
            _, oldest = self._cache.popitem(last=False)
            self._chars -= len(oldest.page.wikitext)


def _parsed(read: WikiPage) -> Parsed:
    parsed = Parsed(parse(read.wikitext, read.id))
    _ = parsed.by_identity  # computed here, where it delays nobody
    return parsed
