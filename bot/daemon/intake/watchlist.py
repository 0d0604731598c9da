"""The watchlist of the bot's own account, as a watch like those that people ask for.

The operator adds a page with the star on the wiki's own pages. Notes about these pages
do not appear on the wiki, only on the program's own pages.
"""

import asyncio
from collections.abc import Collection
from datetime import datetime

import structlog

from bot.records.jobs import JobReason, PageJob
from bot.records.watches import ActiveWatch, Surface, WatcherKind
from bot.store import Store
from bot.wiki.folder import WikiFolder
from bot.wiki.lists import TokenRefusedError, WikiLists

PLACE = "Special:Watchlist"
ARTICLES = (0,)
_NEW_AT_ONCE = 500  # jobs in one transaction
_PAUSE_S = 600


async def sweep_watchlist(
    lists: WikiLists | WikiFolder,
    store: Store,
    wiki: str,
    bot: str,
    now: datetime,
    *,
    namespaces: Collection[int] = ARTICLES,
    most: int = 10_000,
) -> bool:
    """Bring the watch up to date; pages new on the list are checked.

    If it is killed half-way, part of the list is watched, and the next run continues.

    Args:
        lists: gives what the account watches.
        store: stores the watch.
        wiki: as the feed names it.
        bot: the account.
        now: the time.
        namespaces: of the pages to check.
        most: how many pages to check; the first ones of a longer list.

    Raises:
        TemporaryError: the wiki or the store is unavailable; the watch stays as it is.
        PermanentError: the wiki refuses, or the store cannot be used. If the wiki no
            longer accepts the token, the watch has ended.

    Returns:
        Whether anything changed.
    """
    try:
        titles = await lists.watchlist(namespaces, most=most + 1)
    except TokenRefusedError:
        # A changed token was withdrawn: what it let us see is no longer followed.
        await asyncio.to_thread(store.watches.end, wiki, PLACE, now)
        raise
    if len(titles) > most:
        structlog.get_logger().warning(
            "watchlist is too long", wiki=wiki, pages_looked_at=most
        )
    pages = tuple(sorted(set(titles[:most])))
    return await asyncio.to_thread(_keep, store, pages, wiki, bot, now)


def _keep(
    store: Store, pages: tuple[str, ...], wiki: str, bot: str, now: datetime
) -> bool:
    """Store the watch, some new pages at a time."""
    if not pages:
        return store.watches.end(wiki, PLACE, now) is not None
    kept = store.watches.get(wiki, PLACE)
    known = frozenset(kept.pages if kept else ())
    fresh = [title for title in pages if title not in known]
    changed = False
    for at in range(0, max(len(fresh), 1), _NEW_AT_ONCE):
        later = frozenset(fresh[at + _NEW_AT_ONCE :])
        watched = tuple(title for title in pages if title not in later)
        jobs = [_job(wiki, title, now) for title in fresh[at : at + _NEW_AT_ONCE]]
        changed |= store.watches.keep(_watch(wiki, bot, watched), jobs, now)
    return changed


def _watch(wiki: str, bot: str, pages: tuple[str, ...]) -> ActiveWatch:
    return ActiveWatch(
        wiki=wiki,
        place=PLACE,
        kind=WatcherKind.USER,
        watcher=bot,
        pages=pages,
        surfaces=(Surface.GADGET,),
        report=None,
        interval_s=_PAUSE_S,
    )


def _job(wiki: str, title: str, now: datetime) -> PageJob:
    return PageJob(
        wiki=wiki,
        title=title,
        reason=JobReason.OPT_IN,
        asked_at=now,
        due_at=now,
        pause_s=_PAUSE_S,
    )
