"""Searches what the operator's feeds list now: the newest pages of chosen sites.

A feed has no search, so its entries are read and those that name the article's subject
are kept. It reaches back some days only; an older window finds nothing there.
"""

import asyncio
from collections.abc import Sequence

from bot.search.services.feed_forms import FeedEntry
from bot.search.services.feed_shelf import FeedShelf
from bot.search.services.likeness import names_title, share_of
from bot.search.services.results import Hit, Sieve, found_of, plain
from handlers.model import Finds, Query
from handlers.ports import PermanentError, TemporaryError

_MOST_TEXT = 4_000  # characters of an entry that are looked at


class FeedSearch:
    """Fulfils `handlers.ports.Search` over feeds.

    Args:
        feeds: their addresses.
        shelf: fetches and keeps them.
        sieve: what is never passed on.
    """

    def __init__(self, feeds: Sequence[str], shelf: FeedShelf, sieve: Sieve) -> None:
        self._feeds = tuple(feeds)
        self._shelf = shelf
        self._sieve = sieve

    @property
    def name(self) -> str:
        """Of the search, for people."""
        return "feeds"

    async def search(self, query: Query, *, limit: int) -> Finds:
        """Return at most `limit` pages that name the article's subject.

        A feed that fails is told; the others are searched all the same.

        Raises:
            TemporaryError: all feeds failed, and one of them may not another time.
            PermanentError: all failed for good.
        """
        answers = await asyncio.gather(
            *(self._shelf.entries(one) for one in self._feeds), return_exceptions=True
        )
        hits: list[Hit] = []
        failed: list[PermanentError | TemporaryError] = []
        for answer in answers:
            if isinstance(answer, PermanentError | TemporaryError):
                failed.append(answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                hits += (hit for one in answer if (hit := _hit(query, one)))
        if failed and len(failed) == len(self._feeds):
            raise next(
                (one for one in failed if isinstance(one, TemporaryError)), failed[0]
            )
        hits.sort(key=lambda hit: -(hit.score or 0.0))
        found = found_of(hits, query, self.name, self._sieve)
        return Finds(found[:limit], tuple(map(str, failed)))


def _hit(query: Query, entry: FeedEntry) -> Hit | None:
    """Return an entry that names the subject."""
    excerpt = plain(entry.text, _MOST_TEXT)
    text = f"{plain(entry.title, 300)} {excerpt}"
    if not names_title(query, text):
        return None
    return Hit(
        entry.address,
        entry.title,
        excerpt,
        published=entry.day,
        language=entry.language,
        score=share_of(query, text),
    )
