"""The watchlist of the bot's own account, as a watch like those that people ask for.

The operator adds a page with the star on the wiki's own pages. Notes about these pages
do not appear on the wiki, only on the program's own pages.
"""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog

from bot.records.jobs import JobReason, PageJob
from bot.records.watches import ActiveWatch, Surface, WatcherKind
from bot.wiki.lists import TokenRefusedError

PLACE = "Special:Watchlist"
ARTICLES = (0,)
_NEW_AT_ONCE = 500  # jobs in one transaction
_PAUSE_S = 600


class OwnWatchlist(Protocol):
    """Lists what the account watches, as `bot.wiki.lists.WikiLists` does."""

    async def watchlist(
        self, namespaces: Collection[int] = (), *, most: int = ...
    ) -> tuple[str, ...]:
        """Return titles, at most `most`.

        Raises:
            TemporaryError: the wiki is unavailable.
            PermanentError: it refuses.
        """
        ...


class Watches(Protocol):
    """Stores watches, as `Store.watches` does."""

    def get(self, wiki: str, place: str) -> ActiveWatch | None:
        """Return a watch that is in force."""
        ...

    def keep(self, watch: ActiveWatch, jobs: Sequence[PageJob], now: datetime) -> bool:
        """Add or replace a watch, with jobs."""
        ...

    def end(self, wiki: str, place: str, now: datetime) -> ActiveWatch | None:
        """Remove a watch."""
        ...


class KeepsWatches(Protocol):
    """The part of the store that is needed here."""

    @property
    def watches(self) -> Watches:
        """Its watches."""
        ...


async def sweep_watchlist(
    lists: OwnWatchlist,
    store: KeepsWatches,
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
    return await asyncio.to_thread(_keep, store.watches, pages, wiki, bot, now)


def _keep(
    watches: Watches, pages: tuple[str, ...], wiki: str, bot: str, now: datetime
) -> bool:
    if not pages:
        return watches.end(wiki, PLACE, now) is not None
    known = watches.get(wiki, PLACE)
    changed = False
    for step in _steps(pages, frozenset(known.pages if known else ())):
        jobs = [_job(wiki, title, now) for title in step.fresh]
        changed |= watches.keep(_watch(wiki, bot, step.pages), jobs, now)
    return changed


@dataclass(frozen=True, slots=True)
class _Step:
    pages: tuple[str, ...]
    fresh: tuple[str, ...]


def _steps(pages: tuple[str, ...], known: frozenset[str]) -> Iterator[_Step]:
    """Yield the watch to store step by step: each adds some of the new pages."""
    fresh = [title for title in pages if title not in known]
    for at in range(0, max(len(fresh), 1), _NEW_AT_ONCE):
        later = frozenset(fresh[at + _NEW_AT_ONCE :])
        yield _Step(
            tuple(title for title in pages if title not in later),
            tuple(fresh[at : at + _NEW_AT_ONCE]),
        )


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
