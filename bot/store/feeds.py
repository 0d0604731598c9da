"""How far a feed was read, the jobs that resulted, and what the wiki has hidden since.

Nobody can say which of our words came from text that is now hidden. So everything found
before is removed: runs, closed suggestions, notes waiting to be posted. What people see
of the page now stays until it has been checked again, which is soon: otherwise each
note would be removed and posted again. That check, the first whose run is kept, removes
what it closes; see `bot.store.checks`.

If the same event comes again after the page was checked, what was found since stays.
Jobs are locked before pages, and posts before plans, as everywhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    delete,
    or_,
    select,
    true,
    update,
)

from bot.records.changes import (
    Batch,
    Change,
    ChangeKind,
    DeadLetter,
    Gap,
    Position,
)
from bot.records.jobs import JobReason, PageJob
from bot.records.patrol import PatrolCounts, PatrolEdit
from bot.records.posts import PostState
from bot.records.watches import IntendedPost, PlanKind
from bot.store import sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    insert_all,
    put,
    reads,
    rows_with,
    writes,
)
from bot.store.jobs import check_task, put_jobs
from bot.store.mapping import as_columns, as_value
from bot.store.pages import has_runs, replan
from bot.store.patrol import close_patrolled, count, interrupt, put_edits
from bot.store.posts import ask_for_plans
from bot.store.schema import (
    checks,
    dead_letters,
    discoveries,
    gaps,
    pages,
    positions,
    posts,
    revisions,
    stored_criteria,
    tasks,
)
from bot.store.suggestions import forget_closed
from bot.store.tasks import LEASED, WAITING
from bot.store.watches import watches_of_page
from handlers.model import PageId

_RAW_BYTES = 60_000  # of an unreadable event; a column of MariaDB holds 65,535

_HIDES = frozenset({ChangeKind.VISIBILITY, ChangeKind.DELETE})
_UNTIL_CHECKED = timedelta(minutes=5)
_NEVER_MADE = [
    PostState.WAITING.name,
    PostState.DROPPED.name,
    PostState.REFUSED.name,
]


class Feeds(Repository):
    """How far feeds were read, saved together with the jobs that resulted."""

    @reads
    def position(self, connection: Connection, feed: str) -> Position | None:
        """Return how far `feed` was read; `None` if nothing of it was saved yet.

        Raises:
            ValueError: the saved value is not a position.
        """
        stored = connection.scalar(select(positions.c.position).filter_by(feed=feed))
        return Position.parse(stored) if stored else None

    @writes
    def keep(
        self,
        connection: Connection,
        feed: str,
        batch: Batch,
        jobs: Sequence[PageJob],
        intended_posts: Sequence[IntendedPost] = (),
        *,
        edits: Sequence[PatrolEdit] = (),
        heard: Mapping[str, PatrolCounts] | None = None,
    ) -> int:
        """Save a batch with its jobs and plans; return how many of the jobs are new.

        `edits` are those to be looked at on wikis that are patrolled, and `heard` is
        what was heard of each of these.

        If a wiki hides or deletes a page, what was found on it is removed. A batch that
        was saved before, by a first try whose answer was lost, changes nothing.
        """
        if not _keep_position(connection, sanitise.key(feed, "feed"), batch):
            return 0
        _keep_dead_letters(connection, feed, batch.dead_letters, batch.received_at)
        rows = [
            {"feed": feed, "since": one.since, "until": one.until} for one in batch.gaps
        ]
        insert_all(connection, gaps, rows)
        unhidden = take_back_hidden(connection, batch.changes, batch.received_at)
        news = put_jobs(connection, [*jobs, *unhidden])
        ask_for_plans(connection, intended_posts, batch.received_at)
        put_edits(connection, edits)
        for wiki, counts in (heard or {}).items():
            count(connection, wiki, counts, batch.received_at)
        return news

    @reads
    def dead_letters(
        self, connection: Connection, limit: int = 100
    ) -> tuple[DeadLetter, ...]:
        """Return events that could not be read, the newest first."""
        newest = select(dead_letters).order_by(dead_letters.c.id.desc()).limit(limit)
        return tuple(as_value(DeadLetter, row) for row in connection.execute(newest))

    @reads
    def open_gaps(
        self, connection: Connection, feed: str
    ) -> tuple[tuple[int, Gap], ...]:
        """Return the times whose changes are still to be asked for, with their numbers."""
        query = select(gaps).filter_by(feed=feed, filled_at=None).order_by(gaps.c.id)
        rows = connection.execute(query)
        return tuple((row.id, as_value(Gap, row)) for row in rows)

    @writes
    def fill_gap(self, connection: Connection, number: int, now: datetime) -> None:
        """Record that the changes of such a time are saved."""
        change(connection, gaps, {"filled_at": now}, id=number)

    @writes
    def forget(self, connection: Connection, feed: str) -> None:
        """Remove everything about a feed that is no longer followed."""
        connection.execute(delete(positions).where(positions.c.feed == feed))


def _keep_position(connection: Connection, feed: str, batch: Batch) -> bool:
    known = find(connection, positions, feed=feed, lock=True)
    # Not "later or the same": if the clock was set back, everything new would be lost.
    if known is not None and known.received_at == batch.received_at:
        return False
    values: dict[str, Any] = {"received_at": batch.received_at}
    if batch.position is not None:
        values["position"] = batch.position.text
    put(connection, positions, known, values, {"position": ""}, feed=feed)
    return True


def _keep_dead_letters(
    connection: Connection, feed: str, letters: Sequence[DeadLetter], now: datetime
) -> None:
    rows = [
        as_columns(
            dead_letters,
            letter,
            feed=feed,
            received_at=now,
            raw=letter.raw[:_RAW_BYTES],
        )
        for letter in letters
    ]
    insert_all(connection, dead_letters, rows)


def take_back_hidden(
    connection: Connection, changes: Iterable[Change], now: datetime
) -> list[PageJob]:
    """Remove what was found in hidden text; return the pages to be checked without delay.

    Notes of a page that was only patrolled are closed, also if it was moved.
    """
    changes, found = list(changes), []
    for one in changes:
        if one.kind is ChangeKind.MOVE:
            wiki, title = sanitise.text(one.wiki), sanitise.text(one.title)
            close_patrolled(connection, wiki, title, now)
    for wiki, titles in sorted(_hidden(changes, now).items()):
        interrupt(connection, wiki, titles, now)
        query = select(pages.c.title).where(pages.c.wiki == wiki)
        known = rows_with(connection, query, pages.c.title, titles)
        for title in sorted(row.title for row in known):
            if close_patrolled(connection, wiki, title, now, is_hidden=True):
                continue
            if _take_page_back(connection, PageId(wiki, title), titles[title], now):
                # The present, not the time of the change: later edits may already be
                # known.
                job = PageJob(wiki, title, JobReason.CHANGE, now, now, pause_s=0.0)
                found.append(job)
    return found


def _hidden(
    changes: Iterable[Change], now: datetime
) -> Mapping[str, dict[str, datetime]]:
    """Return when something on a page was last hidden, by wiki and title."""
    hidden: dict[str, dict[str, datetime]] = {}
    for one in changes:
        if one.kind in _HIDES:
            titles = hidden.setdefault(sanitise.text(one.wiki), {})
            title, at = sanitise.text(one.title), min(one.changed_at, now)
            titles[title] = max(at, titles.get(title, at))
    return hidden


def _take_page_back(
    connection: Connection, page: PageId, at: datetime, now: datetime
) -> bool:
    """Remove what was found before `at`; return whether the page has to be checked."""
    named = {"wiki": page.wiki, "title": page.title}
    job = check_task(connection, page.wiki, page.title)
    row = find(connection, pages, **named, lock=True)
    if row is None:
        return False
    number = row.id
    begun_at = job.begun_at if job is not None else None
    begun_since = begun_at is not None and begun_at > at
    # It is not known when runs before the last check began.
    before = checks.c.checked_at < begun_at if begun_since else true()
    of_page = select(revisions.c.id).where(revisions.c.page == number)
    connection.execute(delete(checks).where(checks.c.revision.in_(of_page) & before))
    forget_closed(connection, number)
    if job is not None and not begun_since:
        _interrupt(connection, job, now)
    _forget_searches(connection, number, named)
    if not has_runs(connection, number):
        _withdraw(connection, page, now)
        return True
    return False


def _interrupt(connection: Connection, job: Row[Any], now: datetime) -> None:
    """Take the page from a worker that read it earlier: its findings are dropped.

    No revision is expected any longer: a page may be restored without its last ones.
    """
    values: dict[str, Any] = {"revision": None}
    if job.state == LEASED:
        values |= {
            "state": WAITING,
            "due_at": now,
            "attempts": max(0, job.attempts - 1),
            "leased_until": None,
            "worker": None,
            "token": job.token + 1,
            "again": False,
        }
    change(connection, tasks, values, id=job.id)


def _forget_searches(
    connection: Connection, page: int, named: Mapping[str, str]
) -> None:
    """Forget the questions taken from the text; the time of the search still counts."""
    change(connection, discoveries, {"trace": "[]", "troubles": "[]"}, page=page)
    connection.execute(delete(stored_criteria).filter_by(**named))


def _withdraw(connection: Connection, page: PageId, now: datetime) -> None:
    """Drop the waiting notes, and the texts of those that were never posted."""
    places = [
        row.place for row in connection.execute(watches_of_page(page.wiki, page.title))
    ]
    about = or_(
        (posts.c.plan == PlanKind.TALK.name) & (posts.c.subject == page.title),
        (posts.c.plan == PlanKind.REPORT.name) & posts.c.subject.in_(places),
    )
    never = posts.c.state.in_(_NEVER_MADE) & posts.c.first_tried_at.is_(None)
    theirs = (posts.c.wiki == page.wiki) & about & never
    waits = posts.c.state == PostState.WAITING.name
    dropped = connection.execute(
        update(posts)
        .where(theirs & waits)
        .values(state=PostState.DROPPED.name, changed_at=now, note="text was hidden")
    )
    connection.execute(update(posts).where(theirs).values(text="", expected=""))
    if dropped.rowcount:
        replan(connection, page, now + _UNTIL_CHECKED)
