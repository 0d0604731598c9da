"""Looks at a page's writing where one of its watchers asked for `writing`.

It is part of a worker's look: a review needs nothing but the text, and takes less than a
second. Where nobody asks, nothing is found, so that what was told before is closed.
"""

import asyncio
from dataclasses import dataclass

import structlog

from bot.store import Store
from bot.watches import Check
from handlers.model import Page, Suggestion
from handlers.review.reviewing import review
from handlers.review.suggestions import chosen, is_read, suggestions_of


@dataclass(frozen=True, slots=True)
class Written:
    """What is to be told of a page's writing, and whether that is told already."""

    found: tuple[Suggestion, ...]
    is_known: bool


async def look_at_writing(store: Store, page: Page) -> Written | None:
    """Return what is to be told of a page; `None` where that could not be found out.

    Raises:
        TemporaryError, PermanentError: as the store does.
    """
    return await asyncio.to_thread(_look, store, page)


def _look(store: Store, page: Page) -> Written | None:
    wiki, title = page.id.wiki, page.id.title
    known = frozenset(
        one.suggestion.identity
        for one in store.suggestions_of(wiki, title)
        if one.suggestion.details.writing is not None
    )
    watches = store.watches.of_page(wiki, title)
    is_asked = any(Check.WRITING in one.checks for one in watches)
    if not is_asked or not is_read(wiki):
        return Written((), not known)
    try:
        found = suggestions_of(page, review(page))
    except Exception:  # noqa: BLE001 - its citations are told of all the same
        structlog.get_logger().exception("fault while reviewing a page")
        return None
    told = chosen(found, known)
    return Written(told, known == {one.identity for one in told})
