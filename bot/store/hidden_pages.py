"""Takes back what was found of a page whose text was hidden or deleted on its wiki.

Nobody tells which of our words came of the text that is hidden, so all goes that was
found before: runs, closed suggestions, notes that wait to be posted. What people see of
the page at the moment stays until it was looked at again, which is soon: else each note
would be taken away and told anew. That look, the first of which a run is kept, removes
what it closes; see `bot.store.saving`.

The same event can come again later, after the page was looked at: what was found since
stays. Jobs are locked before pages, and posts before plans, as everywhere.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    delete,
    false,
    or_,
    select,
    true,
    update,
)

from bot.records.changes import Change, ChangeKind
from bot.records.jobs import JobReason, JobState, PageJob
from bot.records.posts import PostState
from bot.records.watches import PlanKind
from bot.store import rows, sanitise, suggesting, watch_reading
from bot.store.outbox_tables import posts
from bot.store.queue_tables import jobs
from bot.store.schema import checks, pages, revisions
from bot.store.update_tables import discoveries, kept_criteria
from handlers.model import PageId

_HIDES = frozenset({ChangeKind.VISIBILITY, ChangeKind.DELETE})
_AT_ONCE = 500  # titles in one statement
_UNTIL_LOOKED_AT = timedelta(minutes=5)
_NEVER_MADE = [
    PostState.WAITING.name,
    PostState.DROPPED.name,
    PostState.REFUSED.name,
]


def take_back(
    connection: Connection, changes: Iterable[Change], now: datetime
) -> list[PageJob]:
    """Take back what changes hide; return the pages to be looked at, without a rest."""
    found = []
    for wiki, titles in sorted(_hidden(changes, now).items()):
        for title in _known(connection, wiki, sorted(titles)):
            if _take_back(connection, PageId(wiki, title), titles[title], now):
                # Of this moment, not of the change: later edits may be known already.
                job = PageJob(wiki, title, JobReason.CHANGE, now, now, pause_s=0.0)
                found.append(job)
    return found


def _hidden(
    changes: Iterable[Change], now: datetime
) -> Mapping[str, dict[str, datetime]]:
    """Return when something of a page was last hidden, by wiki and title."""
    hidden: dict[str, dict[str, datetime]] = {}
    for change in changes:
        if change.kind in _HIDES:
            titles = hidden.setdefault(sanitise.text(change.wiki), {})
            title, at = sanitise.text(change.title), min(change.changed_at, now)
            titles[title] = max(at, titles.get(title, at))
    return hidden


def _known(connection: Connection, wiki: str, titles: list[str]) -> list[str]:
    """Return the pages of which anything is kept; of most it is not."""
    found: list[str] = []
    for at in range(0, len(titles), _AT_ONCE):
        some = pages.c.title.in_(titles[at : at + _AT_ONCE])
        chosen = select(pages.c.title).where((pages.c.wiki == wiki) & some)
        found += connection.scalars(chosen.order_by(pages.c.title))
    return found


def _take_back(
    connection: Connection, page: PageId, at: datetime, now: datetime
) -> bool:
    """Take back what was found before `at`; tell whether the page has to be looked at."""
    named = {"wiki": page.wiki, "title": page.title}
    job = connection.execute(
        select(jobs).filter_by(**named).with_for_update()
    ).one_or_none()
    number = rows.row_of(connection, pages, named, lock=True)
    if number is None:
        return False
    begun_at = job.begun_at if job is not None else None
    begun_since = begun_at is not None and begun_at > at
    # Of a run before the last look nobody knows when it began.
    before = checks.c.checked_at < begun_at if begun_since else true()
    _remove_runs(connection, number, before)
    suggesting.forget_closed(connection, number)
    if job is not None and not begun_since:
        _interrupt(connection, job, now)
    _forget_searches(connection, number, named)
    if not suggesting.has_runs(connection, number):
        _withdraw(connection, page, now)
        return True
    return False


def _remove_runs(connection: Connection, page: int, which: ColumnElement[bool]) -> None:
    of_page = select(revisions.c.id).where(revisions.c.page == page)
    connection.execute(delete(checks).where(checks.c.revision.in_(of_page) & which))


def _interrupt(connection: Connection, job: Row[Any], now: datetime) -> None:
    """Take the page from a worker that read it before: what it finds is dropped.

    No revision is waited for any longer: a page may come back without its last ones.
    """
    values: dict[str, Any] = {"revision": None}
    if job.state == JobState.LEASED.name:
        values |= {
            "state": JobState.WAITING.name,
            "due_at": now,
            "attempts": max(0, job.attempts - 1),
            "leased_until": None,
            "worker": None,
            "again": False,
        }
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(**values))


def _forget_searches(
    connection: Connection, page: int, named: Mapping[str, str]
) -> None:
    """Forget what was asked because of the text; when it was, counts on."""
    connection.execute(
        update(discoveries)
        .where(discoveries.c.page == page)
        .values(trace="[]", troubles="[]")
    )
    connection.execute(delete(kept_criteria).filter_by(**named))


def _withdraw(connection: Connection, page: PageId, now: datetime) -> None:
    """Drop the notes that wait, and the texts of those that never were made."""
    places = [
        row.place
        for row in connection.execute(watch_reading.watching(page.wiki, page.title))
    ]
    about = or_(
        (posts.c.plan == PlanKind.TALK.name) & (posts.c.subject == page.title),
        (posts.c.plan == PlanKind.REPORT.name) & posts.c.subject.in_(places)
        if places
        else false(),
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
        rows.plan_anew(connection, page, now + _UNTIL_LOOKED_AT)
