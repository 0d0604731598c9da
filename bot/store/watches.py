"""What people asked to have watched, and what their communities allow.

Whoever changes a watch locks the change counter first: changes are rare, and so none
waits for another in a circle.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    delete,
    func,
    insert,
    or_,
    select,
)

from bot.records.jobs import JobReason, PageJob
from bot.records.watches import (
    ActiveWatch,
    CommunityPage,
    IntendedPost,
    Period,
    PlanKind,
    Rate,
    Surface,
    WatcherKind,
)
from bot.store import sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    inserted,
    put,
    reads,
    rows_with,
    writes,
)
from bot.store.jobs import IS_CHECK, put_jobs
from bot.store.mapping import as_columns, as_value
from bot.store.posts import ask_for_plans
from bot.store.schema import communities, tasks, versions, watched_pages, watches
from bot.store.tasks import IDLE, PARKED

_COUNTED = "watches"  # the row of `versions`
_AT_ONCE = 1000  # rows in one statement

_MOST_CHARS = 3_000_000  # a page has at most 2 MiB


class Watches(Repository):
    """The opt-ins in force, and the pages they name."""

    @writes
    def keep(
        self,
        connection: Connection,
        watch: ActiveWatch,
        jobs: Sequence[PageJob],
        now: datetime,
    ) -> bool:
        """Save a watch, replacing the one of the same place, and queue its jobs.

        If it changed, its report is planned again, and, if it uses talk pages, each
        page that it names or named. A page named twice counts once.

        Raises:
            PermanentError: a name in it is empty or too long; nothing is saved.

        Returns:
            `False` if the same watch was already saved.
        """
        number = _locked_version(connection)
        cleaned = _clean(watch)
        row = find(connection, watches, wiki=watch.wiki, place=watch.place)
        known = _values(connection, [row])[0] if row is not None else None
        if known != cleaned:
            _write(connection, row, cleaned, known, now)
            _set_version(connection, number + 1)
        put_jobs(connection, jobs)
        if known != cleaned:
            ask_for_plans(connection, _intended_posts(cleaned, known, now), now)
        return known != cleaned

    @writes
    def end(
        self, connection: Connection, wiki: str, place: str, now: datetime
    ) -> ActiveWatch | None:
        """Remove a watch and return it; its talk pages are planned again."""
        number = _locked_version(connection)
        row = find(connection, watches, wiki=wiki, place=place)
        if row is None:
            return None
        [known] = _values(connection, [row])
        connection.execute(delete(watches).where(watches.c.id == row.id))
        _set_version(connection, number + 1)
        ask_for_plans(connection, _talks(known, now), now)
        return known

    @reads
    def get(self, connection: Connection, wiki: str, place: str) -> ActiveWatch | None:
        """Return the watch of the opt-in on `place`, if it is in force."""
        row = find(connection, watches, wiki=wiki, place=place)
        return None if row is None else _values(connection, [row])[0]

    @reads
    def all(
        self, connection: Connection, wiki: str | None = None
    ) -> tuple[ActiveWatch, ...]:
        """Return the watches of a wiki or of all wikis, ordered by place."""
        chosen = select(watches).order_by(watches.c.wiki, watches.c.place)
        if wiki is not None:
            chosen = chosen.where(watches.c.wiki == wiki)
        return _values(connection, connection.execute(chosen))

    @reads
    def of_user(
        self, connection: Connection, wiki: str, user: str
    ) -> tuple[ActiveWatch, ...]:
        """Return the watches of one person, ordered by place."""
        chosen = (
            select(watches)
            .filter_by(wiki=wiki, kind=WatcherKind.USER.name, watcher=user)
            .order_by(watches.c.place)
        )
        return _values(connection, connection.execute(chosen))

    @reads
    def of_page(
        self, connection: Connection, wiki: str, title: str
    ) -> tuple[ActiveWatch, ...]:
        """Return the watches that name a page, ordered by place."""
        return _values(connection, connection.execute(watches_of_page(wiki, title)))

    @reads
    def pauses(self, connection: Connection) -> Mapping[tuple[str, str], float]:
        """Return all watched pages, by wiki and title, and how long each rests.

        That is the number of seconds between two checks, the lowest that any of its
        watches says. Call it again when `version` has grown.
        """
        rows = connection.execute(_watched())
        return {(wiki, title): float(pause_s) for wiki, title, pause_s in rows}

    @reads
    def stale(
        self, connection: Connection, now: datetime, older_than_s: float, limit: int
    ) -> tuple[PageJob, ...]:
        """Return jobs for watched pages that were not checked for `older_than_s`.

        Those never checked come first. The jobs are not queued: pass them to `put`.
        Pages that are waiting or in progress are left out; parked ones are tried again.
        """
        before = now - timedelta(seconds=older_than_s)
        rests = tasks.c.state.in_([IDLE, PARKED])
        is_stale = or_(tasks.c.id.is_(None), rests & (tasks.c.begun_at < before))
        its_task = (
            IS_CHECK
            & (tasks.c.wiki == watched_pages.c.wiki)
            & (tasks.c.subject == watched_pages.c.title)
        )
        page = watched_pages.c.wiki, watched_pages.c.title
        rows = connection.execute(
            _watched()
            .outerjoin(tasks, its_task)
            .where(is_stale)
            .order_by(func.min(tasks.c.begun_at), *page)
            .limit(limit)
        )
        recheck = JobReason.RECHECK
        return tuple(
            PageJob(wiki, title, recheck, now, now, pause_s=float(pause_s))
            for wiki, title, pause_s in rows
        )

    @reads
    def version(self, connection: Connection) -> int:
        """Return a number that grows with each change to a watch; it is cheap to ask for."""
        named = versions.c.name == _COUNTED
        return connection.scalar(select(versions.c.number).where(named)) or 0


class Communities(Repository):
    """What communities allow the bot to do, as they wrote it."""

    @writes
    def keep(self, connection: Connection, wiki: str, page: CommunityPage) -> None:
        """Save a page as it was read; if it has faults, only those and the time.

        The last text without faults, and its revision number, are then kept. If there
        is none, the text is empty and the revision 0.
        """
        row = find(connection, communities, wiki=wiki, lock=True)
        values: dict[str, Any] = {
            "faults": sanitise.listed(page.faults),
            "read_at": page.read_at,
        }
        if not page.faults:
            text = sanitise.text(page.text, _MOST_CHARS)
            values |= {"text": text, "revision": page.revision_id}
        if row is None or page.read_at >= row.read_at:
            fresh = {"text": "", "revision": 0}
            wiki = sanitise.key(wiki, "wiki")
            put(connection, communities, row, values, fresh, wiki=wiki)

    @reads
    def get(self, connection: Connection, wiki: str) -> CommunityPage | None:
        """Return the last page without faults, and the faults of a newer one."""
        row = find(connection, communities, wiki=wiki)
        return None if row is None else community_page(row)


def community_page(row: Row[Any]) -> CommunityPage:
    """Return a row of `communities` as a value."""
    faults = sanitise.unlisted(row.faults)
    return CommunityPage(row.text, row.revision, row.read_at, faults)


def _watched() -> Select[Any]:
    """Select all watched pages, with the lowest pause that any of their watches says."""
    page = watched_pages.c.wiki, watched_pages.c.title
    return (
        select(*page, func.min(watches.c.interval_s))
        .join(watches, watches.c.id == watched_pages.c.watch)
        .group_by(*page)
    )


def _clean(watch: ActiveWatch) -> ActiveWatch:
    """Return a watch in the form that the tables return, each page once.

    Raises:
        PermanentError: a name in it is empty or too long.
    """
    titles = [sanitise.key(title, "title") for title in dict.fromkeys(watch.pages)]
    return _watch(_columns(watch), titles)


def _write(
    connection: Connection,
    row: Row[Any] | None,
    watch: ActiveWatch,
    known: ActiveWatch | None,
    now: datetime,
) -> None:
    values = _columns(watch) | {"kept_at": now}
    if row is None:
        number = inserted(connection, watches, values)
    else:
        number = row.id
        change(connection, watches, values, id=number)
    if known is not None and known.pages == watch.pages:
        return
    connection.execute(delete(watched_pages).where(watched_pages.c.watch == number))
    pages = [
        {"watch": number, "position": at, "wiki": watch.wiki, "title": title}
        for at, title in enumerate(watch.pages)
    ]
    for at in range(0, len(pages), _AT_ONCE):
        connection.execute(insert(watched_pages), pages[at : at + _AT_ONCE])


def _intended_posts(
    watch: ActiveWatch, known: ActiveWatch | None, now: datetime
) -> Iterator[IntendedPost]:
    if watch.report is not None:
        yield IntendedPost(PlanKind.REPORT, watch.wiki, watch.place, now)
    yield from _talks(watch, now)
    if known is not None:
        yield from _talks(known, now)  # notes may go from pages no longer watched


def _talks(watch: ActiveWatch, now: datetime) -> Iterator[IntendedPost]:
    if Surface.TALK in watch.surfaces:
        for title in watch.pages:
            yield IntendedPost(PlanKind.TALK, watch.wiki, title, now)


def intended_posts_of(
    connection: Connection, wiki: str, title: str, due_at: datetime
) -> Iterator[IntendedPost]:
    """Yield what has to be planned again if the findings of a page change."""
    is_on_talk = False
    for row in connection.execute(watches_of_page(wiki, title)):
        is_on_talk |= Surface.TALK.name in sanitise.unlisted(row.surfaces)
        if row.report is not None:
            yield IntendedPost(PlanKind.REPORT, wiki, row.place, due_at)
    if is_on_talk:
        yield IntendedPost(PlanKind.TALK, wiki, title, due_at)


def _locked_version(connection: Connection) -> int:
    row = find(connection, versions, name=_COUNTED, lock=True)
    if row is None:
        connection.execute(insert(versions).values(name=_COUNTED, number=0))
    return 0 if row is None else row.number


def _set_version(connection: Connection, number: int) -> None:
    change(connection, versions, {"number": number}, name=_COUNTED)


def watches_of_page(wiki: str, title: str) -> Select[Any]:
    """Return the query for the rows of the watches that name a page."""
    return (
        select(watches)
        .join(watched_pages, watched_pages.c.watch == watches.c.id)
        .where((watched_pages.c.wiki == wiki) & (watched_pages.c.title == title))
        .order_by(watches.c.place)
    )


def _values(
    connection: Connection, rows: Iterable[Row[Any]]
) -> tuple[ActiveWatch, ...]:
    """Return rows as values, with their pages."""
    rows = list(rows)
    titles: dict[int, list[str]] = defaultdict(list)
    of = watched_pages.c
    query = select(of.watch, of.title).order_by(of.watch, of.position)
    numbers = (row.id for row in rows)
    for watch, title in rows_with(connection, query, of.watch, numbers, _AT_ONCE):
        titles[watch].append(title)
    return tuple(_watch(row._asdict(), titles[row.id]) for row in rows)


def _watch(columns: Mapping[str, Any], titles: list[str]) -> ActiveWatch:
    most = Rate(columns["most_count"], Period[columns["most_per"]])
    return as_value(ActiveWatch, columns, pages=tuple(titles), most=most)


def _columns(watch: ActiveWatch) -> dict[str, Any]:
    """Return a watch as columns, without its pages."""
    most = watch.most
    return as_columns(watches, watch, most_count=most.count, most_per=most.per.name)
