"""The edits of whole wikis that wait to be looked at, and what was found in them.

A page waits once, with all edits since the last look. Those that come while it is
looked at are left for the next look, which begins where this one ends; if this one
fails, the next begins where it began. A row stays for a day after the last look, so
that a repeated event asks for nothing.

A page that was only patrolled has no run: only the notes about its edits are stored.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from bot.records.patrol import PatrolCounts, PatrolEdit, PatrolTask
from bot.records.tasks import Lease, TaskKind
from bot.store import sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    read_with,
    write_with,
    writes,
)
from bot.store.jobs import check_task
from bot.store.pages import has_runs, page_row, replan, revision_row
from bot.store.schema import (
    KEY_CHARS,
    pages,
    patrol_days,
    revisions,
    suggestions,
    tasks,
)
from bot.store.spending import day_of
from bot.store.suggestion_columns import column_of
from bot.store.suggestions import (
    close_all_suggestions,
    close_suggestions,
    forget_closed,
    shown_suggestions,
    write_suggestions,
)
from bot.store.tasks import (
    LEASED,
    WAITING,
    Policy,
    finish,
    locked,
    put_each,
)
from handlers.edits.finding import ChangedFinding
from handlers.findings import Suggestion
from handlers.model import Page, PageId

_LONGEST_REST = timedelta(minutes=30)  # as of a page to be checked
_LEASE_S, _ATTEMPTS = 120.0, 3


def patrol_policy(lease_s: float = _LEASE_S, attempts: int = _ATTEMPTS) -> Policy:
    """Return the policy for edits that are looked at."""
    return Policy(lease_s, attempts, lambda _connection, row, _now: _task_of(row))


def _task_of(row: Row[Any]) -> PatrolTask:
    return PatrolTask(
        row.wiki,
        row.subject,
        row.since_revision or 0,
        row.revision or 0,
        is_by_bots=bool(row.is_by_bots),
    )


def put_edits(connection: Connection, edits: Iterable[PatrolEdit]) -> int:
    """Queue edits to be looked at; return for how many pages there was something new."""
    named = [one for one in edits if 0 < len(one.title) <= KEY_CHARS]
    named.sort(key=lambda one: (one.wiki, one.title, one.revision_id))
    news = 0
    for wiki, some in groupby(named, key=attrgetter("wiki")):
        joined = {
            title: _joined(list(several))
            for title, several in groupby(some, key=attrgetter("title"))
        }
        news += put_each(
            connection, TaskKind.PATROL, wiki, joined, fresh=_columns, renewed=_renewed
        )
    return news


def _joined(edits: Sequence[PatrolEdit]) -> PatrolEdit:
    """Return several edits of a page as one."""
    return replace(
        edits[-1],
        since_id=edits[0].since_id,
        edited_at=edits[0].edited_at,
        is_by_bot=all(one.is_by_bot for one in edits),
    )


def _columns(edit: PatrolEdit) -> dict[str, Any]:
    return {
        "asked_at": edit.edited_at,
        "due_at": edit.due_at,
        "changed_at": edit.edited_at,
        "revision": edit.revision_id,
        "since_revision": edit.since_id,
        "is_by_bots": edit.is_by_bot,
    }


def _renewed(edit: PatrolEdit, row: Row[Any]) -> dict[str, Any] | None:
    """Return what an edit changes; `None` if it is known."""
    if edit.is_pending and row.state == WAITING and edit.revision_id >= row.revision:
        since = min(edit.since_id, row.since_revision)
        values = {"since_revision": since, "revision": edit.revision_id}
        return values | {"due_at": min(edit.due_at, row.due_at)}
    if row.revision is not None and edit.revision_id <= row.revision:
        return None
    values = {
        "revision": edit.revision_id,
        "is_by_bots": bool(row.is_by_bots) and edit.is_by_bot,
    }
    if row.state == LEASED:
        return values | {"again": True, "due_at": edit.due_at}
    if row.state != WAITING:
        begun = {"state": WAITING, "attempts": 0, "note": None}
        return _columns(edit) | begun
    if row.attempts:  # it failed, and no edit makes it due earlier
        return values | {"due_at": row.due_at}
    latest = row.asked_at + _LONGEST_REST
    return values | {"due_at": max(row.due_at, min(edit.due_at, latest))}


def count(
    connection: Connection, wiki: str, counts: PatrolCounts, now: datetime
) -> None:
    """Add to the figures of a wiki's day."""
    added = {name: n for name, n in asdict(counts).items() if n}
    if not added:
        return
    key = {"wiki": sanitise.key(wiki, "wiki"), "day": day_of(now)}
    sums = {name: patrol_days.c[name] + n for name, n in added.items()}
    found = connection.execute(update(patrol_days).filter_by(**key).values(**sums))
    if not found.rowcount:
        # If another process inserts it meanwhile, the transaction is repeated.
        connection.execute(insert(patrol_days).values(**key, **asdict(counts)))


def counts_since(connection: Connection, since: datetime) -> Mapping[str, PatrolCounts]:
    """Return the figures of each wiki from the day of `since` on."""
    names = list(asdict(PatrolCounts()))
    rows = connection.execute(
        select(patrol_days.c.wiki, *(func.sum(patrol_days.c[name]) for name in names))
        .where(patrol_days.c.day >= day_of(since))
        .group_by(patrol_days.c.wiki)
        .order_by(patrol_days.c.wiki)
    )
    return {wiki: PatrolCounts(*map(int, sums)) for wiki, *sums in rows}


def noted_titles(connection: Connection, wiki: str, most: int = 500) -> tuple[str, ...]:
    """Return the pages with open notes about their edits, the newest first.

    Only those that were never checked: the others are known by their watchers.
    """
    newest = func.max(suggestions.c.last_seen)
    rows = connection.execute(
        select(pages.c.id, pages.c.title)
        .join(suggestions, suggestions.c.page == pages.c.id)
        .where(
            pages.c.wiki == sanitise.text(wiki),
            suggestions.c.closed_at.is_(None),
            suggestions.c.update_kind == column_of(ChangedFinding.kind),
        )
        .group_by(pages.c.id, pages.c.title)
        .order_by(newest.desc(), pages.c.id.desc())
        .limit(most)
    ).all()
    return tuple(row.title for row in rows if not has_runs(connection, row.id))


class Patrols(Repository):
    """Edits that wait to be looked at, and the notes about them."""

    put = write_with(put_edits)
    count = write_with(count)
    counts = read_with(counts_since)
    noted = read_with(noted_titles)

    @writes
    def take_sources(
        self,
        connection: Connection,
        wiki: str,
        sources: int,
        limit: int | None,
        now: datetime,
    ) -> bool:
        """Count sources that are about to be read; `False` if the day has too few left."""
        key = {"wiki": sanitise.key(wiki, "wiki"), "day": day_of(now)}
        row = find(connection, patrol_days, **key, lock=True)
        if limit is not None and (row.sources if row else 0) + sources > limit:
            return False
        count(connection, wiki, PatrolCounts(sources=sources), now)
        return True

    @writes
    def finish(
        self,
        connection: Connection,
        lease: Lease[PatrolTask],
        counts: PatrolCounts,
        now: datetime,
    ) -> None:
        """End a look that found nothing to note.

        Raises:
            LeaseLost: somebody else has the page.
        """
        if _ends(connection, lease, now):
            count(connection, lease.wiki, counts, now)

    @writes
    def save(
        self,
        connection: Connection,
        lease: Lease[PatrolTask],
        page: Page,
        found: Sequence[Suggestion],
        *,
        counts: PatrolCounts,
        now: datetime,
        known: Collection[str] = (),
    ) -> None:
        """End a look with the notes about the page's edits.

        Those of the `known` ones, by their identities, that were not found again are
        closed. If a newer revision was checked meanwhile, only that counts.

        Raises:
            LeaseLost: somebody else has the page; nothing is saved.
        """
        if not _ends(connection, lease, now):
            return
        row = page_row(connection, page.id)
        if not _has_newer(connection, row, page.id.revision_id or 0):
            was_shown = shown_suggestions(connection, row)
            before = _open(connection, row)
            revision = revision_row(connection, row, page)
            kept = write_suggestions(connection, row, revision, now, found)
            close_suggestions(connection, row, set(known) - kept.keys(), now)
            counts = replace(counts, notes=len(kept.keys() - before))
            if shown_suggestions(connection, row) != was_shown:
                replan(connection, page.id, now)
        count(connection, lease.wiki, counts, now)


def _ends(connection: Connection, lease: Lease[PatrolTask], now: datetime) -> bool:
    """End a look; `False` if this lease ended it before.

    Edits that came meanwhile are looked at next, from where this look ends.
    """
    row = locked(connection, lease)
    if row is None:
        return False
    if row.again:
        values = {"since_revision": lease.task.revision_id}
        change(connection, tasks, values, id=row.id)
    finish(connection, lease, now)
    return True


def _has_newer(connection: Connection, page: int, number: int) -> bool:
    newest = select(func.max(revisions.c.number)).where(revisions.c.page == page)
    return (connection.scalar(newest) or 0) > number


def _of_edits(page: int) -> ColumnElement[bool]:
    is_changed = suggestions.c.update_kind == column_of(ChangedFinding.kind)
    return (suggestions.c.page == page) & is_changed


def _open(connection: Connection, page: int) -> frozenset[str]:
    is_open = _of_edits(page) & suggestions.c.closed_at.is_(None)
    return frozenset(connection.scalars(select(suggestions.c.identity).where(is_open)))


def close_patrolled(
    connection: Connection,
    wiki: str,
    title: str,
    now: datetime,
    *,
    is_hidden: bool = False,
) -> bool:
    """Close the notes of a page that was moved or deleted, or whose text was hidden.

    Returns:
        `False` if the page is one to be checked, or never had a note about an edit.
    """
    if check_task(connection, wiki, title) is not None:
        return False
    row = find(connection, pages, wiki=wiki, title=title, lock=True)
    if row is None or has_runs(connection, row.id):
        return False
    known = select(suggestions.c.identity).where(_of_edits(row.id)).limit(1)
    if connection.execute(known).first() is None:
        return False
    if close_all_suggestions(connection, row.id, now):
        replan(connection, PageId(wiki, title), now)
    if is_hidden:
        forget_closed(connection, row.id)
    return True


def interrupt(
    connection: Connection, wiki: str, titles: Collection[str], now: datetime
) -> None:
    """Take pages from whoever looks at their edits: what they read is hidden now."""
    for title in sorted(titles):
        connection.execute(
            update(tasks)
            .filter_by(kind=TaskKind.PATROL.name, wiki=wiki, subject=title)
            .where(tasks.c.state == LEASED)
            .values(
                state=WAITING,
                due_at=now,
                attempts=0,
                token=tasks.c.token + 1,
                leased_until=None,
                worker=None,
                again=False,
                changed_at=now,
            )
        )
