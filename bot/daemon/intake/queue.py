"""What a change leads to: a check of its page, and whatever must be planned again.

Pages on the watchlist of the bot's own account are checked like those of people.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from bot.records.changes import Batch, Change, ChangeKind, Position, UserKind
from bot.records.jobs import JobReason, PageJob
from bot.records.patrol import PatrolCounts, PatrolEdit
from bot.records.watches import (
    ActiveWatch,
    IntendedPost,
    PlanKind,
    Surface,
    WatcherKind,
)
from bot.store import Store
from bot.wiki.folder import WikiFolder
from bot.wiki.lists import TokenRefusedError, WikiLists
from bot.wiki.pages import ARTICLE, USER
from handlers.ports import PermanentError

Page = tuple[str, str]
"""A wiki's host name and a title."""


@dataclass(frozen=True, slots=True)
class WatchedPages:
    """The watches at one moment. `talked` has titles by all their possible names."""

    pauses: Mapping[Page, float] = field(default_factory=dict)
    places: frozenset[Page] = frozenset()
    reports: Mapping[Page, tuple[str, ...]] = field(default_factory=dict)
    talked: Mapping[Page, tuple[str, ...]] = field(default_factory=dict)


def watched_pages(
    pauses: Mapping[Page, float], watches: Iterable[ActiveWatch]
) -> WatchedPages:
    """Return what intake needs to know about `watches`."""
    places: set[Page] = set()
    reports: defaultdict[Page, dict[str, None]] = defaultdict(dict)
    talked: defaultdict[Page, dict[str, None]] = defaultdict(dict)
    for each in watches:
        places.add((each.wiki, each.place))
        if each.report:
            reports[each.wiki, each.report][each.place] = None
        if Surface.TALK in each.surfaces:
            for page in each.pages:
                for name in _names(page):
                    talked[each.wiki, name][page] = None
    return WatchedPages(
        dict(pauses),
        frozenset(places),
        {page: tuple(found) for page, found in reports.items()},
        {page: tuple(found) for page, found in talked.items()},
    )


def _names(title: str) -> tuple[str, ...]:
    """Return what can follow the namespace in the title of the talk page of `title`.

    Only the wiki knows whether the part before a colon is a namespace; one page too
    many costs one plan, which then finds nothing to do.
    """
    _, _, rest = title.partition(":")
    return (title, rest) if rest else (title,)


class ActiveWatches:
    """The watches in the store, read again when they have changed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version: int | None = None
        self._now = WatchedPages()

    @property
    def now(self) -> WatchedPages:
        """The watches as they were at the last `refresh`."""
        return self._now

    def refresh(self) -> None:
        """Read the watches again if they have changed.

        Raises:
            TemporaryError: the store is away.
            PermanentError: the store cannot be used.
        """
        # Read first: what changes while the rest is read counts as newer.
        version = self._store.watches.version()
        if version != self._version:
            watches = self._store.watches
            self._now = watched_pages(watches.pauses(), watches.all())
            self._version = version

    def pause_s(self, wiki: str, title: str) -> float | None:
        """Return how long the page rests between two checks; `None`: not watched."""
        return self._now.pauses.get((wiki, title))


_RELEVANT = frozenset(
    {
        ChangeKind.EDIT,
        ChangeKind.NEW,
        ChangeKind.MOVE,
        ChangeKind.DELETE,
        ChangeKind.RESTORE,
        ChangeKind.VISIBILITY,
    }
)
_BRINGS_TEXT = _RELEVANT - {ChangeKind.DELETE, ChangeKind.VISIBILITY}
_SEES_LINKS_S = 5.0  # until an edit shows in a wiki's list of pages with a template


@dataclass(frozen=True, slots=True)
class RouteRules:
    """What to look for, and how soon it is planned.

    A template on a new page is found by listing all pages that have it, which is done
    at most every `list_every_s`, however many pages people edit.
    """

    wikis: frozenset[str]  # host names
    bot: str  # name of the account
    community_page: str  # its title
    answer_in_s: float = 5.0
    list_in_s: float = 15.0
    list_every_s: float = 60.0


@dataclass(slots=True)
class _Listing:
    """When a wiki's opt-ins were listed, and since when they must be listed again."""

    due_at: datetime | None = None
    not_before: datetime | None = None  # a list from before that time may lack an edit


class Router:
    """Turns changes into intended posts; one per feed, since it keeps state."""

    def __init__(self, rules: RouteRules) -> None:
        self._rules = rules
        self._listings: dict[str, _Listing] = {}

    def intended_posts(
        self, changes: Iterable[Change], watched_pages: WatchedPages, now: datetime
    ) -> tuple[IntendedPost, ...]:
        """Return what must be planned, each once.

        Call it for a batch without changes, too: a postponed list may be due.

        Args:
            changes: of one batch.
            watched_pages: the watches, read after the changes came in.
            now: when they came in; the same if the batch must be saved again.
        """
        found: dict[tuple[PlanKind, str, str], IntendedPost] = {}
        for change in changes:
            if self._concerns(change):
                for kind, subject in self._subjects(change, watched_pages):
                    intended_post = self._soon(kind, change.wiki, subject, now)
                    found.setdefault((kind, change.wiki, subject), intended_post)
                if self._may_be_new(change, watched_pages):
                    self._owe(change.wiki, now)
        return (*found.values(), *self._lists(now))

    def _concerns(self, change: Change) -> bool:
        is_known = change.wiki in self._rules.wikis and change.kind in _RELEVANT
        return is_known and change.user is not UserKind.OURS

    def _subjects(
        self, change: Change, watched_pages: WatchedPages
    ) -> Iterator[tuple[PlanKind, str]]:
        """Yield what a change concerns."""
        for title in _titles(change):
            page = (change.wiki, title)
            if page in watched_pages.places:
                yield PlanKind.OPT_INS, title
            for place in watched_pages.reports.get(page, ()):
                yield PlanKind.REPORT, place
            _, _, name = title.partition(":")
            if _is_talk(change.namespace) and name:
                for article in watched_pages.talked.get((change.wiki, name), ()):
                    yield PlanKind.TALK, article

    def _may_be_new(self, change: Change, watched_pages: WatchedPages) -> bool:
        """Return whether the wiki's opt-ins must be listed."""
        if self._decides(change):
            return True
        if change.kind not in _BRINGS_TEXT or change.user is UserKind.BOT:
            return False
        newest = (change.wiki, change.moved_to or change.title)
        is_place = change.namespace == USER or _is_talk(change.namespace)
        return is_place and newest not in watched_pages.places

    def _decides(self, change: Change) -> bool:
        """Return whether people control what is done on the wiki with this page.

        Titles are compared without their namespaces, whose names differ by wiki; for
        another page of that name the list is read once too often.
        """
        _, _, community = self._rules.community_page.partition(":")
        runs = f"{self._rules.bot}/Run/"
        for title in _titles(change):
            _, _, name = title.partition(":")
            if name == (community or self._rules.community_page):
                return True
            if change.namespace == USER and name.startswith(runs):
                return True
        return False

    def _soon(
        self, kind: PlanKind, wiki: str, subject: str, now: datetime
    ) -> IntendedPost:
        due = now + timedelta(seconds=self._rules.answer_in_s)
        return IntendedPost(kind, wiki, subject, due)

    def _owe(self, wiki: str, now: datetime) -> None:
        listing = self._listings.setdefault(wiki, _Listing())
        listing.not_before = now + timedelta(seconds=_SEES_LINKS_S)
        if listing.due_at is None:
            listing.due_at = now + timedelta(seconds=self._rules.list_in_s)

    def _lists(self, now: datetime) -> Iterator[IntendedPost]:
        """Yield the lists that are due, for each batch: one may not be saved."""
        for wiki, listing in self._listings.items():
            due, owed = listing.due_at, listing.not_before
            if due is not None and owed is not None and due <= now and due < owed:
                again = due + timedelta(seconds=self._rules.list_every_s)
                soon = now + timedelta(seconds=self._rules.list_in_s)
                listing.due_at = due = max(again, soon)
            if due is not None and due > now:
                yield IntendedPost(PlanKind.OPT_INS, wiki, "", due)


def _titles(change: Change) -> tuple[str, ...]:
    return (change.title, change.moved_to) if change.moved_to else (change.title,)


def _is_talk(namespace: int) -> bool:
    return namespace > 0 and namespace % 2 == 1


@dataclass(frozen=True, slots=True)
class QueueSink:
    """Fulfils `bot.records.changes.ChangeSink`; saves changes with the position.

    `settle_s` is how long a page is left alone after a change, and `trivial_settle_s`
    after one that is minor or made by a bot. With a `router`, a change may also lead to
    plans; the watches are then read again before a batch is saved. Of the wikis that are
    `patrolled`, all edits of articles are to be looked at; those of watched pages are
    when the page is checked.
    """

    feed: str
    store: Store
    watched: ActiveWatches
    settle_s: float = 60.0
    trivial_settle_s: float = 300.0
    router: Router | None = None
    patrolled: frozenset[str] = frozenset()

    async def position(self) -> Position | None:
        """Return how far the feed has been read.

        Raises:
            PermanentError: the stored position was not written by this program.
            TemporaryError: the store is away.
        """
        try:
            return await asyncio.to_thread(self.store.feeds.position, self.feed)
        except ValueError as error:
            raise PermanentError(
                f"the position of {self.feed} in the database cannot be read ({error});"
                " delete its row in the table positions to start from now"
            ) from error

    async def commit(self, batch: Batch) -> None:
        """Save the batch with the jobs that result from it, or nothing at all.

        Raises:
            TemporaryError: the store is away.
            PermanentError: the store cannot be used.
        """
        await asyncio.to_thread(self._keep, batch)

    def _keep(self, batch: Batch) -> None:
        now = batch.received_at
        intended_posts = self._intended_posts(batch)
        jobs = [
            job
            for change in batch.changes
            for job in jobs_of(change, self.watched, now, self._settles_in_s(change))
        ]
        heard: dict[str, PatrolCounts] = {}
        edits: list[PatrolEdit] = []
        for change in batch.changes if self.patrolled else ():
            if change.wiki in self.patrolled and _is_of_article(change):
                counts = PatrolCounts(1, not_read=int(change.kind is ChangeKind.MOVE))
                heard[change.wiki] = heard.get(change.wiki, PatrolCounts()) + counts
                edits += edits_of(change, self.watched, now, self._settles_in_s(change))
        self.store.feeds.keep(
            self.feed, batch, jobs, intended_posts, edits=edits, heard=heard
        )

    def _intended_posts(self, batch: Batch) -> tuple[IntendedPost, ...]:
        if self.router is None:
            return ()
        if batch.changes:
            self.watched.refresh()
        return self.router.intended_posts(
            batch.changes, self.watched.now, batch.received_at
        )

    def _settles_in_s(self, change: Change) -> float:
        trivial = change.is_minor or change.user is UserKind.BOT
        return self.trivial_settle_s if trivial else self.settle_s


def jobs_of(
    change: Change, watched: ActiveWatches, received_at: datetime, settle_s: float
) -> Iterator[PageJob]:
    """Yield the pages to check after a change; for a move, the new title, too.

    A repeated event leads to nothing new: a job has the time of its change.
    """
    if change.kind not in _RELEVANT:
        return
    rests_s = watched.pause_s(change.wiki, change.title)
    if rests_s is not None:
        yield _job(change, change.title, received_at, settle_s, rests_s)
    if change.moved_to is not None:
        there_s = watched.pause_s(change.wiki, change.moved_to)
        rests_s = rests_s if there_s is None else there_s
        if rests_s is not None:
            yield _job(change, change.moved_to, received_at, settle_s, rests_s)


def _job(
    change: Change, title: str, received_at: datetime, settle_s: float, pause_s: float
) -> PageJob:
    return PageJob(
        wiki=change.wiki,
        title=title,
        reason=JobReason.CHANGE,
        asked_at=change.changed_at,
        due_at=received_at + timedelta(seconds=settle_s),
        revision_id=change.revision_id,
        page_id=change.page_id,
        pause_s=pause_s,
    )


_OF_ARTICLES = frozenset({ChangeKind.EDIT, ChangeKind.NEW, ChangeKind.MOVE})


def _is_of_article(change: Change) -> bool:
    return change.namespace == ARTICLE and change.kind in _OF_ARTICLES


def edits_of(
    change: Change, watched: ActiveWatches, received_at: datetime, settle_s: float
) -> Iterator[PatrolEdit]:
    """Yield the edit to be looked at, if a change is one of a page nobody watches.

    A new page has no revision before that could have been better.
    """
    is_edit = change.kind is ChangeKind.EDIT and change.user is not UserKind.OURS
    if not is_edit or not change.revision_id or not change.parent_id:
        return
    if watched.pause_s(change.wiki, change.title) is None:
        yield PatrolEdit(
            wiki=change.wiki,
            title=change.title,
            since_id=change.parent_id,
            revision_id=change.revision_id,
            edited_at=change.changed_at,
            due_at=received_at + timedelta(seconds=settle_s),
            is_by_bot=change.user is UserKind.BOT,
        )


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
    """Bring the watch of the bot's own watchlist up to date; new pages are checked.

    The operator adds a page with the star on the wiki's own pages. Notes about these
    pages do not appear on the wiki, only on the program's own pages.

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
    return await asyncio.to_thread(_keep_watchlist, store, pages, wiki, bot, now)


def _keep_watchlist(
    store: Store, pages: tuple[str, ...], wiki: str, bot: str, now: datetime
) -> bool:
    """Store the watch, some new pages at a time."""
    if not pages:
        return store.watches.end(wiki, PLACE, now) is not None
    watch = store.watches.get(wiki, PLACE)
    known = frozenset(watch.pages if watch else ())
    fresh = [title for title in pages if title not in known]
    changed = False
    for at in range(0, max(len(fresh), 1), _NEW_AT_ONCE):
        later = frozenset(fresh[at + _NEW_AT_ONCE :])
        watched = tuple(title for title in pages if title not in later)
        jobs = [_new_job(wiki, title, now) for title in fresh[at : at + _NEW_AT_ONCE]]
        changed |= store.watches.keep(_own_watch(wiki, bot, watched), jobs, now)
    return changed


def _own_watch(wiki: str, bot: str, pages: tuple[str, ...]) -> ActiveWatch:
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


def _new_job(wiki: str, title: str, now: datetime) -> PageJob:
    return PageJob(
        wiki=wiki,
        title=title,
        reason=JobReason.OPT_IN,
        asked_at=now,
        due_at=now,
        pause_s=_PAUSE_S,
    )
